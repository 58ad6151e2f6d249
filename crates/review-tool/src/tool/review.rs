//! `review`: reviews a change and keeps the review.

use mcp_proto::{CallToolResult, Content, Tool};

use super::scope::{ScopeArguments, did_not_run};
use super::{Call, decode, reading, result, schema};
use crate::report::{Document, Since, Status};
use crate::resource;

/// How many findings the short text names.
const NAMED: usize = 5;

pub(super) fn definition() -> Tool {
    reading(
        "review",
        "Review a change",
        "Reviews a git change before a human does and returns findings as data: file, line, severity, \
         what is wrong, what to do. Call it on the change you have just made, mend what it finds and \
         call it again until `summary.gate.passed` is true. Works offline; reads the repository and \
         changes nothing.",
        schema::of::<ScopeArguments>(),
    )
    .output_schema(schema::of_document())
}

pub(super) fn leaves_repo(arguments: &str) -> bool {
    decode::<ScopeArguments>(arguments).is_ok_and(|arguments| arguments.repo.is_none())
}

pub(super) fn call(arguments: &str, call: Call<'_>) -> Result<CallToolResult, String> {
    let asked = decode::<ScopeArguments>(arguments)?.ask(call)?;
    let recording = asked.begin(call);
    let review = crate::review(&asked.request, asked.repo.as_ref(), call.rules, call.control);
    let review = review.map_err(|error| did_not_run(&error))?;
    asked.end(review.document, recording, call)
}

/// A review as a result: one short text, the document as text and as data, and a link to where it is
/// kept.
pub(super) fn shown(document: &Document, kept: bool) -> Result<CallToolResult, String> {
    let result = result(short(document), document)?;
    Ok(match resource::of_document(document) {
        Some(link) if kept => result.with_content(Content::link(link)),
        _ => result,
    })
}

/// The summary, what to mend first, and what kept the review from being complete.
pub(super) fn short(document: &Document) -> String {
    let summary = &document.summary;
    let mut text = summary.text.clone();
    if let Some(Since { review_id, new, still, gone }) = &document.since {
        let (new, still, gone) = (new.len(), still.len(), gone.len());
        text.push_str(&format!(
            "\nSince review {review_id}: {new} new, {gone} gone, {still} still there"
        ));
    }
    if !document.findings.is_empty() {
        text.push_str("\nMend first:");
    }
    for finding in document.findings.iter().take(NAMED) {
        let rule = finding.rule.as_deref().unwrap_or("model");
        let at = format!("{}:{}", finding.file, finding.line);
        text.push_str(&format!("\n- {at} {} [{rule}] {}", finding.severity, finding.title));
    }
    if document.findings.len() > NAMED {
        text.push_str(&format!("\n- and {} more in the document", document.findings.len() - NAMED));
    }
    for problem in summary.problems.iter().take(NAMED) {
        let file = problem.file.as_deref().map(|file| format!("{file}: ")).unwrap_or_default();
        text.push_str(&format!("\nProblem: {file}{}", problem.message));
    }
    if summary.status == Status::NothingToReview && document.meta.scope == "staged" {
        text.push_str(
            "\nNothing is staged: stage the change, or pass `unstaged`, `all`, `diff` or `commit`.",
        );
    }
    text
}
