//! What a client does with `foreread mcp`.

use std::fmt::Write;

use rmcp::model::ReadResourceRequestParams;
use serde_json::{Value, json};

use crate::session::{FILE, RULE, Session, text};

pub(crate) async fn finds_the_planted_fault(session: Session) {
    let tools = session.client.list_all_tools().await.unwrap();
    let review = tools.iter().find(|tool| tool.name == "review").unwrap();
    assert!(review.output_schema.is_some());
    let result = session.call("review", json!({"fail_on": "medium"})).await;
    assert_ne!(result.is_error, Some(true), "a gate that fails is a result");
    let document = result.structured_content.unwrap();
    let finding = &document["findings"][0];
    assert_eq!((&finding["file"], &finding["rule"]), (&json!(FILE), &json!(RULE)));
    assert_eq!(document["summary"]["gate"]["passed"], false);
    assert_eq!(serde_json::from_str::<Value>(text(&result.content[1])).unwrap(), document);
    let wrong = session.call("review", json!({"fail_on": "severe"})).await;
    assert_eq!(wrong.is_error, Some(true));
    assert!(text(&wrong.content[0]).contains("fail_on"));
}

pub(crate) async fn reads_a_review_that_was_made(session: Session) {
    let document = session.call("review", json!({})).await.structured_content.unwrap();
    let uri = format!("foreread://reviews/{}", document["meta"]["review_id"].as_str().unwrap());
    let resources = session.client.list_all_resources().await.unwrap();
    assert!(resources.iter().any(|resource| resource.uri == uri));
    let read = session.client.read_resource(ReadResourceRequestParams::new(uri)).await.unwrap();
    let read = serde_json::to_value(&read.contents[0]).unwrap();
    let kept: Value = serde_json::from_str(read["text"].as_str().unwrap()).unwrap();
    assert_eq!(kept, document);
}

pub(crate) async fn completes_the_ids_of_rules(session: Session) {
    let (template, typed) = ("foreread://rules/{id}", &RULE[..12]);
    let completed = session.client.complete_resource_argument(template, "id", typed, None).await;
    assert!(completed.unwrap().values.iter().any(|value| value == RULE));
}

pub(crate) async fn stops_a_review_that_is_given_up_and_serves_on(mut session: Session) {
    let review = session.start("review", json!({"patch": long_patch(400)})).await;
    session.reports.recv().await.unwrap();
    review.cancel(Some("changed my mind".to_owned())).await.unwrap();
    // This answer shows that the server has dealt with the cancellation sent before it.
    session.call("explain_rule", json!({"rule": RULE})).await;
    while session.reports.try_recv().is_ok() {}
    let document = session.call("review", json!({})).await.structured_content.unwrap();
    assert_eq!(document["findings"].as_array().unwrap().len(), 1);
}

/// A patch that takes a while to review: so many files of forty plain lines.
fn long_patch(files: usize) -> String {
    let mut patch = String::new();
    for file in 0..files {
        write!(patch, "--- /dev/null\n+++ b/generated/{file}.py\n@@ -0,0 +1,40 @@\n").unwrap();
        for line in 0..40 {
            writeln!(patch, "+value_{line} = [{file}, {line}, max({line}, len(str({file})))]")
                .unwrap();
        }
    }
    patch
}
