//! Calling tools, reading resources, getting prompts, completing arguments; rounds of input included.

use std::fmt::Display;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use mcp_proto::{
    CallToolParams, CallToolResult, CompleteParams, CompleteResult, Era, Fields, GetPromptParams,
    GetPromptResult, InputRequest, InputRequiredResult, InputResponses, Method, Outcome,
    ReadResourceParams, ReadResourceResult, RequestState, Revision, Strings,
};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::asked::{Given, give};
use super::cancel::Wake;
use super::connection::Raw;
use super::error::ClientError;
use super::handler::Refusal;
use super::options::{CallOptions, Errand};
use super::pending::{Patience, Slot};
use super::session::{Inner, Session};
use super::standing::Live;

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
        let errand = self.inner().errand(Method::CallTool, options);
        let live = self.inner().live(&errand)?;
        if live.settled.capabilities.tools.is_none() {
            return Err(ClientError::NotOffered("tools".to_owned()));
        }
        let mut params = CallToolParams::new(name);
        params.arguments = arguments.map(RawValue::get);
        let set = |params: &mut CallToolParams<'_>, answers, state| {
            params.input_responses = answers;
            params.request_state = state;
        };
        rounds(self.inner(), &live, params, set, &errand)
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
        let errand = self.inner().errand(Method::ReadResource, options);
        let live = self.inner().live(&errand)?;
        if live.settled.capabilities.resources.is_none() {
            return Err(ClientError::NotOffered("resources".to_owned()));
        }
        let params = ReadResourceParams::new(uri);
        let set = |params: &mut ReadResourceParams<'_>, answers, state| {
            params.input_responses = answers;
            params.request_state = state;
        };
        rounds(self.inner(), &live, params, set, &errand)
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
        let errand = self.inner().errand(Method::GetPrompt, options);
        let live = self.inner().live(&errand)?;
        if live.settled.capabilities.prompts.is_none() {
            return Err(ClientError::NotOffered("prompts".to_owned()));
        }
        let mut params = GetPromptParams::new(name);
        params.arguments = arguments;
        let set = |params: &mut GetPromptParams<'_>, answers, state| {
            params.input_responses = answers;
            params.request_state = state;
        };
        rounds(self.inner(), &live, params, set, &errand)
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
        let errand = self.inner().errand(Method::Complete, options);
        let live = self.inner().live(&errand)?;
        let unsaid = live.settled.wire.revision() == Revision::V2024_11_05;
        if live.settled.capabilities.completions.is_none() && !unsaid {
            return Err(ClientError::NotOffered("completions".to_owned()));
        }
        let raw = self.inner().ask(&live, params, &errand)?;
        complete(&live, errand.method, &raw)
    }
}

fn invalid(method: Method, problem: &dyn Display) -> ClientError {
    ClientError::InvalidAnswer { method, problem: problem.to_string() }
}

/// Decodes a result that cannot ask for input.
pub(super) fn complete<T: DeserializeOwned>(
    live: &Live,
    method: Method,
    raw: &Raw,
) -> Result<T, ClientError> {
    match outcome(live, method, raw)? {
        Outcome::Complete(result) => Ok(result),
        // MR-24.
        Outcome::InputRequired(_) | Outcome::Task(_) => {
            Err(invalid(method, &"this request has its result at once"))
        }
    }
}

/// Asks until the result is complete: a server may want input first (MR-15 to MR-24).
fn rounds<P: Fields, T: DeserializeOwned>(
    inner: &Inner,
    live: &Live,
    mut params: P,
    set: impl Fn(&mut P, Option<InputResponses>, Option<RequestState>),
    errand: &Errand<'_>,
) -> Result<T, ClientError> {
    let method = errand.method;
    let limits = &inner.shared.limits;
    for _ in 0..=limits.max_input_rounds {
        let raw = inner.ask(live, &params, errand)?;
        let wanted = match outcome(live, method, &raw)? {
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
            pause(limits.input_backoff, errand)?;
            set(&mut params, None, request_state);
            continue;
        }
        if input_requests.len() > limits.max_inputs {
            let problem = format!("{} inputs are asked for at once", input_requests.len());
            return Err(invalid(method, &problem));
        }
        let mut answers = InputResponses::new();
        for (key, request) in input_requests.iter() {
            errand.cancelled()?;
            // A user who types is not a server that is slow.
            errand.meanwhile(|| put(inner, errand, &mut answers, key, request))?;
        }
        set(&mut params, Some(answers), request_state);
    }
    Err(invalid(method, &"input is asked for again and again"))
}

fn outcome<T: DeserializeOwned>(
    live: &Live,
    method: Method,
    raw: &Raw,
) -> Result<Outcome<T>, ClientError> {
    let read = match live.settled.wire.revision().era() {
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
    errand: &Errand<'_>,
    answers: &mut InputResponses,
    key: &str,
    request: &InputRequest,
) -> Result<(), ClientError> {
    let what = request.method();
    if request.missing_capability(&inner.shared.capabilities).is_some() {
        return Err(ClientError::InputRefused(format!("{what} was not declared")));
    }
    let token = errand.options.cancel.cloned().unwrap_or_default();
    let put = match give(inner.shared.handler.as_ref(), request, &token) {
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
fn pause(duration: Duration, errand: &Errand<'_>) -> Result<(), ClientError> {
    let slot = Arc::new(Slot::default());
    if let Some(token) = errand.options.cancel {
        let waiter: Weak<dyn Wake> = Arc::<Slot>::downgrade(&slot);
        token.watch(waiter);
    }
    let until = errand.until().min(Instant::now() + duration);
    // Nobody ever fills this slot: the wait ends with the time or with the token.
    let ended = slot.wait(&Patience { cancel: errand.options.cancel, ..Patience::until(until) });
    drop(ended);
    errand.check()
}
