//! `foreread rules`.

use std::path::Path;

use anyhow::Context;
use review_tool::printable;
use review_tool::rules::page::{RulePage, RuleSummary};
use review_tool::rules::{Rule, RuleSet, own};
use serde_json::json;

use crate::args::{RulesArgs, RulesCommand};
use crate::exit::{self, Usage};
use crate::terminal;

mod files;

use files::Files;

/// Lists or explains the rules, or runs the tests of the repository's own.
pub(crate) fn run(args: &RulesArgs) -> anyhow::Result<u8> {
    let embedded = RuleSet::embedded();
    let text = match &args.command {
        RulesCommand::List { json, repo } => {
            let own = own_rules(repo.as_deref())?;
            let mut rules: Vec<&Rule> = embedded.rules().iter().chain(own.rules()).collect();
            rules.sort_by_key(|rule| rule.id());
            if *json { list_json(&rules) } else { list(&rules) }
        }
        RulesCommand::Explain { id, repo } => match embedded.get(id) {
            Some(rule) => RulePage::of(rule).to_markdown(),
            None => {
                let own = own_rules(repo.as_deref())?;
                let rule = own.get(id).ok_or_else(|| Usage(embedded.unknown(id)))?;
                RulePage::of(rule).to_markdown()
            }
        },
        RulesCommand::Test { repo } => return test(repo.as_deref()),
    };
    terminal::print(&text).context("cannot write to stdout")?;
    Ok(exit::DONE)
}

/// The repository's own rules; what cannot be used is said on stderr.
fn own_rules(repo: Option<&Path>) -> anyhow::Result<RuleSet> {
    let files = Files::read(repo)?;
    let (rules, faults) = own::read(files.rules(), RuleSet::embedded());
    for (path, why) in faults {
        terminal::say(&printable(&format!("{path}: {why}")));
    }
    Ok(rules)
}

/// Runs the tests of the repository's own rules.
fn test(repo: Option<&Path>) -> anyhow::Result<u8> {
    let files = Files::read(repo)?;
    let (rules, faults) = own::read(files.rules(), RuleSet::embedded());
    let mut faults: Vec<String> =
        faults.iter().map(|(path, why)| format!("{path}: {why}")).collect();
    let mut outcomes = Vec::new();
    for (path, text) in files.tests() {
        match own::test(text, &rules) {
            Ok(of_file) => outcomes.extend(of_file),
            Err(error) => faults.push(format!("{path}: {error}")),
        }
    }
    if rules.rules().is_empty() && faults.is_empty() {
        return Err(Usage(format!("there are no rules in {}", own::FOLDER)).into());
    }
    let mut out = String::new();
    let failed = outcomes.iter().filter(|outcome| !outcome.faults.is_empty()).count();
    for outcome in &outcomes {
        let own::Outcome { id, valid, invalid, faults } = outcome;
        let word = if faults.is_empty() { "pass" } else { "FAIL" };
        out.push_str(&format!("{word}  {id}  {valid} valid, {invalid} invalid\n"));
        faults.iter().for_each(|fault| out.push_str(&format!("      {fault}\n")));
    }
    let is_tested = |rule: &&Rule| outcomes.iter().any(|outcome| outcome.id == rule.id());
    for rule in rules.rules().iter().filter(|rule| !is_tested(rule)) {
        out.push_str(&format!("----  {}  no test\n", rule.id()));
    }
    let passed = outcomes.len() - failed;
    out.push_str(&format!("{passed} passed, {failed} failed\n"));
    terminal::print(&out).context("cannot write to stdout")?;
    if !faults.is_empty() {
        return Err(Usage(printable(&faults.join("\n")).into_owned()).into());
    }
    Ok(if failed > 0 { exit::FINDINGS } else { exit::DONE })
}

fn list(rules: &[&Rule]) -> String {
    let width = rules.iter().map(|rule| rule.id().len()).max().unwrap_or(0);
    let lines = rules.iter().map(|rule| {
        format!(
            "{:width$}  {:8}  {:15}  {}\n",
            rule.id(),
            rule.severity(),
            rule.category(),
            printable(&rule.file.title)
        )
    });
    lines.collect()
}

fn list_json(rules: &[&Rule]) -> String {
    let rules: Vec<_> = rules.iter().map(|rule| RuleSummary::of(rule)).collect();
    format!("{:#}\n", json!(rules))
}
