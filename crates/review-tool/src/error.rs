//! Why a review could not run at all.

use std::fmt::Write as _;

use crate::repo::RepoError;

/// A review that has no document.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// The change could not be read.
    #[error(transparent)]
    Repo(RepoError),
    /// The caller cancelled.
    #[error("the review was cancelled")]
    Cancelled,
    /// The text given as a diff is not one.
    #[error(
        "no file change found in the diff: it is neither a unified diff nor one that git writes"
    )]
    NotADiff,
    /// Paths were given for a diff, which is reviewed as it is.
    #[error("paths narrow a change that git makes, not a diff that is given; leave them out")]
    PathsWithPatch,
    /// Findings that were handed in point at nothing that the change shows.
    #[error("{}", refused(findings))]
    Refused {
        /// What was refused and why, with the nearest place that could be meant.
        findings: Vec<String>,
    },
}

/// The most refused findings that a message names.
const NAMED: usize = 20;

fn refused(findings: &[String]) -> String {
    let mut text = match findings.len() {
        1 => "1 finding does not fit the change; correct it, or leave it out:".to_owned(),
        count => {
            format!("{count} findings do not fit the change; correct them, or leave them out:")
        }
    };
    for finding in findings.iter().take(NAMED) {
        _ = write!(text, "\n- {finding}");
    }
    if findings.len() > NAMED {
        _ = write!(text, "\n- and {} more", findings.len() - NAMED);
    }
    text
}

impl From<RepoError> for ReviewError {
    fn from(error: RepoError) -> Self {
        match error {
            RepoError::Cancelled => Self::Cancelled,
            error => Self::Repo(error),
        }
    }
}

impl ReviewError {
    /// Whether the caller asked for something that does not exist, rather than the work failing.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Repo(error) => error.is_usage(),
            Self::PathsWithPatch | Self::Refused { .. } => true,
            Self::Cancelled | Self::NotADiff => false,
        }
    }
}
