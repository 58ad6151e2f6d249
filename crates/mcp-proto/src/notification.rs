//! Notifications about requests and lists, and the control of log messages.

use serde::Deserialize;

use crate::encode::{Encode, Fields, NotificationBody, Object, Writer};
use crate::id::{ProgressToken, RequestId};
use crate::json::RawJson;
use crate::method::Method;
use crate::revision::Revision;

/// Says how far a request is.
///
/// Since: 2024-11-05; by servers alone since 2026-07-28. Page: basic/patterns/progress.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Progress {
    /// The token that the request brought.
    pub progress_token: ProgressToken,
    /// How far it is; rises with every report. Must be finite.
    pub progress: f64,
    /// How far there is to go, if known. Must be finite.
    pub total: Option<f64>,
    /// What is going on, for humans. Since: 2025-03-26.
    pub message: Option<String>,
}

/// Says that a request is no longer wanted.
///
/// Since: 2024-11-05. Page: basic/patterns/cancellation.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Cancelled {
    /// The request. Optional in 2025-11-25 alone, and there only beside a reason.
    pub request_id: Option<RequestId>,
    /// Why, for logs.
    pub reason: Option<String>,
}

/// How grave a log message is, least grave first.
///
/// Since: 2024-11-05. Deprecated since 2026-07-28. Page: server/utilities/logging.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LoggingLevel {
    /// Details for finding faults.
    Debug,
    /// What happens.
    Info,
    /// What happens and matters.
    Notice,
    /// What may become a fault.
    Warning,
    /// A fault.
    Error,
    /// A fault of a component.
    Critical,
    /// Someone must act at once.
    Alert,
    /// Nothing works.
    Emergency,
}

/// A log message.
///
/// Since: 2024-11-05; since 2026-07-28 only while a request runs that asked for it. Deprecated
/// since 2026-07-28. Page: server/utilities/logging.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct LogMessage {
    /// How grave it is.
    pub level: LoggingLevel,
    /// Which part of the server speaks.
    pub logger: Option<String>,
    /// What it says: any JSON.
    pub data: RawJson,
}

/// Parameters of `logging/setLevel`.
///
/// Since: 2024-11-05. Until: 2025-11-25. Page: server/utilities/logging.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct SetLevelParams {
    /// The least grave level to send.
    pub level: LoggingLevel,
}

/// Says that a resource has changed.
///
/// Since: 2024-11-05; only for listen requests since 2026-07-28. Page: server/resources.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct ResourceUpdated {
    /// The resource, or a part of the one subscribed to.
    pub uri: String,
}

/// Says that the list of tools has changed.
///
/// Since: 2024-11-05; only for listen requests since 2026-07-28. Page: server/tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct ToolListChanged {}

/// Says that the list of prompts has changed.
///
/// Since: 2024-11-05; only for listen requests since 2026-07-28. Page: server/prompts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct PromptListChanged {}

/// Says that the list of resources has changed.
///
/// Since: 2024-11-05; only for listen requests since 2026-07-28. Page: server/resources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct ResourceListChanged {}

impl Progress {
    /// Creates a report.
    #[must_use]
    pub const fn new(token: ProgressToken, progress: f64) -> Self {
        Self { progress_token: token, progress, total: None, message: None }
    }

    /// Says how far there is to go.
    #[must_use]
    pub const fn total(mut self, total: f64) -> Self {
        self.total = Some(total);
        self
    }

    /// Says what is going on.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }
}

impl Cancelled {
    /// Names the request.
    #[must_use]
    pub const fn new(request_id: RequestId) -> Self {
        Self { request_id: Some(request_id), reason: None }
    }

    /// Says why.
    #[must_use]
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}

impl LoggingLevel {
    /// Returns the name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
        }
    }
}

impl LogMessage {
    /// Creates a message.
    #[must_use]
    pub const fn new(level: LoggingLevel, data: RawJson) -> Self {
        Self { level, logger: None, data }
    }

    /// Names the part of the server that speaks.
    #[must_use]
    pub fn logger(mut self, logger: impl Into<String>) -> Self {
        self.logger = Some(logger.into());
        self
    }
}

impl SetLevelParams {
    /// Asks for messages of `level` and above.
    #[must_use]
    pub const fn new(level: LoggingLevel) -> Self {
        Self { level }
    }
}

impl ResourceUpdated {
    /// Names the resource.
    #[must_use]
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into() }
    }
}

impl Encode for LoggingLevel {
    fn encode(&self, out: &mut Writer<'_>) {
        out.string(self.as_str());
    }
}

impl Fields for Progress {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("progressToken", &self.progress_token);
        object.field("progress", &self.progress);
        object.optional("total", &self.total);
        object.since(Revision::V2025_03_26, |object| object.optional("message", &self.message));
    }
}

impl Fields for Cancelled {
    fn fields(&self, object: &mut Object<'_, '_>) {
        match &self.request_id {
            Some(id) => object.field("requestId", id),
            None if object.revision() == Revision::V2025_11_25 && self.reason.is_some() => {}
            None => object.refuse("a cancellation without a request"),
        }
        object.optional("reason", &self.reason);
    }
}

impl Fields for LogMessage {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("level", &self.level);
        object.optional("logger", &self.logger);
        object.field("data", &self.data);
    }
}

impl Fields for SetLevelParams {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("level", &self.level);
    }
}

impl Fields for ResourceUpdated {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("uri", &self.uri);
    }
}

macro_rules! notifications {
    ($($name:ident => $method:ident),+ $(,)?) => {
        $(impl NotificationBody for $name {
            const METHOD: Method = Method::$method;
        })+
    };
}

notifications!(
    Progress => Progress,
    Cancelled => Cancelled,
    LogMessage => LogMessage,
    ResourceUpdated => ResourceUpdated,
    ToolListChanged => ToolListChanged,
    PromptListChanged => PromptListChanged,
    ResourceListChanged => ResourceListChanged,
);

macro_rules! without_members {
    ($($name:ident),+) => {
        $(impl Fields for $name {
            fn fields(&self, _: &mut Object<'_, '_>) {}
        })+
    };
}

without_members!(ToolListChanged, PromptListChanged, ResourceListChanged);
