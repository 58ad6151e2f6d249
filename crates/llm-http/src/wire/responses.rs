//! OpenAI's Responses.
//!
//! Sources: <https://platform.openai.com/docs/api-reference/responses/create> (members of a request),
//! <https://platform.openai.com/docs/api-reference/responses-streaming> (events),
//! <https://platform.openai.com/docs/guides/structured-outputs> (`text.format`),
//! <https://platform.openai.com/docs/guides/function-calling> (items of calls and their results),
//! <https://platform.openai.com/docs/guides/reasoning> (`reasoning.encrypted_content`).

use review_tool::model::{Request, Stop, Turn};
use serde_json::{Value, json};

use super::{
    Decoder, Defaults, Draft, Fault, Structured, Target, Wire, is_passing, number, string,
};
use crate::http::Header;
use crate::key::Key;
use crate::sse::Event;

pub(super) struct Responses;

/// Asks for what a model has thought, in a form that only the provider reads: it keeps nothing itself.
const THOUGHTS: &str = "reasoning.encrypted_content";

impl Wire for Responses {
    fn defaults(&self) -> Defaults {
        Defaults {
            base_url: Some("https://api.openai.com/v1"),
            input_tokens: 120_000,
            output_tokens: 16_000,
            tools: true,
        }
    }

    fn path(&self, _: &str) -> String {
        "/responses".to_owned()
    }

    fn headers(&self, key: Option<&Key>) -> Vec<Header> {
        key.map(|key| ("authorization", format!("Bearer {}", key.expose()).into()))
            .into_iter()
            .collect()
    }

    fn body(&self, target: &Target, request: &Request) -> Value {
        let mut input = Vec::new();
        request.turns.iter().for_each(|turn| add(turn, &mut input));
        let mut body = json!({
            "model": target.model,
            "instructions": request.system.as_str(),
            "input": input,
            "max_output_tokens": request.output_tokens,
            "store": false,
            "stream": true,
        });
        match target.structured {
            Structured::Schema => {
                body["text"] = json!({"format": {
                    "type": "json_schema", "name": request.form.name, "strict": true,
                    "schema": request.form.schema,
                }});
            }
            Structured::Json => body["text"] = json!({"format": {"type": "json_object"}}),
            Structured::Prompt => {}
        }
        if !request.tools.is_empty() {
            let tools = request.tools.iter().map(|tool| {
                json!({
                    "type": "function",
                    "name": tool.name,
                    "description": tool.description.as_str(),
                    "parameters": tool.schema,
                    "strict": false,
                })
            });
            body["tools"] = tools.collect();
            body["tool_choice"] = json!(if request.may_call { "auto" } else { "none" });
            body["include"] = json!([THOUGHTS]);
        }
        body
    }

    fn relax(&self, body: &mut Value, message: &str) -> bool {
        let Some(members) = body.as_object_mut() else { return false };
        let said = message.to_ascii_lowercase();
        if said.contains("encrypted") || said.contains("include") {
            return members.remove("include").is_some();
        }
        if ["json_schema", "text.format", "schema"].iter().any(|word| said.contains(word)) {
            return members.remove("text").is_some();
        }
        false
    }

    fn decoder(&self, _: &'static str) -> Box<dyn Decoder> {
        Box::new(Reading::default())
    }
}

fn add(turn: &Turn, input: &mut Vec<Value>) {
    match turn {
        Turn::Ask(parts) => {
            let parts: Vec<Value> = parts
                .iter()
                .map(|part| json!({"type": "input_text", "text": part.as_str()}))
                .collect();
            input.push(json!({"type": "message", "role": "user", "content": parts}));
        }
        Turn::Answer(answer) => match answer.echo.as_ref().and_then(Value::as_array) {
            Some(items) => input.extend(items.iter().cloned()),
            None => input.push(json!({
                "type": "message", "role": "assistant",
                "content": [{"type": "output_text", "text": answer.text}],
            })),
        },
        Turn::Results(results) => input.extend(results.iter().map(|result| {
            json!({
                "type": "function_call_output",
                "call_id": result.id,
                "output": result.text.as_str(),
            })
        })),
    }
}

#[derive(Default)]
struct Reading {
    draft: Draft,
    items: Vec<Value>,
    refused: bool,
    ended: bool,
}

impl Reading {
    /// Takes the answer as the last event repeats it.
    fn close(&mut self, response: &Value) {
        let usage = &response["usage"];
        self.draft.usage.input_tokens = number(usage, "/input_tokens");
        self.draft.usage.cached_input_tokens = number(usage, "/input_tokens_details/cached_tokens");
        self.draft.usage.output_tokens = number(usage, "/output_tokens");
        if let Some(items) = response["output"].as_array().filter(|items| !items.is_empty()) {
            self.items.clone_from(items);
        }
        self.ended = true;
    }

    fn text_of(item: &Value) -> String {
        let parts = item["content"].as_array().into_iter().flatten();
        parts.map(|part| string(part, "/text")).collect()
    }
}

impl Decoder for Reading {
    fn event(&mut self, event: &Event) -> Result<bool, Fault> {
        if event.data.trim() == "[DONE]" {
            return Ok(self.ended);
        }
        let value = super::json(event)?;
        match string(&value, "/type") {
            "response.output_text.delta" => self.draft.push(string(&value, "/delta"))?,
            "response.refusal.delta" | "response.refusal.done" => self.refused = true,
            "response.output_item.done" => {
                if self.items.len() >= super::MAX_CALLS {
                    return Err(Fault::Broken("the answer has too many items".to_owned()));
                }
                self.items.push(value["item"].clone());
            }
            "response.completed" => {
                self.close(&value["response"]);
                self.draft.stop = Some(Stop::Done);
                return Ok(true);
            }
            "response.incomplete" => {
                self.close(&value["response"]);
                self.draft.stop =
                    Some(match string(&value, "/response/incomplete_details/reason") {
                        "max_output_tokens" => Stop::Truncated,
                        "content_filter" => Stop::Filtered("content_filter".to_owned()),
                        other => Stop::Broken(format!("it stopped for {other:?}")),
                    });
                return Ok(true);
            }
            "response.failed" | "error" => {
                let error = value.pointer("/response/error").or(value.get("error"));
                let error = error.filter(|error| error.is_object()).unwrap_or(&value);
                let code = string(error, "/code");
                let message = format!("{code}: {}", string(error, "/message"));
                return Err(Fault::Server { message, passing: is_passing(code) });
            }
            _ => {}
        }
        Ok(false)
    }

    fn draft(&mut self) -> Draft {
        let mut draft = std::mem::take(&mut self.draft);
        let items = std::mem::take(&mut self.items);
        for item in items.iter().filter(|item| string(item, "/type") == "function_call") {
            draft.calls.push(super::Call {
                id: string(item, "/call_id").to_owned(),
                name: string(item, "/name").to_owned(),
                arguments: string(item, "/arguments").to_owned(),
            });
        }
        if draft.text.is_empty() {
            let messages = items.iter().filter(|item| string(item, "/type") == "message");
            draft.text = messages.map(Self::text_of).collect();
        }
        if self.refused && draft.stop == Some(Stop::Done) {
            draft.stop = Some(Stop::Refused);
        }
        if self.ended {
            // Without its thoughts in the encrypted form a reasoning item cannot be sent back.
            let fit = items.into_iter().filter(|item| {
                string(item, "/type") != "reasoning" || item["encrypted_content"].is_string()
            });
            draft.echo = Some(fit.collect());
        }
        draft
    }
}
