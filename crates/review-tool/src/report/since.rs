//! How a review's findings compare with those of an earlier one.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Document;
use crate::finding::Finding;

/// How the findings compare with those of an earlier review, by their fingerprints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Since {
    /// The earlier review.
    pub review_id: String,
    /// The fingerprints of the listed findings that the earlier review did not have.
    pub new: Vec<String>,
    /// The fingerprints of the listed findings that the earlier review had, too.
    pub still: Vec<String>,
    /// What the earlier review listed and this one does not have any more.
    pub gone: Vec<Finding>,
}

impl Since {
    /// Compares `now` with what was found `before`. A finding that only one of the two did not list for
    /// its severity counts as there.
    #[must_use]
    pub fn of(before: &Document, now: &Document) -> Self {
        let (earlier, present) = (all(before), all(now));
        let fingerprints = now.findings.iter().map(|finding| finding.fingerprint.clone());
        let (still, new) = fingerprints.partition(|one| earlier.contains(one.as_str()));
        let gone = before.findings.iter();
        let gone = gone.filter(|finding| !present.contains(finding.fingerprint.as_str())).cloned();
        Self { review_id: before.meta.review_id.clone(), new, still, gone: gone.collect() }
    }
}

/// The fingerprints of all findings, listed or not.
fn all(document: &Document) -> BTreeSet<&str> {
    let listed = document.findings.iter().map(|finding| finding.fingerprint.as_str());
    listed.chain(document.summary.unlisted.iter().map(String::as_str)).collect()
}
