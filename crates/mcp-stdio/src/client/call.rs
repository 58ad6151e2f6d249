//! Calling tools, reading resources, getting prompts, completing arguments; rounds of input included.

use std::sync::Arc;
use std::time::Duration;

use mcp_proto::{
    CallToolParams, CallToolResult, CompleteParams, CompleteResult, Era, Fields, GetPromptParams,
    GetPromptResult, InputRequest, InputRequiredResult, InputResponses, Method, Outcome,
    ReadResourceParams, ReadResourceResult, RequestState, Strings,
};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::asked::{Given, give};
use super::cancel::CancelToken;
use super::connection::{Connection, Raw, Settled, cancelled};
use super::error::ClientError;
use super::handler::Refusal;
use super::options::CallOptions;
use super::pending::Patience;
use super::session::{Inner, Session, ask_by};

impl Session {
    /// Calls a tool. A tool that fails is a result too; see [`CallToolResult::failed`].
    ///
    /// The call is not repeated when the server ends over it: it may have had its effect.
    ///
    /// # Errors
    /// As for every request; [`ClientError::NotOffered`] where the server has no tools.
    pub fn call_tool(
        &self,
        name: &str,
        arguments: Option<&RawValue>,
        options: &CallOptions<'_>,
    ) -> Result<CallToolResult, ClientError> {
        let (connection, settled) = self.inner().connection(options)?;
        if settled.capabilities.tools.is_none() {
            return Err(ClientError::NotOffered("tools".to_owned()));
        }
        let mut params = CallToolParams::new(name);
        params.arguments = arguments.map(RawValue::get);
        let set = |params: &mut CallToolParams<'_>, answers, state| {
            params.input_responses = answers;
            params.request_state = state;
        };
        rounds(self.inner(), &connection, &settled, Method::CallTool, params, set, options)
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// As for every request; [`ClientError::NotOffered`] where the server has no resources.
    pub fn read_resource(
        &self,
        uri: &str,
        options: &CallOptions<'_>,
    ) -> Result<ReadResourceResult, ClientError> {
        let (connection, settled) = self.inner().connection(options)?;
        if settled.capabilities.resources.is_none() {
            return Err(ClientError::NotOffered("resources".to_owned()));
        }
        let params = ReadResourceParams::new(uri);
        let set = |params: &mut ReadResourceParams<'_>, answers, state| {
            params.input_responses = answers;
            params.request_state = state;
        };
        rounds(self.inner(), &connection, &settled, Method::ReadResource, params, set, options)
    }

    /// Gets a prompt with its arguments filled in.
    ///
    /// # Errors
    /// As for every request; [`ClientError::NotOffered`] where the server has no prompts.
    pub fn get_prompt(
        &self,
        name: &str,
        arguments: Strings,
        options: &CallOptions<'_>,
    ) -> Result<GetPromptResult, ClientError> {
        let (connection, settled) = self.inner().connection(options)?;
        if settled.capabilities.prompts.is_none() {
            return Err(ClientError::NotOffered("prompts".to_owned()));
        }
        let mut params = GetPromptParams::new(name);
        params.arguments = arguments;
        let set = |params: &mut GetPromptParams<'_>, answers, state| {
            params.input_responses = answers;
            params.request_state = state;
        };
        rounds(self.inner(), &connection, &settled, Method::GetPrompt, params, set, options)
    }

    /// Completes an argument of a prompt or of a resource template.
    ///
    /// # Errors
    /// As for every request. 2024-11-05 has no capability for it, so there it is tried.
    pub fn complete(
        &self,
        params: &CompleteParams,
        options: &CallOptions<'_>,
    ) -> Result<CompleteResult, ClientError> {
        let (connection, settled) = self.inner().connection(options)?;
        let unsaid = settled.wire.revision() == mcp_proto::Revision::V2024_11_05;
        if settled.capabilities.completions.is_none() && !unsaid {
            return Err(ClientError::NotOffered("completions".to_owned()));
        }
        let method = Method::Complete;
        let raw = self.inner().ask_on(&connection, &settled, method, params, options)?;
        serde_json::from_slice(raw.bytes()).map_err(|error| invalid(method, &error))
    }
}

fn invalid(method: Method, error: &dyn std::fmt::Display) -> ClientError {
    ClientError::InvalidAnswer { method, problem: error.to_string() }
}

/// Asks until the result is complete: a server may want input first (MR-15 to MR-24).
fn rounds<P: Fields, T: DeserializeOwned>(
    inner: &Inner,
    connection: &Arc<Connection>,
    settled: &Settled,
    method: Method,
    mut params: P,
    set: impl Fn(&mut P, Option<InputResponses>, Option<RequestState>),
    options: &CallOptions<'_>,
) -> Result<T, ClientError> {
    let clock = options.clock(&inner.shared.limits);
    for _ in 0..=inner.shared.limits.max_input_rounds {
        let meta = inner.meta(connection, settled, options);
        let raw = ask_by(connection, settled, method, &params, meta, options, &clock)?;
        let wanted = match outcome(settled, method, &raw)? {
            Outcome::Complete(result) => return Ok(result),
            Outcome::InputRequired(wanted) => wanted,
            // Nothing was declared that a server could answer with a task.
            Outcome::Task(_) => return Err(invalid(method, &"a task, which was not asked for")),
        };
        let InputRequiredResult { input_requests, request_state, .. } = wanted;
        if input_requests.is_empty() {
            if request_state.is_none() {
                return Err(invalid(method, &"input is required, and none is asked for"));
            }
            pause(inner.shared.limits.input_backoff, options)?;
            set(&mut params, None, request_state);
            continue;
        }
        let mut answers = InputResponses::new();
        for (key, request) in input_requests.iter() {
            cancelled(options.cancel)?;
            put(inner, options, &mut answers, key, request)?;
        }
        set(&mut params, Some(answers), request_state);
    }
    Err(invalid(method, &"input is asked for again and again"))
}

fn outcome<T: DeserializeOwned>(
    settled: &Settled,
    method: Method,
    raw: &Raw,
) -> Result<Outcome<T>, ClientError> {
    let read = match settled.wire.revision().era() {
        Era::Handshake => serde_json::from_slice(raw.bytes()).map(Outcome::Complete),
        Era::PerRequest => {
            serde_json::from_slice::<&RawValue>(raw.bytes()).and_then(Outcome::from_raw)
        }
    };
    read.map_err(|error| invalid(method, &error))
}

/// Gets one answer from the handler.
fn put(
    inner: &Inner,
    options: &CallOptions<'_>,
    answers: &mut InputResponses,
    key: &str,
    request: &InputRequest,
) -> Result<(), ClientError> {
    let handler = inner.shared.handler.as_ref();
    let what = request.method();
    if request.missing_capability(&handler.capabilities()).is_some() {
        return Err(ClientError::InputRefused(format!("{what} was not declared")));
    }
    let token = options.cancel.cloned().unwrap_or_default();
    let put = match give(handler, request, &token) {
        Ok(Given::Roots(result)) => answers.insert(key, &result),
        Ok(Given::Message(result)) => answers.insert(key, &result),
        Ok(Given::Elicited(result)) => answers.insert(key, &result),
        // MR-27: what is refused has no form, so the call ends here.
        Err(refusal) => {
            return Err(ClientError::InputRefused(format!("{what}: {}", why(&refusal))));
        }
    };
    put.map_err(|error| ClientError::InputRefused(format!("{what}: {error}")))
}

fn why(refusal: &Refusal) -> &str {
    match refusal {
        Refusal::Unsupported => "not supported",
        Refusal::Declined(why) | Refusal::Invalid(why) | Refusal::Failed(why) => why,
    }
}

/// Lets time pass, unless the caller has had enough.
fn pause(duration: Duration, options: &CallOptions<'_>) -> Result<(), ClientError> {
    let slot = Arc::new(super::pending::Slot::default());
    if let Some(token) = options.cancel {
        CancelToken::watch(token, &slot);
    }
    let until = Some(std::time::Instant::now() + duration);
    // Nobody ever fills this slot: the wait ends with the time or with the token.
    let ended = slot.wait(&Patience { until, cancel: options.cancel, on_progress: None });
    drop(ended);
    cancelled(options.cancel)
}
