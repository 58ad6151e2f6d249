//! Requests that need a handler: find it, run it, and write what it comes to.
//!
//! A handler that panics is answered with an internal error and nothing else is harmed.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use mcp_proto::{
    CallToolParams, CallToolResult, CompleteParams, CompleteResult, CompletionRef, Content,
    GetPromptParams, GetPromptResult, ListResourcesResult, Method, Outcome, PageParams,
    ReadResourceParams, ReadResourceResult, RpcError, decode_params,
};
use serde_json::value::RawValue;

use super::connection::Connection;
use super::dispatch::encoded;
use super::in_flight::Call;
use super::input::{Attempt, Failed, text};
use super::pool::Job;
use crate::catalog::Pace;
use crate::context::{CallContext, Inputs};
use crate::error::{RequestError, RequestFailure};
use crate::page::page;
use crate::registry::{Registry, ResourceHandler};
use crate::tool::{Arguments, ToolFailure};

/// What an answer holds beside its contents, in bytes.
const ENVELOPE: usize = 256;

/// How many bytes of a text are looked at to estimate its length in JSON.
const SAMPLE: usize = 32 * 1024;

/// A request that is in flight and needs its handler.
pub(super) struct Run<'m> {
    pub(super) call: Arc<Call>,
    pub(super) work: Work<'m>,
    pub(super) params: Option<&'m RawValue>,
}

/// The handler of a request, and what it gets.
pub(super) enum Work<'m> {
    CallTool { index: usize, params: CallToolParams<'m> },
    ListResources(PageParams),
    ReadResource { handler: ResourceHandler, params: ReadResourceParams<'m> },
    GetPrompt { index: usize, params: GetPromptParams<'m>, raw: Option<&'m RawValue> },
    Complete(CompleteParams),
}

/// What a request comes to.
pub(super) enum Answer {
    CallTool(Outcome<CallToolResult>),
    ListResources(ListResourcesResult<'static>),
    ReadResource(Outcome<ReadResourceResult>),
    GetPrompt(Outcome<GetPromptResult>),
    Complete(CompleteResult),
    Error(RpcError),
}

impl<'m> Work<'m> {
    /// Finds the handler and decodes the parameters.
    pub(super) fn prepare(
        registry: &Registry,
        method: Method,
        params: Option<&'m RawValue>,
    ) -> Result<Self, RpcError> {
        let raw = params;
        match method {
            Method::CallTool => {
                let params = CallToolParams::from_params(params)?;
                let index = registry
                    .tools
                    .find(&params.name)
                    .filter(|index| registry.tools.entries()[*index].handler.is_available())
                    .ok_or_else(|| unknown("tool", &params.name))?;
                Ok(Self::CallTool { index, params })
            }
            Method::ListResources => decode_params(params).map(Self::ListResources),
            Method::ReadResource => {
                let params: ReadResourceParams<'m> = decode_params(params)?;
                let handler = registry
                    .resource(&params.uri)
                    .ok_or_else(|| RpcError::resource_not_found(&params.uri))?;
                Ok(Self::ReadResource { handler, params })
            }
            Method::GetPrompt => {
                let params: GetPromptParams<'m> = decode_params(params)?;
                let index = find_prompt(registry, &params.name)?;
                for argument in &registry.prompts.definitions()[index].arguments {
                    if argument.is_required() && params.arguments.get(&argument.name).is_none() {
                        let name = &argument.name;
                        let problem = format!("prompt {:?} needs argument {name:?}", params.name);
                        return Err(RpcError::invalid_params(problem));
                    }
                }
                Ok(Self::GetPrompt { index, params, raw })
            }
            Method::Complete => {
                let params: CompleteParams = decode_params(params)?;
                check_reference(registry, &params.reference)?;
                Ok(Self::Complete(params))
            }
            _ => Err(RpcError::method_not_found(method.as_str())),
        }
    }

    fn method(&self) -> Method {
        match self {
            Self::CallTool { .. } => Method::CallTool,
            Self::ListResources(_) => Method::ListResources,
            Self::ReadResource { .. } => Method::ReadResource,
            Self::GetPrompt { .. } => Method::GetPrompt,
            Self::Complete(_) => Method::Complete,
        }
    }
}

fn unknown(what: &str, name: &str) -> RpcError {
    RpcError::invalid_params(format!("unknown {what} {name:?}"))
}

fn find_prompt(registry: &Registry, name: &str) -> Result<usize, RpcError> {
    registry
        .prompts
        .find(name)
        .filter(|index| registry.prompts.entries()[*index].handler.is_available())
        .ok_or_else(|| unknown("prompt", name))
}

/// Refuses a reference to something that the server does not have.
fn check_reference(registry: &Registry, reference: &CompletionRef) -> Result<(), RpcError> {
    match reference {
        CompletionRef::Prompt { name, .. } => find_prompt(registry, name).map(|_index| ()),
        CompletionRef::Resource { uri } => {
            let is_known =
                registry.templates.find(uri).is_some() || registry.resource(uri).is_some();
            if is_known { Ok(()) } else { Err(unknown("resource template", uri)) }
        }
        _ => Err(RpcError::invalid_params("unknown kind of reference")),
    }
}

impl Run<'_> {
    /// Copies what the request needs, so that it can wait.
    pub(super) fn to_job(&self) -> Job {
        Job {
            call: Arc::clone(&self.call),
            method: self.work.method(),
            params: self.params.map(ToOwned::to_owned),
        }
    }
}

impl Connection {
    /// Returns how long the handler of a request took the last time.
    pub(super) fn pace(&self, work: &Work<'_>) -> &Pace {
        let registry = &self.registry;
        match work {
            Work::CallTool { index, .. } => &registry.tools.entries()[*index].pace,
            Work::ListResources(_) => &registry.list_pace,
            Work::ReadResource { handler: ResourceHandler::Single(index), .. } => {
                &registry.resources.entries()[*index].pace
            }
            Work::ReadResource { handler: ResourceHandler::Template(index, _), .. } => {
                &registry.templates.entries()[*index].pace
            }
            Work::GetPrompt { index, .. } => &registry.prompts.entries()[*index].pace,
            Work::Complete(_) => &registry.completion_pace,
        }
    }

    /// Runs the handler of a request that waited.
    pub(super) fn run_job(self: &Arc<Self>, job: &Job) -> Answer {
        match Work::prepare(&self.registry, job.method, job.params.as_deref()) {
            Ok(work) => self.run(&job.call, &work),
            Err(error) => Answer::Error(error),
        }
    }

    /// Runs the handler of a request.
    pub(super) fn run(self: &Arc<Self>, call: &Arc<Call>, work: &Work<'_>) -> Answer {
        catch_unwind(AssertUnwindSafe(|| self.perform(call, work))).unwrap_or_else(|_panic| {
            Answer::Error(RpcError::internal(format!("the handler of {} panicked", work.method())))
        })
    }

    fn perform(self: &Arc<Self>, call: &Arc<Call>, work: &Work<'_>) -> Answer {
        let registry = &self.registry;
        match work {
            Work::CallTool { index, params } => {
                let tool = &registry.tools.entries()[*index].handler;
                let attempt = Attempt {
                    binding: [Method::CallTool.as_str(), &params.name, params.arguments_json()],
                    responses: params.input_responses.as_ref(),
                    state: params.request_state.as_ref(),
                };
                let arguments = Arguments::new(params.arguments);
                tool_answer(self.attempt(call, &attempt, |context| tool.call(arguments, context)))
            }
            Work::ListResources(params) => match self.list_resources(params) {
                Ok(result) => Answer::ListResources(result),
                Err(error) => Answer::Error(error),
            },
            Work::ReadResource { handler, params } => {
                let attempt = Attempt {
                    binding: [Method::ReadResource.as_str(), &params.uri, ""],
                    responses: params.input_responses.as_ref(),
                    state: params.request_state.as_ref(),
                };
                let outcome = self.attempt(call, &attempt, |context| match handler {
                    ResourceHandler::Single(index) => {
                        registry.resources.entries()[*index].handler.read(context)
                    }
                    ResourceHandler::Template(index, matched) => {
                        registry.templates.entries()[*index].handler.read(matched, context)
                    }
                });
                match outcome {
                    Ok(outcome) => Answer::ReadResource(outcome),
                    Err(error) => Answer::Error(request_error(error, &params.uri)),
                }
            }
            Work::GetPrompt { index, params, raw } => {
                let prompt = &registry.prompts.entries()[*index].handler;
                let arguments = arguments_text(*raw);
                let attempt = Attempt {
                    binding: [Method::GetPrompt.as_str(), &params.name, &arguments],
                    responses: params.input_responses.as_ref(),
                    state: params.request_state.as_ref(),
                };
                let get = |context: &CallContext| prompt.get(&params.arguments, context);
                match self.attempt(call, &attempt, get) {
                    Ok(outcome) => Answer::GetPrompt(outcome),
                    Err(error) => Answer::Error(request_error(error, "")),
                }
            }
            Work::Complete(params) => {
                let Some(completion) = &registry.completion else {
                    return Answer::Error(RpcError::method_not_found(Method::Complete.as_str()));
                };
                let context =
                    CallContext::new(Arc::clone(self), Arc::clone(call), Inputs::default());
                match completion.complete(params, &context) {
                    Ok(result) => Answer::Complete(result),
                    Err(error) => Answer::Error(request_error(Failed::Handler(error), "")),
                }
            }
        }
    }

    fn list_resources(
        &self,
        params: &PageParams,
    ) -> Result<ListResourcesResult<'static>, RpcError> {
        let registry = &self.registry;
        let mut resources =
            registry.resources.available(|resource| resource.is_available()).into_owned();
        for entry in registry.templates.entries() {
            resources.extend(entry.handler.list());
        }
        resources.sort_by(|a, b| a.uri.cmp(&b.uri));
        resources.dedup_by(|a, b| a.uri == b.uri);
        let cursor = params.cursor.as_ref();
        let size = self.limits.page_size;
        let (range, next) = page("resources", &resources, |entry| &entry.uri, cursor, size)?;
        let mut result = ListResourcesResult::new(Cow::Owned(resources.drain(range).collect()))
            .cache(registry.list_cache);
        result.next_cursor = next;
        Ok(result)
    }

    /// Writes what a request came to, unless nobody waits for it any more.
    pub(super) fn respond(&self, call: &Call, answer: Answer, body: &mut Vec<u8>) {
        let wire = self.wire(call.peer.revision);
        body.reserve(size_of(&answer));
        let written = match &answer {
            Answer::CallTool(result) => wire.result(body, &call.id, result),
            Answer::ListResources(result) => wire.result(body, &call.id, result),
            Answer::ReadResource(result) => wire.result(body, &call.id, result),
            Answer::GetPrompt(result) => wire.result(body, &call.id, result),
            Answer::Complete(result) => wire.result(body, &call.id, result),
            Answer::Error(error) => {
                wire.error(body, Some(&call.id), error);
                Ok(())
            }
        };
        if let Err(error) = encoded(written) {
            wire.error(body, Some(&call.id), &error);
        }
        // A large result is not kept beside its encoded form any longer than necessary.
        drop(answer);
        self.outbox.complete(call, body);
    }
}

/// Estimates how long a large answer becomes, so that the buffer need not be copied as it grows.
fn size_of(answer: &Answer) -> usize {
    let Answer::CallTool(Outcome::Complete(result)) = answer else { return 0 };
    let blocks = result.content.iter().map(|block| match block {
        Content::Text(block) => escaped_size(block.text.as_bytes()),
        Content::Image(block) | Content::Audio(block) => block.data.len(),
        _ => 0,
    });
    let data = result.structured_content.as_ref().map_or(0, |data| data.get().len());
    blocks.sum::<usize>() + data + ENVELOPE
}

/// Estimates how long a text becomes in JSON by the escapes at its beginning.
fn escaped_size(text: &[u8]) -> usize {
    let sample = &text[..text.len().min(SAMPLE)];
    let escapes = sample.iter().filter(|byte| matches!(byte, 0..0x20 | b'"' | b'\\')).count();
    // A bit more than the sample says, as too little would mean to copy everything once more.
    let share = (escapes + escapes / 8 + SAMPLE / 256).min(SAMPLE);
    text.len() + text.len() / SAMPLE * share + escapes
}

/// What the model can act on becomes a result, everything else an error.
fn tool_answer(outcome: Result<Outcome<CallToolResult>, Failed<crate::tool::ToolError>>) -> Answer {
    let text = match outcome {
        Ok(outcome) => return Answer::CallTool(outcome),
        Err(Failed::Protocol(error)) => return Answer::Error(error),
        Err(Failed::Handler(error)) => match error.0 {
            ToolFailure::Protocol(error) => return Answer::Error(error),
            ToolFailure::Message(text) => text,
        },
        Err(Failed::Asking(text)) => text,
    };
    Answer::CallTool(CallToolResult::error(text).into())
}

fn request_error(failed: Failed<RequestError>, uri: &str) -> RpcError {
    match failed {
        Failed::Handler(error) => match error.0 {
            RequestFailure::NotFound => RpcError::resource_not_found(uri),
            RequestFailure::Protocol(error) => error,
        },
        Failed::Asking(text) => RpcError::internal(text),
        Failed::Protocol(error) => error,
    }
}

/// Returns the arguments of a prompt as the client wrote them, to tell requests apart.
fn arguments_text(params: Option<&RawValue>) -> String {
    #[derive(serde::Deserialize)]
    struct Shape<'a> {
        #[serde(borrow)]
        arguments: Option<&'a RawValue>,
    }

    let shape = params.and_then(|raw| serde_json::from_str::<Shape<'_>>(raw.get()).ok());
    text(shape.and_then(|shape| shape.arguments)).to_owned()
}
