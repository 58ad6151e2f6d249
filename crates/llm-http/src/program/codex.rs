//! Codex CLI without its interface.
//!
//! Sources: <https://developers.openai.com/codex/noninteractive> (`exec`, `--json`, `--output-schema`),
//! <https://developers.openai.com/codex/cli/reference> (flags).

use review_tool::model::{Answer, Request, Stop};
use review_tool::report::Usage;
use serde_json::Value;

use super::{Start, prompt};

/// One request: it may read and change nothing, keeps no session, and needs no repository.
pub(super) fn start(model: Option<&str>, request: &Request, schema: &str) -> Start {
    let mut arguments = vec![
        "exec",
        "--json",
        "--output-schema",
        schema,
        "--sandbox",
        "read-only",
        "--skip-git-repo-check",
        "--ephemeral",
        "--ignore-user-config",
        "--ignore-rules",
    ];
    if let Some(model) = model {
        arguments.extend(["--model", model]);
    }
    // The prompt is read from the standard input.
    arguments.push("-");
    let arguments = arguments.into_iter().map(Into::into).collect();
    Start { arguments, input: prompt(request, true) }
}

/// Reads the events, one for each line.
pub(super) fn read(stdout: &str) -> Result<Answer, String> {
    let mut text = None;
    let mut usage = Usage::default();
    let (mut stop, mut failure) = (None, None);
    for line in stdout.lines().filter(|line| !line.trim().is_empty()) {
        let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
        match event["type"].as_str().unwrap_or_default() {
            "item.completed" if event["item"]["type"] == "agent_message" => {
                text = event["item"]["text"].as_str().map(str::to_owned);
            }
            "turn.completed" => {
                let count = |name: &str| event["usage"][name].as_u64().unwrap_or(0);
                usage.input_tokens += count("input_tokens");
                usage.cached_input_tokens += count("cached_input_tokens");
                usage.output_tokens += count("output_tokens");
                stop = Some(Stop::Done);
            }
            "turn.failed" => {
                let why = event["error"]["message"].as_str().unwrap_or("the turn failed");
                failure = Some(why.to_owned());
            }
            "error" => failure = event["message"].as_str().map(str::to_owned).or(failure),
            _ => {}
        }
    }
    let broken = failure.clone().unwrap_or_else(|| "its events have no end".to_owned());
    match (text, stop) {
        (Some(text), Some(stop)) => Ok(Answer { stop, usage, ..Answer::of(text) }),
        (Some(text), None) => Ok(Answer { stop: Stop::Broken(broken), usage, ..Answer::of(text) }),
        (None, _) => Err(failure.unwrap_or_else(|| "its events hold no answer".to_owned())),
    }
}
