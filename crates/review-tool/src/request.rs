//! What a caller asks to be reviewed, and how the verdict is made.

use std::ffi::OsString;

use crate::baseline::Baseline;
use crate::finding::Severity;
use crate::policy::Policy;
use crate::tuning::Tuning;

/// Which change is reviewed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// What is staged: the index against HEAD.
    Staged,
    /// What is not staged: the work tree against the index.
    Unstaged,
    /// Everything since HEAD, untracked files too.
    All,
    /// Revisions or ranges as `git diff` takes them; never options.
    Revisions(Vec<String>),
    /// What one commit changed against its first parent.
    Commit(String),
    /// A unified diff as text.
    Patch(Vec<u8>),
}

impl Scope {
    /// The name that stands in documents.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Staged => "staged",
            Self::Unstaged => "unstaged",
            Self::All => "all",
            Self::Revisions(_) => "range",
            Self::Commit(_) => "commit",
            Self::Patch(_) => "diff",
        }
    }
}

/// A request for a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewRequest {
    /// Which change.
    pub scope: Scope,
    /// git pathspecs that narrow it, relative to the folder the repository was opened at; none for all.
    pub paths: Vec<OsString>,
    /// The mildest severity that fails the gate; `None` for a gate that no finding fails.
    pub fail_on: Option<Severity>,
    /// The mildest severity that is listed. The gate counts unlisted findings too.
    pub min_severity: Severity,
    /// Whether to leave out rules about tests that may fail without a fault.
    pub no_flaky: bool,
    /// Whether to leave out the embedded rules, so that a model reviews alone.
    pub no_rules: bool,
    /// What the user's settings leave out; checked against the rules.
    pub tuning: Tuning,
    /// The findings that are known and count no more.
    pub baseline: Option<Baseline>,
    /// What the gate bears beside `fail_on`.
    pub policy: Option<Policy>,
    /// The day on which waivers are judged, `YYYY-MM-DD` in UTC; only with a policy.
    pub today: String,
}

impl ReviewRequest {
    /// The severity that fails a gate unless the caller says otherwise.
    pub const DEFAULT_FAIL_ON: Severity = Severity::High;

    /// A request with the defaults for everything but the scope.
    #[must_use]
    pub fn new(scope: Scope) -> Self {
        Self {
            scope,
            paths: Vec::new(),
            fail_on: Some(Self::DEFAULT_FAIL_ON),
            min_severity: Severity::Info,
            no_flaky: false,
            no_rules: false,
            tuning: Tuning::default(),
            baseline: None,
            policy: None,
            today: String::new(),
        }
    }
}
