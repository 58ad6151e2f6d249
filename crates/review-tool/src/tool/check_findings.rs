//! `check_findings`: what the host's own model found, held against the change and kept like any review.

use mcp_proto::{CallToolResult, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::scope::{ScopeArguments, did_not_run};
use super::{Call, decode, reading, schema};
use crate::finding::{Category, Confidence, Severity, Side};
use crate::reply::{Claim, MAX_CLAIMS};
use crate::review::{Statement, review_statement};
use crate::secret::redact;

/// The most characters of what is said of the change as a whole.
const MAX_SUMMARY: usize = 4000;

/// What this tool takes beside the scope.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Answer {
    /// What your model found: at most 200 findings, each on a line that the change shows.
    findings: Vec<Stated>,
    /// What your model says of the change as a whole, in one or two sentences.
    #[serde(default)]
    summary: Option<String>,
}

/// One fault, at one line of the change.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Stated {
    /// The path of the changed file.
    file: String,
    /// The line, as the diff numbers it on `side`.
    line: u32,
    /// The last line, where the finding spans several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    line_end: Option<u32>,
    /// `old` for a removed line, else `new`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    side: Option<Side>,
    /// How bad it is.
    severity: Severity,
    /// What kind of fault it is. Defaults to `correctness`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    category: Option<Category>,
    /// How sure your model is. Defaults to `medium`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    confidence: Option<Confidence>,
    /// The fault in a few words.
    title: String,
    /// How it goes wrong.
    description: String,
    /// What to do instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    suggestion: Option<String>,
    /// The code of the line, copied exactly: it finds the line again where the number is off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    snippet: Option<String>,
}

pub(super) fn definition() -> Tool {
    reading(
        "check_findings",
        "Check findings of your own",
        "Takes what your own model found in a git change, holds every finding against the change, adds \
         what the embedded reviewer finds, and judges and keeps the result like any review. The prompt \
         `self_review` gives you the change with its line numbers. A finding whose file or line is not \
         in the change is refused with the nearest one that is; correct it and call again.",
        schema::of_both::<Answer, ScopeArguments>(),
    )
    .output_schema(schema::of_document())
}

pub(super) fn leaves_repo(arguments: &str) -> bool {
    split(arguments).is_ok_and(|(_, scope)| scope.repo.is_none())
}

pub(super) fn call(arguments: &str, call: Call<'_>) -> Result<CallToolResult, String> {
    let (answer, scope) = split(arguments)?;
    let statement = statement(answer, call.host.client())?;
    let asked = scope.ask(call)?;
    let recording = asked.begin(call);
    let review =
        review_statement(&asked.request, asked.repo.as_ref(), call.rules, statement, call.control);
    let review = review.map_err(|error| did_not_run(&error))?;
    asked.end(review.document, recording, call)
}

/// Takes the arguments apart: those of this tool, and those that say which change is meant.
fn split(arguments: &str) -> Result<(Answer, ScopeArguments), String> {
    let mut scope: Map<String, Value> = decode(arguments)?;
    let mut own = Map::new();
    for name in ["findings", "summary"] {
        own.extend(scope.remove(name).map(|value| (name.to_owned(), value)));
    }
    Ok((decode(&Value::Object(own).to_string())?, decode(&Value::Object(scope).to_string())?))
}

fn statement(answer: Answer, model: String) -> Result<Statement, String> {
    if answer.findings.len() > MAX_CLAIMS {
        return Err(format!("invalid arguments: `findings`: at most {MAX_CLAIMS} at once"));
    }
    let claims = answer.findings.iter().enumerate().map(|(at, stated)| {
        let says = [&stated.file, &stated.title, &stated.description];
        let is_blank = says.iter().any(|text| text.trim().is_empty());
        let object = serde_json::to_value(stated).ok();
        let claim = object.as_ref().and_then(Value::as_object).and_then(Claim::read);
        claim.filter(|_| !is_blank).ok_or_else(|| {
            format!(
                "invalid arguments: `findings[{at}]`: file, title and description say something"
            )
        })
    });
    let claims = claims.collect::<Result<_, _>>()?;
    let model = if model.is_empty() { "unknown".to_owned() } else { model };
    let summary = answer.summary.unwrap_or_default();
    let content = redact(summary.trim()).chars().take(MAX_SUMMARY).collect();
    Ok(Statement { model, content, claims })
}
