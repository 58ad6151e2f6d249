//! Tasks: requests that go on after their answer.
//!
//! Part of 2025-11-25, where a task is nested in the answer and its times are `ttl` and
//! `pollInterval`; an extension of 2026-07-28, where its members are flat and end in `Ms`. One
//! type stands for both.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

use crate::encode::{Encode, Fields, NotificationBody, Object, ResultBody, Writer, encode_fields};
use crate::error::RpcError;
use crate::input_required::{InputRequests, InputResponses};
use crate::json::{RawJson, or_default};
use crate::meta::ResultMeta;
use crate::method::Method;
use crate::page::Cursor;
use crate::revision::{Era, Revision};

/// How a task stands.
///
/// Since: 2025-11-25. Page: basic/utilities/tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// It goes on.
    Working,
    /// It waits for an answer.
    InputRequired,
    /// It has ended with a result. Final.
    Completed,
    /// It has ended with an error. Final.
    Failed,
    /// It was cancelled. Final.
    Cancelled,
}

impl TaskStatus {
    /// Reports whether the task has ended.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    /// Reports whether a task may go from this status to `next`.
    #[must_use]
    pub fn may_become(self, next: Self) -> bool {
        !self.is_final() && self != next
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::InputRequired => "input_required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A request that goes on.
///
/// Since: 2025-11-25. Page: basic/utilities/tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Task {
    /// Names the task; not to be guessed.
    pub task_id: String,
    /// How it stands.
    pub status: TaskStatus,
    /// What it is doing, for humans.
    pub status_message: Option<String>,
    /// When it began: ISO 8601.
    pub created_at: String,
    /// When it last changed: ISO 8601.
    pub last_updated_at: String,
    /// Milliseconds from its beginning for which it is kept; `None` for ever.
    pub ttl_ms: Option<u64>,
    /// Milliseconds to wait between questions about it.
    pub poll_interval_ms: Option<u64>,
}

/// Asks that a request become a task.
///
/// Only: 2025-11-25. Page: basic/utilities/tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct TaskRequest {
    /// Milliseconds for which the task should be kept.
    pub ttl: Option<u64>,
}

/// The answer to a request that became a task.
///
/// Since: 2025-11-25. Page: basic/utilities/tasks.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CreateTaskResult {
    /// The task.
    pub task: Task,
    /// What travels beside the result.
    pub meta: ResultMeta,
}

/// Parameters of `tasks/get`, `tasks/result` and `tasks/cancel`.
///
/// Since: 2025-11-25. Page: basic/utilities/tasks.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TaskParams {
    /// The task.
    pub task_id: String,
}

/// Parameters of `tasks/update`.
///
/// Since: 2026-07-28, in the tasks extension.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UpdateTaskParams {
    /// The task.
    pub task_id: String,
    /// The answers to what it waits for.
    pub input_responses: InputResponses,
}

/// A task with what its status brings along. Result of `tasks/get`.
///
/// Since: 2025-11-25, which knows the task alone. Page: basic/utilities/tasks.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DetailedTask {
    /// The task.
    pub task: Task,
    /// What it waits for. Since: 2026-07-28.
    pub input_requests: InputRequests,
    /// What its request would have returned: an object. Since: 2026-07-28.
    pub result: Option<RawJson>,
    /// The error that its request would have returned. Since: 2026-07-28.
    pub error: Option<RpcError>,
    /// What travels beside the result.
    pub meta: ResultMeta,
}

/// Result of `tasks/list`.
///
/// Only: 2025-11-25. Page: basic/utilities/tasks.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListTasksResult {
    /// The tasks of this page.
    pub tasks: Vec<Task>,
    /// Where the list continues; absent at its end.
    pub next_cursor: Option<Cursor>,
    /// What travels beside the result.
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
    pub meta: ResultMeta,
}

/// Result of `tasks/cancel`: the task up to 2025-11-25, nothing after.
///
/// Since: 2025-11-25. Page: basic/utilities/tasks.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CancelTaskResult {
    /// The task. Only: 2025-11-25.
    pub task: Task,
    /// What travels beside the result.
    pub meta: ResultMeta,
}

/// Says that a task has changed.
///
/// Only: 2025-11-25. Page: basic/utilities/tasks.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct TaskStatusChanged(pub Task);

/// Says that a task has changed, with what its status brings along.
///
/// Since: 2026-07-28, in the tasks extension.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct TaskUpdated(pub DetailedTask);

impl Task {
    /// Creates a task that goes on, kept for ever.
    #[must_use]
    pub fn new(task_id: impl Into<String>, created_at: impl Into<String>) -> Self {
        let created_at = created_at.into();
        Self {
            task_id: task_id.into(),
            status: TaskStatus::Working,
            status_message: None,
            last_updated_at: created_at.clone(),
            created_at,
            ttl_ms: None,
            poll_interval_ms: None,
        }
    }

    /// Sets the status.
    #[must_use]
    pub const fn status(mut self, status: TaskStatus) -> Self {
        self.status = status;
        self
    }

    /// Says for how many milliseconds the task is kept.
    #[must_use]
    pub const fn ttl_ms(mut self, ttl: u64) -> Self {
        self.ttl_ms = Some(ttl);
        self
    }

    /// Says how many milliseconds to wait between questions.
    #[must_use]
    pub const fn poll_interval_ms(mut self, interval: u64) -> Self {
        self.poll_interval_ms = Some(interval);
        self
    }
}

impl TaskRequest {
    /// Asks for a task that is kept for `ttl` milliseconds.
    #[must_use]
    pub const fn new(ttl: Option<u64>) -> Self {
        Self { ttl }
    }
}

impl CreateTaskResult {
    /// Creates a result.
    #[must_use]
    pub fn new(task: Task) -> Self {
        Self { task, meta: ResultMeta::default() }
    }
}

impl CancelTaskResult {
    /// Creates a result.
    #[must_use]
    pub fn new(task: Task) -> Self {
        Self { task, meta: ResultMeta::default() }
    }
}

impl TaskParams {
    /// Names a task.
    #[must_use]
    pub fn new(task_id: impl Into<String>) -> Self {
        Self { task_id: task_id.into() }
    }
}

impl UpdateTaskParams {
    /// Answers what a task waits for.
    #[must_use]
    pub fn new(task_id: impl Into<String>, input_responses: InputResponses) -> Self {
        Self { task_id: task_id.into(), input_responses }
    }
}

impl DetailedTask {
    /// Creates a task without further members.
    #[must_use]
    pub fn new(task: Task) -> Self {
        Self {
            task,
            input_requests: InputRequests::new(),
            result: None,
            error: None,
            meta: ResultMeta::default(),
        }
    }
}

/// Every member that a task has in some revision, as it arrives.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TaskShape {
    task_id: String,
    status: TaskStatus,
    status_message: Option<String>,
    created_at: String,
    last_updated_at: String,
    ttl: Option<u64>,
    ttl_ms: Option<u64>,
    poll_interval: Option<u64>,
    poll_interval_ms: Option<u64>,
    #[serde(default, deserialize_with = "or_default")]
    input_requests: InputRequests,
    result: Option<RawJson>,
    error: Option<RpcError>,
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
    meta: ResultMeta,
}

impl From<TaskShape> for DetailedTask {
    fn from(shape: TaskShape) -> Self {
        Self {
            task: Task {
                task_id: shape.task_id,
                status: shape.status,
                status_message: shape.status_message,
                created_at: shape.created_at,
                last_updated_at: shape.last_updated_at,
                ttl_ms: shape.ttl_ms.or(shape.ttl),
                poll_interval_ms: shape.poll_interval_ms.or(shape.poll_interval),
            },
            input_requests: shape.input_requests,
            result: shape.result,
            error: shape.error,
            meta: shape.meta,
        }
    }
}

impl<'de> Deserialize<'de> for DetailedTask {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        TaskShape::deserialize(deserializer).map(Self::from)
    }
}

impl<'de> Deserialize<'de> for Task {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        DetailedTask::deserialize(deserializer).map(|detailed| detailed.task)
    }
}

impl<'de> Deserialize<'de> for CancelTaskResult {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let DetailedTask { task, meta, .. } = DetailedTask::deserialize(deserializer)?;
        Ok(Self { task, meta })
    }
}

impl<'de> Deserialize<'de> for CreateTaskResult {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Nested {
            task: Option<Task>,
            #[serde(rename = "_meta", default, deserialize_with = "or_default")]
            meta: ResultMeta,
        }

        let raw = RawJson::deserialize(deserializer)?;
        let nested: Nested = raw.decode().map_err(D::Error::custom)?;
        let task = match nested.task {
            Some(task) => task,
            None => raw.decode().map_err(D::Error::custom)?,
        };
        Ok(Self { task, meta: nested.meta })
    }
}

impl Encode for TaskStatus {
    fn encode(&self, out: &mut Writer<'_>) {
        out.string(self.as_str());
    }
}

impl Fields for Task {
    fn fields(&self, object: &mut Object<'_, '_>) {
        if object.revision() < Revision::V2025_11_25 {
            return object.refuse("a task");
        }
        let (ttl, poll) = match object.revision().era() {
            Era::Handshake => ("ttl", "pollInterval"),
            Era::PerRequest => ("ttlMs", "pollIntervalMs"),
        };
        object.field("taskId", &self.task_id);
        object.field("status", &self.status);
        object.optional("statusMessage", &self.status_message);
        object.field("createdAt", &self.created_at);
        object.field("lastUpdatedAt", &self.last_updated_at);
        match &self.ttl_ms {
            Some(milliseconds) => object.field(ttl, milliseconds),
            None => object.null(ttl),
        }
        object.optional(poll, &self.poll_interval_ms);
    }
}

impl Fields for TaskRequest {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.optional("ttl", &self.ttl);
    }
}

impl Fields for CreateTaskResult {
    fn fields(&self, object: &mut Object<'_, '_>) {
        match object.revision().era() {
            Era::Handshake => object.field("task", &self.task),
            Era::PerRequest => self.task.fields(object),
        }
    }
}

impl Fields for TaskParams {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("taskId", &self.task_id);
    }
}

impl Fields for UpdateTaskParams {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("taskId", &self.task_id);
        object.field("inputResponses", &self.input_responses);
    }
}

impl Fields for DetailedTask {
    fn fields(&self, object: &mut Object<'_, '_>) {
        self.task.fields(object);
        object.since(Revision::V2026_07_28, |object| match self.task.status {
            TaskStatus::InputRequired => object.field("inputRequests", &self.input_requests),
            TaskStatus::Completed => object.optional("result", &self.result),
            TaskStatus::Failed => object.optional("error", &self.error),
            TaskStatus::Working | TaskStatus::Cancelled => {}
        });
    }
}

impl Fields for ListTasksResult {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("tasks", &self.tasks);
        object.optional("nextCursor", &self.next_cursor);
        object.since(Revision::V2026_07_28, |object| object.refuse("a list of tasks"));
    }
}

impl Fields for CancelTaskResult {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.until(Revision::V2025_11_25, |object| self.task.fields(object));
    }
}

impl Fields for TaskStatusChanged {
    fn fields(&self, object: &mut Object<'_, '_>) {
        self.0.fields(object);
    }
}

impl Fields for TaskUpdated {
    fn fields(&self, object: &mut Object<'_, '_>) {
        self.0.fields(object);
    }
}

encode_fields!(Task, TaskRequest, DetailedTask);

macro_rules! results {
    ($($name:ident),+) => {
        $(impl ResultBody for $name {
            fn meta(&self) -> &ResultMeta {
                &self.meta
            }
        })+
    };
}

results!(DetailedTask, ListTasksResult, CancelTaskResult);

impl ResultBody for CreateTaskResult {
    fn meta(&self) -> &ResultMeta {
        &self.meta
    }

    fn result_type(&self) -> &str {
        "task"
    }
}

impl NotificationBody for TaskStatusChanged {
    const METHOD: Method = Method::TaskStatus;
}

impl NotificationBody for TaskUpdated {
    const METHOD: Method = Method::TaskUpdated;
}
