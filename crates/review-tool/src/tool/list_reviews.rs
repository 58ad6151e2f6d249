//! `list_reviews`: past reviews, page by page.

use mcp_proto::{CallToolResult, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, decode, reading, result, schema};
use crate::history::{Entry, Query};

/// How many reviews a page holds unless the caller says otherwise.
const DEFAULT_LIMIT: u32 = 20;
/// The most that one page holds.
const MAX_LIMIT: u32 = 200;
/// What a cursor begins with, so that other texts are told from one.
const CURSOR: &str = "before:";
/// Longer than any id.
const MAX_ID: usize = 64;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Only reviews of this repository: its folder, or one in it. Defaults to all repositories.
    #[serde(default)]
    repo: Option<String>,
    /// How many reviews to list, at most 200. Defaults to 20.
    #[serde(default)]
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// Where to go on: `next_cursor` of the page before.
    #[serde(default)]
    cursor: Option<String>,
}

/// A page of past reviews.
#[derive(Debug, Serialize, JsonSchema)]
struct Page {
    /// The reviews, the newest first.
    reviews: Vec<Entry>,
    /// Where the list goes on; absent at its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

pub(super) fn definition() -> Tool {
    reading(
        "list_reviews",
        "List past reviews",
        "Lists the reviews that were made on this machine, the newest first: what was reviewed, when, \
         and what it came to. `get_review` reads one of them.",
        schema::of::<Arguments>(),
    )
    .output_schema(schema::of::<Page>())
}

pub(super) fn call(arguments: &str, call: Call<'_>) -> Result<CallToolResult, String> {
    let arguments: Arguments = decode(arguments)?;
    let limit = arguments.limit.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(format!("invalid arguments: `limit`: give 1 to {MAX_LIMIT}, not {limit}"));
    }
    let before = arguments.cursor.as_deref().map(read_cursor).transpose()?;
    let repo = match arguments.repo.as_deref() {
        None => None,
        Some(named) => Some(identity(named, call)?),
    };
    let query = Query { repo, before, limit: limit as usize };
    let listing = call.host.history().list(&query).map_err(|error| error.to_string())?;
    let next_cursor = match listing.entries.last() {
        Some(last) if listing.more => Some(format!("{CURSOR}{}", last.id)),
        _ => None,
    };
    let page = Page { reviews: listing.entries, next_cursor };
    result(short(&page), &page)
}

/// The name that the reviews of a repository are kept under.
fn identity(named: &str, call: Call<'_>) -> Result<String, String> {
    let opened = call.host.open(Some(named)).map_err(|error| error.to_string())?;
    opened.identity().ok_or_else(|| format!("{named} has no name that reviews are kept under"))
}

fn read_cursor(cursor: &str) -> Result<String, String> {
    let is_id = |id: &&str| {
        !id.is_empty()
            && id.len() <= MAX_ID
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    cursor.strip_prefix(CURSOR).filter(is_id).map(str::to_owned).ok_or_else(|| {
        "invalid arguments: `cursor`: not one of this list; leave it out for the first page"
            .to_owned()
    })
}

fn short(page: &Page) -> String {
    if page.reviews.is_empty() {
        return "no reviews".to_owned();
    }
    let lines = page
        .reviews
        .iter()
        .map(|entry| format!("{} {} {}: {}", entry.started, entry.id, entry.scope, entry.result()));
    let mut lines: Vec<String> = lines.collect();
    if page.next_cursor.is_some() {
        lines.push("older ones follow: pass `next_cursor` as `cursor`".to_owned());
    }
    lines.join("\n")
}
