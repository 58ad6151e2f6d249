//! `foreread rules`.

use anyhow::Context;
use review_tool::rules::page::{RulePage, RuleSummary};
use review_tool::rules::{Rule, RuleSet};
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
            let rule = rules.get(id).ok_or_else(|| Usage(rules.unknown(id)))?;
            RulePage::of(rule).to_markdown()
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
    let rules: Vec<_> = rules.iter().map(RuleSummary::of).collect();
    format!("{:#}\n", json!(rules))
}
