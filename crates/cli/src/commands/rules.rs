//! `foreread rules`.

use anyhow::Context;
use review_tool::rules::{self, Rule, RuleSet};
use serde_json::json;

use crate::args::{RulesArgs, RulesCommand};
use crate::exit::{self, Usage};
use crate::terminal;

/// Lists or explains the embedded rules.
pub(crate) fn run(args: &RulesArgs) -> anyhow::Result<u8> {
    let rules = RuleSet::embedded();
    let text = match &args.command {
        RulesCommand::List { json: false } => list(rules.rules()),
        RulesCommand::List { json: true } => list_json(rules.rules()),
        RulesCommand::Explain { id } => {
            let rule = rules.get(id).ok_or_else(|| {
                Usage(format!("there is no rule {id:?}; foreread rules list names them all"))
            })?;
            explain(rule)
        }
    };
    terminal::print(&text).context("cannot write to stdout")?;
    Ok(exit::DONE)
}

fn list(rules: &[Rule]) -> String {
    let width = rules.iter().map(|rule| rule.id().len()).max().unwrap_or(0);
    let lines = rules.iter().map(|rule| {
        format!(
            "{:width$}  {:8}  {:15}  {}\n",
            rule.id(),
            rule.severity(),
            rule.category(),
            rule.file.title
        )
    });
    lines.collect()
}

fn list_json(rules: &[Rule]) -> String {
    let rules: Vec<_> = rules
        .iter()
        .map(|rule| {
            let languages: Vec<_> = rule.file.languages.iter().map(|l| l.as_str()).collect();
            json!({
                "id": rule.id(),
                "title": rule.file.title,
                "category": rule.category().as_str(),
                "severity": rule.severity().as_str(),
                "confidence": rule.confidence().as_str(),
                "languages": languages,
            })
        })
        .collect();
    format!("{:#}\n", json!(rules))
}

fn explain(rule: &Rule) -> String {
    let file = &rule.file;
    format!(
        "# {}: {}\n\n{}, severity {}, confidence {}\n\n{}\n",
        file.id,
        file.title,
        file.category,
        file.severity,
        file.confidence,
        rules::page(&file.id).unwrap_or_default().trim_end()
    )
}
