//! What the interfaces of providers look like: a body for each request, a decoder for each answer.

use review_tool::model::{Answer, Redacted, Request, Stop, ToolCall, ToolSpec};
use review_tool::report::Usage;
use serde_json::{Map, Value, json};

use crate::http::Header;
use crate::key::Key;
use crate::provider::Kind;
use crate::sse::{Event, Framing};

mod anthropic;
mod chat;
mod gemini;
mod ollama;
mod responses;

/// An answer of more text breaks off.
const MAX_TEXT: usize = 4 << 20;
/// The most calls in one answer.
const MAX_CALLS: usize = 128;

/// How an answer is held to its form, where the interface leaves a choice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Structured {
    /// By the JSON Schema.
    #[default]
    Schema,
    /// Any JSON object; the prompt describes it.
    Json,
    /// By the prompt alone.
    Prompt,
}

/// What an interface is used with unless the user says otherwise.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Defaults {
    pub(crate) base_url: Option<&'static str>,
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
    pub(crate) tools: bool,
}

/// Who is asked.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) model: String,
    pub(crate) input_tokens: u64,
    pub(crate) structured: Structured,
}

/// One interface.
pub(crate) trait Wire: Sync {
    fn defaults(&self) -> Defaults;

    /// What follows the base of the address.
    fn path(&self, model: &str) -> String;

    fn headers(&self, key: Option<&Key>) -> Vec<Header>;

    fn framing(&self) -> Framing {
        Framing::Sse
    }

    fn body(&self, target: &Target, request: &Request) -> Value;

    /// Takes out of a body what the server has refused by name; false where there is nothing to take.
    fn relax(&self, _body: &mut Value, _message: &str) -> bool {
        false
    }

    /// A decoder for an answer in the form of that name.
    fn decoder(&self, form: &'static str) -> Box<dyn Decoder>;
}

/// Why an answer cannot be read on.
#[derive(Debug)]
pub(crate) enum Fault {
    /// It is not what the interface promises.
    Broken(String),
    /// The server says so, within the answer.
    Server { message: String, passing: bool },
}

/// Puts an answer together from its events.
pub(crate) trait Decoder {
    /// Takes an event; true where it was the last.
    fn event(&mut self, event: &Event) -> Result<bool, Fault>;

    /// Takes an answer that was not streamed.
    fn whole(&mut self, _text: &str) -> Result<(), Fault> {
        Err(Fault::Broken("the answer is not streamed".to_owned()))
    }

    /// Whether the stream may end here, where the interface has no mark for its end.
    fn may_end(&self) -> bool {
        false
    }

    /// What there is so far.
    fn draft(&mut self) -> Draft;
}

/// The interface of a kind.
pub(crate) fn of(kind: Kind) -> &'static dyn Wire {
    match kind {
        Kind::Anthropic => &anthropic::Messages,
        Kind::OpenAiResponses => &responses::Responses,
        Kind::OpenAiChat => &chat::Chat { own: true },
        Kind::Compatible => &chat::Chat { own: false },
        Kind::Gemini => &gemini::Gemini,
        Kind::Ollama => &ollama::Ollama,
    }
}

/// An answer in the making.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) text: String,
    pub(crate) calls: Vec<Call>,
    pub(crate) stop: Option<Stop>,
    pub(crate) usage: Usage,
    pub(crate) cost_usd: Option<f64>,
    pub(crate) echo: Option<Value>,
}

/// A call in the making, its arguments still text.
#[derive(Debug, Default, Clone)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
}

impl Draft {
    /// Whether nothing was said.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.calls.is_empty() && self.stop.is_none()
    }

    pub(crate) fn push(&mut self, text: &str) -> Result<(), Fault> {
        if self.text.len() + text.len() > MAX_TEXT {
            return Err(Fault::Broken("the answer is larger than 4 MiB".to_owned()));
        }
        self.text.push_str(text);
        Ok(())
    }

    /// The call at a place of the answer, made where there is none yet.
    pub(crate) fn call(&mut self, at: usize) -> Result<&mut Call, Fault> {
        if at >= MAX_CALLS {
            return Err(Fault::Broken("the answer calls too many tools".to_owned()));
        }
        if self.calls.len() <= at {
            self.calls.resize(at + 1, Call::default());
        }
        Ok(&mut self.calls[at])
    }

    pub(crate) fn extend_arguments(&mut self, at: usize, part: &str) -> Result<(), Fault> {
        let call = self.call(at)?;
        if call.arguments.len() + part.len() > MAX_TEXT {
            return Err(Fault::Broken("the answer is larger than 4 MiB".to_owned()));
        }
        call.arguments.push_str(part);
        Ok(())
    }

    /// The call of the tool that takes the answer is the answer.
    pub(crate) fn take_form(&mut self, form: &str) {
        let (answers, calls) =
            std::mem::take(&mut self.calls).into_iter().partition(|call| call.name == form);
        let answers: Vec<Call> = answers;
        self.calls = calls;
        if !answers.is_empty() {
            self.text =
                answers.into_iter().map(|call| call.arguments).collect::<Vec<_>>().join("\n");
            self.calls.clear();
            if self.stop == Some(Stop::Tools) {
                self.stop = Some(Stop::Done);
            }
        }
    }

    pub(crate) fn answer(self) -> Answer {
        let calls: Vec<ToolCall> = self
            .calls
            .into_iter()
            .filter(|call| !call.name.is_empty())
            .map(|call| ToolCall {
                id: call.id,
                name: call.name,
                arguments: arguments(&call.arguments),
            })
            .collect();
        let stop = match self.stop {
            Some(Stop::Done) if !calls.is_empty() => Stop::Tools,
            Some(stop) => stop,
            None => Stop::Broken("the answer has no end".to_owned()),
        };
        Answer {
            text: self.text,
            calls,
            stop,
            usage: self.usage,
            cost_usd: self.cost_usd,
            echo: self.echo,
        }
    }
}

/// Arguments as an object; what is none becomes one that the tool will refuse with a reason.
fn arguments(text: &str) -> Value {
    if text.trim().is_empty() {
        return Value::Object(Map::new());
    }
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// The tools as functions, the form that OpenAI's chat interface has and others took over.
fn functions(tools: &[ToolSpec]) -> Value {
    let functions = tools.iter().map(|tool| {
        json!({"type": "function", "function": {
            "name": tool.name,
            "description": tool.description.as_str(),
            "parameters": tool.schema,
        }})
    });
    functions.collect()
}

/// The parts of a question as one text, for interfaces that take no parts.
fn joined(parts: &[Redacted]) -> String {
    parts.iter().map(Redacted::as_str).collect::<Vec<_>>().join("\n")
}

/// Reads the data of an event.
fn json(event: &Event) -> Result<Value, Fault> {
    serde_json::from_str(&event.data)
        .map_err(|error| Fault::Broken(format!("an event is not JSON: {error}")))
}

/// The words of a refusal, however it is written.
pub(crate) fn message(text: &str) -> String {
    let value: Value = match serde_json::from_str(text) {
        Ok(Value::Array(items)) => items.into_iter().next().unwrap_or_default(),
        Ok(value) => value,
        Err(_) => {
            return if text.trim_start().starts_with('<') {
                String::new()
            } else {
                text.to_owned()
            };
        }
    };
    let error = value.get("error").unwrap_or(&value);
    let found = error.as_str().or_else(|| {
        ["message", "detail", "error"].iter().find_map(|name| error.get(*name)?.as_str())
    });
    found.map_or_else(|| error.to_string(), str::to_owned)
}

fn number(value: &Value, path: &str) -> u64 {
    value.pointer(path).and_then(Value::as_u64).unwrap_or(0)
}

fn string<'v>(value: &'v Value, path: &str) -> &'v str {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default()
}

/// Whether a kind of error within an answer may pass by itself.
fn is_passing(kind: &str) -> bool {
    ["overloaded", "rate_limit", "api_error", "server_error", "timeout", "UNAVAILABLE", "INTERNAL"]
        .iter()
        .any(|word| kind.contains(word))
}
