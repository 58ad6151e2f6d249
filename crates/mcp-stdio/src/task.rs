//! Tasks: calls that go on after their answer, and what has become of them.
//!
//! Part of 2026-07-28 as the extension `io.modelcontextprotocol/tasks`. A task belongs to the
//! server, not to a connection; its id cannot be guessed, and whoever knows it may ask for it. It
//! lives as long as the process, and when it has ended only until its time is over.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant, SystemTime};

use mcp_proto::{DetailedTask, InputRequests, InputResponses, RawJson, RpcError, Task, TaskStatus};

use crate::server::Call;
use crate::sync::{lock, wait_for};

/// How long a task is kept, counted from its beginning.
const KEPT: Duration = Duration::from_secs(60 * 60);

/// How long a client should wait between two questions about a task.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// The tasks of a server.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    entries: Mutex<BTreeMap<String, Arc<TaskEntry>>>,
}

/// One task.
#[derive(Debug)]
pub(crate) struct TaskEntry {
    pub(crate) id: String,
    /// What the handler asks whether it shall give up.
    pub(crate) call: Arc<Call>,
    started: Instant,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    task: DetailedTask,
    answers: Vec<(String, RawJson)>,
}

/// How a task has ended.
pub(crate) enum Ending {
    Result(RawJson),
    Error(RpcError),
}

impl Tasks {
    /// Starts a task for `call`; at most `limit` tasks are kept.
    pub(crate) fn create(&self, call: Arc<Call>, limit: usize) -> Result<Arc<TaskEntry>, RpcError> {
        let mut entries = lock(&self.entries);
        entries.retain(|_, entry| !(entry.is_final() && entry.started.elapsed() > KEPT));
        if entries.len() >= limit {
            let ended = entries.values().filter(|entry| entry.is_final());
            let Some(oldest) = ended.min_by_key(|entry| entry.started) else {
                return Err(RpcError::internal(format!("no more than {limit} tasks")));
            };
            let id = oldest.id.clone();
            entries.remove(&id);
        }
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)
            .map_err(|error| RpcError::internal(format!("make an id for a task: {error}")))?;
        let id = format!("{:032x}", u128::from_be_bytes(bytes));
        let milliseconds = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(0);
        let task = Task::new(&id, now())
            .ttl_ms(milliseconds(KEPT))
            .poll_interval_ms(milliseconds(POLL_INTERVAL));
        let state = State { task: DetailedTask::new(task), answers: Vec::new() };
        let entry = Arc::new(TaskEntry {
            id: id.clone(),
            call,
            started: Instant::now(),
            state: Mutex::new(state),
            changed: Condvar::new(),
        });
        entries.insert(id, Arc::clone(&entry));
        Ok(entry)
    }

    pub(crate) fn find(&self, id: &str) -> Option<Arc<TaskEntry>> {
        lock(&self.entries).get(id).map(Arc::clone)
    }
}

impl TaskEntry {
    /// Returns how the task stands.
    pub(crate) fn snapshot(&self) -> DetailedTask {
        lock(&self.state).task.clone()
    }

    fn is_final(&self) -> bool {
        lock(&self.state).task.task.status.is_final()
    }

    /// Ends the task, unless it has been cancelled.
    pub(crate) fn end(&self, ending: Ending) {
        let mut state = lock(&self.state);
        let status = match &ending {
            Ending::Result(_) => TaskStatus::Completed,
            Ending::Error(_) => TaskStatus::Failed,
        };
        if state.become_status(status) {
            match ending {
                Ending::Result(result) => state.task.result = Some(result),
                Ending::Error(error) => state.task.error = Some(error),
            }
        }
    }

    /// Cancels the task, unless it has ended.
    pub(crate) fn cancel(&self) {
        lock(&self.state).become_status(TaskStatus::Cancelled);
        self.call.cancel();
        self.changed.notify_all();
    }

    /// Puts questions to the client.
    pub(crate) fn ask(&self, questions: InputRequests) {
        let mut state = lock(&self.state);
        if state.become_status(TaskStatus::InputRequired) {
            state.task.input_requests = questions;
        }
    }

    /// Waits for the answers to all questions; `None` when the task has ended instead.
    pub(crate) fn wait_answered(&self) -> Option<InputResponses> {
        let mut state = lock(&self.state);
        while !state.task.task.status.is_final() && !state.task.input_requests.is_empty() {
            let left = KEPT.saturating_sub(self.started.elapsed());
            if left.is_zero() {
                state.become_status(TaskStatus::Failed);
                state.task.error = Some(RpcError::internal("the client did not answer in time"));
            } else {
                state = wait_for(&self.changed, state, left);
            }
        }
        if !state.become_status(TaskStatus::Working) {
            return None;
        }
        Some(std::mem::take(&mut state.answers).into_iter().collect())
    }

    /// Takes the client's answers in; those that answer no open question are dropped.
    pub(crate) fn answer(&self, responses: &InputResponses) {
        let mut state = lock(&self.state);
        for (key, answer) in responses.iter() {
            if state.task.input_requests.get(key).is_some() {
                let open = state.task.input_requests.iter().filter(|(open, _)| *open != key);
                let mut rest = InputRequests::new();
                for (open, request) in open {
                    rest.insert(open, request.clone());
                }
                state.task.input_requests = rest;
                state.answers.push((key.to_owned(), answer.clone()));
            }
        }
        self.changed.notify_all();
    }
}

impl State {
    /// Changes the status if the task may still change.
    fn become_status(&mut self, status: TaskStatus) -> bool {
        let may = self.task.task.status.may_become(status);
        if may {
            self.task.task.status = status;
            self.task.task.last_updated_at = now();
            self.task.input_requests = InputRequests::new();
        }
        may
    }
}

fn now() -> String {
    humantime::format_rfc3339_millis(SystemTime::now()).to_string()
}
