//! Claude Code in print mode.
//!
//! Sources: <https://code.claude.com/docs/en/cli-reference> (flags),
//! <https://code.claude.com/docs/en/headless> (the result object, `structured_output`).

use review_tool::model::{Answer, Request, Stop};
use review_tool::report::Usage;
use serde_json::Value;

use super::{Start, prompt};

/// One request: no tools, no settings, servers or sessions of the user's.
pub(super) fn start(model: Option<&str>, request: &Request) -> Start {
    let schema = request.form.schema.to_string();
    let mut arguments = vec![
        "--print",
        "--output-format",
        "json",
        "--json-schema",
        &schema,
        "--system-prompt",
        request.system.as_str(),
        "--tools",
        "",
        "--setting-sources",
        "",
        "--strict-mcp-config",
        "--no-session-persistence",
    ];
    if let Some(model) = model {
        arguments.extend(["--model", model]);
    }
    let arguments = arguments.into_iter().map(Into::into).collect();
    Start { arguments, input: prompt(request, false) }
}

/// Reads the result object.
pub(super) fn read(stdout: &str) -> Result<Answer, String> {
    let value: Value = serde_json::from_str(stdout.trim())
        .map_err(|error| format!("its output is no JSON result ({error})"))?;
    // With verbose output the result is the last of a list.
    let value = match value {
        Value::Array(mut items) => items.pop().unwrap_or_default(),
        value => value,
    };
    if value["type"] != "result" {
        return Err("its output is no result".to_owned());
    }
    let text = match value.get("structured_output").filter(|output| output.is_object()) {
        Some(output) => output.to_string(),
        None => value["result"].as_str().unwrap_or_default().to_owned(),
    };
    let subtype = value["subtype"].as_str().unwrap_or_default();
    if value["is_error"].as_bool() == Some(true) && subtype == "success" {
        return Err(text);
    }
    let count = |name: &str| value["usage"][name].as_u64().unwrap_or(0);
    let cached = count("cache_read_input_tokens");
    let stop = match (subtype, value["stop_reason"].as_str()) {
        (_, Some("refusal")) => Stop::Refused,
        (_, Some("max_tokens")) => Stop::Truncated,
        ("success", _) => Stop::Done,
        (other, _) => Stop::Broken(other.replace('_', " ")),
    };
    let usage = Usage {
        input_tokens: count("input_tokens") + cached + count("cache_creation_input_tokens"),
        output_tokens: count("output_tokens"),
        cached_input_tokens: cached,
    };
    let cost_usd = value["total_cost_usd"].as_f64();
    Ok(Answer { stop, usage, cost_usd, ..Answer::of(text) })
}
