//! `explain_rule`: one rule's page.

use mcp_proto::{CallToolResult, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Call, decode, reading, result, schema};
use crate::rules::page::RulePage;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The rule's id, as `rule` in a finding.
    rule: String,
}

pub(super) fn definition() -> Tool {
    reading(
        "explain_rule",
        "Explain a rule",
        "Returns the page of one rule of the embedded reviewer: what it reports, why that is a fault, \
         how to mend it, and when a finding may be wrong.",
        schema::of::<Arguments>(),
    )
    .output_schema(schema::of::<RulePage>())
}

pub(super) fn call(arguments: &str, call: Call<'_>) -> Result<CallToolResult, String> {
    let Arguments { rule: id } = decode(arguments)?;
    let rule = call.rules.get(&id).ok_or_else(|| call.rules.unknown(&id))?;
    let page = RulePage::of(rule);
    result(page.to_markdown(), &page)
}
