//! Chat Completions, OpenAI's own and as others offer them.
//!
//! Sources: <https://platform.openai.com/docs/api-reference/chat/create> (members of a request),
//! <https://platform.openai.com/docs/api-reference/chat-streaming/streaming> (chunks),
//! <https://platform.openai.com/docs/guides/structured-outputs> (`response_format`, `refusal`).
//! Of others: <https://api-docs.deepseek.com/guides/json_mode> (no schema, only `json_object`),
//! <https://openrouter.ai/docs/api-reference/streaming> (errors within a stream),
//! <https://docs.mistral.ai/api/>, <https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html>,
//! <https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md>.

use review_tool::model::{Request, Stop, Turn};
use serde_json::{Value, json};

use super::{
    Decoder, Defaults, Draft, Fault, Structured, Target, Wire, is_passing, number, string,
};
use crate::http::Header;
use crate::key::Key;
use crate::sse::Event;

pub(super) struct Chat {
    /// Whether this is OpenAI itself.
    pub(super) own: bool,
}

impl Wire for Chat {
    fn defaults(&self) -> Defaults {
        Defaults {
            base_url: self.own.then_some("https://api.openai.com/v1"),
            input_tokens: if self.own { 120_000 } else { 32_000 },
            output_tokens: if self.own { 16_000 } else { 4_000 },
            // Whether a model behind another's endpoint can call tools is known to its user alone.
            tools: self.own,
        }
    }

    fn path(&self, _: &str) -> String {
        "/chat/completions".to_owned()
    }

    fn headers(&self, key: Option<&Key>) -> Vec<Header> {
        key.map(|key| ("authorization", format!("Bearer {}", key.expose()).into()))
            .into_iter()
            .collect()
    }

    fn body(&self, target: &Target, request: &Request) -> Value {
        let mut messages = vec![json!({"role": "system", "content": request.system.as_str()})];
        request.turns.iter().for_each(|turn| add(turn, &mut messages));
        let mut body = json!({
            "model": target.model,
            "messages": messages,
            "stream": true,
            "stream_options": {"include_usage": true},
        });
        // Models that think refuse `max_tokens`; other servers know no other name.
        let limit = if self.own { "max_completion_tokens" } else { "max_tokens" };
        body[limit] = json!(request.output_tokens);
        if !self.own {
            body["temperature"] = json!(0);
        }
        match target.structured {
            Structured::Schema => {
                body["response_format"] = json!({"type": "json_schema", "json_schema": {
                    "name": request.form.name, "strict": true, "schema": request.form.schema,
                }});
            }
            Structured::Json => body["response_format"] = json!({"type": "json_object"}),
            Structured::Prompt => {}
        }
        if !request.tools.is_empty() {
            body["tools"] = super::functions(&request.tools);
            body["tool_choice"] = json!(if request.may_call { "auto" } else { "none" });
        }
        body
    }

    fn relax(&self, body: &mut Value, message: &str) -> bool {
        let Some(members) = body.as_object_mut() else { return false };
        let said = message.to_ascii_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| said.contains(word));
        if members.contains_key("response_format")
            && names(&["response_format", "json_schema", "schema", "grammar", "structured"])
        {
            let was_schema = members["response_format"]["type"] == "json_schema";
            if was_schema {
                members.insert("response_format".to_owned(), json!({"type": "json_object"}));
            } else {
                members.remove("response_format");
            }
            return true;
        }
        if said.contains("max_completion_tokens")
            && let Some(limit) = members.remove("max_tokens")
        {
            members.insert("max_completion_tokens".to_owned(), limit);
            return true;
        }
        ["stream_options", "temperature"]
            .iter()
            .any(|name| said.contains(name) && members.remove(*name).is_some())
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
                    json!({"id": call.id, "type": "function", "function": {
                        "name": call.name, "arguments": call.arguments.to_string(),
                    }})
                });
                message["tool_calls"] = calls.collect();
            }
            messages.push(message);
        }
        Turn::Results(results) => messages.extend(results.iter().map(|result| {
            json!({"role": "tool", "tool_call_id": result.id, "content": result.text.as_str()})
        })),
    }
}

#[derive(Default)]
struct Reading {
    draft: Draft,
    refusal: bool,
    /// What the last chunk with an end said.
    stop: Option<Stop>,
}

impl Reading {
    fn choice(&mut self, choice: &Value, message: &Value) -> Result<(), Fault> {
        self.draft.push(string(message, "/content"))?;
        self.refusal |= !string(message, "/refusal").is_empty();
        for (place, call) in message["tool_calls"].as_array().into_iter().flatten().enumerate() {
            let at =
                call["index"].as_u64().and_then(|at| usize::try_from(at).ok()).unwrap_or(place);
            let own = self.draft.call(at)?;
            if !string(call, "/id").is_empty() {
                string(call, "/id").clone_into(&mut own.id);
            }
            own.name.push_str(string(call, "/function/name"));
            // A server that does not stream may give the arguments as they are meant.
            let given = &call["function"]["arguments"];
            let text = given.as_str().map(str::to_owned);
            let text = text.or_else(|| given.is_object().then(|| given.to_string()));
            self.draft.extend_arguments(at, &text.unwrap_or_default())?;
        }
        match string(choice, "/finish_reason") {
            "" => {}
            "stop" | "eos" => self.stop = Some(Stop::Done),
            "tool_calls" | "function_call" => self.stop = Some(Stop::Tools),
            "length" | "model_length" => self.stop = Some(Stop::Truncated),
            "content_filter" => self.stop = Some(Stop::Filtered("content_filter".to_owned())),
            "error" => {
                let message = "the provider behind the endpoint failed".to_owned();
                return Err(Fault::Server { message, passing: true });
            }
            other => self.stop = Some(Stop::Broken(format!("it stopped for {other:?}"))),
        }
        Ok(())
    }

    fn usage(&mut self, usage: &Value) {
        if !usage.is_object() {
            return;
        }
        let cached = number(usage, "/prompt_tokens_details/cached_tokens");
        let own = &mut self.draft.usage;
        own.input_tokens = number(usage, "/prompt_tokens");
        own.output_tokens = number(usage, "/completion_tokens");
        own.cached_input_tokens = cached.max(number(usage, "/prompt_cache_hit_tokens"));
        // OpenRouter tells what it charged.
        self.draft.cost_usd = usage["cost"].as_f64().or(self.draft.cost_usd);
    }

    fn take(&mut self, value: &Value, member: &str) -> Result<(), Fault> {
        if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
            let message = super::message(&value.to_string());
            let code = error["code"].as_u64().and_then(|code| u16::try_from(code).ok());
            let passing = code.is_some_and(crate::retry::is_passing)
                || is_passing(string(error, "/type"))
                || is_passing(string(error, "/code"));
            return Err(Fault::Server { message, passing });
        }
        if let Some(choice) = value["choices"].as_array().and_then(|choices| choices.first()) {
            self.choice(choice, &choice[member])?;
        }
        self.usage(&value["usage"]);
        Ok(())
    }
}

impl Decoder for Reading {
    fn event(&mut self, event: &Event) -> Result<bool, Fault> {
        if event.data.trim() == "[DONE]" {
            return Ok(true);
        }
        self.take(&super::json(event)?, "delta")?;
        Ok(false)
    }

    fn whole(&mut self, text: &str) -> Result<(), Fault> {
        let value: Value = serde_json::from_str(text)
            .map_err(|error| Fault::Broken(format!("the answer is not JSON: {error}")))?;
        if !value["choices"].is_array() && value.get("error").is_none() {
            return Err(Fault::Broken("the answer is no chat completion".to_owned()));
        }
        self.take(&value, "message")
    }

    fn may_end(&self) -> bool {
        self.stop.is_some()
    }

    fn draft(&mut self) -> Draft {
        let mut draft = std::mem::take(&mut self.draft);
        draft.stop = if self.refusal { Some(Stop::Refused) } else { self.stop.take() };
        draft
    }
}
