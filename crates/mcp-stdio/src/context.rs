//! What a handler may know and say while its call runs.

use std::sync::Arc;
use std::time::Duration;

use mcp_proto::{
    CallToolResult, ClientCapabilities, Implementation, InputResponses, LogMessage, LoggingLevel,
    NotificationMeta, Outcome, Progress, RawJson, Revision, RpcError,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::RequestError;
use crate::notifier::Notifier;
use crate::server::{Call, Connection, needs_tasks};
use crate::tool::ToolError;

/// One running call, as its handler sees it.
///
/// Clones stand for the same call, also on other threads. After the call nothing said here reaches
/// the client any more.
#[derive(Clone)]
pub struct CallContext {
    connection: Arc<Connection>,
    call: Arc<Call>,
    inputs: Option<Arc<Inputs>>,
}

/// What the client has answered since the handler asked for input.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    pub(crate) responses: InputResponses,
    pub(crate) state: Option<String>,
}

/// Says that the client's answer does not have the shape of one.
///
/// It turns into an error response, as the client has broken the protocol.
#[derive(Debug)]
pub struct InvalidAnswer {
    problem: String,
}

impl CallContext {
    pub(crate) fn new(connection: Arc<Connection>, call: Arc<Call>, inputs: Inputs) -> Self {
        let is_empty = inputs.responses.is_empty() && inputs.state.is_none();
        let inputs = (!is_empty).then(|| Arc::new(inputs));
        Self { connection, call, inputs }
    }

    /// Returns the client's answer to what the handler has asked for under `key`, if there is one.
    ///
    /// A handler asks by returning [`Outcome::InputRequired`](mcp_proto::Outcome::InputRequired).
    /// It is then run again from the start, with the answers to the last round.
    ///
    /// # Errors
    ///
    /// The answer is not a `T`.
    pub fn answer<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, InvalidAnswer> {
        let Some(inputs) = &self.inputs else { return Ok(None) };
        inputs.responses.get(key).map_err(|error| {
            let problem = error.to_string();
            let problem = problem.split(" at line ").next().unwrap_or_default();
            InvalidAnswer { problem: format!("invalid input response {key:?}: {problem}") }
        })
    }

    /// Returns the state that the handler has set with its last question.
    ///
    /// It has been through the client's hands, but cannot have been changed there.
    #[must_use]
    pub fn state(&self) -> Option<&str> {
        self.inputs.as_ref()?.state.as_deref()
    }

    /// Says whether the call may go on as a task.
    #[must_use]
    pub fn supports_tasks(&self) -> bool {
        self.connection.offers_tasks(&self.call)
    }

    /// Goes on only if the call may become a task.
    ///
    /// # Errors
    ///
    /// Fails with what tells the client that it has to support tasks.
    pub fn require_tasks(&self) -> Result<(), ToolError> {
        if self.supports_tasks() { Ok(()) } else { Err(ToolError::protocol(needs_tasks())) }
    }

    /// Lets the call go on as a task, or runs it here and now if it may not become one.
    ///
    /// The client gets the task's id at once and asks for the outcome later. `run` may ask for input
    /// like any handler, under keys that differ over the life of the task; it is then run again
    /// with the answers. It should give up when its context says that it was cancelled.
    ///
    /// # Errors
    ///
    /// Fails when no more tasks are kept, or as `run` does if that runs here.
    pub fn run_as_task<F>(&self, run: F) -> Result<Outcome<CallToolResult>, ToolError>
    where
        F: Fn(&Self) -> Result<Outcome<CallToolResult>, ToolError> + Send + 'static,
    {
        if !self.supports_tasks() {
            return run(self);
        }
        self.connection.start_task(&self.call, Box::new(run)).map_err(ToolError::protocol)
    }

    /// Returns what announces changes to all clients of the server.
    #[must_use]
    pub fn notifier(&self) -> Notifier {
        self.connection.notifier()
    }

    /// Says whether the client has given the call up. What the handler returns then is dropped.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.call.is_cancelled()
    }

    /// Waits until the client gives the call up, at most `duration`; returns whether it did.
    ///
    /// This is how a handler sleeps.
    #[must_use]
    pub fn cancelled_within(&self, duration: Duration) -> bool {
        self.call.wait_cancelled(duration)
    }

    /// Reports how far the call has come, in any unit, if the client has asked for that.
    ///
    /// Values must rise; one that does not is dropped. Reports reach the client in order and before
    /// the result.
    pub fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        let Some(token) = &self.call.progress_token else { return };
        let mut params = Progress::new(token.clone(), progress);
        if let Some(total) = total {
            params = params.total(total);
        }
        if let Some(message) = message {
            params = params.message(message);
        }
        let mut body = Vec::new();
        let wire = self.connection.wire(self.call.peer.revision);
        if let Err(error) = wire.notification(&mut body, &params, &NotificationMeta::default()) {
            log::debug!("drop a progress report: {error}");
            return;
        }
        self.connection.tell(&self.call, &mut body, || self.call.rises_to(progress));
    }

    /// Sends a log message to the client, if it wants that level and the server offers logging.
    ///
    /// Must not hold credentials, personal data or anything that helps an attacker.
    pub fn log(&self, level: LoggingLevel, logger: Option<&str>, data: &(impl Serialize + ?Sized)) {
        if !self.connection.wants_log(&self.call, level) {
            return;
        }
        let data = match RawJson::new(data) {
            Ok(data) => data,
            Err(error) => {
                log::warn!("drop a log message: {error}");
                return;
            }
        };
        let mut params = LogMessage::new(level, data);
        if let Some(logger) = logger {
            params = params.logger(logger);
        }
        let mut body = Vec::new();
        let wire = self.connection.wire(self.call.peer.revision);
        if let Err(error) = wire.notification(&mut body, &params, &NotificationMeta::default()) {
            log::debug!("drop a log message: {error}");
            return;
        }
        self.connection.tell(&self.call, &mut body, || true);
    }

    /// Returns the revision under which the call is served.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.call.peer.revision
    }

    /// Returns how the client calls itself. Unverified: for display and logs only.
    #[must_use]
    pub fn client_info(&self) -> Option<&Implementation> {
        self.call.peer.client.info.as_ref()
    }

    /// Returns what the client can do, as far as this call may rely on it.
    #[must_use]
    pub fn client_capabilities(&self) -> &ClientCapabilities {
        &self.call.peer.client.capabilities
    }
}

impl From<InvalidAnswer> for ToolError {
    fn from(answer: InvalidAnswer) -> Self {
        Self::protocol(RpcError::invalid_params(answer.problem))
    }
}

impl From<InvalidAnswer> for RequestError {
    fn from(answer: InvalidAnswer) -> Self {
        Self::invalid(answer.problem)
    }
}
