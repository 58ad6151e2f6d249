//! What a client does with the example server that has one of everything.

use rmcp::model::{GetPromptRequestParams, ReadResourceRequestParams, SubscriptionFilter};
use serde_json::{Value, json};

use crate::session::{Session, object, text};

pub(crate) async fn lists_all_that_there_is(session: Session) {
    let client = &session.client;
    let tools = client.list_all_tools().await.unwrap();
    assert!(tools.iter().any(|tool| tool.name == "test_simple_text"));
    let resources = client.list_all_resources().await.unwrap();
    assert!(resources.iter().any(|resource| resource.uri == "test://static-text"));
    let templates = client.list_all_resource_templates().await.unwrap();
    assert_eq!(templates[0].uri_template, "test://template/{id}/data");
    let prompts = client.list_all_prompts().await.unwrap();
    assert!(prompts.iter().any(|prompt| prompt.name == "test_prompt_with_arguments"));
}

pub(crate) async fn calls_tools_and_hears_of_failures(session: Session) {
    let result = session.call("test_simple_text", json!({})).await;
    assert_eq!(text(&result.content[0]), "This is a simple text response for testing.");
    assert_eq!(session.call("test_error_handling", json!({})).await.is_error, Some(true));
    let wrong = session.call("greet", json!({"name": 5})).await;
    assert_eq!(wrong.is_error, Some(true));
    assert!(text(&wrong.content[0]).contains("name"));
    let mixed = session.call("test_multiple_content_types", json!({})).await;
    assert_eq!(mixed.content.len(), 3);
}

pub(crate) async fn reads_resources(session: Session) {
    let read = async |uri: &str| {
        let read = session.client.read_resource(ReadResourceRequestParams::new(uri)).await;
        read.map(|read| serde_json::to_value(&read.contents[0]).unwrap())
    };
    let contents = read("test://static-text").await.unwrap();
    assert_eq!(contents["text"], "This is the content of the static text resource.");
    let contents = read("test://template/7/data").await.unwrap();
    let data: Value = serde_json::from_str(contents["text"].as_str().unwrap()).unwrap();
    assert_eq!(data["id"], "7");
    assert_eq!(read("test://static-binary").await.unwrap()["mimeType"], "image/png");
    assert!(read("test://none").await.is_err());
}

pub(crate) async fn gets_prompts(session: Session) {
    let arguments = object(json!({"arg1": "a", "arg2": "b"}));
    let request =
        GetPromptRequestParams::new("test_prompt_with_arguments").with_arguments(arguments);
    let prompt = session.client.get_prompt(request).await.unwrap();
    let prompt = serde_json::to_value(prompt).unwrap();
    let expected = "Prompt with arguments: arg1='a', arg2='b'";
    assert_eq!(prompt["messages"][0]["content"]["text"], expected);
}

pub(crate) async fn completes_arguments(session: Session) {
    let prompt = "test_prompt_with_arguments";
    let completed = session.client.complete_prompt_argument(prompt, "arg1", "par", None).await;
    assert_eq!(completed.unwrap().values, ["paris", "park", "party"]);
}

pub(crate) async fn receives_progress_that_rises(mut session: Session) {
    session.call("test_tool_with_progress", json!({})).await;
    for report in [0.0, 50.0, 100.0] {
        assert_eq!(session.reports.recv().await, Some(report));
    }
}

pub(crate) async fn gives_a_call_up_and_goes_on(mut session: Session) {
    let call = session.start("slow_compute", json!({"seconds": 3600})).await;
    call.cancel(Some("changed my mind".to_owned())).await.unwrap();
    // The server ends within its grace only if the call above has ended.
    let result = session.call("greet", json!({"name": "Ada"})).await;
    assert_eq!(text(&result.content[0]), "Hello, Ada!");
    session.client.close().await.unwrap();
}

pub(crate) async fn is_asked_by_a_tool(session: Session) {
    let result = session.call("test_input_required_result_elicitation", json!({})).await;
    assert_eq!(text(&result.content[0]), "Hello, Ada!");
}

pub(crate) async fn listens_to_changes(session: Session) {
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut subscription = session.client.listen(filter).await.unwrap();
    session.call("test_trigger_tool_change", json!({})).await;
    let change = subscription.next().await.unwrap().expect("a change");
    assert!(format!("{change:?}").contains("ToolListChanged"), "{change:?}");
    subscription.cancel().await.unwrap();
}
