//! Past reviews: the port to where they are kept, and the steps that keep one.
//!
//! A review is entered when it begins and gets its document when it ends, so that one that was cut
//! off in between can be told. Without a history, reviews go on as before and nothing is kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::report::{Counts, Document, Status};

mod recording;

pub use recording::Recording;

/// A review that begins now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begun {
    /// Names the review. Ids sort by the time at which reviews began.
    pub id: String,
    /// The repository, as [`Repo::identity`](crate::repo::Repo::identity) names it; `None` for a diff
    /// without one.
    pub repo: Option<String>,
    /// The scope, as it stands in documents.
    pub scope: String,
    /// When it began: RFC 3339 in UTC, with milliseconds.
    pub started: String,
}

/// How far a kept review came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It has not ended yet.
    Running,
    /// It ended and has a document.
    Done,
    /// The process that ran it ended first; there is no document.
    Interrupted,
}

/// What a list says of one review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// Names the review.
    pub id: String,
    /// How far it came: `running`, `done`, or `interrupted` where its process ended first.
    pub state: State,
    /// The repository's folder; null for a diff without a repository.
    pub repo: Option<String>,
    /// The scope: `staged`, `unstaged`, `all`, `range`, `commit` or `diff`.
    pub scope: String,
    /// The object name of the old side; null where it has none.
    pub base: Option<String>,
    /// The object name of the new side; null where it has none.
    pub head: Option<String>,
    /// When it began, RFC 3339 in UTC.
    pub started: String,
    /// What it came to; null unless it is done.
    pub outcome: Option<Outcome>,
}

impl Entry {
    /// What it came to, or why it came to nothing, in a few words.
    #[must_use]
    pub fn result(&self) -> &str {
        match (&self.outcome, self.state) {
            (Some(outcome), _) => &outcome.text,
            (None, State::Running) => "still running",
            (None, _) => "cut off before it had a result",
        }
    }
}

/// What a finished review came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// When it ended, RFC 3339 in UTC.
    pub ended: String,
    /// How far it came.
    pub status: Status,
    /// Whether the gate passed.
    pub passed: bool,
    /// How many findings are listed, for each severity.
    pub counts: Counts,
    /// The summary as one line.
    pub text: String,
    /// Who reviewed.
    pub provider: String,
    /// The size of the document in bytes, as [`Document::to_json`] writes it.
    pub size: u64,
}

impl Outcome {
    /// Sums a document up.
    #[must_use]
    pub fn of(document: &Document) -> Self {
        let Document { summary, meta, .. } = document;
        Self {
            ended: meta.timestamp.clone(),
            status: summary.status,
            passed: summary.gate.passed,
            counts: summary.counts,
            text: summary.text.clone(),
            provider: meta.provider.clone(),
            size: document.to_json().len() as u64,
        }
    }
}

/// A kept review with its document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// What a list says of it.
    pub entry: Entry,
    /// The document; `None` unless the review is done.
    pub document: Option<Document>,
}

/// Which reviews to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// Only those of this repository.
    pub repo: Option<String>,
    /// Only those that began before the review of this id.
    pub before: Option<String>,
    /// At most this many.
    pub limit: usize,
}

/// A part of the list of reviews.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// The reviews, the newest first.
    pub entries: Vec<Entry>,
    /// Whether older ones follow.
    pub more: bool,
}

/// Why a history did not answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum HistoryError {
    /// Reviews are not kept.
    #[error("reviews are not kept here: {reason}")]
    Unavailable {
        /// Why not, and the way out.
        reason: String,
    },
    /// The storage failed.
    #[error("cannot {action} in the history: {reason}")]
    Storage {
        /// What was tried.
        action: &'static str,
        /// What the storage said.
        reason: String,
    },
    /// The document is too large to be kept.
    #[error("a document of {size} bytes is not kept; the limit is {limit}")]
    TooLarge {
        /// Its size in bytes.
        size: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The stored document is not one that this version reads.
    #[error("the document of review {id} cannot be read: {reason}")]
    Document {
        /// The review.
        id: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// Where reviews are kept. Used by several threads at once, and by several processes.
pub trait History: Send + Sync {
    /// Enters a review that begins now.
    ///
    /// # Errors
    /// Any [`HistoryError`]; the review is then not kept.
    fn begin(&self, review: &Begun) -> Result<(), HistoryError>;

    /// Gives a review that was entered its document, which names it.
    ///
    /// # Errors
    /// Any [`HistoryError`]; the review is then not kept.
    fn finish(&self, document: &Document) -> Result<(), HistoryError>;

    /// Forgets a review that was entered and will have no document.
    ///
    /// # Errors
    /// Any [`HistoryError`]; the review then counts as interrupted later on.
    fn abandon(&self, id: &str) -> Result<(), HistoryError>;

    /// Lists reviews, the newest first.
    ///
    /// # Errors
    /// Any [`HistoryError`].
    fn list(&self, query: &Query) -> Result<Listing, HistoryError>;

    /// Reads one review; `None` where there is none of that id.
    ///
    /// # Errors
    /// Any [`HistoryError`].
    fn get(&self, id: &str) -> Result<Option<Kept>, HistoryError>;

    /// Lists at most `limit` ids of finished reviews that begin with `prefix`, the newest first, and
    /// says how many there are in all.
    ///
    /// # Errors
    /// Any [`HistoryError`].
    fn ids(&self, prefix: &str, limit: usize) -> Result<(Vec<String>, u64), HistoryError>;
}

/// The lack of a history, with its reason.
#[derive(Debug, Clone)]
pub struct NoHistory {
    reason: String,
}

impl NoHistory {
    /// No history, because of `reason`.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }

    /// What every question is answered with.
    #[must_use]
    pub fn error(&self) -> HistoryError {
        HistoryError::Unavailable { reason: self.reason.clone() }
    }
}

impl History for NoHistory {
    fn begin(&self, _: &Begun) -> Result<(), HistoryError> {
        Err(self.error())
    }

    fn finish(&self, _: &Document) -> Result<(), HistoryError> {
        Err(self.error())
    }

    fn abandon(&self, _: &str) -> Result<(), HistoryError> {
        Err(self.error())
    }

    fn list(&self, _: &Query) -> Result<Listing, HistoryError> {
        Err(self.error())
    }

    fn get(&self, _: &str) -> Result<Option<Kept>, HistoryError> {
        Err(self.error())
    }

    fn ids(&self, _: &str, _: usize) -> Result<(Vec<String>, u64), HistoryError> {
        Err(self.error())
    }
}
