//! Requests of the server's, in the revisions that have them: each on a thread of its own, bounded.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::thread;

use mcp_proto::{
    ClientCapabilities, InputRequest, Method, RequestId, ResultBody, Revision, RpcError, Wire,
    decode_params,
};
use serde_json::value::RawValue;

use super::cancel::CancelToken;
use super::connection::Connection;
use super::handler::{Handler, Refusal};
use crate::sync::lock;

#[derive(Debug, Default)]
pub(super) struct Asked {
    running: Mutex<BTreeMap<RequestId, CancelToken>>,
}

/// What a handler gave.
pub(super) enum Given {
    Roots(mcp_proto::ListRootsResult),
    Message(mcp_proto::CreateMessageResult),
    Elicited(mcp_proto::ElicitResult),
}

impl Asked {
    /// Starts to work on a request; answers it at once where that cannot be.
    pub(super) fn start(
        &self,
        connection: &Arc<Connection>,
        id: &RequestId,
        method: Method,
        params: Option<&RawValue>,
    ) {
        let wire = Wire::new(connection.revision());
        let refuse = |error: &RpcError| {
            connection.send(|out| wire.error(out, Some(id), error));
        };
        let declared = &connection.shared.capabilities;
        let request = match read(method, params, declared, wire.revision()) {
            Ok(request) => request,
            Err(error) => return refuse(&error),
        };
        let token = CancelToken::new();
        {
            let mut running = lock(&self.running);
            if running.contains_key(id) {
                return refuse(&RpcError::invalid_request("a request with this id is running"));
            }
            if running.len() >= connection.shared.limits.max_server_requests {
                return refuse(&RpcError::internal("too many requests at once"));
            }
            running.insert(id.clone(), token.clone());
        }
        let working = Arc::clone(connection);
        let asked = id.clone();
        let started = thread::Builder::new().name("mcp-client-asked".to_owned()).spawn(move || {
            let given = give(working.shared.handler.as_ref(), &request, &token);
            let wanted = lock(&working.asked.running).remove(&asked).is_some();
            // One that the server has cancelled gets no answer.
            if wanted && !token.is_cancelled() {
                answer(&working, &wire, &asked, given);
            }
        });
        if let Err(error) = started {
            lock(&self.running).remove(id);
            let wire = Wire::new(connection.revision());
            let error = RpcError::internal(format!("start a thread: {error}"));
            connection.send(|out| wire.error(out, Some(id), &error));
        }
    }

    /// The server does not want the answer any more.
    pub(super) fn cancel(&self, id: &RequestId) {
        if let Some(token) = lock(&self.running).remove(id) {
            token.cancel();
        }
    }

    /// Nobody wants any answer any more.
    pub(super) fn cancel_all(&self) {
        for token in std::mem::take(&mut *lock(&self.running)).into_values() {
            token.cancel();
        }
    }
}

/// Reads a request and holds it against what was declared.
fn read(
    method: Method,
    params: Option<&RawValue>,
    declared: &ClientCapabilities,
    revision: Revision,
) -> Result<InputRequest, RpcError> {
    let request = match method {
        Method::ListRoots => InputRequest::ListRoots,
        Method::CreateMessage => InputRequest::CreateMessage(decode_params(params)?),
        Method::Elicit => InputRequest::Elicit(decode_params(params)?),
        _ => return Err(RpcError::method_not_found(method.as_str())),
    };
    let family = match request {
        InputRequest::ListRoots => declared.roots.is_some(),
        InputRequest::CreateMessage(_) => declared.sampling.is_some(),
        InputRequest::Elicit(_) => declared.elicitation.is_some(),
        _ => false,
    };
    if !family {
        return Err(RpcError::method_not_found(method.as_str()));
    }
    // SA-04, EL-04: the kind is declared, this form of it is not.
    let has_forms = revision >= Revision::V2025_11_25;
    if has_forms && request.missing_capability(declared).is_some() {
        return Err(RpcError::invalid_params("this form of the request was not declared"));
    }
    Ok(request)
}

/// Lets the handler give what is asked for; a handler that panics gives nothing.
pub(super) fn give(
    handler: &dyn Handler,
    request: &InputRequest,
    cancelled: &CancelToken,
) -> Result<Given, Refusal> {
    let attempt = std::panic::AssertUnwindSafe(|| match request {
        InputRequest::ListRoots => handler.list_roots(cancelled).map(Given::Roots),
        InputRequest::CreateMessage(params) => {
            handler.create_message(params, cancelled).map(Given::Message)
        }
        InputRequest::Elicit(params) => handler.elicit(params, cancelled).map(Given::Elicited),
        _ => Err(Refusal::Unsupported),
    });
    std::panic::catch_unwind(attempt)
        .unwrap_or_else(|_| Err(Refusal::Failed("the client's handler panicked".to_owned())))
}

fn answer(connection: &Connection, wire: &Wire, id: &RequestId, given: Result<Given, Refusal>) {
    let error = match given {
        Ok(Given::Roots(result)) => return send(connection, wire, id, &result),
        Ok(Given::Message(result)) => return send(connection, wire, id, &result),
        Ok(Given::Elicited(result)) => return send(connection, wire, id, &result),
        Err(Refusal::Unsupported) => RpcError::method_not_found("this request"),
        Err(Refusal::Declined(why)) => RpcError::user_rejected(why),
        Err(Refusal::Invalid(why)) => RpcError::invalid_params(why),
        Err(Refusal::Failed(why)) => RpcError::internal(why),
    };
    connection.send(|out| wire.error(out, Some(id), &error));
}

fn send<T: ResultBody>(connection: &Connection, wire: &Wire, id: &RequestId, result: &T) {
    connection.send(|out| {
        if let Err(error) = wire.result(out, id, result) {
            wire.error(out, Some(id), &RpcError::internal(error.to_string()));
        }
    });
}
