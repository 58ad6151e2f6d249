//! `get_review`: one past review.

use mcp_proto::{CallToolResult, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::review::short;
use super::{Call, decode, reading, result, schema};
use crate::finding::Severity;
use crate::history::{Entry, History, Kept, State};
use crate::report::Document;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The review's id: `meta.review_id` of its document, or `id` in `list_reviews`.
    id: String,
    /// The mildest severity that is listed. Defaults to what the review itself listed.
    #[serde(default)]
    min_severity: Option<Severity>,
}

pub(super) fn definition() -> Tool {
    reading(
        "get_review",
        "Read a past review",
        "Returns the document of a past review as `review` returned it, by the review's id.",
        schema::of::<Arguments>(),
    )
    .output_schema(schema::of_document())
}

pub(super) fn call(arguments: &str, call: Call<'_>) -> Result<CallToolResult, String> {
    let arguments: Arguments = decode(arguments)?;
    let (_, mut document) = kept(call.host.history(), &arguments.id)?;
    if let Some(least) = arguments.min_severity {
        document.hide_below(least);
    }
    result(short(&document), &document)
}

/// Reads a review with its document, or says why it has none.
pub(super) fn kept(history: &dyn History, id: &str) -> Result<(Entry, Document), String> {
    match history.get(id).map_err(|error| error.to_string())? {
        Some(Kept { entry, document: Some(document) }) => Ok((entry, document)),
        None => Err(format!("there is no review {id:?}; `list_reviews` names those that are kept")),
        Some(Kept { entry, .. }) if entry.state == State::Running => {
            Err(format!("review {id} is still running; ask again when it is done"))
        }
        Some(_) => Err(format!(
            "review {id} was cut off before it had a result; review the change once more"
        )),
    }
}
