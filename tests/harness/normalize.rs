//! The one place that takes out of a transcript what differs from run to run.

use std::path::Path;

use serde_json::Value;

/// Replaces what differs from run to run by a name in brackets.
pub(crate) fn normalize(value: &mut Value, root: &Path) {
    match value {
        Value::String(text) => *text = text.replace(&root.display().to_string(), "[root]"),
        Value::Array(values) => values.iter_mut().for_each(|value| normalize(value, root)),
        Value::Object(members) => {
            for (name, value) in members.iter_mut() {
                match name.as_str() {
                    "version" if *value == env!("CARGO_PKG_VERSION") => *value = "[version]".into(),
                    "review_id" | "timestamp" if value.is_string() => {
                        *value = format!("[{name}]").into();
                    }
                    "latency_ms" if value.is_u64() => *value = "[latency_ms]".into(),
                    "base" | "head" if is_object_name(value) => *value = "[object name]".into(),
                    _ => normalize(value, root),
                }
            }
            shorten(members, root);
        }
        _ => {}
    }
}

fn is_object_name(value: &Value) -> bool {
    let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    value.as_str().is_some_and(|text| matches!(text.len(), 40 | 64) && is_hex(text))
}

/// Shows a document that is there as text and as data once, and the published schema by its name.
fn shorten(members: &mut serde_json::Map<String, Value>, root: &Path) {
    if let Some(schema) = members.get_mut("outputSchema")
        && *schema == super::validate::published_schema()
    {
        *schema = "[the published schema of the review document]".into();
    }
    if members.get("type").is_some_and(|kind| kind == "text")
        && let Some(Value::String(text)) = members.get("text")
        && let Ok(mut document @ Value::Object(_)) = serde_json::from_str(text)
    {
        normalize(&mut document, root);
        members.insert("text".to_owned(), document);
    }
    let data = members.get("structuredContent").cloned();
    if let (Some(data), Some(Value::Array(content))) = (data, members.get_mut("content")) {
        for block in content {
            if block["text"] == data {
                block["text"] = "[structuredContent as text]".into();
            }
        }
    }
}
