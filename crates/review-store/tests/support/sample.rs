//! Reviews to store.

use review_tool::control::Uncontrolled;
use review_tool::history::Begun;
use review_tool::repo::NoRepo;
use review_tool::report::{Document, Stamp};
use review_tool::request::{ReviewRequest, Scope};
use review_tool::review;
use review_tool::rules::RuleSet;

const PATCH: &str = "--- a/a.py\n+++ b/a.py\n@@ -0,0 +1,2 @@\n+def f(a=[]):\n+    return a\n";

/// The beginning of a review.
pub(crate) fn begun(id: &str, repo: Option<&str>) -> Begun {
    Begun {
        id: id.to_owned(),
        repo: repo.map(str::to_owned),
        scope: "diff".to_owned(),
        started: "2026-01-02T03:04:05.678Z".to_owned(),
    }
}

/// A document of a review that found something.
pub(crate) fn document() -> Document {
    let request = ReviewRequest::new(Scope::Patch(PATCH.as_bytes().to_vec()));
    review(&request, &NoRepo, RuleSet::embedded(), &Uncontrolled).unwrap().document
}

/// The same document under an id of its own.
pub(crate) fn stamped(document: &Document, id: &str, ended: &str) -> Document {
    let mut document = document.clone();
    document.stamp(Stamp {
        review_id: id.to_owned(),
        timestamp: ended.to_owned(),
        version: "1.2.3".to_owned(),
        latency_ms: 7,
    });
    document
}
