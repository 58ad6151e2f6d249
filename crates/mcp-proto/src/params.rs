//! Typing a message's parameters and results, once, where they are used.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::RpcError;

/// Decodes the parameters of a request or notification. Absent parameters count as `{}`.
///
/// `_meta` is not part of the parameter types; [`RequestMeta`](crate::RequestMeta) decodes it.
///
/// # Errors
/// Gives "invalid params" with what is missing or mistyped.
pub fn decode_params<'a, T: Deserialize<'a>>(params: Option<&'a RawValue>) -> Result<T, RpcError> {
    let text = params.map_or("{}", RawValue::get);
    if !text.starts_with('{') {
        // A type's members could otherwise be given by position.
        return Err(RpcError::invalid_params("invalid params: expected an object"));
    }
    serde_json::from_str(text).map_err(|error| invalid_params("params", &error))
}

pub(crate) fn invalid_params(place: &str, error: &serde_json::Error) -> RpcError {
    let text = error.to_string();
    // The position counts from the start of this part of the message, which the peer never sees.
    let problem = text.rsplit_once(" at line ").map_or(text.as_str(), |(problem, _)| problem);
    RpcError::invalid_params(format!("invalid {place}: {problem}"))
}
