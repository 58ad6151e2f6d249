//! Requests that need a handler: run it, and write what it comes to.
//!
//! A handler that panics is answered with an internal error and nothing else is harmed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use mcp_proto::{CallToolParams, CallToolResult, Method, Outcome, RpcError, decode_params};
use serde_json::value::RawValue;

use super::connection::Connection;
use super::dispatch::encoded;
use super::in_flight::Call;
use super::pool::Job;
use crate::context::CallContext;
use crate::registry::{Pace, Registry};
use crate::tool::{Arguments, ToolFailure};

/// A request that is in flight and needs its handler.
pub(super) struct Run<'m> {
    pub(super) call: Arc<Call>,
    pub(super) work: Work<'m>,
    pub(super) params: Option<&'m RawValue>,
}

/// The handler of a request, and what it gets.
pub(super) enum Work<'m> {
    CallTool { index: usize, params: CallToolParams<'m> },
}

/// What a request comes to.
#[expect(clippy::large_enum_variant, reason = "lives on the stack of one call, never in a list")]
pub(super) enum Answer {
    CallTool(Outcome<CallToolResult>),
    Error(RpcError),
}

impl<'m> Work<'m> {
    /// Finds the handler and decodes the parameters.
    pub(super) fn prepare(
        registry: &Registry,
        method: Method,
        params: Option<&'m RawValue>,
    ) -> Result<Self, RpcError> {
        match method {
            Method::CallTool => {
                let params: CallToolParams<'m> = decode_params(params)?;
                let index = registry.tool(&params.name).ok_or_else(|| {
                    RpcError::invalid_params(format!("unknown tool {:?}", params.name))
                })?;
                Ok(Self::CallTool { index, params })
            }
            _ => Err(RpcError::method_not_found(method.as_str())),
        }
    }

    fn method(&self) -> Method {
        match self {
            Self::CallTool { .. } => Method::CallTool,
        }
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
        match work {
            Work::CallTool { index, .. } => &self.registry.tools[*index].pace,
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
        let context = CallContext::new(Arc::clone(self), Arc::clone(call));
        catch_unwind(AssertUnwindSafe(|| self.perform(work, &context))).unwrap_or_else(|_panic| {
            Answer::Error(RpcError::internal(format!("the handler of {} panicked", work.method())))
        })
    }

    fn perform(&self, work: &Work<'_>, context: &CallContext) -> Answer {
        match work {
            Work::CallTool { index, params } => {
                let arguments = Arguments::new(params.arguments);
                match self.registry.tools[*index].handler.call(arguments, context) {
                    Ok(outcome) => Answer::CallTool(outcome),
                    Err(error) => match error.0 {
                        ToolFailure::Message(text) => {
                            Answer::CallTool(CallToolResult::error(text).into())
                        }
                        ToolFailure::Protocol(error) => Answer::Error(error),
                    },
                }
            }
        }
    }

    /// Writes what a request came to, unless nobody waits for it any more.
    pub(super) fn respond(&self, call: &Call, answer: &Answer, body: &mut Vec<u8>) {
        let wire = self.wire(call.peer.revision);
        let written = match answer {
            Answer::CallTool(result) => wire.result(body, &call.id, result),
            Answer::Error(error) => {
                wire.error(body, Some(&call.id), error);
                Ok(())
            }
        };
        if let Err(error) = encoded(written) {
            wire.error(body, Some(&call.id), &error);
        }
        self.outbox.complete(call, body);
    }
}
