//! Why a review could not run at all.

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
            Self::PathsWithPatch => true,
            Self::Cancelled | Self::NotADiff => false,
        }
    }
}
