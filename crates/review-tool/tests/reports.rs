//! The reports that others read: SARIF for tools, Markdown for people.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};
use review_tool::control::Uncontrolled;
use review_tool::finding::{Fix, Severity, Side};
use review_tool::repo::NoRepo;
use review_tool::report::{Document, Stamp, github, markdown, rdjson, sarif};
use review_tool::request::{ReviewRequest, Scope};
use review_tool::review;
use review_tool::rules::RuleSet;
use serde_json::{Value, json};

const PATCH: &str = "--- /dev/null\n+++ b/app/a b.py\n@@ -0,0 +1,6 @@\n+def f(a=[]):\n+    return a\n+def g(a=[]):\n+    return 7\n+def h(name):\n+    return eval(name)\n";

fn document(patch: &str) -> Document {
    let request = ReviewRequest::new(Scope::Patch(patch.as_bytes().to_vec()));
    let review = review(&request, &NoRepo, RuleSet::embedded(), &Uncontrolled).unwrap();
    let mut document = review.document;
    document.stamp(Stamp {
        review_id: "0199-review".to_owned(),
        timestamp: "2026-01-02T03:04:05.678Z".to_owned(),
        version: "1.2.3".to_owned(),
        latency_ms: 7,
    });
    document
}

fn log(document: &Document) -> Value {
    serde_json::from_str(&sarif::render(document, RuleSet::embedded())).unwrap()
}

#[test]
fn sarif_has_a_result_for_each_finding_and_a_kind_for_each_rule() {
    let document = document(PATCH);
    let log = log(&document);
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert!(document.findings.len() >= 2 && results.len() == document.findings.len(), "{log:#}");
    let kinds = run["tool"]["driver"]["rules"].as_array().unwrap();
    for (result, finding) in results.iter().zip(&document.findings) {
        let kind = &kinds[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!((&kind["id"], &result["ruleId"]), (&json!(finding.rule), &json!(finding.rule)));
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "app/a%20b.py");
        assert_eq!(place["region"]["startLine"], finding.line);
        assert_eq!(result["partialFingerprints"]["foreread/v1"], finding.fingerprint);
        let level = if finding.severity <= Severity::High { "error" } else { "warning" };
        assert_eq!(result["level"], level);
    }
    let ids: std::collections::BTreeSet<&str> =
        kinds.iter().map(|kind| kind["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), kinds.len(), "each kind once");
    let mutable = kinds.iter().find(|kind| kind["id"] == "python-mutable-default").unwrap();
    assert_eq!(mutable["properties"].get("security-severity"), None);
    assert!(mutable["help"]["markdown"].as_str().unwrap().contains("##"), "{mutable:#}");
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    assert_eq!(run["automationDetails"]["id"], "foreread/diff/0199-review");
}

#[test]
fn sarif_is_valid_by_the_schema_of_the_standard() {
    let schema: Value = serde_json::from_str(include_str!("schema/sarif-2.1.0.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let mut full = document(PATCH);
    full.findings[0].fix = Some(Fix {
        line: 3,
        line_end: 4,
        original: String::new(),
        replacement: "x = 1".to_owned(),
    });
    full.findings[0].rule = None;
    full.findings[1].side = Side::Old;
    full.findings[1].line_end = Some(9);
    for document in [full, document(""), document(PATCH), document(&PATCH.replace("+1,6", "+1,9"))]
    {
        let log = log(&document);
        let faults: Vec<String> = schema
            .iter_errors(&log)
            .map(|fault| format!("{}: {fault}", fault.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{faults:#?}");
    }
    let broken = json!({"version": "2.1.0", "runs": [{"results": []}]});
    assert!(!schema.is_valid(&broken), "the schema tells what is none");
}

#[test]
fn sarif_says_what_a_fix_replaces_and_on_which_side_a_line_stands() {
    let mut document = document(PATCH);
    let finding = &mut document.findings[0];
    let fix = Fix {
        line: 3,
        line_end: 4,
        original: String::new(),
        replacement: "x = 1\ny = 2".to_owned(),
    };
    finding.fix = Some(fix);
    finding.side = Side::Old;
    let result = log(&document)["runs"][0]["results"][0].clone();
    let replacement = &result["fixes"][0]["artifactChanges"][0]["replacements"][0];
    let want = json!({"startLine": 3, "startColumn": 1, "endLine": 5, "endColumn": 1});
    assert_eq!(replacement["deletedRegion"], want);
    assert_eq!(replacement["insertedContent"]["text"], "x = 1\ny = 2\n");
    assert!(result["message"]["text"].as_str().unwrap().contains("(removed line)"), "{result:#}");
    document.findings[0].fix =
        Some(Fix { line: 3, line_end: 3, original: String::new(), replacement: String::new() });
    let result = log(&document)["runs"][0]["results"][0].clone();
    let replacement = &result["fixes"][0]["artifactChanges"][0]["replacements"][0];
    assert_eq!(replacement["insertedContent"]["text"], "", "the line goes with its end");
}

#[test]
fn sarif_of_an_incomplete_review_is_no_success() {
    let document = document(&PATCH.replace("+1,6", "+1,9"));
    let invocation = log(&document)["runs"][0]["invocations"][0].clone();
    assert_eq!(invocation["executionSuccessful"], false);
    let notifications = invocation["toolExecutionNotifications"].as_array().unwrap();
    assert_eq!(notifications.len(), document.summary.problems.len());
    assert_eq!(notifications[0]["level"], "error");
}

#[test]
fn a_finding_of_a_model_or_of_an_unknown_rule_is_described_by_itself() {
    let mut document = document(PATCH);
    document.findings[0].rule = None;
    document.findings[1].rule = Some("own-rule".to_owned());
    let log = log(&document);
    let kinds = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    let category = document.findings[0].category;
    assert_eq!(kinds[0]["id"], format!("model/{category}"));
    assert_eq!(kinds[1]["id"], "own-rule");
    assert_eq!(kinds[1]["shortDescription"]["text"], document.findings[1].title);
}

#[test]
fn no_report_holds_a_control_character() {
    let mut document = document(PATCH);
    document.findings[0].title = "a\u{1b}[31m\u{202e}b".to_owned();
    document.findings[0].snippet = Some("x\u{7}\u{1b}]0;t".to_owned());
    for text in [
        sarif::render(&document, RuleSet::embedded()),
        markdown::render(&document),
        github::render(&document),
        rdjson::render(&document),
    ] {
        let steers = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!text.contains(steers), "{text:?}");
    }
}

#[test]
fn markdown_shows_verdict_findings_and_what_was_left_out() {
    let mut document = document(PATCH);
    let text = markdown::render(&document);
    let wants = [
        "# Review: ",
        "- Gate: failed (fails on high or worse)",
        "## Medium",
        "### Mutable default argument",
        "`app/a b.py:1`, `python-mutable-default`, correctness, confidence high",
        "```python\ndef f(a=[]):\n```",
        "What to do: ",
    ];
    wants.iter().for_each(|want| assert!(text.contains(want), "{want}: {text}"));
    assert!(!text.contains("## Not reviewed") && !text.contains("## Skipped files"));
    document = self::document(&PATCH.replace("+1,6", "+1,9"));
    let text = markdown::render(&document);
    assert!(text.contains("## Not reviewed"), "{text}");
}

#[test]
fn annotations_have_a_command_for_each_finding_and_an_end() {
    let mut document = document(PATCH);
    document.findings[0].title = "50% a: b, c".to_owned();
    document.findings[0].description = "one\r\n::error::two".to_owned();
    document.findings[1].side = Side::Old;
    let text = github::render(&document);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), document.findings.len() + 1, "{text}");
    let first = &document.findings[0];
    let want = format!(
        "::error file=app/a b.py,line={0},endLine={0},title=50%25 a%3A b%2C c ({1})::one",
        first.line,
        first.rule.as_deref().unwrap()
    );
    assert!(lines[0].starts_with(&want) && lines[0].contains("%0A::error::two"), "{text}");
    assert!(!lines[1].contains("line=") && lines[1].contains("Removed line "), "{text}");
    assert!(lines.last().unwrap().starts_with("::error title=foreread::"), "{text}");
    let partial = self::document(&PATCH.replace("+1,6", "+1,9"));
    assert!(github::render(&partial).starts_with("::error file=app/a b.py,title=not reviewed::"));
}

#[test]
fn diagnostics_have_ranges_severities_and_suggestions() {
    let mut document = document(PATCH);
    document.findings[0].fix = Some(Fix {
        line: 3,
        line_end: 4,
        original: String::new(),
        replacement: "x = 1".to_owned(),
    });
    let log: Value = serde_json::from_str(&rdjson::render(&document)).unwrap();
    assert_eq!((&log["source"]["name"], &log["severity"]), (&json!("foreread"), &json!("ERROR")));
    let all = log["diagnostics"].as_array().unwrap();
    assert_eq!(all.len(), document.findings.len());
    for (diagnostic, finding) in all.iter().zip(&document.findings) {
        let line = json!({"line": finding.line});
        let want = json!({"path": "app/a b.py", "range": {"start": line, "end": line}});
        assert_eq!(diagnostic["location"], want);
        assert_eq!(diagnostic["code"]["value"], json!(finding.rule));
    }
    let start = |line: u32| json!({"line": line, "column": 1});
    let want = json!([{"range": {"start": start(3), "end": start(5)}, "text": "x = 1\n"}]);
    assert_eq!(all[0]["suggestions"], want);
    let partial = self::document(&PATCH.replace("+1,6", "+1,9"));
    let log: Value = serde_json::from_str(&rdjson::render(&partial)).unwrap();
    assert!(log["diagnostics"][0]["message"].as_str().unwrap().starts_with("not reviewed: "));
}

/// The headings of a text, and whether it holds HTML, links or images.
fn structure(text: &str) -> (usize, bool) {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_MATH;
    let (mut headings, mut is_active) = (0, false);
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(Tag::Heading { .. }) => headings += 1,
            Event::Html(_)
            | Event::InlineHtml(_)
            | Event::FootnoteReference(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::Start(
                Tag::Link { .. }
                | Tag::Image { .. }
                | Tag::HtmlBlock
                | Tag::Table(_)
                | Tag::Emphasis
                | Tag::Strong
                | Tag::Strikethrough
                | Tag::FootnoteDefinition(_),
            ) => is_active = true,
            _ => {}
        }
    }
    (headings, is_active)
}

proptest! {
    #[test]
    fn no_text_becomes_markup(
        text in "([`~]{1,5}|[<>\\[\\]()!*_#|$&\\\\=+-]|</?[a-z]{1,6}>|\\n| |[a-z0-9.:/]){0,40}",
        place in 0..6_usize,
    ) {
        let mut document = document(PATCH);
        let (headings, _) = structure(&markdown::render(&document));
        let finding = &mut document.findings[0];
        *match place {
            0 => &mut finding.title,
            1 => &mut finding.description,
            2 => &mut finding.suggestion,
            3 => finding.snippet.get_or_insert_default(),
            4 => &mut finding.file,
            _ => &mut document.content,
        } = format!("a{text}");
        let rendered = markdown::render(&document);
        prop_assert_eq!(structure(&rendered), (headings, false), "{}", rendered);
    }
}
