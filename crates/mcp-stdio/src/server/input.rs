//! One outcome for handlers, two ways to ask: since 2026-07-28 by a result that the client repeats
//! its request for, before by requests of the server's own.
//!
//! A handler is run again with the answers until it is done, in both ways a bounded number of
//! times. Nothing is ever asked that the client has not declared.

use std::sync::Arc;
use std::time::Instant;

use mcp_proto::{
    Cancelled, ClientCapabilities, ElicitParams, Era, InputRequest, InputRequests,
    InputRequiredResult, InputResponses, NotificationMeta, Outcome, RequestId, RequestMeta,
    RequestState, RpcError,
};
use serde_json::value::RawValue;

use super::asked::Unanswered;
use super::connection::Connection;
use super::in_flight::Call;
use crate::context::{CallContext, Inputs};

/// How a request ended without an outcome.
pub(super) enum Failed<E> {
    Handler(E),
    /// The client could not be asked, or did not answer; a text that says so.
    Asking(String),
    Protocol(RpcError),
}

/// What a request that may need several attempts brings along.
pub(super) struct Attempt<'m> {
    /// What a state is bound to: the method and what else must be the same the next time.
    pub(super) binding: [&'m str; 3],
    pub(super) responses: Option<&'m InputResponses>,
    pub(super) state: Option<&'m RequestState>,
}

impl Connection {
    /// Runs a handler until it is done or the client has to repeat its request.
    pub(super) fn attempt<T, E>(
        self: &Arc<Self>,
        call: &Arc<Call>,
        attempt: &Attempt<'_>,
        handler: impl Fn(&CallContext) -> Result<Outcome<T>, E>,
    ) -> Result<Outcome<T>, Failed<E>> {
        let context = |inputs| CallContext::new(Arc::clone(self), Arc::clone(call), inputs);
        if call.peer.revision.era() == Era::PerRequest {
            let inputs = self.repeated(attempt).map_err(Failed::Protocol)?;
            let outcome = handler(&context(inputs)).map_err(Failed::Handler)?;
            let Outcome::InputRequired(question) = outcome else { return Ok(outcome) };
            if let Some(missing) = missing(&question.input_requests, call) {
                return Err(Failed::Protocol(RpcError::missing_client_capability(&missing)));
            }
            let question = self.sealed(question, attempt).map_err(Failed::Protocol)?;
            return Ok(Outcome::InputRequired(question));
        }
        let mut inputs = Inputs::default();
        for _ in 0..self.limits.max_input_rounds {
            let outcome = handler(&context(inputs)).map_err(Failed::Handler)?;
            let Outcome::InputRequired(question) = outcome else { return Ok(outcome) };
            if missing(&question.input_requests, call).is_some() {
                return Err(Failed::Asking(cannot_ask(&question.input_requests)));
            }
            let responses = self.ask(call, &question.input_requests).map_err(Failed::Asking)?;
            let state = question.request_state.map(|state| state.as_str().to_owned());
            inputs = Inputs { responses, state };
        }
        Err(Failed::Asking("asked the client for input too often".to_owned()))
    }

    /// Returns what a repeated request brings along, once its state has proved to be ours.
    fn repeated(&self, attempt: &Attempt<'_>) -> Result<Inputs, RpcError> {
        let state = match attempt.state {
            None => None,
            Some(sealed) => {
                let seal = self.registry.seal().map_err(no_key)?;
                let state = seal.open(sealed.as_str(), &attempt.binding);
                Some(state.map_err(|error| {
                    RpcError::invalid_params(format!("invalid `requestState`: {error}"))
                })?)
            }
        };
        Ok(Inputs { responses: attempt.responses.cloned().unwrap_or_default(), state })
    }

    fn sealed(
        &self,
        mut question: InputRequiredResult,
        attempt: &Attempt<'_>,
    ) -> Result<InputRequiredResult, RpcError> {
        if let Some(state) = &question.request_state {
            let seal = self.registry.seal().map_err(no_key)?;
            let sealed = seal.close(state.as_str(), &attempt.binding);
            question.request_state = Some(RequestState::new(sealed));
        }
        Ok(question)
    }

    /// Asks the client and waits for all answers.
    fn ask(&self, call: &Call, requests: &InputRequests) -> Result<InputResponses, String> {
        let deadline = Instant::now() + self.limits.input_timeout;
        let is_cancelled = || call.is_cancelled();
        self.asked.wait_ready(deadline, is_cancelled).map_err(unanswered)?;
        let mut ids = Vec::new();
        for (_, request) in requests.iter() {
            let id = self.asked.expect();
            if let Err(problem) = self.send_request(call, &id, request) {
                self.asked.forget(&id);
                self.withdraw(call, &ids);
                return Err(problem);
            }
            ids.push(id);
        }
        let replies =
            self.asked.collect(&ids, deadline, is_cancelled).map_err(|(reason, open)| {
                self.withdraw(call, &open);
                unanswered(reason)
            })?;
        let mut responses = Vec::new();
        for ((key, request), reply) in requests.iter().zip(replies) {
            let reply = reply.map_err(|error| {
                format!("the client refused {}: {}", request.method(), error.message)
            })?;
            responses.push((key.to_owned(), reply));
        }
        Ok(responses.into_iter().collect())
    }

    fn send_request(
        &self,
        call: &Call,
        id: &RequestId,
        request: &InputRequest,
    ) -> Result<(), String> {
        let mut body = Vec::new();
        let wire = self.wire(call.peer.revision);
        let request = named(request, id);
        let method = request.method();
        wire.request(&mut body, id, method, &request, &RequestMeta::default())
            .map_err(|error| error.to_string())?;
        self.tell(call, &mut body, || true);
        Ok(())
    }

    /// Tells the client that these requests need no answer any more.
    fn withdraw(&self, call: &Call, ids: &[RequestId]) {
        for id in ids {
            self.asked.forget(id);
            let mut body = Vec::new();
            let params = Cancelled::new(id.clone());
            let wire = self.wire(call.peer.revision);
            if wire.notification(&mut body, &params, &NotificationMeta::default()).is_ok() {
                self.outbox.send(&mut body);
            }
        }
        self.flush();
    }
}

fn no_key(error: getrandom::Error) -> RpcError {
    RpcError::internal(format!("make a key for states: {error}"))
}

/// Gives an elicitation of a page the name that 2025-11-25 demands.
fn named(request: &InputRequest, id: &RequestId) -> InputRequest {
    match request {
        InputRequest::Elicit(ElicitParams::Url(params)) if params.elicitation_id.is_none() => {
            let params = params.clone().elicitation_id(format!("elicitation-{id}"));
            InputRequest::Elicit(ElicitParams::Url(params))
        }
        other => other.clone(),
    }
}

/// Returns the first capability that the client of `call` lacks for these requests.
fn missing(requests: &InputRequests, call: &Call) -> Option<ClientCapabilities> {
    let declared = &call.peer.client.capabilities;
    requests.iter().find_map(|(_, request)| request.missing_capability(declared))
}

fn cannot_ask(requests: &InputRequests) -> String {
    let methods: Vec<_> = requests.iter().map(|(_, request)| request.method().as_str()).collect();
    format!("this needs a client that supports {}", methods.join(", "))
}

fn unanswered(reason: Unanswered) -> String {
    match reason {
        Unanswered::Cancelled => "the call was cancelled",
        Unanswered::TimedOut => "the client did not answer in time",
        Unanswered::Closed => "the client closed the connection before it answered",
    }
    .to_owned()
}

/// Returns the text of an optional member, for a binding.
pub(super) fn text(raw: Option<&RawValue>) -> &str {
    raw.map_or("{}", RawValue::get)
}
