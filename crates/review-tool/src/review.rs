//! The pipeline, straight down: diff, files, rules, findings, verdict.

use std::borrow::Cow;

use crate::control::{Control, Progress};
use crate::diff::{Body, FileChange, Hunk, Problem};
use crate::error::ReviewError;
use crate::finding::Finding;
use crate::repo::Repo;
use crate::report::{
    Counts, Document, Files, Gate, Meta, SCHEMA_VERSION, Skipped, Status, Summary, Usage,
    summary_text,
};
use crate::request::ReviewRequest;
use crate::rules::RuleSet;

mod binary;
mod finish;
mod inspect;
mod reading;

pub use finish::Excerpt;
pub use reading::Reading;

/// A review with what a renderer needs beside the document.
#[derive(Debug, Clone)]
pub struct Review {
    /// The document. The caller's [`Stamp`](crate::report::Stamp) is still to be put in.
    pub document: Document,
    /// The code around each listed finding, in the order of the findings.
    pub excerpts: Vec<Excerpt>,
}

/// Reviews a change with the embedded rules.
///
/// # Errors
/// [`ReviewError`] where no document can be made: the change cannot be read, or the caller cancelled.
/// Whatever is lost on the way to a document makes its status `partial` instead.
pub fn review(
    request: &ReviewRequest,
    repo: &(dyn Repo + Sync),
    rules: &RuleSet,
    control: &dyn Control,
) -> Result<Review, ReviewError> {
    let steps = Steps { control };
    steps.say(0, None, "reading the change");
    let reading = Reading::open(request, repo, control)?;
    let (changed, mut problems) = reading.files(repo, control)?;
    let mut files = Files::default();
    let mut wanted: Vec<&FileChange<'_>> = Vec::new();
    for file in &changed {
        match skip_reason(file) {
            Some(reason) => files
                .skipped
                .push(Skipped { file: file.path().into_owned(), reason: reason.to_owned() }),
            None => wanted.push(file),
        }
    }
    let is_patch = reading.is_patch();
    let inspected = inspect::inspect(&wanted, is_patch, repo, rules, request.no_flaky, &steps)?;
    problems.extend(inspected.problems);
    files.reviewed = wanted.iter().map(|file| file.path().into_owned()).collect();
    files.reviewed.sort();
    files.reviewed.dedup();
    files.skipped.sort();

    let (findings, excerpts) = finish::finish(inspected.candidates);
    let about = About { base: reading.base.clone(), head: reading.head.clone() };
    let document = conclude(request, findings, files, problems, about);
    let excerpts = excerpts.into_iter().take(document.findings.len()).collect();
    Ok(Review { document, excerpts })
}

struct About {
    base: Option<String>,
    head: Option<String>,
}

/// Makes the verdict. Findings come sorted by severity, so those that are listed come first.
fn conclude(
    request: &ReviewRequest,
    mut findings: Vec<Finding>,
    files: Files,
    problems: Vec<Problem>,
    about: About,
) -> Document {
    let status = match (problems.is_empty(), files.reviewed.is_empty()) {
        (false, _) => Status::Partial,
        (true, true) => Status::NothingToReview,
        (true, false) => Status::Complete,
    };
    let blocks =
        |finding: &Finding| request.fail_on.is_some_and(|least| finding.severity.reaches(least));
    let passed = status != Status::Partial && !findings.iter().any(blocks);
    let gate = Gate { fail_on: request.fail_on, passed };
    let listed = findings.partition_point(|finding| finding.severity.reaches(request.min_severity));
    let hidden = (findings.len() - listed) as u64;
    let text = summary_text(status, &findings, hidden, &gate, &files, problems.len());
    findings.truncate(listed);
    let problems = problems
        .into_iter()
        .map(|problem| crate::report::Problem { file: problem.file, message: problem.message })
        .collect();
    let summary =
        Summary { status, counts: Counts::of(&findings), gate, files, text, problems, hidden };
    let meta = Meta {
        provider: "embedded".to_owned(),
        model: "rules".to_owned(),
        lang: "en".to_owned(),
        usage: Usage::default(),
        cost_usd: 0.0,
        latency_ms: 0,
        cached: false,
        timestamp: String::new(),
        version: String::new(),
        review_id: String::new(),
        scope: request.scope.as_str().to_owned(),
        base: about.base,
        head: about.head,
    };
    Document { schema: SCHEMA_VERSION, content: String::new(), findings, summary, meta }
}

/// Why a file is not reviewed, where its kind is not text.
fn skip_reason(file: &FileChange<'_>) -> Option<&'static str> {
    if file.is_submodule() && file.hunks().iter().all(is_commit_line) {
        Some("a submodule: its commit changed, its content is another repository's")
    } else if file.is_symlink() && file.hunks().iter().all(is_link_target) {
        Some("a symbolic link")
    } else if file.body == Body::Binary {
        Some("binary content")
    } else {
        None
    }
}

/// Whether a hunk is what git writes for a submodule. A mode alone makes no submodule of code.
fn is_commit_line(hunk: &Hunk<'_>) -> bool {
    hunk.lines.iter().all(|line| line.text.starts_with(b"Subproject commit "))
}

/// Whether a hunk is what git writes for a symbolic link: one path, without a line end.
fn is_link_target(hunk: &Hunk<'_>) -> bool {
    let single = |len: u32| len <= 1;
    single(hunk.old_len) && single(hunk.new_len)
}

/// Progress and cancellation of one review.
struct Steps<'c> {
    control: &'c dyn Control,
}

impl Steps<'_> {
    fn say(&self, done: u64, total: Option<u64>, message: impl Into<Cow<'static, str>>) {
        self.control.progress(Progress { done, total, message: message.into().into_owned() });
    }

    fn check(&self) -> Result<(), ReviewError> {
        if self.control.cancelled() { Err(ReviewError::Cancelled) } else { Ok(()) }
    }
}
