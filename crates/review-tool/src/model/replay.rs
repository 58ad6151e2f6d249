//! A model that answers from a script, for tests: the same at every run.

use std::sync::{Mutex, PoisonError};

use super::{Answer, Identity, Model, ModelError, Preview, Price, Request, Turn, Window};
use crate::control::Control;
use crate::prompt::{Estimate, Tokens};

/// A line of the script: a request whose last turn holds a text, and what it is answered.
struct Line {
    holds: String,
    answer: Result<Answer, ModelError>,
    used: bool,
}

/// A model that answers from a script.
pub struct Replay {
    identity: Identity,
    window: Window,
    script: Mutex<Vec<Line>>,
    asked: Mutex<Vec<Request>>,
}

impl Default for Replay {
    fn default() -> Self {
        let text = |text: &str| text.to_owned();
        let identity =
            Identity { provider: text("replay"), model: text("script"), endpoint: text("replay:") };
        let window = Window { input_tokens: 100_000, output_tokens: 8_000 };
        Self { identity, window, script: Mutex::default(), asked: Mutex::default() }
    }
}

impl Replay {
    /// A model that reads and writes so much.
    #[must_use]
    pub fn with_window(window: Window) -> Self {
        Self { window, ..Self::default() }
    }

    /// Adds a line to the script: the first request whose last turn holds `text` gets the answer.
    #[must_use]
    pub fn on(self, text: &str, answer: Result<Answer, ModelError>) -> Self {
        let line = Line { holds: text.to_owned(), answer, used: false };
        self.script.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        self
    }

    /// The requests so far, in the order in which they came.
    #[must_use]
    pub fn asked(&self) -> Vec<Request> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The text of a turn.
fn text(turn: &Turn) -> String {
    match turn {
        Turn::Ask(parts) => parts.iter().map(super::Redacted::as_str).collect(),
        Turn::Answer(answer) => answer.text.clone(),
        Turn::Results(results) => results.iter().map(|result| result.text.as_str()).collect(),
    }
}

impl Model for Replay {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn window(&self) -> Window {
        self.window
    }

    fn tokens(&self) -> &dyn Tokens {
        &Estimate
    }

    fn price(&self) -> Option<Price> {
        Some(Price { input: 1.0, output: 2.0, cached_input: 0.1 })
    }

    fn takes_tools(&self) -> bool {
        true
    }

    fn preview(&self, request: &Request) -> Preview {
        let turns: Vec<String> = request.turns.iter().map(text).collect();
        let body = format!("{}\n{}", request.system.as_str(), turns.join("\n"));
        Preview { destination: self.identity.endpoint.clone(), body: body.into_bytes() }
    }

    fn ask(&self, request: &Request, control: &dyn Control) -> Result<Answer, ModelError> {
        if control.cancelled() {
            return Err(ModelError::Cancelled);
        }
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        let last = request.turns.last().map(text).unwrap_or_default();
        let mut script = self.script.lock().unwrap_or_else(PoisonError::into_inner);
        let line = script.iter_mut().find(|line| !line.used && last.contains(&line.holds));
        match line {
            Some(line) => {
                line.used = true;
                line.answer.clone()
            }
            None => Err(ModelError::Failed("the script has no answer to this".to_owned())),
        }
    }
}
