//! Gemini CLI without its interface.
//!
//! Sources: <https://geminicli.com/docs/cli/headless/> (the result object),
//! <https://geminicli.com/docs/reference/configuration/> (flags). It takes no schema, so the prompt
//! alone asks for the form.

use review_tool::model::{Answer, Request, Stop};
use review_tool::report::Usage;
use serde_json::Value;

use super::{Start, prompt};

/// One request, asked by standard input; whatever needs an approval is refused, as nobody is asked.
pub(super) fn start(model: Option<&str>, request: &Request) -> Start {
    let mut arguments =
        vec!["--output-format", "json", "--approval-mode", "default", "--extensions", "none"];
    if let Some(model) = model {
        arguments.extend(["--model", model]);
    }
    let arguments = arguments.into_iter().map(Into::into).collect();
    Start { arguments, input: prompt(request, true) }
}

/// Reads the result object.
pub(super) fn read(stdout: &str) -> Result<Answer, String> {
    // Remarks may stand before the object.
    let start = stdout.find('{').ok_or("its output holds no JSON object")?;
    let mut values = serde_json::Deserializer::from_str(&stdout[start..]).into_iter::<Value>();
    let Some(Ok(value)) = values.next() else {
        return Err("its output is no JSON object".to_owned());
    };
    if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
        let message = error["message"].as_str().map_or_else(|| error.to_string(), str::to_owned);
        return Err(message);
    }
    let text = value["response"].as_str().ok_or("its output has no response")?;
    let mut usage = Usage::default();
    for model in value["stats"]["models"].as_object().into_iter().flat_map(|models| models.values())
    {
        let count = |name: &str| model["tokens"][name].as_u64().unwrap_or(0);
        usage.input_tokens += count("prompt");
        usage.cached_input_tokens += count("cached");
        usage.output_tokens += count("candidates") + count("thoughts");
    }
    Ok(Answer { stop: Stop::Done, usage, ..Answer::of(text) })
}
