//! Method to type: decodes raw parameters and results as their method says, then hands them on.

use mcp_proto::{
    CallToolParams, CallToolResult, CancelTaskResult, Cancelled, CompleteParams, CompleteResult,
    CreateMessageParams, CreateMessageResult, DetailedTask, DiscoverResult, ElicitParams,
    ElicitResult, ElicitationComplete, EmptyResult, Fields, GetPromptParams, GetPromptResult,
    InitializeParams, InitializeResult, Initialized, JsonObject, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListRootsResult, ListTasksResult,
    ListToolsResult, ListenParams, ListenResult, LogMessage, Method, NoParams, NotInRevision,
    NotificationBody, NotificationMeta, Outcome, PageParams, Progress, PromptListChanged,
    RawResult, ReadResourceParams, ReadResourceResult, ResourceListChanged, ResourceUpdated,
    ResultBody, RootsListChanged, RpcError, SetLevelParams, SubscribeParams,
    SubscriptionsAcknowledged, TaskParams, TaskStatusChanged, TaskUpdated, ToolListChanged,
    UpdateTaskParams, Wire, decode_params,
};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Types the parameters of a request.
pub(crate) fn with_params<R>(
    method: Method,
    raw: Option<&RawValue>,
    send: impl FnOnce(&dyn Fields) -> R,
) -> Result<R, RpcError> {
    Ok(match method {
        Method::Initialize => send(&decode_params::<InitializeParams>(raw)?),
        Method::Discover | Method::Ping | Method::ListRoots => {
            send(&decode_params::<NoParams>(raw)?)
        }
        Method::ListTools
        | Method::ListPrompts
        | Method::ListResources
        | Method::ListResourceTemplates
        | Method::ListTasks => send(&decode_params::<PageParams>(raw)?),
        Method::CallTool => send(&decode_params::<CallToolParams<'_>>(raw)?),
        Method::ReadResource => send(&decode_params::<ReadResourceParams<'_>>(raw)?),
        Method::Subscribe | Method::Unsubscribe => {
            send(&decode_params::<SubscribeParams<'_>>(raw)?)
        }
        Method::GetPrompt => send(&decode_params::<GetPromptParams<'_>>(raw)?),
        Method::Complete => send(&decode_params::<CompleteParams>(raw)?),
        Method::SetLevel => send(&decode_params::<SetLevelParams>(raw)?),
        Method::ListenSubscriptions => send(&decode_params::<ListenParams>(raw)?),
        Method::GetTask | Method::GetTaskPayload | Method::CancelTask => {
            send(&decode_params::<TaskParams>(raw)?)
        }
        Method::UpdateTask => send(&decode_params::<UpdateTaskParams>(raw)?),
        Method::CreateMessage => send(&decode_params::<CreateMessageParams>(raw)?),
        Method::Elicit => send(&decode_params::<ElicitParams>(raw)?),
        notification => panic!("{notification} is no request"),
    })
}

/// Types the result of a request.
pub(crate) fn with_result<R>(
    method: Method,
    raw: &RawValue,
    send: impl FnOnce(&dyn ResultBody) -> R,
) -> Result<R, serde_json::Error> {
    fn typed<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Result<T, serde_json::Error> {
        serde_json::from_str(raw.get())
    }

    Ok(match method {
        Method::Initialize => send(&typed::<InitializeResult>(raw)?),
        Method::Discover => send(&typed::<DiscoverResult>(raw)?),
        Method::Ping
        | Method::Subscribe
        | Method::Unsubscribe
        | Method::SetLevel
        | Method::UpdateTask => send(&typed::<EmptyResult>(raw)?),
        Method::ListTools => send(&typed::<ListToolsResult<'_>>(raw)?),
        Method::CallTool => send(&Outcome::<CallToolResult>::from_raw(raw)?),
        Method::ListResources => send(&typed::<ListResourcesResult<'_>>(raw)?),
        Method::ListResourceTemplates => send(&typed::<ListResourceTemplatesResult<'_>>(raw)?),
        Method::ReadResource => send(&Outcome::<ReadResourceResult>::from_raw(raw)?),
        Method::ListenSubscriptions => send(&typed::<ListenResult>(raw)?),
        Method::ListPrompts => send(&typed::<ListPromptsResult<'_>>(raw)?),
        Method::GetPrompt => send(&Outcome::<GetPromptResult>::from_raw(raw)?),
        Method::Complete => send(&typed::<CompleteResult>(raw)?),
        Method::GetTask => send(&typed::<DetailedTask>(raw)?),
        // The result of whatever request became the task: any members.
        Method::GetTaskPayload => send(&RawResult::new(typed::<JsonObject>(raw)?)),
        Method::ListTasks => send(&typed::<ListTasksResult>(raw)?),
        Method::CancelTask => match typed::<CancelTaskResult>(raw) {
            Ok(result) => send(&result),
            Err(_) => send(&typed::<EmptyResult>(raw)?),
        },
        Method::ListRoots => send(&typed::<ListRootsResult>(raw)?),
        Method::CreateMessage => send(&typed::<CreateMessageResult>(raw)?),
        Method::Elicit => send(&typed::<ElicitResult>(raw)?),
        notification => panic!("{notification} has no result"),
    })
}

/// Types a notification and encodes it again.
pub(crate) fn notify_again(
    method: Method,
    raw: Option<&RawValue>,
    wire: &Wire,
    out: &mut Vec<u8>,
) -> Result<Result<(), NotInRevision>, RpcError> {
    fn again<T: NotificationBody + for<'a> Deserialize<'a>>(
        raw: Option<&RawValue>,
        wire: &Wire,
        out: &mut Vec<u8>,
    ) -> Result<Result<(), NotInRevision>, RpcError> {
        let meta = NotificationMeta::from_params(raw)?;
        Ok(wire.notification(out, &decode_params::<T>(raw)?, &meta))
    }

    match method {
        Method::Initialized => again::<Initialized>(raw, wire, out),
        Method::Cancelled => again::<Cancelled>(raw, wire, out),
        Method::Progress => again::<Progress>(raw, wire, out),
        Method::LogMessage => again::<LogMessage>(raw, wire, out),
        Method::ToolListChanged => again::<ToolListChanged>(raw, wire, out),
        Method::PromptListChanged => again::<PromptListChanged>(raw, wire, out),
        Method::ResourceListChanged => again::<ResourceListChanged>(raw, wire, out),
        Method::ResourceUpdated => again::<ResourceUpdated>(raw, wire, out),
        Method::RootsListChanged => again::<RootsListChanged>(raw, wire, out),
        Method::ElicitationComplete => again::<ElicitationComplete>(raw, wire, out),
        Method::TaskStatus => again::<TaskStatusChanged>(raw, wire, out),
        Method::SubscriptionsAcknowledged => again::<SubscriptionsAcknowledged>(raw, wire, out),
        Method::TaskUpdated => again::<TaskUpdated>(raw, wire, out),
        request => panic!("{request} is no notification"),
    }
}
