//! A policy: how many findings a gate bears, and which of them somebody answers for until when.
//!
//! Budgets and `fail_on` hold side by side: the gate passes where neither is broken. A waiver takes
//! findings out of the count for both until its day is over, and never out of the report.

use std::collections::BTreeMap;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::Deserialize;

use crate::control::Control;
use crate::diff::{Problem, RepoPath};
use crate::error::ReviewError;
use crate::finding::{Category, Finding, Severity};
use crate::repo::Repo;
use crate::report::plural;

/// A policy beyond this many bytes is refused.
pub const MAX_BYTES: u64 = 1 << 20;

/// A policy, or where it is to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Policy {
    /// What it says.
    Of(Terms),
    /// This file of the repository as it was before the change, which must not bring the policy that it
    /// is judged by.
    AtBase(RepoPath),
}

/// What a policy says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    #[serde(default)]
    budget: Budget,
    #[serde(default)]
    waiver: Vec<Waiver>,
}

/// The most findings that pass.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Budget {
    total: Option<usize>,
    severity: BTreeMap<Severity, usize>,
    category: BTreeMap<Category, usize>,
    rule: BTreeMap<String, usize>,
}

/// Findings that somebody answers for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Waiver {
    /// The rule.
    rule: String,
    /// The files, as a pattern of gitignore; all of them without one.
    #[serde(default)]
    file: Option<String>,
    /// Who answers.
    owner: String,
    /// The last day on which it holds, `YYYY-MM-DD` in UTC.
    until: String,
    /// Why.
    reason: String,
}

impl Terms {
    /// Reads a policy file, which is TOML.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let terms: Self = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| text[..span.start].matches('\n').count() + 1);
            let at = line.map(|line| format!("line {line}: ")).unwrap_or_default();
            format!("{at}{}", error.message().lines().next().unwrap_or_default())
        })?;
        for waiver in &terms.waiver {
            let fault = |what: &str| Err(format!("the waiver of {}: {what}", waiver.rule));
            if !is_day(&waiver.until) {
                return fault("`until` is no day like 2026-12-31");
            }
            if waiver.owner.trim().is_empty() || waiver.reason.trim().is_empty() {
                return fault("it names no owner or no reason");
            }
            if let Err(why) = waiver.files() {
                return fault(&why);
            }
        }
        Ok(terms)
    }

    /// The findings that count on a day, and what is to be said of waivers that count no more.
    pub(crate) fn counted<'f>(
        &self,
        findings: &'f [Finding],
        today: &str,
    ) -> (Vec<&'f Finding>, Vec<String>) {
        let files: Vec<_> = self.waiver.iter().map(Waiver::files).collect();
        let mut said = Vec::new();
        let mut counted = Vec::new();
        for finding in findings {
            let mut meant = self.waiver.iter().zip(&files).filter(|(waiver, files)| {
                finding.rule.as_deref() == Some(&waiver.rule) && covers(files, &finding.file)
            });
            if meant.clone().any(|(waiver, _)| today <= waiver.until.as_str()) {
                continue;
            }
            counted.push(finding);
            said.extend(meant.next().map(|(Waiver { rule, owner, until, .. }, _)| {
                format!("the waiver of {rule} by {owner} ended on {until}")
            }));
        }
        said.sort();
        said.dedup();
        (counted, said)
    }

    /// The budgets that these findings break.
    pub(crate) fn broken(&self, findings: &[&Finding]) -> Vec<String> {
        let mut out = Vec::new();
        let mut hold = |what: &str, most: usize, is_meant: &dyn Fn(&Finding) -> bool| {
            let count = findings.iter().filter(|finding| is_meant(finding)).count();
            if count > most {
                let count = plural(count as u64, "finding");
                out.push(format!("{count}{what}, and the policy bears {most}"));
            }
        };
        let Budget { total, severity, category, rule } = &self.budget;
        if let Some(most) = total {
            hold("", *most, &|_| true);
        }
        for (one, most) in severity {
            hold(&format!(" of severity {one}"), *most, &|finding| finding.severity == *one);
        }
        for (one, most) in category {
            hold(&format!(" of category {one}"), *most, &|finding| finding.category == *one);
        }
        for (one, most) in rule {
            let is_meant = |finding: &Finding| finding.rule.as_ref() == Some(one);
            hold(&format!(" of rule {one}"), *most, &is_meant);
        }
        out
    }
}

impl Waiver {
    fn files(&self) -> Result<Option<Gitignore>, String> {
        let Some(pattern) = &self.file else { return Ok(None) };
        let mut builder = GitignoreBuilder::new("");
        builder.add_line(None, pattern).map_err(|error| error.to_string())?;
        builder.build().map(Some).map_err(|error| error.to_string())
    }
}

fn covers(files: &Result<Option<Gitignore>, String>, path: &str) -> bool {
    let path = path.trim_start_matches('/');
    match files {
        Ok(None) => true,
        Ok(Some(files)) => {
            !path.is_empty() && files.matched_path_or_any_parents(path, false).is_ignore()
        }
        Err(_) => false,
    }
}

/// Whether a text is a day as this module compares them: by their letters.
fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let number = |part: &str, len: usize| {
        let is_plain = part.len() == len && part.bytes().all(|byte| byte.is_ascii_digit());
        is_plain.then(|| part.parse::<u32>().unwrap_or(0))
    };
    let [year, month, day] = parts[..] else { return false };
    number(year, 4).is_some()
        && number(month, 2).is_some_and(|month| (1..=12).contains(&month))
        && number(day, 2).is_some_and(|day| (1..=31).contains(&day))
}

/// Reads the policy from the old side of a change. One that cannot be used is a problem.
pub(crate) fn at_base(
    base: Option<&str>,
    path: &RepoPath,
    repo: &dyn Repo,
    control: &dyn Control,
) -> Result<(Terms, Option<Problem>), ReviewError> {
    let text = match base {
        Some(base) => repo.file_at(Some(base), path, MAX_BYTES, control)?.text(),
        None => Ok(None),
    };
    let read = text.and_then(|text| match text {
        Some(text) => Terms::parse(&text),
        None => {
            Err("the change's base does not have it, and a change cannot bring its own".to_owned())
        }
    });
    Ok(match read {
        Ok(terms) => (terms, None),
        Err(why) => {
            let message = format!("the policy cannot be used: {why}");
            (Terms::default(), Some(Problem::of_file(path.display(), message)))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_are_read_and_their_faults_told() {
        assert!(Terms::parse("").is_ok());
        for (text, want) in [
            ("[budget]\ntotl = 1\n", "unknown field `totl`"),
            ("[budget.severity]\nsevere = 1\n", "line 2"),
            ("[budget]\ntotal = -1\n", "line 2"),
            ("[[waiver]]\nrule = \"r\"\n", "missing field"),
        ] {
            let said = Terms::parse(text).unwrap_err();
            assert!(said.contains(want), "{text}: {said}");
        }
        let waiver = |owner: &str, until: &str, file: &str| {
            Terms::parse(&format!(
                "[[waiver]]\nrule = \"r\"\nowner = {owner:?}\nuntil = {until:?}\nfile = {file:?}\nreason = \"x\"\n"
            ))
        };
        assert!(waiver("a", "2026-12-31", "lib/").is_ok());
        for (owner, until, file, want) in [
            ("a", "2026-13-01", "lib/", "no day"),
            ("a", "31.12.2026", "lib/", "no day"),
            (" ", "2026-12-31", "lib/", "no owner"),
            ("a", "2026-12-31", "a{b", "waiver of r"),
        ] {
            let said = waiver(owner, until, file).unwrap_err();
            assert!(said.contains(want), "{until}: {said}");
        }
    }
}
