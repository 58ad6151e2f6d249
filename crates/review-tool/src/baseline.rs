//! A baseline: findings that are known, by their fingerprints, and so are not reported again.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::control::Control;
use crate::diff::{Problem, RepoPath};
use crate::error::ReviewError;
use crate::repo::{Repo, Stored};
use crate::report::Silenced;
use crate::request::Scope;

/// The version of the file's shape.
const SCHEMA: u32 = 1;

/// Which findings are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Baseline {
    /// Those with these fingerprints.
    Of(HashSet<String>),
    /// Those of this file of the repository as it was before the change: a range or a commit may change
    /// the file, and must not bring the baseline that its own review goes by.
    AtBase(RepoPath),
    /// Those of this file of the repository, if it has one: as it was before a range or commit, or at HEAD.
    Kept(RepoPath),
    /// All of them: what is found is going to be the baseline.
    Everything,
}

/// A baseline beyond this many bytes is refused.
pub const MAX_BYTES: u64 = 64 << 20;

/// Reads the baseline from the old side of a change. One that cannot be used is a problem, and knows
/// nothing.
pub(crate) fn at_base(
    base: Option<&str>,
    path: &RepoPath,
    repo: &dyn Repo,
    control: &dyn Control,
) -> Result<(Baseline, Option<Problem>), ReviewError> {
    let stored = match base {
        Some(base) => repo.file_at(Some(base), path, MAX_BYTES, control)?,
        None => Stored::Absent,
    };
    let absent =
        || Err("the change's base does not have it, and a change cannot bring its own".to_owned());
    Ok(read(stored, path, absent))
}

/// Reads the baseline that a repository keeps; one that keeps none knows nothing.
pub(crate) fn kept(
    (scope, base): (&Scope, Option<&str>),
    path: &RepoPath,
    repo: &dyn Repo,
    control: &dyn Control,
) -> Result<(Baseline, Option<Problem>), ReviewError> {
    let stored = match (scope, base) {
        (Scope::Revisions(_) | Scope::Commit(_), None) => Stored::Absent,
        (Scope::Revisions(_) | Scope::Commit(_), base) => {
            repo.file_at(base, path, MAX_BYTES, control)?
        }
        _ => repo.file_at(None, path, MAX_BYTES, control)?,
    };
    Ok(read(stored, path, || Ok(Baseline::Of(HashSet::new()))))
}

fn read(
    stored: Stored,
    path: &RepoPath,
    absent: impl FnOnce() -> Result<Baseline, String>,
) -> (Baseline, Option<Problem>) {
    let read = stored.text().and_then(|text| match text {
        Some(text) => Baseline::parse(&text),
        None => absent(),
    });
    match read {
        Ok(baseline) => (baseline, None),
        Err(why) => {
            let message = format!("the baseline cannot be used: {why}");
            (Baseline::Of(HashSet::new()), Some(Problem::of_file(path.display(), message)))
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Shape {
    schema: u32,
    findings: Vec<Known>,
}

/// One known finding. The fingerprint decides; the rest is for whoever reads the file.
#[derive(Serialize, Deserialize)]
struct Known {
    fingerprint: String,
    #[serde(default)]
    rule: Option<String>,
    #[serde(default)]
    file: String,
    #[serde(default)]
    title: String,
}

impl Baseline {
    /// Reads a baseline file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let shape: Shape = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if shape.schema != SCHEMA {
            return Err(format!("its schema is {}, not {SCHEMA}", shape.schema));
        }
        Ok(Self::Of(shape.findings.into_iter().map(|known| known.fingerprint).collect()))
    }

    /// Whether a fingerprint is known.
    #[must_use]
    pub fn holds(&self, fingerprint: &str) -> bool {
        match self {
            Self::Of(known) => known.contains(fingerprint),
            Self::Everything => true,
            // Read before anything is compared.
            Self::AtBase(_) | Self::Kept(_) => false,
        }
    }

    /// The text of the baseline file of a review that ran with [`Baseline::Everything`]; ordered, so that
    /// the same findings give the same bytes.
    #[must_use]
    pub fn file_of(silenced: &[Silenced]) -> String {
        let known = silenced.iter().filter(|one| one.reason.is_none()).map(|one| Known {
            fingerprint: one.fingerprint.clone(),
            rule: one.rule.clone(),
            file: one.file.clone(),
            title: one.title.clone(),
        });
        let mut findings: Vec<Known> = known.collect();
        findings.sort_by(|a, b| {
            (&a.file, &a.rule, &a.fingerprint).cmp(&(&b.file, &b.rule, &b.fingerprint))
        });
        crate::report::escaped_json(&Shape { schema: SCHEMA, findings })
    }
}
