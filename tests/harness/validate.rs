//! Checks that every message of the server passes, in whatever script: the official schema of its
//! revision, one frame for each message, at most one answer to an id, progress that rises and ends.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::{Value, json};

use super::script::{REVISIONS, STATELESS};
use super::tests_folder;

/// The schema of the review document, as the project publishes it.
pub(crate) fn published_schema() -> Value {
    let crates = tests_folder().join("../crates");
    let text = std::fs::read_to_string(crates.join("review-tool/schema/review.schema.json"));
    serde_json::from_str(&text.unwrap()).unwrap()
}

/// The official schemas, compiled once for each definition in use.
struct Schemas {
    by_name: BTreeMap<(&'static str, &'static str), Validator>,
    document: Validator,
}

/// Definitions of what a server sends: since when they exist, and their name.
const DEFINITIONS: [(&str, &str); 21] = [
    ("2024-11-05", "InitializeResult"),
    ("2024-11-05", "EmptyResult"),
    ("2024-11-05", "ListToolsResult"),
    ("2024-11-05", "CallToolResult"),
    ("2024-11-05", "JSONRPCNotification"),
    ("2024-11-05", "ProgressNotification"),
    ("2024-11-05", "LoggingMessageNotification"),
    ("2024-11-05", "ToolListChangedNotification"),
    ("2024-11-05", "ListRootsRequest"),
    ("2024-11-05", "ListResourcesResult"),
    ("2024-11-05", "ListResourceTemplatesResult"),
    ("2024-11-05", "ReadResourceResult"),
    ("2024-11-05", "ListPromptsResult"),
    ("2024-11-05", "GetPromptResult"),
    ("2024-11-05", "CompleteResult"),
    ("2024-11-05", "ResourceListChangedNotification"),
    ("2024-11-05", "ResourceUpdatedNotification"),
    ("2026-07-28", "DiscoverResult"),
    ("2026-07-28", "SubscriptionsAcknowledgedNotification"),
    ("2026-07-28", "SubscriptionsListenResult"),
    ("2024-11-05", "CancelledNotification"),
];

/// What the envelope of an error and of a result is called.
fn envelopes(revision: &str) -> [&'static str; 2] {
    if revision < "2025-11-25" {
        ["JSONRPCError", "JSONRPCResponse"]
    } else {
        ["JSONRPCErrorResponse", "JSONRPCResultResponse"]
    }
}

fn schemas() -> &'static Schemas {
    static SCHEMAS: OnceLock<Schemas> = OnceLock::new();
    SCHEMAS.get_or_init(|| {
        let mut by_name = BTreeMap::new();
        for revision in REVISIONS {
            let folder = tests_folder().join("../crates/mcp-proto/tests/schema").join(revision);
            let text = std::fs::read_to_string(folder.join("schema.json")).unwrap();
            let mut schema: Value = serde_json::from_str(&text).unwrap();
            let place = if schema.get("$defs").is_some() { "$defs" } else { "definitions" };
            let own = DEFINITIONS.iter().filter(|(since, _)| *since <= revision);
            for name in own.map(|(_, name)| *name).chain(envelopes(revision)) {
                if schema[place].get(name).is_none() {
                    // A definition that the revision has dropped.
                    continue;
                }
                schema["$ref"] = format!("#/{place}/{name}").into();
                let validator = jsonschema::validator_for(&schema).unwrap();
                by_name.insert((revision, name), validator);
            }
        }
        Schemas { by_name, document: jsonschema::validator_for(&published_schema()).unwrap() }
    })
}

fn check(validator: &Validator, name: &str, value: &Value) {
    let errors: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "not a {name}: {errors:#?}\n{value:#}");
}

fn check_definition(revision: &str, name: &str, value: &Value) {
    let key = schemas().by_name.keys().find(|key| **key == (revision, name));
    let key = key.unwrap_or_else(|| panic!("{revision} has no {name}:\n{value:#}"));
    check(&schemas().by_name[key], &format!("{name} of {revision}"), value);
}

/// Checks a notification of the server.
pub(crate) fn notification(revision: &str, message: &Value) {
    let name = match message["method"].as_str().unwrap() {
        "notifications/progress" => "ProgressNotification",
        "notifications/message" => "LoggingMessageNotification",
        "notifications/tools/list_changed" => "ToolListChangedNotification",
        "notifications/resources/list_changed" => "ResourceListChangedNotification",
        "notifications/resources/updated" => "ResourceUpdatedNotification",
        "notifications/cancelled" => "CancelledNotification",
        "notifications/subscriptions/acknowledged" => "SubscriptionsAcknowledgedNotification",
        other => panic!("no server sends {other} in {revision}"),
    };
    check_definition(revision, name, message);
}

/// Checks a request of the server: it asks for roots alone, and only in the handshake revisions.
pub(crate) fn request(revision: &str, message: &Value) {
    assert_eq!(message["method"], "roots/list", "{message:#}");
    check_definition(revision, "ListRootsRequest", message);
}

/// Checks a response of the server to a request of `method`, if that could be read.
pub(crate) fn response(revision: &str, method: Option<&str>, message: &Value) {
    let [error, envelope] = envelopes(revision);
    assert_eq!(message["jsonrpc"], "2.0", "{message:#}");
    if message.get("error").is_some() {
        let mut message = message.clone();
        if revision < "2025-11-25" && message["id"].is_null() {
            // JSON-RPC answers an unreadable id by null, which these schemas do not know.
            assert!(message.get("id").is_some(), "an unreadable id is null in {revision}");
            message["id"] = 0.into();
        } else if message.get("id").is_some_and(Value::is_null) {
            panic!("an unreadable id is left out in {revision}: {message:#}");
        }
        check_definition(revision, error, &message);
        return;
    }
    check_definition(revision, envelope, message);
    let result = &message["result"];
    assert_eq!(result.get("resultType").is_some(), revision == STATELESS, "{message:#}");
    match method.expect("a result answers a request that could be read") {
        "initialize" => check_definition(revision, "InitializeResult", result),
        "ping" | "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe" => {
            check_definition(revision, "EmptyResult", result);
        }
        "resources/list" => check_definition(revision, "ListResourcesResult", result),
        "resources/templates/list" => {
            check_definition(revision, "ListResourceTemplatesResult", result);
        }
        "resources/read" => check_definition(revision, "ReadResourceResult", result),
        "prompts/list" => check_definition(revision, "ListPromptsResult", result),
        "prompts/get" => check_definition(revision, "GetPromptResult", result),
        "completion/complete" => check_definition(revision, "CompleteResult", result),
        "tools/list" => check_definition(revision, "ListToolsResult", result),
        "tools/call" => {
            check_definition(revision, "CallToolResult", result);
            tool_result(revision, result);
        }
        "server/discover" => check_definition(revision, "DiscoverResult", result),
        "subscriptions/listen" => check_definition(revision, "SubscriptionsListenResult", result),
        other => panic!("no check for the result of {other}"),
    }
}

/// A tool's data stand beside the same text, and a review keeps to the published schema.
fn tool_result(revision: &str, result: &Value) {
    let content = result["content"].as_array().unwrap();
    assert!(!content.is_empty(), "{result:#}");
    let data = result.get("structuredContent");
    if result.get("isError") == Some(&json!(true)) {
        assert_eq!(data, None, "an error carries text alone");
        return;
    }
    assert_eq!(data.is_some(), revision >= "2025-06-18", "{revision}: {result:#}");
    let text: Value = serde_json::from_str(content[1]["text"].as_str().unwrap()).unwrap();
    if text.get("findings").is_some() {
        check(&schemas().document, "review document", &text);
    }
    assert!(data.is_none_or(|data| *data == text), "text and data differ: {result:#}");
}

/// Checks one frame and reads its message.
pub(crate) fn frame(revision: Option<&str>, bytes: &[u8]) -> Value {
    let shown = String::from_utf8_lossy(bytes);
    let text = std::str::from_utf8(bytes).unwrap_or_else(|error| panic!("{error} in {shown}"));
    assert!(!text.contains(['\n', '\r']), "a message is one line: {shown}");
    let value: Value = serde_json::from_str(text).unwrap_or_else(|error| {
        panic!("a frame is one message: {error} in {shown}");
    });
    assert!(
        value.is_object() || (value.is_array() && revision == Some("2025-03-26")),
        "a frame is one message: {shown}"
    );
    value
}
