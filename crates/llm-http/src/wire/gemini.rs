//! Google's Gemini.
//!
//! Sources: <https://ai.google.dev/api/generate-content> (members of a request and an answer,
//! `finishReason`, `promptFeedback`), <https://ai.google.dev/gemini-api/docs/structured-output>
//! (`responseJsonSchema`), <https://ai.google.dev/gemini-api/docs/function-calling> (`toolConfig`),
//! <https://ai.google.dev/gemini-api/docs/thought-signatures> (parts are sent back as they came),
//! <https://ai.google.dev/gemini-api/docs/caching> (caching is implicit; `cachedContentTokenCount`).

use review_tool::model::{Request, Stop, Turn};
use serde_json::{Value, json};

use super::{
    Call, Decoder, Defaults, Draft, Fault, Structured, Target, Wire, is_passing, number, string,
};
use crate::http::Header;
use crate::key::Key;
use crate::sse::Event;

pub(super) struct Gemini;

impl Wire for Gemini {
    fn defaults(&self) -> Defaults {
        Defaults {
            base_url: Some("https://generativelanguage.googleapis.com"),
            input_tokens: 500_000,
            output_tokens: 16_000,
            tools: true,
        }
    }

    fn path(&self, model: &str) -> String {
        let model = model.strip_prefix("models/").unwrap_or(model);
        format!("/v1beta/models/{model}:streamGenerateContent?alt=sse")
    }

    fn headers(&self, key: Option<&Key>) -> Vec<Header> {
        key.map(|key| ("x-goog-api-key", key.expose().to_owned().into())).into_iter().collect()
    }

    fn body(&self, target: &Target, request: &Request) -> Value {
        let contents: Vec<Value> = request.turns.iter().map(content).collect();
        let mut body = json!({
            "systemInstruction": {"parts": [{"text": request.system.as_str()}]},
            "contents": contents,
            "generationConfig": {"maxOutputTokens": request.output_tokens},
        });
        if request.tools.is_empty() {
            let config = &mut body["generationConfig"];
            if target.structured != Structured::Prompt {
                config["responseMimeType"] = json!("application/json");
            }
            if target.structured == Structured::Schema {
                config["responseJsonSchema"] = request.form.schema.clone();
            }
            return body;
        }
        // Not every model takes a schema beside functions, so the answer is the call of a function.
        let declare = |name: &str, about: &str, schema: &Value| json!({"name": name, "description": about, "parametersJsonSchema": schema});
        let mut functions: Vec<Value> = request
            .tools
            .iter()
            .map(|tool| declare(&tool.name, tool.description.as_str(), &tool.schema))
            .collect();
        let about = "Takes the answer. Call it once, at the end.";
        functions.push(declare(request.form.name, about, &request.form.schema));
        body["tools"] = json!([{"functionDeclarations": functions}]);
        let mut choice = json!({"mode": "ANY"});
        if !request.may_call {
            choice["allowedFunctionNames"] = json!([request.form.name]);
        }
        body["toolConfig"] = json!({"functionCallingConfig": choice});
        body
    }

    fn decoder(&self, form: &'static str) -> Box<dyn Decoder> {
        Box::new(Reading { form, ..Reading::default() })
    }
}

fn content(turn: &Turn) -> Value {
    match turn {
        Turn::Ask(parts) => {
            let parts: Vec<Value> =
                parts.iter().map(|part| json!({"text": part.as_str()})).collect();
            json!({"role": "user", "parts": parts})
        }
        Turn::Answer(answer) => match &answer.echo {
            Some(echo) => json!({"role": "model", "parts": echo}),
            None => json!({"role": "model", "parts": [{"text": answer.text}]}),
        },
        Turn::Results(results) => {
            let parts: Vec<Value> = results
                .iter()
                .map(|result| {
                    let member = if result.failed { "error" } else { "output" };
                    let mut response = json!({
                        "name": result.name, "response": {member: result.text.as_str()},
                    });
                    if !result.id.is_empty() {
                        response["id"] = json!(result.id);
                    }
                    json!({"functionResponse": response})
                })
                .collect();
            json!({"role": "user", "parts": parts})
        }
    }
}

#[derive(Default)]
struct Reading {
    form: &'static str,
    draft: Draft,
    parts: Vec<Value>,
    stop: Option<Stop>,
}

impl Decoder for Reading {
    fn event(&mut self, event: &Event) -> Result<bool, Fault> {
        let value = super::json(event)?;
        if let Some(error) = value.get("error") {
            let kind = string(error, "/status");
            let message = format!("{kind}: {}", string(error, "/message"));
            return Err(Fault::Server { message, passing: is_passing(kind) });
        }
        let blocked = string(&value, "/promptFeedback/blockReason");
        if !blocked.is_empty() {
            self.stop = Some(Stop::Filtered(blocked.to_owned()));
        }
        for part in value
            .pointer("/candidates/0/content/parts")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            if self.parts.len() >= 100_000 {
                return Err(Fault::Broken("the answer has too many parts".to_owned()));
            }
            self.parts.push(part.clone());
            if part["thought"].as_bool() == Some(true) {
                continue;
            }
            self.draft.push(string(part, "/text"))?;
            if let Some(call) = part.get("functionCall") {
                let arguments = call.get("args").map(Value::to_string).unwrap_or_default();
                *self.draft.call(self.draft.calls.len())? = Call {
                    id: string(call, "/id").to_owned(),
                    name: string(call, "/name").to_owned(),
                    arguments,
                };
            }
        }
        let usage = &value["usageMetadata"];
        if usage.is_object() {
            let own = &mut self.draft.usage;
            own.input_tokens =
                number(usage, "/promptTokenCount") + number(usage, "/toolUsePromptTokenCount");
            own.cached_input_tokens = number(usage, "/cachedContentTokenCount");
            own.output_tokens =
                number(usage, "/candidatesTokenCount") + number(usage, "/thoughtsTokenCount");
        }
        match string(&value, "/candidates/0/finishReason") {
            "" => {}
            "STOP" => self.stop = Some(Stop::Done),
            "MAX_TOKENS" => self.stop = Some(Stop::Truncated),
            reason @ ("SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII"
            | "LANGUAGE") => {
                self.stop = Some(Stop::Filtered(reason.to_owned()));
            }
            reason => self.stop = Some(Stop::Broken(format!("it stopped for {reason:?}"))),
        }
        // The stream has no end mark; the numbers may follow the reason, in a chunk of their own.
        Ok(false)
    }

    fn draft(&mut self) -> Draft {
        let mut draft = std::mem::take(&mut self.draft);
        draft.stop = self.stop.take();
        if draft.stop.is_some() {
            draft.echo = Some(Value::Array(std::mem::take(&mut self.parts)));
        }
        draft.take_form(self.form);
        draft
    }

    fn may_end(&self) -> bool {
        self.stop.is_some()
    }
}
