//! Ollama's own interface.
//!
//! Sources: <https://docs.ollama.com/api/chat> (members of a request and an answer),
//! <https://docs.ollama.com/capabilities/structured-outputs> (`format`),
//! <https://docs.ollama.com/capabilities/tool-calling>, <https://docs.ollama.com/api/errors> (errors
//! within a stream), <https://docs.ollama.com/context-length> (`num_ctx`: what is longer is cut without
//! a word).

use review_tool::model::{Request, Stop, Turn};
use serde_json::{Value, json};

use super::{Call, Decoder, Defaults, Draft, Fault, Structured, Target, Wire, number, string};
use crate::http::Header;
use crate::key::Key;
use crate::sse::{Event, Framing};

pub(super) struct Ollama;

impl Wire for Ollama {
    fn defaults(&self) -> Defaults {
        Defaults {
            base_url: Some("http://localhost:11434"),
            input_tokens: 16_000,
            output_tokens: 4_000,
            tools: false,
        }
    }

    fn path(&self, _: &str) -> String {
        "/api/chat".to_owned()
    }

    fn headers(&self, key: Option<&Key>) -> Vec<Header> {
        key.map(|key| ("authorization", format!("Bearer {}", key.expose()).into()))
            .into_iter()
            .collect()
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn body(&self, target: &Target, request: &Request) -> Value {
        let mut messages = vec![json!({"role": "system", "content": request.system.as_str()})];
        request.turns.iter().for_each(|turn| add(turn, &mut messages));
        let mut body = json!({
            "model": target.model,
            "messages": messages,
            "stream": true,
            "options": {
                "temperature": 0,
                "num_predict": request.output_tokens,
                // The window holds both; without this it is small, and what is longer is cut silently.
                "num_ctx": target.input_tokens + request.output_tokens,
            },
        });
        if !request.tools.is_empty() && request.may_call {
            // A form would keep the model from calling, so it comes with the last request.
            body["tools"] = super::functions(&request.tools);
            return body;
        }
        match target.structured {
            Structured::Schema => body["format"] = request.form.schema.clone(),
            Structured::Json => body["format"] = json!("json"),
            Structured::Prompt => {}
        }
        body
    }

    fn decoder(&self, _: &'static str) -> Box<dyn Decoder> {
        Box::new(Reading::default())
    }
}

fn add(turn: &Turn, messages: &mut Vec<Value>) {
    match turn {
        Turn::Ask(parts) => {
            messages.push(json!({"role": "user", "content": super::joined(parts)}));
        }
        Turn::Answer(answer) => {
            let mut message = json!({"role": "assistant", "content": answer.text});
            if !answer.calls.is_empty() {
                let calls = answer.calls.iter().map(|call| {
                    json!({"function": {"name": call.name, "arguments": call.arguments}})
                });
                message["tool_calls"] = calls.collect();
            }
            messages.push(message);
        }
        Turn::Results(results) => messages.extend(results.iter().map(|result| {
            json!({"role": "tool", "tool_name": result.name, "content": result.text.as_str()})
        })),
    }
}

#[derive(Default)]
struct Reading {
    draft: Draft,
    stop: Option<Stop>,
}

impl Decoder for Reading {
    fn event(&mut self, event: &Event) -> Result<bool, Fault> {
        let value = super::json(event)?;
        if let Some(error) = value["error"].as_str() {
            return Err(Fault::Server { message: error.to_owned(), passing: false });
        }
        self.draft.push(string(&value, "/message/content"))?;
        let calls = value.pointer("/message/tool_calls").and_then(Value::as_array);
        for call in calls.into_iter().flatten() {
            let at = self.draft.calls.len();
            let arguments = &call["function"]["arguments"];
            let arguments = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
            *self.draft.call(at)? = Call {
                id: format!("call-{at}"),
                name: string(call, "/function/name").to_owned(),
                arguments,
            };
        }
        if value["done"].as_bool() != Some(true) {
            return Ok(false);
        }
        self.draft.usage.input_tokens = number(&value, "/prompt_eval_count");
        self.draft.usage.output_tokens = number(&value, "/eval_count");
        self.stop = Some(match string(&value, "/done_reason") {
            "" | "stop" => Stop::Done,
            "length" => Stop::Truncated,
            other => Stop::Broken(format!("it stopped for {other:?}")),
        });
        Ok(true)
    }

    fn draft(&mut self) -> Draft {
        let mut draft = std::mem::take(&mut self.draft);
        draft.stop = self.stop.take();
        draft
    }
}
