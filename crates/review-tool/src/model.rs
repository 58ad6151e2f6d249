//! The port to a model, and the step of a review that asks one.
//!
//! [`Model`] is what a provider implements: one request in, one answer out. [`Reviewer::run`] cuts the
//! change into requests, asks for them at once, holds the answers against the diff and reports
//! whatever was lost.

use std::fmt;

use serde_json::Value;

use crate::control::Control;
use crate::prompt::Tokens;
use crate::report::Usage;
use crate::secret::redact;

mod ask;
mod cache;
mod look;
pub mod replay;
mod reviewer;
mod tools;
mod verify;

pub use cache::Memory;
pub(crate) use look::Files;
pub use reviewer::{About, Outcome, Planned, Reviewer};
pub use tools::{ToolOutcome, Toolbox};

/// A text that has had its credentials masked. Only such text reaches a provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redacted(String);

impl Redacted {
    /// Masks every credential in `text`.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(redact(text).into_owned())
    }

    /// The masked text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Who answers: what stands in the document and in the key of a stored answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The name of the provider in the user's settings.
    pub provider: String,
    /// The model as the provider calls it.
    pub model: String,
    /// Where requests go: an address, or the path of a program.
    pub endpoint: String,
}

/// How much a model reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The most tokens of a request.
    pub input_tokens: u64,
    /// The most tokens of an answer.
    pub output_tokens: u64,
}

/// What tokens cost, in US dollars for a million.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Tokens read.
    pub input: f64,
    /// Tokens written.
    pub output: f64,
    /// Tokens read from the provider's cache.
    pub cached_input: f64,
}

impl Price {
    /// What was used costs this many US dollars.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "no request has 2^53 tokens")]
    pub fn of(&self, usage: &Usage) -> f64 {
        let cached = usage.cached_input_tokens.min(usage.input_tokens);
        let fresh = usage.input_tokens - cached;
        (fresh as f64 * self.input
            + cached as f64 * self.cached_input
            + usage.output_tokens as f64 * self.output)
            / 1e6
    }
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSpec {
    /// The name: at most 64 of `[A-Za-z0-9_-]`.
    pub name: String,
    /// What it does. Of a server's tool this is what the server says, and so data.
    pub description: Redacted,
    /// The JSON Schema of its arguments.
    pub schema: Value,
}

/// A call that a model makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// Joins the call to its result.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments as the model wrote them.
    pub arguments: Value,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The id of the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it gave, fenced.
    pub text: Redacted,
    /// Whether the call failed.
    pub failed: bool,
}

/// The form of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// What a provider calls it: the name of the schema, or of the tool that takes the answer.
    pub name: &'static str,
    /// The JSON Schema.
    pub schema: Value,
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Turn {
    /// What is asked. All parts but the last are the same for every request of a review.
    Ask(Vec<Redacted>),
    /// What the model answered.
    Answer(Answer),
    /// What its calls gave.
    Results(Vec<ToolResult>),
}

/// What a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The instructions.
    pub system: Redacted,
    /// The conversation so far; ends with something to answer.
    pub turns: Vec<Turn>,
    /// The tools that may be called, in a stable order.
    pub tools: Vec<ToolSpec>,
    /// Whether they may be called now; in the last request they are named only because the conversation
    /// speaks of them.
    pub may_call: bool,
    /// The form that the answer must have.
    pub form: Form,
    /// The most tokens of the answer.
    pub output_tokens: u64,
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// It said what it had to say.
    Done,
    /// It waits for the results of its calls.
    Tools,
    /// It reached the limit of its answer or its window.
    Truncated,
    /// It declined.
    Refused,
    /// The provider withheld the answer.
    Filtered(String),
    /// The answer broke off: the reason.
    Broken(String),
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The text, in the form that was asked for if all went well.
    pub text: String,
    /// The tools it calls.
    pub calls: Vec<ToolCall>,
    /// Why it stopped.
    pub stop: Stop,
    /// The tokens read and written.
    pub usage: Usage,
    /// What it cost in US dollars, where that is known.
    pub cost_usd: Option<f64>,
    /// The answer in the provider's own form, to be sent back as it is when the conversation goes on.
    pub echo: Option<Value>,
}

impl Answer {
    /// An answer of text alone that is complete.
    #[must_use]
    pub fn of(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            calls: Vec::new(),
            stop: Stop::Done,
            usage: Usage::default(),
            cost_usd: None,
            echo: None,
        }
    }
}

/// Why there is no answer. Messages name the provider's words, never a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The caller cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The provider did not answer, or not in a way that can be used.
    #[error("{0}")]
    Failed(String),
}

/// What would be sent.
#[derive(Clone, PartialEq, Eq)]
pub struct Preview {
    /// Where it would go.
    pub destination: String,
    /// Every byte of the body, or of a program's standard input.
    pub body: Vec<u8>,
}

impl fmt::Debug for Preview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes to {}", self.body.len(), self.destination)
    }
}

/// A model. Asked from several threads at once.
pub trait Model: Sync {
    /// Who answers.
    fn identity(&self) -> &Identity;

    /// How much it reads and writes.
    fn window(&self) -> Window;

    /// Counts tokens as the model does, or somewhat more.
    fn tokens(&self) -> &dyn Tokens;

    /// What its tokens cost; `None` where that is not known.
    fn price(&self) -> Option<Price>;

    /// Whether tools can be offered to it.
    fn takes_tools(&self) -> bool;

    /// What a request looks like when it is sent.
    fn preview(&self, request: &Request) -> Preview;

    /// Asks, and waits for the whole answer. Polls `control`, and when cancelled closes the connection
    /// within 100 ms.
    ///
    /// # Errors
    /// [`ModelError`] where there is nothing of an answer. One that broke off is an [`Answer`].
    fn ask(&self, request: &Request, control: &dyn Control) -> Result<Answer, ModelError>;
}

/// What may be spent. Asked from several threads at once.
pub trait Purse: Sync {
    /// Sets aside what a request may cost at most.
    ///
    /// # Errors
    /// A message that names the limit, where the sum would exceed it; nothing is then sent.
    fn reserve(&self, usd: f64) -> Result<(), String>;

    /// Replaces what was set aside by what was spent.
    fn settle(&self, reserved: f64, spent: f64);
}
