//! Anthropic's Messages.
//!
//! Sources: <https://docs.anthropic.com/en/api/messages> (members of a request and an answer),
//! <https://docs.anthropic.com/en/docs/build-with-claude/streaming> (events),
//! <https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use> (`tool_choice`),
//! <https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching> (`cache_control`),
//! <https://docs.anthropic.com/en/docs/build-with-claude/handling-stop-reasons> (`stop_reason`).

use review_tool::model::{Request, Stop, Turn};
use serde_json::{Value, json};

use super::{Decoder, Defaults, Draft, Fault, Target, Wire, is_passing, number, string};
use crate::http::Header;
use crate::key::Key;
use crate::sse::Event;

pub(super) struct Messages;

impl Wire for Messages {
    fn defaults(&self) -> Defaults {
        Defaults {
            base_url: Some("https://api.anthropic.com"),
            input_tokens: 180_000,
            output_tokens: 8_000,
            tools: true,
        }
    }

    fn path(&self, _: &str) -> String {
        "/v1/messages".to_owned()
    }

    fn headers(&self, key: Option<&Key>) -> Vec<Header> {
        let mut headers = vec![("anthropic-version", "2023-06-01".to_owned().into())];
        headers.extend(key.map(|key| ("x-api-key", key.expose().to_owned().into())));
        headers
    }

    fn body(&self, target: &Target, request: &Request) -> Value {
        let form = &request.form;
        let mut tools: Vec<Value> = request
            .tools
            .iter()
            .map(|tool| {
                json!({
                    "name": tool.name,
                    "description": tool.description.as_str(),
                    "input_schema": tool.schema,
                })
            })
            .collect();
        tools.push(json!({
            "name": form.name,
            "description": "Takes the answer. Call it once, at the end.",
            "input_schema": form.schema,
        }));
        // The answer is the call of a tool, so that it has a form; with other tools, any may be called.
        let choice = if request.may_call && !request.tools.is_empty() {
            json!({"type": "any"})
        } else {
            json!({"type": "tool", "name": form.name})
        };
        let mut messages: Vec<Value> = request.turns.iter().map(message).collect();
        // The end of what is said so far is read from the cache when the conversation goes on.
        if let Some(last) = messages.last_mut().filter(|_| request.may_call)
            && let Some(block) = last["content"].as_array_mut().and_then(|blocks| blocks.last_mut())
        {
            block["cache_control"] = json!({"type": "ephemeral"});
        }
        json!({
            "model": target.model,
            "max_tokens": request.output_tokens,
            "stream": true,
            "system": [{
                "type": "text",
                "text": request.system.as_str(),
                "cache_control": {"type": "ephemeral"},
            }],
            "tools": tools,
            "tool_choice": choice,
            "messages": messages,
        })
    }

    fn decoder(&self, form: &'static str) -> Box<dyn Decoder> {
        Box::new(Reading { form, ..Reading::default() })
    }
}

fn message(turn: &Turn) -> Value {
    match turn {
        Turn::Ask(parts) => {
            let mut blocks: Vec<Value> =
                parts.iter().map(|part| json!({"type": "text", "text": part.as_str()})).collect();
            // What stands before the last part is the same in every request.
            if let [.., shared, _] = &mut blocks[..] {
                shared["cache_control"] = json!({"type": "ephemeral"});
            }
            json!({"role": "user", "content": blocks})
        }
        Turn::Answer(answer) => match &answer.echo {
            Some(echo) => json!({"role": "assistant", "content": echo}),
            None => {
                // A message must not be empty.
                let text = if answer.text.trim().is_empty() { "(no answer)" } else { &answer.text };
                json!({"role": "assistant", "content": [{"type": "text", "text": text.trim_end()}]})
            }
        },
        Turn::Results(results) => {
            let blocks: Vec<Value> = results
                .iter()
                .map(|result| {
                    json!({
                        "type": "tool_result",
                        "tool_use_id": result.id,
                        "content": result.text.as_str(),
                        "is_error": result.failed,
                    })
                })
                .collect();
            json!({"role": "user", "content": blocks})
        }
    }
}

#[derive(Default)]
struct Reading {
    form: &'static str,
    draft: Draft,
    /// The blocks as they come, to be sent back; each with the place of its call.
    blocks: Vec<(Value, Option<usize>)>,
    ended: bool,
}

impl Decoder for Reading {
    fn event(&mut self, event: &Event) -> Result<bool, Fault> {
        let value = super::json(event)?;
        match string(&value, "/type") {
            "message_start" => self.usage(value.pointer("/message/usage")),
            "content_block_start" => {
                let block = value["content_block"].clone();
                let call =
                    (string(&block, "/type") == "tool_use").then_some(self.draft.calls.len());
                if let Some(at) = call {
                    let (id, name) = (string(&block, "/id"), string(&block, "/name"));
                    let call = self.draft.call(at)?;
                    (call.id, call.name) = (id.to_owned(), name.to_owned());
                }
                if self.blocks.len() >= super::MAX_CALLS {
                    return Err(Fault::Broken("the answer has too many blocks".to_owned()));
                }
                self.blocks.push((block, call));
            }
            "content_block_delta" => {
                let delta = &value["delta"];
                match string(delta, "/type") {
                    "text_delta" => {
                        self.draft.push(string(delta, "/text"))?;
                        self.extend("text", string(delta, "/text"));
                    }
                    "input_json_delta" => {
                        if let Some((_, Some(at))) = self.blocks.last() {
                            self.draft.extend_arguments(*at, string(delta, "/partial_json"))?;
                        }
                    }
                    "thinking_delta" => self.extend("thinking", string(delta, "/thinking")),
                    "signature_delta" => self.extend("signature", string(delta, "/signature")),
                    _ => {}
                }
            }
            "message_delta" => {
                self.usage(value.get("usage"));
                self.draft.stop = match string(&value, "/delta/stop_reason") {
                    "" => None,
                    "end_turn" | "stop_sequence" => Some(Stop::Done),
                    "tool_use" => Some(Stop::Tools),
                    "max_tokens" | "model_context_window_exceeded" => Some(Stop::Truncated),
                    "refusal" => Some(Stop::Refused),
                    other => Some(Stop::Broken(format!("it stopped for {other:?}"))),
                };
            }
            "message_stop" => {
                self.ended = true;
                return Ok(true);
            }
            "error" => {
                let kind = string(&value, "/error/type");
                let message = format!("{kind}: {}", string(&value, "/error/message"));
                return Err(Fault::Server { message, passing: is_passing(kind) });
            }
            _ => {}
        }
        Ok(false)
    }

    fn draft(&mut self) -> Draft {
        let mut draft = std::mem::take(&mut self.draft);
        if self.ended {
            let mut blocks = Vec::new();
            for (mut block, call) in std::mem::take(&mut self.blocks) {
                if let Some(call) = call.and_then(|at| draft.calls.get(at)) {
                    block["input"] = super::arguments(&call.arguments);
                }
                blocks.push(block);
            }
            draft.echo = Some(Value::Array(blocks));
        } else {
            draft.stop = None;
        }
        draft.take_form(self.form);
        draft
    }
}

impl Reading {
    /// Adds to a member of the block that is being read.
    fn extend(&mut self, member: &str, text: &str) {
        if let Some((block, _)) = self.blocks.last_mut() {
            let whole = format!("{}{text}", block[member].as_str().unwrap_or_default());
            block[member] = Value::String(whole);
        }
    }

    /// Numbers come at the start and again, for the whole, at the end.
    fn usage(&mut self, usage: Option<&Value>) {
        let Some(usage) = usage else { return };
        let own = &mut self.draft.usage;
        let input = number(usage, "/input_tokens");
        let read = number(usage, "/cache_read_input_tokens");
        let made = number(usage, "/cache_creation_input_tokens");
        if input + read + made > 0 {
            own.input_tokens = input + read + made;
            own.cached_input_tokens = read;
        }
        own.output_tokens = own.output_tokens.max(number(usage, "/output_tokens"));
    }
}
