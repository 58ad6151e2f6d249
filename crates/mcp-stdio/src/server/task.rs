//! Calls that become tasks, and the requests about tasks.
//!
//! A task runs on a thread of its own. Its handler asks like any other; the questions then stand in
//! the task until the client has answered all of them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use mcp_proto::{
    CallToolResult, ClientCapabilities, CreateTaskResult, InputRequests, JsonObject, Outcome,
    RawJson, ResultBody, RpcError, TASKS_EXTENSION, TaskParams, UpdateTaskParams, decode_params,
};
use serde_json::value::RawValue;

use super::connection::Connection;
use super::in_flight::Call;
use super::session::Peer;
use crate::context::{CallContext, Inputs};
use crate::notifier::Change;
use crate::task::{Ending, TaskEntry};
use crate::tool::{ToolError, ToolFailure};

/// A handler that goes on as a task.
pub(crate) type TaskHandler =
    Box<dyn Fn(&CallContext) -> Result<Outcome<CallToolResult>, ToolError> + Send>;

impl Peer {
    /// Says whether the request may become a task.
    pub(crate) fn has_tasks(&self) -> bool {
        self.client.capabilities.has_extension(TASKS_EXTENSION)
    }
}

/// Returns the error for a request that only makes sense with tasks.
pub(crate) fn needs_tasks() -> RpcError {
    let required =
        ClientCapabilities::default().with_extension(TASKS_EXTENSION, &JsonObject::new());
    RpcError::missing_client_capability(&required)
}

impl Connection {
    /// Says whether `call` may become a task.
    pub(crate) fn offers_tasks(&self, call: &Call) -> bool {
        self.registry.tasks.is_some() && call.peer.has_tasks()
    }

    /// Turns a call into a task.
    pub(crate) fn start_task(
        self: &Arc<Self>,
        call: &Call,
        handler: TaskHandler,
    ) -> Result<Outcome<CallToolResult>, RpcError> {
        let Some(tasks) = &self.registry.tasks else { return Err(needs_tasks()) };
        // The call itself is answered now; what the task says goes to nobody.
        let call = Call::new(call.id.clone(), call.peer.clone(), None, None).detached();
        let entry = tasks.create(Arc::new(call), self.limits.max_tasks)?;
        let created = CreateTaskResult::new(entry.snapshot().task);
        let connection = Arc::clone(self);
        let thread = thread::Builder::new().name("mcp-task".to_owned());
        let spawned = thread.spawn(move || connection.run_task(&entry, &handler));
        spawned.map_err(|error| RpcError::internal(format!("start a task: {error}")))?;
        Ok(Outcome::Task(created))
    }

    fn run_task(self: &Arc<Self>, entry: &Arc<TaskEntry>, handler: &TaskHandler) {
        let mut inputs = Inputs::default();
        for _ in 0..=self.limits.max_input_rounds {
            let context = CallContext::new(Arc::clone(self), Arc::clone(&entry.call), inputs);
            let outcome =
                catch_unwind(AssertUnwindSafe(|| handler(&context))).unwrap_or_else(|_panic| {
                    Err(ToolError::protocol(RpcError::internal("the handler of a task panicked")))
                });
            let question = match outcome {
                Ok(Outcome::InputRequired(question)) => question,
                done => return self.end_task(entry, done),
            };
            if let Err(error) = check_askable(&question.input_requests, entry) {
                return self.end_task(entry, Err(ToolError::protocol(error)));
            }
            entry.ask(question.input_requests);
            self.tell_of_task(entry);
            let Some(responses) = entry.wait_answered() else { return self.tell_of_task(entry) };
            self.tell_of_task(entry);
            let state = question.request_state.map(|state| state.as_str().to_owned());
            inputs = Inputs { responses, state };
        }
        let error = ToolError::new("asked the client for input too often");
        self.end_task(entry, Err(error));
    }

    fn end_task(
        &self,
        entry: &Arc<TaskEntry>,
        outcome: Result<Outcome<CallToolResult>, ToolError>,
    ) {
        let encoded = match outcome {
            Ok(Outcome::Complete(result)) => self.inlined(entry, &result),
            Ok(Outcome::InputRequired(_) | Outcome::Task(_)) => {
                Err(RpcError::internal("a task ended with a task"))
            }
            Err(error) => match error.0 {
                ToolFailure::Message(text) => self.inlined(entry, &CallToolResult::error(text)),
                ToolFailure::Protocol(error) => Err(error),
            },
        };
        entry.end(encoded.map_or_else(Ending::Error, Ending::Result));
        self.tell_of_task(entry);
    }

    /// Encodes a result the way its own request would have been answered.
    fn inlined(&self, entry: &TaskEntry, result: &dyn ResultBody) -> Result<RawJson, RpcError> {
        let failed = |error: &dyn std::error::Error| RpcError::internal(error.to_string());
        let mut json = Vec::new();
        self.wire(entry.call.peer.revision)
            .result_value(&mut json, result)
            .map_err(|error| failed(&error))?;
        let text = String::from_utf8(json).map_err(|error| failed(&error))?;
        RawJson::parse(&text).map_err(|error| failed(&error))
    }

    fn tell_of_task(&self, entry: &TaskEntry) {
        self.registry.notifier.announce(&Change::Task(entry.id.clone()));
    }

    /// Finds the task that a request names, if the client may know of tasks.
    fn task(&self, peer: &Peer, id: &str) -> Result<Arc<TaskEntry>, RpcError> {
        if !peer.has_tasks() {
            return Err(needs_tasks());
        }
        let found = self.registry.tasks.as_ref().and_then(|tasks| tasks.find(id));
        found.ok_or_else(|| RpcError::invalid_params(format!("unknown task {id:?}")))
    }

    pub(super) fn get_task(
        &self,
        peer: &Peer,
        params: Option<&RawValue>,
    ) -> Result<mcp_proto::DetailedTask, RpcError> {
        let TaskParams { task_id, .. } = decode_params(params)?;
        Ok(self.task(peer, &task_id)?.snapshot())
    }

    pub(super) fn cancel_task(
        &self,
        peer: &Peer,
        params: Option<&RawValue>,
    ) -> Result<(), RpcError> {
        let TaskParams { task_id, .. } = decode_params(params)?;
        let entry = self.task(peer, &task_id)?;
        entry.cancel();
        self.tell_of_task(&entry);
        Ok(())
    }

    pub(super) fn update_task(
        &self,
        peer: &Peer,
        params: Option<&RawValue>,
    ) -> Result<(), RpcError> {
        let UpdateTaskParams { task_id, input_responses, .. } = decode_params(params)?;
        self.task(peer, &task_id)?.answer(&input_responses);
        Ok(())
    }
}

/// Refuses questions that the client of the task cannot answer.
fn check_askable(questions: &InputRequests, entry: &TaskEntry) -> Result<(), RpcError> {
    let declared = &entry.call.peer.client.capabilities;
    let missing = questions.iter().find_map(|(_, request)| request.missing_capability(declared));
    missing.map_or(Ok(()), |missing| Err(RpcError::missing_client_capability(&missing)))
}
