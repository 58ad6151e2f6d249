//! Reviews and rules as resources: what is there under which URI, and what it holds.
//!
//! With `tool.rs` the only modules that know protocol types.

use mcp_proto::{
    Annotations, CacheHint, CompleteResult, CompletionRef, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};
use serde::Serialize;

use crate::history::{Entry, History, HistoryError, Outcome, Query};
use crate::report::{Document, markdown, sarif};
use crate::rules::page::{RulePage, RuleSummary};
use crate::rules::{Rule, RuleSet};

mod address;

pub use address::{Address, Part};

/// How many reviews the list of resources and the index hold, the newest.
const LISTED: usize = 100;

/// A stored review does not change any more; it can only be dropped.
const LASTING: CacheHint = CacheHint::private(60 * 60 * 1000);
/// Rules change with the program only, and are the same for everybody.
const BUILT_IN: CacheHint = CacheHint::public(60 * 60 * 1000);
/// What may change at any time.
const CHANGING: CacheHint = CacheHint::private(0);

const JSON: &str = "application/json";
const MARKDOWN: &str = "text/markdown";
const SARIF: &str = "application/sarif+json";

/// The index of past reviews.
#[derive(Serialize)]
struct Index {
    /// The newest first.
    reviews: Vec<Entry>,
    /// Whether there are older ones, which `list_reviews` lists.
    more: bool,
}

/// The resources under fixed URIs.
#[must_use]
pub fn fixed() -> Vec<Resource> {
    vec![
        Resource::new(Address::Reviews.to_string(), "reviews")
            .title("Past reviews")
            .description("The newest reviews made on this machine, and what each came to.")
            .mime_type(JSON),
        Resource::new(Address::Rules.to_string(), "rules")
            .title("Rules")
            .description("Every rule of the embedded reviewer.")
            .mime_type(JSON),
    ]
}

/// The families of resources.
#[must_use]
pub fn templates() -> Vec<ResourceTemplate> {
    let review = |part: Part, name: &str, title: &str, description: &str| {
        ResourceTemplate::new(Address::template(part), name)
            .title(title)
            .description(description)
            .mime_type(media_type(part))
    };
    vec![
        review(
            Part::Document,
            "review",
            "A past review",
            "The document of one review: findings, verdict, what was reviewed.",
        ),
        review(
            Part::Findings,
            "review-findings",
            "Findings of a past review",
            "The findings of one review alone.",
        ),
        review(
            Part::Markdown,
            "review-markdown",
            "Report of a past review",
            "One review as a page for people, in Markdown.",
        ),
        review(
            Part::Sarif,
            "review-sarif",
            "SARIF of a past review",
            "One review as SARIF 2.1.0, for code hosts and editors.",
        ),
        ResourceTemplate::new(Address::RULE_TEMPLATE, "rule")
            .title("A rule")
            .description("The page of one rule: what it reports, why, and how to mend it.")
            .mime_type(MARKDOWN),
    ]
}

/// The resources of a family that are listed: the newest reviews, every rule.
///
/// # Errors
/// Any [`HistoryError`].
pub fn list(
    template: &str,
    history: &dyn History,
    rules: &RuleSet,
) -> Result<Vec<Resource>, HistoryError> {
    if template == Address::RULE_TEMPLATE {
        return Ok(rules.rules().iter().map(of_rule).collect());
    }
    if template != Address::template(Part::Document) {
        return Ok(Vec::new());
    }
    let listing = history.list(&Query { limit: LISTED, ..Query::default() })?;
    let done = listing.entries.iter().filter_map(|entry| {
        entry.outcome.as_ref().map(|outcome| of_review(&entry.id, &entry.scope, outcome))
    });
    Ok(done.collect())
}

/// Reads a resource; `None` where there is none under `uri`.
///
/// # Errors
/// Any [`HistoryError`].
pub fn read(
    uri: &str,
    history: &dyn History,
    rules: &RuleSet,
) -> Result<Option<ReadResourceResult>, HistoryError> {
    let Some(address) = Address::parse(uri) else { return Ok(None) };
    let (text, media_type, hint) = match &address {
        Address::Reviews => {
            let listing = history.list(&Query { limit: LISTED, ..Query::default() })?;
            let index = Index { reviews: listing.entries, more: listing.more };
            (json(&index), JSON, CHANGING)
        }
        Address::Review(id, part) => {
            let Some(document) = history.get(id)?.and_then(|kept| kept.document) else {
                return Ok(None);
            };
            (render(&document, *part, rules), media_type(*part), LASTING)
        }
        Address::Rules => {
            let rules: Vec<_> = rules.rules().iter().map(RuleSummary::of).collect();
            (json(&rules), JSON, BUILT_IN)
        }
        Address::Rule(id) => {
            let Some(rule) = rules.get(id) else { return Ok(None) };
            (RulePage::of(rule).to_markdown(), MARKDOWN, BUILT_IN)
        }
    };
    let contents = ResourceContents::text(uri, text).mime_type(media_type);
    Ok(Some(ReadResourceResult::new(vec![contents]).cache(hint)))
}

/// Whether there is a resource under `uri`.
///
/// # Errors
/// Any [`HistoryError`].
pub fn exists(uri: &str, history: &dyn History, rules: &RuleSet) -> Result<bool, HistoryError> {
    Ok(match Address::parse(uri) {
        None => false,
        Some(Address::Reviews | Address::Rules) => true,
        Some(Address::Rule(id)) => rules.get(&id).is_some(),
        Some(Address::Review(id, _)) => history.get(&id)?.is_some(),
    })
}

/// Completes the id in a template: reviews the newest first, rules by how they begin.
///
/// # Errors
/// Any [`HistoryError`].
pub fn complete(
    reference: &CompletionRef,
    typed: &str,
    history: &dyn History,
    rules: &RuleSet,
) -> Result<CompleteResult, HistoryError> {
    let CompletionRef::Resource { uri } = reference else {
        return Ok(CompleteResult::default());
    };
    if uri == Address::RULE_TEMPLATE {
        let ids = || rules.rules().iter().map(Rule::id);
        let first = ids().filter(|id| id.starts_with(typed));
        let then = ids().filter(|id| !id.starts_with(typed) && id.contains(typed));
        return Ok(CompleteResult::new(first.chain(then)));
    }
    if !Part::ALL.iter().any(|part| Address::template(*part) == *uri) {
        return Ok(CompleteResult::default());
    }
    let (ids, total) = history.ids(typed, LISTED)?;
    let mut result = CompleteResult::new(ids);
    result.completion.has_more = Some(total > result.completion.values.len() as u64);
    result.completion.total = Some(total);
    Ok(result)
}

/// The link to a review that is kept; `None` where it has no id.
#[must_use]
pub fn of_document(document: &Document) -> Option<Resource> {
    let id = &document.meta.review_id;
    (!id.is_empty()).then(|| of_review(id, &document.meta.scope, &Outcome::of(document)))
}

fn of_review(id: &str, scope: &str, outcome: &Outcome) -> Resource {
    let uri = Address::Review(id.to_owned(), Part::Document).to_string();
    let seconds = outcome.ended.split('.').next().unwrap_or_default().replace('T', " ");
    Resource::new(uri, format!("review-{id}"))
        .title(format!("Review ({scope}) of {seconds}"))
        .description(outcome.text.as_str())
        .mime_type(JSON)
        .size(outcome.size)
        .annotations(Annotations::default().last_modified(outcome.ended.as_str()))
}

fn of_rule(rule: &Rule) -> Resource {
    let page = RulePage::of(rule).to_markdown();
    Resource::new(Address::Rule(rule.id().to_owned()).to_string(), rule.id())
        .title(rule.file.title.as_str())
        .mime_type(MARKDOWN)
        .size(page.len() as u64)
}

const fn media_type(part: Part) -> &'static str {
    match part {
        Part::Document | Part::Findings => JSON,
        Part::Markdown => MARKDOWN,
        Part::Sarif => SARIF,
    }
}

fn render(document: &Document, part: Part, rules: &RuleSet) -> String {
    match part {
        Part::Document => document.to_json(),
        Part::Findings => json(&document.findings),
        Part::Markdown => markdown::render(document),
        Part::Sarif => sarif::render(document, rules),
    }
}

/// JSON for reading, with a final line feed. What is shown here has string keys and finite numbers
/// only, which serialise without fail.
fn json(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}
