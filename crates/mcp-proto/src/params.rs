//! Typing a message's parameters and results, once, where they are used.

use std::fmt::Display;

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
    RpcError::invalid_params(format!("invalid {place}: {}", problem(error)))
}

/// Says what is wrong in words that a peer can use.
///
/// The position is left out: it counts from the start of a part of the message that the peer never
/// sees as such. So are the names of our own types.
pub(crate) fn problem(error: &impl Display) -> String {
    const TYPE_NAME: &str = "expected struct ";
    let text = error.to_string();
    let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(problem, _)| problem);
    match text.split_once(TYPE_NAME) {
        Some((before, name)) => {
            let after = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
            format!("{before}expected an object{after}")
        }
        None => text.to_owned(),
    }
}
