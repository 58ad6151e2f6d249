//! What the fixtures of the conformance suite say, to the letter: some of its scenarios would also
//! pass on a server without them.

#![expect(
    clippy::expect_used,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers outside of test functions fail a test by panicking, and take JSON as written"
)]
#![expect(dead_code, reason = "the client and the example are shared, and each test uses a part")]

#[path = "server/client.rs"]
mod client;
#[path = "../examples/everything.rs"]
mod everything;

use client::{Client, modern};
use serde_json::{Value, json};

/// Calls a tool and returns the result, with all notifications before it.
fn call(client: &mut Client, name: &str, arguments: Value, meta: Value) -> (Value, Vec<Value>) {
    let params = json!({"name": name, "arguments": arguments, "_meta": meta});
    client.send(json!({"id": name, "method": "tools/call", "params": params}));
    let mut before = Vec::new();
    loop {
        let message = client.receive();
        if message["id"] == name && message["method"] == Value::Null {
            return (message["result"].clone(), before);
        }
        before.push(message);
    }
}

fn connected() -> Client {
    Client::connected(everything::server().unwrap(), "2025-11-25")
}

#[test]
fn simple_results_are_what_the_suite_expects() {
    let mut client = connected();
    let resource = |uri: &str, mime_type: &str, text: &str| json!({"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": text}});
    let text = |text: &str| json!({"type": "text", "text": text});
    let cases = [
        ("test_simple_text", json!([text("This is a simple text response for testing.")])),
        (
            "test_embedded_resource",
            json!([resource(
                "test://embedded-resource",
                "text/plain",
                "This is an embedded resource content."
            )]),
        ),
        (
            "test_error_handling",
            json!([text("This tool intentionally returns an error for testing")]),
        ),
        ("greet", json!([text("Hello, Ada!")])),
    ];
    for (name, content) in cases {
        let arguments = if name == "greet" { json!({"name": "Ada"}) } else { json!({}) };
        let (result, _) = call(&mut client, name, arguments, json!({}));
        assert_eq!(result["content"], content, "{name}");
        assert_eq!(result["isError"] == true, name == "test_error_handling");
    }
    let (result, _) = call(&mut client, "test_multiple_content_types", json!({}), json!({}));
    assert_eq!(result["content"][0], text("Multiple content types test:"));
    assert_eq!(result["content"][1]["mimeType"], "image/png");
    let json = r#"{"test":"data","value":123}"#;
    let mixed = resource("test://mixed-content-resource", "application/json", json);
    assert_eq!(result["content"][2], mixed);
    let (result, _) = call(&mut client, "test_audio_content", json!({}), json!({}));
    assert_eq!(result["content"][0]["mimeType"], "audio/wav");
}

#[test]
fn logs_and_progress_come_in_order_and_only_where_they_are_wanted() {
    let mut client = connected();
    let level = json!({"id": 1, "method": "logging/setLevel", "params": {"level": "debug"}});
    assert_eq!(client.ask(level)["result"], json!({}));
    let (_, before) = call(&mut client, "test_tool_with_logging", json!({}), json!({}));
    let said: Vec<_> = before.iter().map(|message| message["params"]["data"].clone()).collect();
    assert_eq!(
        said,
        ["Tool execution started", "Tool processing data", "Tool execution completed"]
    );
    let token = json!({"progressToken": "progress-test-1"});
    let (_, before) = call(&mut client, "test_tool_with_progress", json!({}), token);
    let steps: Vec<_> =
        before.iter().map(|message| message["params"]["progress"].as_f64()).collect();
    assert_eq!(steps, [Some(0.0), Some(50.0), Some(100.0)]);

    // Since 2026-07-28 a request has to ask for log messages itself.
    let (_, before) = call(&mut client, "test_logging_tool", json!({}), modern(json!({})));
    assert_eq!(before, Vec::<Value>::new());
    let mut meta = modern(json!({}));
    meta["io.modelcontextprotocol/logLevel"] = "warning".into();
    let (_, before) = call(&mut client, "test_logging_tool", json!({}), meta.clone());
    assert_eq!(before, Vec::<Value>::new());
    meta["io.modelcontextprotocol/logLevel"] = "info".into();
    let (_, before) = call(&mut client, "test_logging_tool", json!({}), meta);
    assert_eq!(before[0]["params"]["data"], "This is a log message.");
}

#[test]
fn a_schema_of_many_keywords_is_listed_untouched_and_enforced() {
    let mut client = connected();
    let answer = client.ask(json!({"id": 1, "method": "tools/list"}));
    let tools = answer["result"]["tools"].as_array().unwrap();
    let tool = tools.iter().find(|tool| tool["name"] == "json_schema_2020_12_tool").unwrap();
    let schema = &tool["inputSchema"];
    assert_eq!(schema["$defs"]["address"]["$anchor"], "addressDef");
    assert_eq!(schema["then"], json!({"required": ["phone"]}));
    for (arguments, fits) in [
        (json!({"contactMethod": "phone", "phone": "1"}), true),
        (json!({"email": "a"}), true),
        (json!({"contactMethod": "phone", "email": "a"}), false),
        (json!({"email": "a", "address": {"street": 5}}), false),
        (json!({"email": "a", "more": 1}), false),
        (json!({}), false),
    ] {
        let (result, _) =
            call(&mut client, "json_schema_2020_12_tool", arguments.clone(), json!({}));
        assert_eq!(result["isError"] != true, fits, "{arguments}: {result}");
    }
    let street = json!({"email": "a", "address": {"street": 5}});
    let (result, _) = call(&mut client, "json_schema_2020_12_tool", street, json!({}));
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("invalid arguments: `address/street`: "), "{text}");
}

#[test]
fn resources_and_prompts_say_what_the_suite_expects() {
    let mut client = connected();
    let mut ask = |method: &str, params: Value| {
        client.ask(json!({"id": 1, "method": method, "params": params}))["result"].clone()
    };
    let text = ask("resources/read", json!({"uri": "test://static-text"}));
    let expected = "This is the content of the static text resource.";
    assert_eq!(text["contents"][0]["text"], expected);
    let data = ask("resources/read", json!({"uri": "test://template/123/data"}));
    let data: Value = serde_json::from_str(data["contents"][0]["text"].as_str().unwrap()).unwrap();
    let expected = json!({"id": "123", "templateTest": true, "data": "Data for ID: 123"});
    assert_eq!(data, expected);
    let arguments = json!({"arg1": "a", "arg2": "b"});
    let params = json!({"name": "test_prompt_with_arguments", "arguments": arguments});
    let prompt = ask("prompts/get", params);
    let expected = "Prompt with arguments: arg1='a', arg2='b'";
    assert_eq!(prompt["messages"][0]["content"]["text"], expected);
}
