//! The repository's own settings: `.foreread.toml` at its root.
//!
//! It comes with the code under review, so it may only tune what is harmless, and what a change does to
//! it does not count for the review of that change.

use serde::Deserialize;

use super::Tuning;
use crate::control::Control;
use crate::diff::{FileChange, Problem, RepoPath};
use crate::error::ReviewError;
use crate::repo::{Repo, Stored};
use crate::request::{ReviewRequest, Scope};
use crate::rules::RuleSet;

/// The name of the file.
pub const FILE: &str = ".foreread.toml";

/// A file beyond this many bytes is refused.
const MAX_BYTES: u64 = 64 << 10;
/// Guidance beyond this many bytes is refused: every request to a model carries it.
const MAX_GUIDANCE: usize = 8 << 10;

/// What a repository may say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Project {
    /// Which files and rules are left out.
    pub tuning: Tuning,
    /// What a model is told about the project; data, as the change is.
    pub guidance: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Shape {
    guidance: Option<String>,
    review: Review,
    rules: Rules,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Review {
    ignore: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Rules {
    disable: Vec<String>,
    severity: std::collections::BTreeMap<String, crate::finding::Severity>,
}

/// What may be set.
const ALLOWED: &str = "a repository may set `guidance`, `ignore` in [review], and `disable` and \
                       `severity` in [rules]; all else is the user's";

impl Project {
    /// Reads the text of the file.
    ///
    /// # Errors
    /// What is wrong, in words for its author.
    pub fn parse(text: &str, rules: &RuleSet) -> Result<Self, String> {
        let shape: Shape = toml::from_str(text).map_err(|error| {
            let problem = error.message().lines().next().unwrap_or_default().to_owned();
            let line = error.span().map(|span| text[..span.start].matches('\n').count() + 1);
            let at = line.map(|line| format!("line {line}: ")).unwrap_or_default();
            let is_unknown = problem.contains("unknown field");
            format!(
                "{at}{problem}{}",
                if is_unknown { format!("; {ALLOWED}") } else { String::new() }
            )
        })?;
        let Shape { guidance, review: Review { ignore }, rules: Rules { disable, severity } } =
            shape;
        if guidance.as_ref().is_some_and(|text| text.len() > MAX_GUIDANCE) {
            return Err(format!("`guidance` is longer than {MAX_GUIDANCE} bytes"));
        }
        let tuning = Tuning { ignore, disable, severity };
        tuning.check(rules)?;
        Ok(Self { tuning, guidance })
    }

    /// The rules that it switches off or judges otherwise, as lines for a report.
    pub(crate) fn tuned_rules(&self) -> Vec<String> {
        let Tuning { disable, severity, .. } = &self.tuning;
        let off = disable.iter().map(|id| format!("{id}: off"));
        off.chain(severity.iter().map(|(id, severity)| format!("{id}: {severity}"))).collect()
    }

    /// Reads the settings that count for the review of a change: those that it started from.
    ///
    /// Settings that cannot be used are a problem, and leave everything as it is without them.
    pub(crate) fn of_change(
        request: &ReviewRequest,
        base: Option<&str>,
        changed: &[FileChange<'_>],
        (repo, rules): (&dyn Repo, &RuleSet),
        control: &dyn Control,
    ) -> Result<(Self, Option<Problem>), ReviewError> {
        let path = RepoPath::new(FILE.as_bytes());
        let touched = |file: &FileChange<'_>| {
            [&file.old_path, &file.new_path].into_iter().flatten().any(|own| *own == path)
        };
        // Narrowed to paths, a change does not show whether it changes this file.
        let in_change = || !request.paths.is_empty() || changed.iter().any(touched);
        let stored = match &request.scope {
            Scope::Revisions(_) | Scope::Commit(_) => match base {
                Some(base) => repo.file_at(Some(base), &path, MAX_BYTES, control)?,
                // A change with several old sides has none that could be asked.
                None => Stored::Absent,
            },
            Scope::Patch(_) => repo.file_at(None, &path, MAX_BYTES, control)?,
            _ if in_change() => repo.file_at(None, &path, MAX_BYTES, control)?,
            _ => match repo.work_file(&path, MAX_BYTES) {
                Some(content) => Stored::Content(content),
                // Where HEAD has one, a link or a large file in its place is told.
                None => repo.file_at(None, &path, MAX_BYTES, control)?,
            },
        };
        let parsed = match stored.text() {
            Ok(None) => return Ok((Self::default(), None)),
            Ok(Some(text)) => Self::parse(&text, rules),
            Err(why) => Err(why),
        };
        Ok(match parsed {
            Ok(project) => (project, None),
            Err(why) => {
                let message = format!("the repository's settings cannot be used: {why}");
                (Self::default(), Some(Problem::of_file(FILE, message)))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_harmless_is_read_and_all_else_refused_by_name() {
        let parse = |text: &str| Project::parse(text, RuleSet::embedded());
        let project = parse(
            "guidance = \"Money is in cents.\"\n[review]\nignore = [\"gen/\"]\n[rules]\n\
             disable = [\"python-mutable-default\"]\n[rules.severity]\npython-eval-of-value = \"low\"\n",
        )
        .unwrap();
        assert_eq!(project.guidance.as_deref(), Some("Money is in cents."));
        assert_eq!(project.tuning.ignore, ["gen/"]);
        for (text, want) in [
            ("[review]\nfail_on = \"none\"\n", "unknown field `fail_on`"),
            ("provider = \"x\"\n", "a repository may set"),
            ("[providers.x]\nkind = \"ollama\"\n", "unknown field `providers`"),
            ("[servers.x]\ncommand = \"sh\"\n", "unknown field `servers`"),
            ("[store]\nkeep = 1\n", "unknown field `store`"),
            ("[rules]\ndisable = [\"no-such-rule\"]\n", "there is no rule \"no-such-rule\""),
            ("[rules.severity]\npython-eval-of-value = \"none\"\n", "line 2"),
            ("[review]\nignore = [\"a{b\"]\n", "the pattern \"a{b\""),
            ("x = \n", "line 1"),
        ] {
            let said = parse(text).unwrap_err();
            assert!(said.contains(want), "{text}: {said}");
        }
        let long = format!("guidance = \"{}\"\n", "x".repeat(MAX_GUIDANCE + 1));
        assert!(parse(&long).unwrap_err().contains("longer"));
    }
}
