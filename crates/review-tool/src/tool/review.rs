//! `review`: reviews a change and keeps the review.

use mcp_proto::{CallToolResult, Content, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::scope::{ScopeArguments, did_not_run};
use super::{Call, decode, reading, result, schema};
use crate::report::{Document, Since, Status};
use crate::resource;
use crate::review_with;

/// How many findings the short text names.
const NAMED: usize = 5;

/// What this tool takes beside the scope.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Asking {
    /// The provider, of those in the user's settings, whose model reviews too. Defaults to the one that
    /// the settings choose, if any; the change is then sent to it, credentials masked.
    #[serde(default)]
    provider: Option<String>,
    /// The model of that provider. Defaults to the one of its settings.
    #[serde(default)]
    model: Option<String>,
}

pub(super) fn definition() -> Tool {
    reading(
        "review",
        "Review a change",
        "Reviews a git change before a human does and returns findings as data: file, line, severity, \
         what is wrong, what to do. Call it on the change you have just made, mend what it finds and \
         call it again until `summary.gate.passed` is true. Works offline; reads the repository and \
         changes nothing.",
        schema::of_both::<Asking, ScopeArguments>(),
    )
    .output_schema(schema::of_document())
}

pub(super) fn leaves_repo(arguments: &str) -> bool {
    split(arguments).is_ok_and(|(_, scope)| scope.repo.is_none())
}

pub(super) fn call(arguments: &str, call: Call<'_>) -> Result<CallToolResult, String> {
    let (asking, scope) = split(arguments)?;
    let asked = scope.ask(call)?;
    let (provider, model) = (asking.provider.as_deref(), asking.model.as_deref());
    let mut made = None;
    call.host.with_reviewer(provider, model, &mut |reviewer| {
        let recording = asked.begin(call);
        let (request, repo) = (&asked.request, asked.repo.as_ref());
        made = Some((recording, review_with(request, repo, call.rules, reviewer, call.control)));
    })?;
    let (recording, review) = made.ok_or("the review did not run")?;
    let review = review.map_err(|error| did_not_run(&error))?;
    asked.end(review.document, recording, call)
}

/// Takes the arguments apart: those of this tool, and those that say which change is meant.
fn split(arguments: &str) -> Result<(Asking, ScopeArguments), String> {
    let mut scope: Map<String, Value> = decode(arguments)?;
    let mut own = Map::new();
    for name in ["provider", "model"] {
        own.extend(scope.remove(name).map(|value| (name.to_owned(), value)));
    }
    Ok((decode(&Value::Object(own).to_string())?, decode(&Value::Object(scope).to_string())?))
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
