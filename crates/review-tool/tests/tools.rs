//! The tools through their faces: arguments, results, and what is kept of a review.

#![expect(clippy::panic, clippy::unwrap_used, reason = "helpers of tests fail by panicking")]
#![expect(clippy::needless_pass_by_value, reason = "arguments are written where they are passed")]

use mcp_proto::{CallToolResult, Content, RawJson};
use memory::{Memory, Nowhere};
use review_tool::control::Uncontrolled;
use review_tool::history::{Begun, History, State};
use review_tool::report::Document;
use review_tool::rules::RuleSet;
use review_tool::tool::{self, Call, Host};
use serde_json::{Value, json};

#[path = "support/memory.rs"]
mod memory;

const PATCH: &str = "--- a/a.py\n+++ b/a.py\n@@ -0,0 +1,2 @@\n+def f(a=[]):\n+    return a\n";

fn call(host: &Nowhere, name: &str, arguments: Value) -> CallToolResult {
    let face = tool::ALL.iter().find(|face| face.definition().name == name).unwrap();
    let call = Call { host, rules: RuleSet::embedded(), control: &Uncontrolled };
    face.call(&arguments.to_string(), call)
}

/// Whether a call failed, and its first text.
fn said(host: &Nowhere, name: &str, arguments: Value) -> (bool, String) {
    let result = call(host, name, arguments);
    let Some(Content::Text(text)) = result.content.first() else { panic!("{result:?}") };
    (result.is_error == Some(true), text.text.clone())
}

fn data(result: &CallToolResult) -> Value {
    serde_json::from_str(result.structured_content.as_ref().unwrap().get()).unwrap()
}

/// Reviews a fault and returns the review's id.
fn reviewed(host: &Nowhere) -> String {
    let result = call(host, "review", json!({"patch": PATCH, "fail_on": "medium"}));
    data(&result)["meta"]["review_id"].as_str().unwrap().to_owned()
}

#[test]
fn arguments_that_do_not_fit_name_their_field() {
    let host = Nowhere::default();
    let id = reviewed(&host);
    for (name, arguments, want) in [
        ("review", json!({"fail_on": "bad"}), "`fail_on`: unknown variant `bad`"),
        ("review", json!({"paths": ["a", 1]}), "`paths[1]`: invalid type"),
        ("review", json!({"colour": true}), "`colour`"),
        ("review", json!({"staged": true, "all": true}), "give one scope, not staged and all"),
        ("review", json!({"diff": []}), "`diff`: name at least one revision"),
        ("review", json!({"patch": "", "paths": ["a"]}), "leave them out"),
        ("review", json!({"repo": "/nowhere"}), "/nowhere is not inside a git repository"),
        ("review", json!({"patch": "hello"}), "no file change found"),
        ("list_reviews", json!({"limit": 0}), "`limit`: give 1 to 200"),
        ("list_reviews", json!({"limit": 201}), "`limit`: give 1 to 200"),
        ("list_reviews", json!({"cursor": "x"}), "`cursor`: not one of this list"),
        ("list_reviews", json!({"cursor": "before:../x"}), "`cursor`: not one of this list"),
        ("list_reviews", json!({"repo": "/nowhere"}), "/nowhere is not inside a git repository"),
        ("get_review", json!({}), "missing field `id`"),
        ("get_review", json!({"id": "other"}), "there is no review \"other\""),
        ("get_review", json!({"id": id, "min_severity": "bad"}), "`min_severity`"),
        ("explain_rule", json!({}), "missing field `rule`"),
        (
            "explain_rule",
            json!({"rule": "python-mutable-defaults"}),
            "did you mean \"python-mutable-default\"?",
        ),
        ("explain_rule", json!({"rule": "zzz"}), "there is no rule \"zzz\""),
    ] {
        let (failed, said) = said(&host, name, arguments.clone());
        assert!(failed && said.contains(want), "{name} {arguments}: {said}");
    }
}

#[test]
fn a_review_is_text_and_data_alike_and_says_where_it_is_kept() {
    let host = Nowhere::default();
    let result = call(&host, "review", json!({"patch": PATCH, "fail_on": "medium"}));
    assert_eq!(result.is_error, None, "a gate that fails is a result");
    let [Content::Text(short), Content::Text(text), Content::ResourceLink(link)] =
        &result.content[..]
    else {
        panic!("{result:?}")
    };
    assert!(short.text.contains("gate failed"), "{}", short.text);
    assert!(short.text.contains("a.py:1 medium [python-mutable-default]"), "{}", short.text);
    assert_eq!(result.structured_content.as_ref().map(RawJson::get), Some(text.text.as_str()));
    let document: Document = serde_json::from_str(&text.text).unwrap();
    assert!(!document.summary.gate.passed);
    let id = &document.meta.review_id;
    assert_eq!(link.uri, format!("foreread://reviews/{id}"));
    assert_eq!(link.size, Some(document.to_json().len() as u64));
    let annotations = link.annotations.as_ref().unwrap();
    assert_eq!(annotations.last_modified.as_ref(), Some(&document.meta.timestamp));
    assert_eq!(host.memory.get(id).unwrap().unwrap().document, Some(document));
}

#[test]
fn a_review_without_a_history_is_the_same_but_for_the_link() {
    let host = Nowhere { memory: Memory::broken(), ..Nowhere::default() };
    let result = call(&host, "review", json!({"patch": PATCH}));
    assert_eq!((result.is_error, result.content.len()), (None, 2));
    let (failed, said) = said(&host, "list_reviews", json!({}));
    assert!(failed && said.contains("reviews are not kept here: no disk"), "{said}");
}

#[test]
fn a_review_that_does_not_run_leaves_nothing_behind() {
    let host = Nowhere::default();
    assert!(said(&host, "review", json!({"patch": "hello"})).0);
    assert_eq!(data(&call(&host, "list_reviews", json!({}))), json!({"reviews": []}));
}

#[test]
fn reviews_are_listed_page_by_page_and_read_back() {
    let host = Nowhere::default();
    let ids: Vec<String> = (0..3).map(|_| reviewed(&host)).collect();
    let first = data(&call(&host, "list_reviews", json!({"limit": 2})));
    let listed = |page: &Value| -> Vec<String> {
        let reviews = page["reviews"].as_array().unwrap().iter();
        reviews.map(|one| one["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(listed(&first), [ids[2].clone(), ids[1].clone()]);
    let next = json!({"limit": 2, "cursor": first["next_cursor"]});
    let last = data(&call(&host, "list_reviews", next));
    assert_eq!(listed(&last), [ids[0].clone()]);
    assert_eq!(last.get("next_cursor"), None);
    assert_eq!(last["reviews"][0]["outcome"]["counts"]["medium"], 1);

    let read = data(&call(&host, "get_review", json!({"id": ids[0]})));
    assert_eq!(read["meta"]["review_id"], ids[0]);
    assert_eq!(read["findings"].as_array().unwrap().len(), 1);
    let mild = json!({"id": ids[0], "min_severity": "high"});
    let mild = data(&call(&host, "get_review", mild));
    assert_eq!(mild["findings"], json!([]));
    assert_eq!(
        (&mild["summary"]["hidden"], &mild["summary"]["counts"]["medium"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(mild["summary"]["gate"]["passed"], false, "the verdict stays");
}

#[test]
fn a_review_without_a_document_says_why() {
    let host = Nowhere::default();
    for (state, want) in
        [(State::Running, "still running"), (State::Interrupted, "cut off before it had a result")]
    {
        host.memory.enter("r", state);
        let (failed, text) = said(&host, "get_review", json!({"id": "r"}));
        assert!(failed && text.contains(want), "{text}");
        let (_, listed) = said(&host, "list_reviews", json!({}));
        assert!(listed.contains(want.split(" before").next().unwrap()), "{listed}");
    }
}

#[test]
fn a_rule_is_explained_as_a_page_and_as_data() {
    let result =
        call(&Nowhere::default(), "explain_rule", json!({"rule": "python-mutable-default"}));
    let page = data(&result);
    assert_eq!(page["id"], "python-mutable-default");
    assert!(page["page"].as_str().unwrap().contains("##"), "{page:#}");
    let Some(Content::Text(text)) = result.content.first() else { panic!("{result:?}") };
    assert!(text.text.starts_with("# python-mutable-default: "), "{}", text.text);
}

#[test]
fn every_tool_is_described_to_the_last_argument_and_keeps_to_its_schema() {
    let host = Nowhere::default();
    let id = reviewed(&host);
    let calls = [
        ("check_findings", json!({"patch": TWO, "findings": [stated("b.py", 11)]})),
        ("explain_rule", json!({"rule": "python-mutable-default"})),
        ("get_review", json!({"id": id})),
        ("list_reviews", json!({})),
        ("review", json!({"patch": PATCH})),
    ];
    let names: Vec<String> = tool::ALL.iter().map(|face| face.definition().name).collect();
    assert_eq!(names, calls.each_ref().map(|(name, _)| *name), "in the order of names");
    for (face, (name, arguments)) in tool::ALL.iter().zip(calls) {
        let definition = face.definition();
        assert!(definition.title.is_some() && definition.description.is_some(), "{name}");
        let annotations = definition.annotations.unwrap();
        assert_eq!(annotations.read_only_hint, Some(true), "{name}");
        let input: Value = serde_json::from_str(definition.input_schema.get()).unwrap();
        assert_eq!(
            (&input["type"], &input["additionalProperties"]),
            (&json!("object"), &json!(false))
        );
        assert!(input.get("$ref").is_none() && input.get("$defs").is_none(), "{input:#}");
        for (argument, schema) in input["properties"].as_object().unwrap() {
            assert!(schema["description"].is_string(), "{name}: {argument}");
        }
        let schema = definition.output_schema.unwrap();
        let schema: Value = serde_json::from_str(schema.get()).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let data = data(&call(&host, name, arguments));
        let errors: Vec<String> = validator.iter_errors(&data).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}\n{data:#}");
    }
}

const MENDED: &str = "--- a/a.py\n+++ b/a.py\n@@ -0,0 +1,4 @@\n+import os\n+def h(b={}):\n+    return b\n+try_it = 1\n";

#[test]
fn what_is_new_gone_and_still_there_is_told_by_fingerprints() {
    let host = Nowhere::default();
    let both =
        format!("{PATCH}--- a/b.py\n+++ b/b.py\n@@ -0,0 +1,2 @@\n+def g(a=[]):\n+    return 7\n");
    let first = data(&call(&host, "review", json!({"patch": both})));
    assert_eq!(first.get("since"), None);
    let id = &first["meta"]["review_id"];
    let again = call(&host, "review", json!({"patch": both, "since": id}));
    let since = &data(&again)["since"];
    assert_eq!((&since["review_id"], &since["new"], &since["gone"]), (id, &json!([]), &json!([])));
    assert_eq!(since["still"].as_array().unwrap().len(), 2);
    let mended = call(
        &host,
        "review",
        json!({"patch": format!("{PATCH}{}", MENDED.replace("a.py", "c.py")), "since": id}),
    );
    let Some(Content::Text(text)) = mended.content.first() else { panic!("{mended:?}") };
    assert!(text.text.contains("1 new, 1 gone, 1 still there"), "{}", text.text);
    let mended = data(&mended);
    assert_eq!(mended["since"]["gone"][0]["file"], "b.py");
    let new = mended["since"]["new"][0].as_str().unwrap();
    let new = mended["findings"].as_array().unwrap().iter().find(|one| one["fingerprint"] == new);
    assert_eq!(new.unwrap()["file"], "c.py");
    let kept = data(&call(&host, "get_review", json!({"id": mended["meta"]["review_id"]})));
    assert_eq!(kept, mended, "the comparison is kept, too");
}

#[test]
fn a_finding_that_was_not_listed_is_neither_new_nor_gone() {
    let host = Nowhere::default();
    let with = |least: &str, since: &Value| {
        let mut arguments = json!({"patch": PATCH, "min_severity": least});
        if since.is_string() {
            arguments["since"] = since.clone();
        }
        data(&call(&host, "review", arguments))
    };
    let (listed, unlisted) = (with("info", &json!(null)), with("high", &json!(null)));
    assert_eq!(unlisted["summary"]["unlisted"].as_array().unwrap().len(), 1);
    let since = with("info", &unlisted["meta"]["review_id"])["since"].clone();
    assert_eq!((since["new"].clone(), since["still"].as_array().unwrap().len()), (json!([]), 1));
    let since = with("high", &listed["meta"]["review_id"])["since"].clone();
    assert_eq!(
        (&since["new"], &since["still"], &since["gone"]),
        (&json!([]), &json!([]), &json!([]))
    );
}

#[test]
fn a_review_is_compared_only_with_a_finished_one_of_its_repository() {
    let host = Nowhere::default();
    host.memory.enter("running", State::Running);
    let mut other = host.memory.get(&reviewed(&host)).unwrap().unwrap().document.unwrap();
    other.meta.review_id = "other".to_owned();
    let repo = Some("/home/a/other".to_owned());
    host.memory.begin(&Begun { id: "other".to_owned(), repo, ..host.begin() }).unwrap();
    host.memory.finish(&other).unwrap();
    for (since, want) in [
        ("nothing", "there is no review \"nothing\""),
        ("running", "still running"),
        ("other", "review other is of /home/a/other"),
    ] {
        let (failed, said) = said(&host, "review", json!({"patch": PATCH, "since": since}));
        assert!(failed && said.contains(want), "{said}");
    }
}

/// A fault of the rules in one file, plain code in another.
const TWO: &str = "--- a/a.py\n+++ b/a.py\n@@ -0,0 +1,2 @@\n+def f(a=[]):\n+    return a\n\
                   --- a/b.py\n+++ b/b.py\n@@ -10,2 +10,3 @@\n def g(n):\n+    return 1 / n\n \n";

fn stated(file: &str, line: u32) -> Value {
    json!({
        "file": file, "line": line, "severity": "high", "category": "correctness",
        "title": "Division by zero", "description": "n may be 0.",
    })
}

fn checked(host: &Nowhere, findings: Value) -> CallToolResult {
    call(host, "check_findings", json!({"patch": TWO, "findings": findings, "summary": "Fine."}))
}

#[test]
fn findings_of_the_host_stand_beside_those_of_the_rules_and_are_judged_and_kept() {
    let host = Nowhere::default();
    let result = checked(&host, json!([stated("b.py", 11)]));
    let document: Document =
        serde_json::from_str(result.structured_content.as_ref().unwrap().get()).unwrap();
    let found: Vec<String> = document
        .findings
        .iter()
        .map(|one| format!("{}:{} {:?}", one.file, one.line, one.source))
        .collect();
    assert_eq!(found, ["b.py:11 Model", "a.py:1 Rules"]);
    assert!(!document.summary.gate.passed, "a finding of the host's model fails the gate, too");
    assert_eq!(document.content, "Fine.");
    let meta = &document.meta;
    assert_eq!((meta.provider.as_str(), meta.model.as_str()), ("host", "a-client"));
    assert_eq!(host.memory.get(&meta.review_id).unwrap().unwrap().document, Some(document));
}

#[test]
fn a_finding_is_moved_to_the_code_that_it_quotes_and_said_once() {
    let host = Nowhere::default();
    let mut off = stated("b.py", 12);
    off["snippet"] = json!("    return 1 / n");
    let mut known = stated("a.py", 2);
    known["title"] = json!("The default list is shared");
    known["severity"] = json!("medium");
    let result = checked(&host, json!([off, stated("b.py", 11), known]));
    let document = data(&result);
    assert_eq!(document["findings"].as_array().unwrap().len(), 2, "{document:#}");
    assert_eq!(document["findings"][0]["line"], 11);
    let claims = &document["meta"]["claims"];
    assert_eq!(
        (&claims["made"], &claims["moved"], &claims["merged"]),
        (&json!(3), &json!(1), &json!(2))
    );
}

#[test]
fn a_finding_is_not_left_out_for_a_milder_one_of_the_rules() {
    let result = checked(&Nowhere::default(), json!([stated("a.py", 2)]));
    let document = data(&result);
    assert_eq!(document["findings"].as_array().unwrap().len(), 2, "{document:#}");
    assert_eq!(document["summary"]["gate"]["passed"], false);
}

#[test]
fn a_finding_that_does_not_fit_is_refused_with_what_is_nearest_and_nothing_is_kept() {
    let host = Nowhere::default();
    for (findings, wants) in [
        (
            json!([stated("b.py", 50)]),
            vec!["1 finding does not fit", "b.py:50", "the nearest line is 12 (new)"],
        ),
        (
            json!([stated("bb.py", 11)]),
            vec!["bb.py: the change has no such file", "the nearest is b.py"],
        ),
        (json!([stated("zzz.rs", 1)]), vec!["it has a.py, b.py"]),
        (
            json!([stated("b.py", 11), stated("b.py", 1), stated("x", 1)]),
            vec!["2 findings do not fit"],
        ),
    ] {
        let result = checked(&host, findings);
        let Some(Content::Text(text)) = result.content.first() else { panic!("{result:?}") };
        assert_eq!(result.is_error, Some(true));
        wants.iter().for_each(|want| assert!(text.text.contains(want), "{}", text.text));
    }
    assert_eq!(data(&call(&host, "list_reviews", json!({}))), json!({"reviews": []}));
}

#[test]
fn findings_in_another_form_name_their_field() {
    let host = Nowhere::default();
    let with = |name: &str, value: Value| {
        let mut stated = stated("b.py", 11);
        stated[name] = value;
        json!([stated])
    };
    for (findings, want) in [
        (json!("none"), "`findings`"),
        (json!([{"file": "b.py"}]), "`findings[0]`"),
        (with("severity", json!("terrible")), "`findings[0].severity`"),
        (with("line", json!(-1)), "`findings[0].line`"),
        (with("colour", json!("red")), "`findings[0].colour`"),
        (with("title", json!("  ")), "`findings[0]`: file, title and description say something"),
        (json!(vec![stated("b.py", 11); 201]), "at most 200"),
    ] {
        let result = checked(&host, findings);
        let Some(Content::Text(text)) = result.content.first() else { panic!("{result:?}") };
        assert!(result.is_error == Some(true) && text.text.contains(want), "{want}: {}", text.text);
    }
    let (failed, said) = said(&host, "check_findings", json!({"findings": [], "staged": "yes"}));
    assert!(failed && said.contains("`staged`"), "{said}");
    let (failed, said) = self::said(&host, "check_findings", json!({"patch": TWO}));
    assert!(failed && said.contains("missing field `findings`"), "{said}");
}

#[test]
fn a_change_without_a_finding_of_the_host_is_reviewed_by_the_rules_alone() {
    let result = checked(&Nowhere::default(), json!([]));
    assert_eq!(data(&result)["findings"].as_array().unwrap().len(), 1);
    assert_eq!(data(&result)["meta"]["provider"], "host");
}
