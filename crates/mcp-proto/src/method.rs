//! The method table: every request and notification of every revision, as data.
//!
//! The one list of methods. Dispatchers, client guards and tests read it; nothing else may repeat
//! it. Who may send a method, in which revisions, what it carries and which capability of the
//! receiver it needs all stand in one row.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Visitor};

use crate::revision::Revision;

/// Whether a method expects an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Exactly one response follows.
    Request,
    /// No response may follow.
    Notification,
}

/// An unbroken run of revisions, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first revision.
    pub since: Revision,
    /// The last revision.
    pub until: Revision,
}

impl Span {
    /// Reports whether `revision` lies within.
    #[must_use]
    pub fn contains(self, revision: Revision) -> bool {
        self.since <= revision && revision <= self.until
    }
}

/// A capability of the receiver without which a method is answered "method not found".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Capability {
    /// The server's `tools`.
    Tools,
    /// The server's `resources`.
    Resources,
    /// The server's `resources.subscribe`.
    ResourceSubscriptions,
    /// The server's `prompts`.
    Prompts,
    /// The server's `completions`. 2024-11-05 has the method but no capability for it.
    Completions,
    /// The server's `logging`.
    Logging,
    /// The receiver's `tasks` in 2025-11-25, the tasks extension of both sides in 2026-07-28.
    Tasks,
    /// The receiver's `tasks.list`.
    TaskList,
    /// The receiver's `tasks.cancel` in 2025-11-25, the extension in 2026-07-28.
    TaskCancel,
    /// The client's `roots`.
    Roots,
    /// The client's `sampling`.
    Sampling,
    /// The client's `elicitation`.
    Elicitation,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct MethodSpec {
    /// The name on the wire.
    pub name: &'static str,
    /// Whether it expects an answer.
    pub kind: Kind,
    /// The revisions in which a client may send it.
    pub from_client: Option<Span>,
    /// The revisions in which a server may send it.
    pub from_server: Option<Span>,
    /// The capability that the receiver must have.
    pub capability: Option<Capability>,
    /// The schema's name for the request or notification.
    pub definition: &'static str,
    /// The schema's name for the result; `None` for notifications.
    pub result: Option<&'static str>,
}

impl MethodSpec {
    /// Reports whether a client may send the method in `revision`.
    #[must_use]
    pub fn client_may_send(&self, revision: Revision) -> bool {
        self.from_client.is_some_and(|span| span.contains(revision))
    }

    /// Reports whether a server may send the method in `revision`.
    #[must_use]
    pub fn server_may_send(&self, revision: Revision) -> bool {
        self.from_server.is_some_and(|span| span.contains(revision))
    }
}

/// The first revision, the second and so on, named as the table needs them.
const R1: Revision = Revision::V2024_11_05;
const R3: Revision = Revision::V2025_06_18;
const R4: Revision = Revision::V2025_11_25;
const R5: Revision = Revision::V2026_07_28;

const fn span(since: Revision, until: Revision) -> Option<Span> {
    Some(Span { since, until })
}

macro_rules! methods {
    ($($variant:ident = $name:literal $kind:ident {
        client: $client:expr, server: $server:expr, needs: $needs:expr,
        $definition:literal => $result:expr $(,)?
    })+) => {
        /// A method that some revision defines.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Method {
            $(#[doc = concat!("`", $name, "`.")] $variant,)+
        }

        impl Method {
            /// Every method, requests first.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the method of that name.
            #[must_use]
            pub fn parse(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)+
                    _ => None,
                }
            }

            /// Returns the method's row.
            #[must_use]
            pub const fn spec(self) -> &'static MethodSpec {
                match self {
                    $(Self::$variant => const { &MethodSpec {
                        name: $name,
                        kind: Kind::$kind,
                        from_client: $client,
                        from_server: $server,
                        capability: $needs,
                        definition: $definition,
                        result: $result,
                    } },)+
                }
            }
        }
    };
}

methods! {
    Initialize = "initialize" Request {
        client: span(R1, R4), server: None, needs: None,
        "InitializeRequest" => Some("InitializeResult"),
    }
    Discover = "server/discover" Request {
        client: span(R5, R5), server: None, needs: None,
        "DiscoverRequest" => Some("DiscoverResult"),
    }
    Ping = "ping" Request {
        client: span(R1, R4), server: span(R1, R4), needs: None,
        "PingRequest" => Some("EmptyResult"),
    }
    ListTools = "tools/list" Request {
        client: span(R1, R5), server: None, needs: Some(Capability::Tools),
        "ListToolsRequest" => Some("ListToolsResult"),
    }
    CallTool = "tools/call" Request {
        client: span(R1, R5), server: None, needs: Some(Capability::Tools),
        "CallToolRequest" => Some("CallToolResult"),
    }
    ListResources = "resources/list" Request {
        client: span(R1, R5), server: None, needs: Some(Capability::Resources),
        "ListResourcesRequest" => Some("ListResourcesResult"),
    }
    ListResourceTemplates = "resources/templates/list" Request {
        client: span(R1, R5), server: None, needs: Some(Capability::Resources),
        "ListResourceTemplatesRequest" => Some("ListResourceTemplatesResult"),
    }
    ReadResource = "resources/read" Request {
        client: span(R1, R5), server: None, needs: Some(Capability::Resources),
        "ReadResourceRequest" => Some("ReadResourceResult"),
    }
    Subscribe = "resources/subscribe" Request {
        client: span(R1, R4), server: None, needs: Some(Capability::ResourceSubscriptions),
        "SubscribeRequest" => Some("EmptyResult"),
    }
    Unsubscribe = "resources/unsubscribe" Request {
        client: span(R1, R4), server: None, needs: Some(Capability::ResourceSubscriptions),
        "UnsubscribeRequest" => Some("EmptyResult"),
    }
    ListenSubscriptions = "subscriptions/listen" Request {
        client: span(R5, R5), server: None, needs: None,
        "SubscriptionsListenRequest" => Some("SubscriptionsListenResult"),
    }
    ListPrompts = "prompts/list" Request {
        client: span(R1, R5), server: None, needs: Some(Capability::Prompts),
        "ListPromptsRequest" => Some("ListPromptsResult"),
    }
    GetPrompt = "prompts/get" Request {
        client: span(R1, R5), server: None, needs: Some(Capability::Prompts),
        "GetPromptRequest" => Some("GetPromptResult"),
    }
    Complete = "completion/complete" Request {
        client: span(R1, R5), server: None, needs: Some(Capability::Completions),
        "CompleteRequest" => Some("CompleteResult"),
    }
    SetLevel = "logging/setLevel" Request {
        client: span(R1, R4), server: None, needs: Some(Capability::Logging),
        "SetLevelRequest" => Some("EmptyResult"),
    }
    GetTask = "tasks/get" Request {
        client: span(R4, R5), server: span(R4, R4), needs: Some(Capability::Tasks),
        "GetTaskRequest" => Some("GetTaskResult"),
    }
    GetTaskPayload = "tasks/result" Request {
        client: span(R4, R4), server: span(R4, R4), needs: Some(Capability::Tasks),
        "GetTaskPayloadRequest" => Some("GetTaskPayloadResult"),
    }
    ListTasks = "tasks/list" Request {
        client: span(R4, R4), server: span(R4, R4), needs: Some(Capability::TaskList),
        "ListTasksRequest" => Some("ListTasksResult"),
    }
    CancelTask = "tasks/cancel" Request {
        client: span(R4, R5), server: span(R4, R4), needs: Some(Capability::TaskCancel),
        "CancelTaskRequest" => Some("CancelTaskResult"),
    }
    UpdateTask = "tasks/update" Request {
        client: span(R5, R5), server: None, needs: Some(Capability::Tasks),
        "UpdateTaskRequest" => Some("EmptyResult"),
    }
    ListRoots = "roots/list" Request {
        client: None, server: span(R1, R4), needs: Some(Capability::Roots),
        "ListRootsRequest" => Some("ListRootsResult"),
    }
    CreateMessage = "sampling/createMessage" Request {
        client: None, server: span(R1, R4), needs: Some(Capability::Sampling),
        "CreateMessageRequest" => Some("CreateMessageResult"),
    }
    Elicit = "elicitation/create" Request {
        client: None, server: span(R3, R4), needs: Some(Capability::Elicitation),
        "ElicitRequest" => Some("ElicitResult"),
    }
    Initialized = "notifications/initialized" Notification {
        client: span(R1, R4), server: None, needs: None,
        "InitializedNotification" => None,
    }
    Cancelled = "notifications/cancelled" Notification {
        client: span(R1, R5), server: span(R1, R5), needs: None,
        "CancelledNotification" => None,
    }
    Progress = "notifications/progress" Notification {
        client: span(R1, R4), server: span(R1, R5), needs: None,
        "ProgressNotification" => None,
    }
    LogMessage = "notifications/message" Notification {
        client: None, server: span(R1, R5), needs: None,
        "LoggingMessageNotification" => None,
    }
    ToolListChanged = "notifications/tools/list_changed" Notification {
        client: None, server: span(R1, R5), needs: None,
        "ToolListChangedNotification" => None,
    }
    PromptListChanged = "notifications/prompts/list_changed" Notification {
        client: None, server: span(R1, R5), needs: None,
        "PromptListChangedNotification" => None,
    }
    ResourceListChanged = "notifications/resources/list_changed" Notification {
        client: None, server: span(R1, R5), needs: None,
        "ResourceListChangedNotification" => None,
    }
    ResourceUpdated = "notifications/resources/updated" Notification {
        client: None, server: span(R1, R5), needs: None,
        "ResourceUpdatedNotification" => None,
    }
    RootsListChanged = "notifications/roots/list_changed" Notification {
        client: span(R1, R4), server: None, needs: None,
        "RootsListChangedNotification" => None,
    }
    ElicitationComplete = "notifications/elicitation/complete" Notification {
        client: None, server: span(R4, R4), needs: None,
        "ElicitationCompleteNotification" => None,
    }
    TaskStatus = "notifications/tasks/status" Notification {
        client: span(R4, R4), server: span(R4, R4), needs: None,
        "TaskStatusNotification" => None,
    }
    SubscriptionsAcknowledged = "notifications/subscriptions/acknowledged" Notification {
        client: None, server: span(R5, R5), needs: None,
        "SubscriptionsAcknowledgedNotification" => None,
    }
    TaskUpdated = "notifications/tasks" Notification {
        client: None, server: span(R5, R5), needs: None,
        "TaskNotification" => None,
    }
}

impl Method {
    /// Returns the name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.spec().name
    }

    /// Reports whether the method belongs to the tasks extension in `revision`, so that it needs
    /// the extension `io.modelcontextprotocol/tasks` on both sides.
    #[must_use]
    pub fn is_tasks_extension(self, revision: Revision) -> bool {
        revision == R5
            && matches!(
                self,
                Self::GetTask | Self::CancelTask | Self::UpdateTask | Self::TaskUpdated
            )
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A method as received: one of the table, or any other name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MethodName<'a> {
    /// A method of some revision, not necessarily of the one in use.
    Known(Method),
    /// A name that no revision defines.
    Unknown(Cow<'a, str>),
}

impl<'a> MethodName<'a> {
    /// Looks a name up in the table.
    #[must_use]
    pub fn of(name: &'a str) -> Self {
        match Method::parse(name) {
            Some(method) => Self::Known(method),
            None => Self::Unknown(Cow::Borrowed(name)),
        }
    }

    /// Returns the name on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(method) => method.as_str(),
            Self::Unknown(name) => name,
        }
    }

    /// Returns the method when the table has it.
    #[must_use]
    pub const fn known(&self) -> Option<Method> {
        match self {
            Self::Known(method) => Some(*method),
            Self::Unknown(_) => None,
        }
    }
}

impl fmt::Display for MethodName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for MethodName<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(NameVisitor)
    }
}

struct NameVisitor;

impl<'de> Visitor<'de> for NameVisitor {
    type Value = MethodName<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a method name")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<MethodName<'de>, E> {
        Ok(MethodName::of(name))
    }

    fn visit_str<E>(self, name: &str) -> Result<MethodName<'de>, E> {
        Ok(match Method::parse(name) {
            Some(method) => MethodName::Known(method),
            None => MethodName::Unknown(Cow::Owned(name.to_owned())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_parses_from_its_name_and_is_sent_by_someone() {
        for &method in Method::ALL {
            let spec = method.spec();
            assert_eq!(Method::parse(spec.name), Some(method));
            assert!(spec.from_client.is_some() || spec.from_server.is_some(), "{method}");
            assert_eq!(spec.result.is_some(), spec.kind == Kind::Request, "{method}");
            assert_eq!(spec.name.starts_with("notifications/"), spec.kind == Kind::Notification);
        }
    }

    #[test]
    fn a_stateless_server_sends_no_request() {
        for &method in Method::ALL {
            let spec = method.spec();
            let sends = spec.server_may_send(Revision::V2026_07_28);
            assert!(!sends || spec.kind == Kind::Notification, "{method}");
        }
    }

    #[test]
    fn the_methods_removed_by_the_stateless_revision_are_gone() {
        for name in [
            "initialize",
            "ping",
            "logging/setLevel",
            "resources/subscribe",
            "resources/unsubscribe",
            "tasks/list",
            "tasks/result",
        ] {
            let spec = Method::parse(name).unwrap().spec();
            assert!(!spec.client_may_send(Revision::V2026_07_28), "{name}");
            assert!(spec.client_may_send(Revision::V2025_11_25), "{name}");
        }
    }
}
