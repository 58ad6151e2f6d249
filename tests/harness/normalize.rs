//! The one place that takes out of a transcript what differs from run to run.

use std::path::Path;

use serde_json::Value;

/// Replaces what differs from run to run by a name in brackets.
pub(crate) fn normalize(value: &mut Value, root: &Path) {
    match value {
        Value::String(text) => {
            *text = text.replace(&root.display().to_string(), "[root]");
            *text = named(text, "[review_id]", 36, is_review_id);
            *text = named(text, "[time]", 24, |text| is_like(text, b"0000-00-00T00:00:00.000Z"));
            *text = named(text, "data-[fence]", 29, is_fence);
            // As it stands in titles.
            *text = named(text, "[time]", 19, |text| is_like(text, b"0000-00-00 00:00:00"));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| normalize(value, root)),
        Value::Object(members) => {
            for (name, value) in members.iter_mut() {
                match name.as_str() {
                    "version" if *value == env!("CARGO_PKG_VERSION") => *value = "[version]".into(),
                    "review_id" | "timestamp" | "started" | "ended" | "lastModified"
                        if value.is_string() =>
                    {
                        *value = format!("[{name}]").into();
                    }
                    "latency_ms" if value.is_u64() => *value = "[latency_ms]".into(),
                    // How long a document is depends on how many digits its latency has.
                    "size" if value.is_u64() => *value = "[size]".into(),
                    "base" | "head" if is_object_name(value) => *value = "[object name]".into(),
                    _ => normalize(value, root),
                }
            }
            shorten(members, root);
        }
        _ => {}
    }
}

/// Replaces by `name` every part of that length that `is_one` accepts.
fn named(text: &str, name: &str, length: usize, is_one: fn(&[u8]) -> bool) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.as_bytes().windows(length).position(is_one) {
        out.push_str(&rest[..at]);
        out.push_str(name);
        rest = &rest[at + length..];
    }
    out + rest
}

/// The ids of reviews are UUIDs of version 7.
fn is_review_id(text: &[u8]) -> bool {
    text.iter().enumerate().all(|(at, &byte)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        14 => byte == b'7',
        _ => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
    })
}

/// The name of a fence: a keyed hash, with a key of the process.
fn is_fence(text: &[u8]) -> bool {
    text.strip_prefix(b"data-").is_some_and(|hash| hash.iter().all(u8::is_ascii_hexdigit))
}

/// Whether a text has this form, in which a zero stands for any digit.
fn is_like(text: &[u8], form: &[u8]) -> bool {
    text.iter().zip(form).all(|(byte, form)| match form {
        b'0' => byte.is_ascii_digit(),
        _ => byte == form,
    })
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
    let is_json = members.get("mimeType").is_some_and(|kind| kind == "application/json");
    if (is_json || members.get("type").is_some_and(|kind| kind == "text"))
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
