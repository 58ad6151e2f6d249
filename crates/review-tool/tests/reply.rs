//! Answers of models: what is read of them, and what becomes of it beside the diff.

use proptest::prelude::*;
use review_tool::diff;
use review_tool::finding::{Category, Confidence, Severity, Side};
use review_tool::numbered::Change;
use review_tool::reply::{Claim, Lost, Reason, hold, merge, parse, schema, verdicts};
use serde_json::{Value, json};

/// Lines 10 to 15 of `src/pay.py`, with one replaced and one added; a deleted file; a renamed one.
const DIFF: &str = "\
diff --git a/src/pay.py b/src/pay.py
--- a/src/pay.py
+++ b/src/pay.py
@@ -10,5 +10,6 @@ def pay(amount):
 def pay(amount):
     log(amount)
-    if amount > 0:
+    if amount >= 0:
         send(amount)
+    send(amount)
     return True
diff --git a/gone.py b/gone.py
deleted file mode 100644
--- a/gone.py
+++ /dev/null
@@ -1,2 +0,0 @@
-import os
-os.remove(path)
diff --git a/old name.py b/new name.py
similarity index 90%
rename from old name.py
rename to new name.py
--- a/old name.py
+++ b/new name.py
@@ -1 +1 @@
-a = 1
+a = 2
";

fn change() -> Change {
    let (set, problems) = diff::parse(DIFF.as_bytes());
    assert!(problems.is_empty());
    Change::of(&set.files.iter().collect::<Vec<_>>())
}

fn finding(file: &str, line: u32) -> Value {
    json!({"file": file, "line": line, "line_end": line, "side": "new", "severity": "high",
        "category": "correctness", "confidence": "high", "title": "wrong", "description": "d",
        "suggestion": "s", "snippet": ""})
}

fn answer(findings: &[Value]) -> String {
    json!({"summary": "s", "findings": findings}).to_string()
}

fn claim(file: &str, line: u32) -> Claim {
    parse(&answer(&[finding(file, line)])).claims.remove(0)
}

#[test]
fn an_answer_is_read_in_every_dress() {
    let one = answer(&[finding("a.py", 3)]);
    let list = json!([finding("a.py", 3)]).to_string();
    let twice = json!({"summary": "s", "findings": list}).to_string();
    for text in [
        one.clone(),
        format!("  \n{one}\n"),
        format!("```json\n{one}\n```"),
        format!("Here is my review {{as asked}}:\n\n```\n{one}\n```\nI hope [this] helps."),
        format!("<think>maybe {{\"x\": 1}}</think>{one}"),
        list.clone(),
        format!("Findings: {list}."),
        twice.clone(),
        json!(one).to_string(),
        finding("a.py", 3).to_string(),
    ] {
        let parsed = parse(&text);
        assert_eq!(parsed.lost, [], "{text}");
        assert_eq!(parsed.claims.len(), 1, "{text}");
        assert_eq!((parsed.claims[0].file.as_str(), parsed.claims[0].line), ("a.py", 3), "{text}");
    }
    assert_eq!(parse(&one).summary, "s");
}

#[test]
fn no_findings_and_no_answer_are_two_things() {
    for text in [r#"{"summary":"good","findings":[]}"#, "[]", "```json\n{\"findings\": []}\n```"] {
        let parsed = parse(text);
        assert!(parsed.lost.is_empty() && parsed.claims.is_empty(), "{text}: {parsed:?}");
    }
    for text in [
        "",
        "No issues found.",
        "{}",
        "null",
        "{\"summary\":\"fine\"}",
        "lgtm [] ok",
        "APPROVED {}",
    ] {
        assert_eq!(parse(text).lost, [Lost::NoAnswer], "{text}");
    }
}

#[test]
fn members_are_read_as_models_vary_them() {
    for (object, line, severity) in [
        (
            json!({"path": "a", "line_start": "L7", "message": "m", "severity": "BLOCKER"}),
            7,
            Severity::Critical,
        ),
        (json!({"file": "a:9", "title": "m", "severity": "warning"}), 9, Severity::Medium),
        (json!({"filename": "a", "line": 4.0, "title": "m", "severity": "nit"}), 4, Severity::Info),
        (json!({"file": "a", "line": "12-15", "title": "m"}), 12, Severity::Medium),
        (
            json!({"file": "a", "line": [3, 5], "title": "m", "severity": "Error"}),
            3,
            Severity::High,
        ),
    ] {
        let parsed = parse(&json!({"findings": [object]}).to_string());
        assert_eq!(parsed.lost, [], "{object}");
        assert_eq!(
            (parsed.claims[0].file.as_str(), parsed.claims[0].line),
            ("a", line),
            "{object}"
        );
        assert_eq!(parsed.claims[0].severity, severity, "{object}");
    }
}

#[test]
fn a_finding_that_lacks_its_place_is_counted() {
    let text = answer(&[
        finding("a", 1),
        json!({"title": "no place"}),
        json!(7),
        json!({"file": "a", "line": -1, "title": "t"}),
    ]);
    let parsed = parse(&text);
    assert_eq!((parsed.claims.len(), parsed.lost), (1, vec![Lost::Unreadable(3)]));
    let many: Vec<Value> = (0..300).map(|line| finding("a", line)).collect();
    let parsed = parse(&answer(&many));
    assert_eq!((parsed.claims.len(), parsed.lost), (200, vec![Lost::TooMany(100)]));
}

#[test]
fn of_an_answer_cut_anywhere_every_whole_finding_is_kept_and_the_cut_is_known() {
    let all: Vec<Value> = (1..=3).map(|line| finding("a {b} [c].py", line)).collect();
    let text = answer(&all);
    let last = "\"title\":\"wrong\"}";
    let ends: Vec<usize> = text.match_indices(last).map(|(at, _)| at + last.len()).collect();
    assert_eq!(ends.len(), 3);
    for end in 1..text.len() {
        let parsed = parse(&text[..end]);
        assert_eq!(parsed.lost, [Lost::Cut], "{}", &text[..end]);
        let whole = ends.iter().filter(|&&at| at <= end).count();
        assert_eq!(parsed.claims.len(), whole, "{}", &text[..end]);
    }
}

#[test]
fn a_claim_stays_moves_or_goes() {
    let change = change();
    let with = |file: &str, line: u32, side: Option<Side>, snippet: Option<&str>| Claim {
        side,
        snippet: snippet.map(str::to_owned),
        ..claim(file, line)
    };
    let (new, old) = (Some(Side::New), Some(Side::Old));
    for (name, one, want) in [
        ("a changed line", with("src/pay.py", 12, new, None), Ok((Side::New, 12, false))),
        ("a line of the hunk", with("src/pay.py", 11, new, None), Ok((Side::New, 11, false))),
        ("a prefix of diffs", with("b/src/pay.py", 14, new, None), Ok((Side::New, 14, false))),
        ("no side, removed", with("gone.py", 2, None, None), Ok((Side::Old, 2, false))),
        ("the name before", with("old name.py", 1, old, None), Ok((Side::Old, 1, false))),
        (
            "off by two",
            with("src/pay.py", 10, new, Some("if amount >= 0:")),
            Ok((Side::New, 12, true)),
        ),
        (
            "far off",
            with("src/pay.py", 900, new, Some("  if amount >= 0:")),
            Ok((Side::New, 12, true)),
        ),
        (
            "the nearer of two",
            with("src/pay.py", 15, new, Some("send(amount)")),
            Ok((Side::New, 14, true)),
        ),
        (
            "wrong side",
            with("src/pay.py", 12, new, Some("if amount > 0:")),
            Ok((Side::Old, 12, true)),
        ),
        (
            "copied with its number",
            with("src/pay.py", 12, new, Some("+   12|    if amount >= 0:")),
            Ok((Side::New, 12, false)),
        ),
        ("no such file", with("src/other.py", 12, new, None), Err((Reason::File, None))),
        ("a part of the name", with("pay.py", 12, new, None), Err((Reason::File, None))),
        (
            "no such line",
            with("src/pay.py", 99, new, None),
            Err((Reason::Line, Some((Side::New, 15)))),
        ),
        (
            "line and code unknown",
            with("src/pay.py", 99, new, Some("invented()")),
            Err((Reason::Line, Some((Side::New, 15)))),
        ),
        (
            "code unknown, line unchanged",
            with("src/pay.py", 11, new, Some("invented()")),
            Err((Reason::Snippet, Some((Side::New, 11)))),
        ),
    ] {
        let held = hold(vec![one], &change);
        let got = match (&held.placed[..], &held.dropped[..]) {
            ([placed], []) => Ok((placed.side, placed.line, placed.moved)),
            ([], [dropped]) => Err((dropped.reason, dropped.nearest)),
            _ => panic!("{held:?}"),
        };
        assert_eq!(got, want, "{name}");
    }
}

#[test]
fn invented_code_on_a_changed_line_lowers_the_confidence() {
    let claim = Claim { snippet: Some("invented()".to_owned()), ..claim("src/pay.py", 12) };
    let held = hold(vec![claim], &change());
    assert_eq!(held.placed[0].confidence, Confidence::Low);
}

#[test]
fn a_range_ends_within_its_hunk() {
    for (line_end, want) in [(None, None), (Some(13), Some(13)), (Some(700), Some(15))] {
        let held = hold(vec![Claim { line_end, ..claim("src/pay.py", 12) }], &change());
        assert_eq!(held.placed[0].line_end, want, "{line_end:?}");
    }
}

#[test]
fn what_the_rules_found_and_what_is_said_twice_is_merged() {
    let change = change();
    let request = review_tool::request::ReviewRequest::new(review_tool::request::Scope::Patch(
        b"--- a/src/pay.py\n+++ b/src/pay.py\n@@ -11,0 +12 @@\n+def f(a=[]):\n".to_vec(),
    ));
    let rules = review_tool::rules::RuleSet::embedded();
    let review = review_tool::review(
        &request,
        &review_tool::repo::NoRepo,
        rules,
        &review_tool::control::Uncontrolled,
    )
    .unwrap();
    let found = &review.document.findings[..1];
    assert_eq!((found[0].line, found[0].category), (12, Category::Correctness));
    let mild = Claim { severity: Severity::Low, ..claim("src/pay.py", 14) };
    let other = Claim { title: "another".to_owned(), ..claim("src/pay.py", 14) };
    let known = Claim { severity: Severity::Medium, ..claim("src/pay.py", 12) };
    let worse = claim("src/pay.py", 12);
    let claims = vec![known, worse, mild, claim("src/pay.py", 14), other, claim("gone.py", 1)];
    let mut claims = claims;
    claims[5].side = Some(Side::Old);
    let held = hold(claims, &change);
    let merged = merge(held.placed, found, &change);
    assert_eq!((merged.known, merged.repeated, merged.placed.len()), (1, 1, 4));
    let severities: Vec<Severity> = merged.placed.iter().map(|one| one.claim.severity).collect();
    assert_eq!(severities[..2], [Severity::High; 2], "what is worse stays, and stays so");
}

#[test]
fn the_schema_takes_a_right_answer_and_no_other() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let right: Value = serde_json::from_str(&answer(&[finding("a", 1)])).unwrap();
    assert!(validator.is_valid(&right));
    let mut wrong = right.clone();
    wrong["findings"][0]["severity"] = json!("blocker");
    assert!(!validator.is_valid(&wrong));
}

#[test]
fn a_second_look_refutes_only_by_the_word() {
    let text = r#"Well: {"verdicts":[{"finding":1,"reason":"x","verdict":"refuted"},{"finding":2,"verdict":"stands"},
        {"finding":3,"verdict":"refuted"},{"finding":3,"verdict":"stands"},{"finding":4,"verdict":"Not refuted"},{"fin"#;
    let verdicts = verdicts(text);
    let got: Vec<_> = (1..=5).map(|finding| verdicts.refuted(finding)).collect();
    assert_eq!(got, [Some(true), Some(false), Some(false), Some(false), None]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_without_panic(text in "\\PC{0,400}") {
        let parsed = parse(&text);
        prop_assert!(parsed.claims.is_empty() || parsed.claims.len() <= 200);
        prop_assert!(verdicts(&text).refuted(u64::MAX).is_none());
    }

    #[test]
    fn brackets_and_quotes_in_any_order_are_read_without_panic(
        text in proptest::collection::vec(prop_oneof![
            Just("{"), Just("}"), Just("["), Just("]"), Just("\""), Just(":"), Just(","), Just("\\"),
            Just("\"findings\":"), Just("\"file\":\"src/pay.py\""), Just("\"line\":12"), Just("\"title\":\"t\""), Just("null"), Just("é"),
        ], 0..80)
    ) {
        let held = hold(parse(&text.concat()).claims, &change());
        prop_assert!(held.placed.iter().all(|placed| placed.line == 12 || placed.moved));
    }

    #[test]
    fn no_finding_stands_outside_the_diff(
        file in prop_oneof![Just("src/pay.py"), Just("gone.py"), Just("new name.py"), Just("x")],
        line in 0..40_u32, end in proptest::option::of(0..60_u32),
        side in proptest::option::of(prop_oneof![Just(Side::New), Just(Side::Old)]),
        snippet in proptest::option::of(prop_oneof![Just("send(amount)"), Just("a = 2"), Just("zzz"), Just("}")]),
    ) {
        let change = change();
        let claim = Claim { side, snippet: snippet.map(str::to_owned), line_end: end, ..claim(file, line) };
        for placed in hold(vec![claim], &change).placed {
            let hunk = &change.files[placed.file].hunks[placed.hunk];
            let shown = |number| hunk.lines.iter().any(|line| line.number(placed.side) == Some(number));
            prop_assert!(shown(placed.line));
            prop_assert!(placed.line_end.is_none_or(|end| end > placed.line && shown(end)));
        }
    }
}
