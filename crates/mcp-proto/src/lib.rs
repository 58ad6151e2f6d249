//! Messages of the Model Context Protocol, for every published revision and both directions.
//!
//! One neutral set of types, shaped like the newest revision, and one codec that knows them all:
//! [`decode`] turns bytes into an [`Incoming`] message whose contents stay raw until their owner
//! types them with [`decode_params`]; [`Wire`] turns typed messages into the bytes of one
//! [`Revision`]. Callers never see what differs on the wire: result types, cache hints, error
//! numbers, members that a revision does not have.
//!
//! Reading order: [`Revision`], [`Incoming`], [`Method`], [`RequestMeta`], [`Wire`]; then one
//! module per concept of the protocol.
//!
//! ```
//! use mcp_proto::{CallToolParams, CallToolResult, Incoming, Revision, Wire, decode, decode_params};
//!
//! let line = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}"#;
//! let Incoming::Request { id, params, .. } = decode(line) else { panic!("not a request") };
//! let call: CallToolParams<'_> = decode_params(params)?;
//!
//! let mut out = Vec::new();
//! let result = CallToolResult::text(format!("called {}", call.name));
//! Wire::new(Revision::V2025_11_25).result(&mut out, &id, &result)?;
//! assert_eq!(
//!     out,
//!     br#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"called echo"}]}}"#
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Invariants: no I/O, no threads, no clock; decoding never panics and never allocates more than a
//! small multiple of what it was given; what is encoded for a revision validates against that
//! revision's official schema.

mod capabilities;
mod completion;
mod content;
mod elicitation;
mod encode;
mod envelope;
mod error;
mod form;
mod icon;
mod id;
mod input_required;
mod json;
mod lifecycle;
mod member;
mod meta;
mod method;
mod notification;
mod outcome;
mod page;
mod params;
mod prompt;
mod resource;
mod revision;
mod roots;
mod sampling;
mod strings;
mod subscription;
mod task;
mod tool;

pub use capabilities::{
    ClientCapabilities, ElicitationCapability, ListCapability, ResourcesCapability,
    RootsCapability, SamplingCapability, ServerCapabilities, TASKS_EXTENSION, TasksCapability,
};
pub use completion::{
    COMPLETION_LIMIT, CompleteParams, CompleteResult, Completion, CompletionArgument,
    CompletionContext, CompletionRef,
};
pub use content::{Annotations, Content, MediaContent, Role, TextContent};
pub use elicitation::{
    ElicitAction, ElicitFormParams, ElicitParams, ElicitResult, ElicitUrlParams,
    ElicitationComplete,
};
pub use encode::{
    Encode, Fields, NotInRevision, NotificationBody, Object, ResultBody, Wire, Writer,
};
pub use envelope::{Incoming, decode, recover_id};
pub use error::{ErrorCode, RpcError};
pub use form::{
    BooleanField, Choice, ChoiceField, FormField, FormSchema, MultiChoiceField, NumberField,
    StringField, TitleStyle,
};
pub use icon::{Icon, IconTheme};
pub use id::{ProgressToken, RequestId};
pub use input_required::{
    InputRequest, InputRequests, InputRequiredResult, InputResponses, RequestState,
};
pub use json::{JsonObject, RawJson};
pub use lifecycle::{
    DiscoverResult, EmptyResult, Implementation, InitializeParams, InitializeResult, Initialized,
    NoParams, RawResult,
};
pub use meta::{NotificationMeta, RelatedTask, RequestMeta, ResultMeta, raw_meta};
pub use method::{Capability, Kind, Method, MethodName, MethodSpec, Span};
pub use notification::{
    Cancelled, LogMessage, LoggingLevel, Progress, PromptListChanged, ResourceListChanged,
    ResourceUpdated, SetLevelParams, ToolListChanged,
};
pub use outcome::{Outcome, ResultType};
pub use page::{CacheHint, CacheScope, Cursor, PageParams};
pub use params::decode_params;
pub use prompt::{
    GetPromptParams, GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage,
};
pub use resource::{
    EmbeddedResource, ListResourceTemplatesResult, ListResourcesResult, ReadResourceParams,
    ReadResourceResult, Resource, ResourceBody, ResourceContents, ResourceTemplate,
    SubscribeParams,
};
pub use revision::{Era, Revision};
pub use roots::{ListRootsResult, Root, RootsListChanged};
pub use sampling::{
    CreateMessageParams, CreateMessageResult, IncludeContext, ModelHint, ModelPreferences,
    SamplingBlocks, SamplingContent, SamplingMessage, ToolChoice, ToolChoiceMode,
    ToolResultContent, ToolUseContent,
};
pub use strings::Strings;
pub use subscription::{ListenParams, ListenResult, SubscriptionFilter, SubscriptionsAcknowledged};
pub use task::{
    CancelTaskResult, CreateTaskResult, DetailedTask, ListTasksResult, Task, TaskParams,
    TaskRequest, TaskStatus, TaskStatusChanged, TaskUpdated, UpdateTaskParams,
};
pub use tool::{
    CallToolParams, CallToolResult, ListToolsResult, TaskSupport, Tool, ToolAnnotations,
    ToolExecution,
};
