//! What settings change about a review: which files it leaves out, which rules run, how bad their
//! findings are.
//!
//! The user's settings may do so, and the repository's own file, which comes with the code under review
//! and so may do nothing else. What was left out is listed in the document.

use std::collections::BTreeMap;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::Deserialize;

use crate::finding::Severity;
use crate::nearest::nearest;
use crate::rules::RuleSet;

mod built_in;
pub mod project;

pub(crate) use built_in::is_generated;
pub use project::Project;

/// One source's wishes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Tuning {
    /// Files that are left out, in the syntax of `.gitignore`, from the root of the repository. A later
    /// pattern overrides an earlier one, so `!` brings a file back.
    pub ignore: Vec<String>,
    /// The ids of rules that do not run.
    pub disable: Vec<String>,
    /// A severity in place of a rule's own, by id.
    pub severity: BTreeMap<String, Severity>,
}

impl Tuning {
    /// Whether every pattern can be read and every rule is known.
    ///
    /// # Errors
    /// What is wrong, with the nearest known rule.
    pub fn check(&self, rules: &RuleSet) -> Result<(), String> {
        for pattern in &self.ignore {
            let mut builder = GitignoreBuilder::new("");
            let added = builder.add_line(None, pattern).map(drop);
            added.map_err(|error| format!("the pattern {pattern:?} of `ignore`: {error}"))?;
        }
        for id in self.disable.iter().chain(self.severity.keys()) {
            if rules.get(id).is_none() {
                let known = rules.rules().iter().map(|rule| rule.id());
                let hint = nearest(id, known).map(|near| format!("; did you mean {near}?"));
                return Err(format!("there is no rule {id:?}{}", hint.unwrap_or_default()));
            }
        }
        Ok(())
    }
}

/// All wishes together.
pub(crate) struct Tuned {
    ignored: Gitignore,
    disabled: Vec<String>,
    severity: BTreeMap<String, Severity>,
}

impl Tuned {
    /// Puts the repository's wishes over the user's, and both over what is left out anyway. Both have
    /// been checked; what is wrong with a pattern leaves it without effect.
    pub(crate) fn new(user: &Tuning, project: &Tuning) -> Self {
        let mut builder = GitignoreBuilder::new("");
        let built_in = built_in::PATTERNS.iter().map(|(pattern, why)| (*pattern, *why));
        let from = |tuning: &'static str| move |pattern: &'_ String| (pattern.clone(), tuning);
        let lines = built_in.map(|(pattern, why)| (pattern.to_owned(), why));
        let lines = lines.chain(user.ignore.iter().map(from(USER)));
        for (pattern, why) in lines.chain(project.ignore.iter().map(from(PROJECT))) {
            let checked = builder.add_line(Some(why.into()), &pattern);
            debug_assert!(checked.is_ok(), "{pattern}");
        }
        let disabled = user.disable.iter().chain(&project.disable).cloned();
        let mut severity = user.severity.clone();
        severity.extend(project.severity.iter().map(|(id, severity)| (id.clone(), *severity)));
        Self {
            ignored: builder.build().unwrap_or_else(|_| Gitignore::empty()),
            disabled: disabled.collect(),
            severity,
        }
    }

    /// Why a file is left out, if it is.
    pub(crate) fn ignored(&self, path: &str) -> Option<String> {
        // A path of a given diff may be anything; patterns are for paths below the root.
        let path = path.trim_start_matches('/');
        if path.is_empty() {
            return None;
        }
        let Match::Ignore(glob) = self.ignored.matched_path_or_any_parents(path, false) else {
            return None;
        };
        let why = glob.from().and_then(|from| from.to_str()).unwrap_or_default();
        Some(match why {
            USER | PROJECT => format!("ignored by {why} ({})", glob.original()),
            why => format!("{why} ({})", glob.original()),
        })
    }

    /// Whether a file is left out by the built-in patterns alone: nobody has said that it may hold what
    /// it likes.
    pub(crate) fn is_left_out_unasked(&self, path: &str) -> bool {
        let path = path.trim_start_matches('/');
        if path.is_empty() {
            return false;
        }
        match self.ignored.matched_path_or_any_parents(path, false) {
            Match::Ignore(glob) => {
                !glob.from().is_some_and(|from| [USER, PROJECT].iter().any(|by| from == *by))
            }
            _ => false,
        }
    }

    /// Whether a pattern brings a file back that would be left out.
    pub(crate) fn is_wanted(&self, path: &str) -> bool {
        let path = path.trim_start_matches('/');
        !path.is_empty()
            && matches!(self.ignored.matched_path_or_any_parents(path, false), Match::Whitelist(_))
    }

    /// Whether a rule does not run.
    pub(crate) fn is_disabled(&self, rule: &str) -> bool {
        self.disabled.iter().any(|disabled| disabled == rule)
    }

    /// How bad the findings of a rule are, if not as it says.
    pub(crate) fn severity(&self, rule: &str) -> Option<Severity> {
        self.severity.get(rule).copied()
    }
}

/// Where patterns come from.
const USER: &str = "the settings";
const PROJECT: &str = project::FILE;

#[cfg(test)]
mod tests {
    use super::*;

    fn tuned(user: &[&str], project: &[&str]) -> Tuned {
        let of = |ignore: &[&str]| Tuning {
            ignore: ignore.iter().map(|&pattern| pattern.to_owned()).collect(),
            ..Tuning::default()
        };
        Tuned::new(&of(user), &of(project))
    }

    #[test]
    fn what_nobody_wrote_is_left_out_and_can_be_brought_back() {
        let plain = tuned(&[], &[]);
        for (path, why) in [
            ("Cargo.lock", Some("a lock file (Cargo.lock)")),
            ("a/b/package-lock.json", Some("a lock file (package-lock.json)")),
            ("web/node_modules/x/i.js", Some("vendored code (node_modules/)")),
            ("dist/app.min.js", Some("minified code (*.min.js)")),
            ("api/user.pb.go", Some("generated code (*.pb.go)")),
            ("src/lock.rs", None),
            ("src/vendor.rs", None),
            ("/etc/passwd", None),
            ("", None),
        ] {
            assert_eq!(plain.ignored(path).as_deref(), why, "{path}");
        }
        let back = tuned(&["!app.min.js"], &[]);
        assert_eq!(back.ignored("dist/app.min.js"), None);
        assert!(back.ignored("dist/other.min.js").is_some());
    }

    #[test]
    fn patterns_say_where_they_come_from_and_the_last_one_wins() {
        let both = tuned(&["docs/", "*.txt"], &["!keep.txt", "gen/**"]);
        let why = |path: &str| both.ignored(path);
        assert_eq!(why("docs/a/b.md").as_deref(), Some("ignored by the settings (docs/)"));
        assert_eq!(why("gen/x.py").as_deref(), Some("ignored by .foreread.toml (gen/**)"));
        assert_eq!(why("a.txt").as_deref(), Some("ignored by the settings (*.txt)"));
        assert_eq!(why("keep.txt"), None);
    }

    #[test]
    fn unknown_rules_and_broken_patterns_are_named() {
        let rules = RuleSet::embedded();
        let bad = Tuning { disable: vec!["python-mutable-defualt".into()], ..Tuning::default() };
        let said = bad.check(rules).unwrap_err();
        assert!(said.contains("did you mean python-mutable-default?"), "{said}");
        let bad = Tuning { ignore: vec!["a{b".into()], ..Tuning::default() };
        assert!(bad.check(rules).unwrap_err().contains("\"a{b\""));
    }
}
