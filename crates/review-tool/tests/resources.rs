//! Reviews and rules as resources: what is listed, read, completed, and not there.

#![expect(clippy::panic, clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use mcp_proto::{CacheScope, CompletionRef, ResourceBody};
use memory::Nowhere;
use review_tool::control::Uncontrolled;
use review_tool::history::{History, State};
use review_tool::report::{Document, markdown, sarif};
use review_tool::resource::{complete, exists, fixed, list, read, templates};
use review_tool::rules::RuleSet;
use review_tool::tool::{self, Call};
use serde_json::{Value, json};

#[path = "support/memory.rs"]
mod memory;

const PATCH: &str = "--- a/a.py\n+++ b/a.py\n@@ -0,0 +1,2 @@\n+def f(a=[]):\n+    return a\n";
const RULE: &str = "python-mutable-default";

/// A history with two finished reviews, a running and an interrupted one.
fn history() -> (Nowhere, Document) {
    let host = Nowhere::default();
    let face = tool::ALL.iter().find(|face| face.definition().name == "review").unwrap();
    for _ in 0..2 {
        let call = Call { host: &host, rules: RuleSet::embedded(), control: &Uncontrolled };
        let result = face.call(&json!({"patch": PATCH}).to_string(), call);
        assert_eq!(result.is_error, None, "{result:?}");
    }
    host.memory.enter("running", State::Running);
    host.memory.enter("interrupted", State::Interrupted);
    let document = host.memory.get("review-2").unwrap().unwrap().document.unwrap();
    (host, document)
}

fn text(uri: &str, host: &Nowhere) -> Option<(String, String)> {
    let result = read(uri, &host.memory, RuleSet::embedded()).unwrap()?;
    let [contents] = &result.contents[..] else { panic!("{result:?}") };
    assert_eq!(contents.uri, uri);
    let ResourceBody::Text(text) = &contents.body else { panic!("{contents:?}") };
    Some((contents.mime_type.clone().unwrap(), text.clone()))
}

#[test]
fn every_view_of_a_review_shows_the_stored_document() {
    let (host, document) = history();
    let rules = RuleSet::embedded();
    let findings = format!("{:#}\n", json!(document.findings));
    for (view, media_type, want) in [
        ("", "application/json", document.to_json()),
        ("/report.md", "text/markdown", markdown::render(&document)),
        ("/report.sarif", "application/sarif+json", sarif::render(&document, rules)),
    ] {
        let uri = format!("foreread://reviews/review-2{view}");
        assert_eq!(text(&uri, &host), Some((media_type.to_owned(), want)), "{uri}");
    }
    let (_, shown) = text("foreread://reviews/review-2/findings", &host).unwrap();
    let parsed: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(parsed, serde_json::from_str::<Value>(&findings).unwrap());
}

#[test]
fn the_indexes_name_every_review_and_rule() {
    let (host, _) = history();
    let (_, reviews) = text("foreread://reviews", &host).unwrap();
    let reviews: Value = serde_json::from_str(&reviews).unwrap();
    let states: Vec<&str> = reviews["reviews"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["state"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["running", "done", "done", "interrupted"], "the newest first");
    let (_, rules) = text("foreread://rules", &host).unwrap();
    let rules: Value = serde_json::from_str(&rules).unwrap();
    assert_eq!(rules.as_array().unwrap().len(), RuleSet::embedded().rules().len());
}

#[test]
fn what_lasts_may_be_kept_and_what_changes_may_not() {
    let (host, _) = history();
    let hint = |uri: &str| {
        let result = read(uri, &host.memory, RuleSet::embedded()).unwrap().unwrap();
        (result.ttl_ms > 0, result.cache_scope)
    };
    assert_eq!(hint("foreread://reviews"), (false, CacheScope::Private));
    assert_eq!(hint("foreread://reviews/review-1"), (true, CacheScope::Private));
    assert_eq!(hint("foreread://rules"), (true, CacheScope::Public));
    assert_eq!(hint(&format!("foreread://rules/{RULE}")), (true, CacheScope::Public));
}

#[test]
fn a_review_without_a_document_and_anything_unknown_is_not_there() {
    let (host, _) = history();
    for (uri, subscribable) in [
        ("foreread://reviews/running", true),
        ("foreread://reviews/interrupted", true),
        ("foreread://reviews/other", false),
        ("foreread://reviews/review-1/other", false),
        ("foreread://rules/other", false),
        ("foreread://other", false),
        ("file:///etc/passwd", false),
    ] {
        assert_eq!(text(uri, &host), None, "{uri}");
        let there = exists(uri, &host.memory, RuleSet::embedded()).unwrap();
        assert_eq!(there, subscribable, "{uri}: one that runs will be there");
    }
}

#[test]
fn every_listed_resource_can_be_read_and_has_the_size_it_says() {
    let (host, document) = history();
    let rules = RuleSet::embedded();
    let mut listed = fixed();
    for template in templates() {
        assert!(template.title.is_some() && template.mime_type.is_some(), "{template:?}");
        listed.extend(list(&template.uri_template, &host.memory, rules).unwrap());
    }
    let reviews = listed.iter().filter(|one| one.uri.starts_with("foreread://reviews/"));
    assert_eq!(reviews.count(), 2, "those that are done");
    for resource in &listed {
        let (media_type, text) = text(&resource.uri, &host).unwrap();
        assert_eq!(resource.mime_type.as_ref(), Some(&media_type), "{}", resource.uri);
        assert!(resource.size.is_none_or(|size| size == text.len() as u64), "{}", resource.uri);
        assert!(resource.title.is_some(), "{}", resource.uri);
    }
    let review = listed.iter().find(|one| one.uri.ends_with("review-2")).unwrap();
    let annotations = review.annotations.as_ref().unwrap();
    assert_eq!(annotations.last_modified.as_ref(), Some(&document.meta.timestamp));
}

#[test]
fn ids_are_completed_where_a_template_has_one() {
    let (host, _) = history();
    let values = |uri: &str, typed: &str| {
        let reference = CompletionRef::resource(uri);
        let result = complete(&reference, typed, &host.memory, RuleSet::embedded()).unwrap();
        (result.completion.values, result.completion.total.unwrap_or_default())
    };
    let two = vec!["review-2".to_owned(), "review-1".to_owned()];
    for part in ["", "/findings", "/report.md", "/report.sarif"] {
        let uri = format!("foreread://reviews/{{id}}{part}");
        assert_eq!(values(&uri, "rev"), (two.clone(), 2), "{uri}");
    }
    assert_eq!(values("foreread://reviews/{id}", "x"), (Vec::new(), 0));
    let (rules, total) = values("foreread://rules/{id}", "mutable-def");
    assert!(rules.contains(&RULE.to_owned()) && total == rules.len() as u64, "{rules:?}");
    assert_eq!(values("foreread://rules/{id}", RULE).0[0], RULE);
    assert_eq!(values("foreread://rules", ""), (Vec::new(), 0));
}

#[test]
fn without_a_history_rules_are_there_and_reviews_say_why_not() {
    let host = Nowhere { memory: memory::Memory::broken(), ..Nowhere::default() };
    let rules = RuleSet::embedded();
    let error = read("foreread://reviews", &host.memory, rules).unwrap_err();
    assert!(error.to_string().contains("no disk"), "{error}");
    assert!(text(&format!("foreread://rules/{RULE}"), &host).is_some());
}
