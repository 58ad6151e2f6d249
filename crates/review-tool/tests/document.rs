//! The published JSON Schema says what the document types say, and every document keeps to it.
//!
//! `UPDATE_SCHEMA=1` in the environment writes the file anew.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]
#![expect(
    clippy::disallowed_methods,
    reason = "the test reads and writes the project's own schema"
)]

use std::path::Path;

use review_tool::control::Uncontrolled;
use review_tool::finding::{Category, Confidence, Finding, Fix, Severity, Side, Source};
use review_tool::repo::NoRepo;
use review_tool::report::{Document, SCHEMA, Stamp};
use review_tool::request::{ReviewRequest, Scope};
use review_tool::rules::RuleSet;
use review_tool::{ReviewError, review};
use serde_json::Value;

fn schema_of_types() -> String {
    let mut schema = schemars::schema_for!(Document).to_value();
    drop_formats(&mut schema);
    let root = schema.as_object_mut().unwrap();
    root.insert("title".to_owned(), "foreread review document".into());
    format!("{schema:#}\n")
}

/// Takes out the formats of Rust's integers, which no other reader of schemas knows; the bounds stay.
fn drop_formats(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.remove("format");
            members.values_mut().for_each(drop_formats);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_formats),
        _ => {}
    }
}

#[test]
fn published_schema_is_that_of_the_types() {
    let want = schema_of_types();
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/review.schema.json");
        std::fs::write(path, &want).unwrap();
        return;
    }
    assert_eq!(SCHEMA, want, "run the test again with UPDATE_SCHEMA=1 and commit the file");
}

fn assert_valid(document: &Document) {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let text = document.to_json();
    let value: Value = serde_json::from_str(&text).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(&value).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{text}");
    for member in ["schema", "content", "findings", "summary", "meta"] {
        assert!(value.get(member).is_some(), "{member} is always there");
    }
    assert_eq!(&serde_json::from_str::<Document>(&text).unwrap(), document, "reads back the same");
}

fn document(request: &ReviewRequest) -> Document {
    let mut review = review(request, &NoRepo, RuleSet::embedded(), &Uncontrolled).unwrap();
    review.document.stamp(Stamp {
        review_id: "id".to_owned(),
        timestamp: "2026-01-02T03:04:05.678Z".to_owned(),
        version: "1.2.3".to_owned(),
        latency_ms: 7,
    });
    review.document
}

fn patch(text: &str) -> ReviewRequest {
    ReviewRequest::new(Scope::Patch(text.as_bytes().to_vec()))
}

const CLEAN: &str =
    "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1,2 @@\n x = 1\n+y = 2\n";
const FAULTY: &str = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1,3 @@\n x = 1\n+def f(a=[]):\n+    return a\n";

#[test]
fn documents_of_every_status_keep_to_the_schema() {
    let cut = CLEAN.replace("+1,2", "+1,9");
    let binary = "diff --git a/a.png b/a.png\nBinary files a/a.png and b/a.png differ\n";
    for (text, status, passed) in [
        ("", "nothing_to_review", true),
        (CLEAN, "complete", true),
        (FAULTY, "complete", false),
        (&cut, "partial", false),
        (binary, "nothing_to_review", true),
    ] {
        let mut request = patch(text);
        request.fail_on = Some(Severity::Medium);
        let document = document(&request);
        assert_valid(&document);
        let value = serde_json::to_value(&document).unwrap();
        assert_eq!(value["summary"]["status"], status, "{text}");
        assert_eq!(value["summary"]["gate"]["passed"], passed, "{text}");
    }
}

#[test]
fn a_finding_with_every_member_keeps_to_the_schema() {
    for (severity, category) in
        Severity::ALL.iter().cycle().zip(Category::ALL.iter()).map(|(a, b)| (*a, *b))
    {
        for (confidence, source, side) in [
            (Confidence::High, Source::Rules, Side::New),
            (Confidence::Medium, Source::Model, Side::Old),
            (Confidence::Low, Source::Rules, Side::New),
        ] {
            let mut document = document(&patch(CLEAN));
            let rule = (source == Source::Rules).then(|| "some-rule".to_owned());
            document.findings.push(Finding {
                id: "f-1".to_owned(),
                rule,
                category,
                severity,
                confidence,
                source,
                file: "a\n\u{1b}.py".to_owned(),
                line: u32::MAX,
                line_end: Some(u32::MAX),
                side,
                title: "t".to_owned(),
                description: String::new(),
                suggestion: String::new(),
                language: Some("python".to_owned()),
                snippet: Some("x".to_owned()),
                fix: Some(Fix {
                    line: 1,
                    line_end: 2,
                    original: "x".to_owned(),
                    replacement: "y".to_owned(),
                }),
                fingerprint: "00".to_owned(),
            });
            assert_valid(&document);
        }
    }
}

#[test]
fn a_finding_below_the_listed_severity_still_fails_the_gate() {
    let mut request = patch(FAULTY);
    request.fail_on = Some(Severity::Low);
    request.min_severity = Severity::Critical;
    let document = document(&request);
    assert_valid(&document);
    assert_eq!((document.findings.len(), document.summary.hidden), (0, 1));
    assert!(!document.summary.gate.passed);
}

#[test]
fn a_document_as_json_holds_nothing_that_steers_a_terminal() {
    let code = "a.py\u{9b}31m\u{7f}\u{202e}\u{e0041}";
    let text =
        FAULTY.replace("a/a.py", &format!("a/{code}")).replace("b/a.py", &format!("b/{code}"));
    let document = document(&patch(&text));
    assert_valid(&document);
    assert_eq!(document.summary.files.reviewed, [code]);
    let json = document.to_json();
    assert!(json.chars().all(|c| c == '\n' || (' '..='~').contains(&c)), "{json}");
}

#[test]
fn text_that_is_no_diff_is_refused() {
    let error = review(&patch("hello\n"), &NoRepo, RuleSet::embedded(), &Uncontrolled).unwrap_err();
    assert!(matches!(error, ReviewError::NotADiff));
}

#[test]
fn fingerprints_hold_when_code_moves_and_change_with_it() {
    let print = |text: &str| document(&patch(text)).findings[0].fingerprint.clone();
    let base = print(FAULTY);
    let moved = FAULTY.replace("-1 +1,3", "-71 +71,3").replace("a.py", "b/other.py");
    assert_eq!(print(&moved), base, "neither place nor path counts");
    assert_eq!(print(&FAULTY.replace("f(a=[])", "f( a = [] )").replace("a = []", "a=[]")), base);
    assert_ne!(print(&FAULTY.replace("f(a", "g(a")), base);
}

#[test]
fn one_code_twice_gives_two_fingerprints_and_ids() {
    let twice = FAULTY.replace("+1,3", "+1,5").to_owned() + "+def f(a=[]):\n+    return a\n";
    let found = document(&patch(&twice)).findings;
    assert_eq!(found.len(), 2);
    assert_ne!(found[0].fingerprint, found[1].fingerprint);
    assert_ne!(found[0].id, found[1].id);
}
