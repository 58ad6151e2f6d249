//! JSON-RPC errors by meaning.
//!
//! Callers name what went wrong; the number that says so differs between revisions and is chosen
//! when the error is encoded. No code is ever sent that the receiver's revision does not define.

use std::fmt;

use serde::Deserialize;

use crate::capabilities::ClientCapabilities;
use crate::elicitation::ElicitUrlParams;
use crate::encode::{Encode, NotInRevision, Object, Writer, to_raw, try_to_raw};
use crate::json::{RawJson, present};
use crate::revision::Revision;

/// The longest message that a constructor keeps, in bytes: messages may quote what a peer sent.
const MESSAGE_LIMIT: usize = 1024;

/// What an error means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// The line is not JSON: `-32700`.
    ParseError,
    /// JSON, but not a message: `-32600`.
    InvalidRequest,
    /// Unknown method, or one whose capability was not advertised: `-32601`.
    MethodNotFound,
    /// Parameters that do not fit the method: `-32602`.
    InvalidParams,
    /// Anything unexpected: `-32603`.
    InternalError,
    /// No resource has the URI: `-32002` up to 2025-11-25, `-32602` since 2026-07-28.
    ResourceNotFound,
    /// The user refused a sampling request: `-1`. Until: 2025-11-25.
    UserRejected,
    /// The request needs a URL elicitation first: `-32042`. Only: 2025-11-25.
    UrlElicitationRequired,
    /// HTTP headers contradict the message: `-32020`. Since: 2026-07-28; never sent over stdio.
    HeaderMismatch,
    /// The request needs a client capability that it did not declare: `-32021`. Since: 2026-07-28.
    MissingClientCapability,
    /// The protocol version is not supported: `-32022` since 2026-07-28, `-32602` before.
    UnsupportedVersion,
    /// Any other number. The protocol reserves -32768 to -32000, so own codes lie outside it.
    Other(i64),
}

/// Decodes only: the number depends on the revision, so errors are sent by
/// [`Wire::error`](crate::Wire::error).
///
/// Since: 2024-11-05. Page: basic.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct RpcError {
    /// What the error means.
    pub code: ErrorCode,
    /// One concise sentence.
    pub message: String,
    /// Detail of any JSON type; `null` is kept apart from absence.
    #[serde(default, deserialize_with = "present")]
    pub data: Option<RawJson>,
}

impl ErrorCode {
    /// Returns the meaning of a number received from a peer.
    #[must_use]
    pub const fn from_number(number: i64) -> Self {
        match number {
            -32700 => Self::ParseError,
            -32600 => Self::InvalidRequest,
            -32601 => Self::MethodNotFound,
            -32602 => Self::InvalidParams,
            -32603 => Self::InternalError,
            -32002 => Self::ResourceNotFound,
            -1 => Self::UserRejected,
            -32042 => Self::UrlElicitationRequired,
            -32020 => Self::HeaderMismatch,
            -32021 => Self::MissingClientCapability,
            -32022 => Self::UnsupportedVersion,
            other => Self::Other(other),
        }
    }

    /// Returns the number sent to a peer that speaks `revision`.
    ///
    /// A meaning that the revision has no number for takes the nearest one it has.
    #[must_use]
    pub const fn number(self, revision: Revision) -> i64 {
        let stateless = matches!(revision, Revision::V2026_07_28);
        match self {
            Self::ParseError => -32700,
            Self::InvalidRequest => -32600,
            Self::MethodNotFound => -32601,
            Self::InvalidParams => -32602,
            Self::InternalError => -32603,
            Self::ResourceNotFound if stateless => -32602,
            Self::ResourceNotFound => -32002,
            Self::UserRejected if stateless => -32603,
            Self::UserRejected => -1,
            Self::UrlElicitationRequired if matches!(revision, Revision::V2025_11_25) => -32042,
            Self::UrlElicitationRequired => -32603,
            Self::HeaderMismatch if stateless => -32020,
            Self::MissingClientCapability if stateless => -32021,
            Self::HeaderMismatch | Self::MissingClientCapability => -32600,
            Self::UnsupportedVersion if stateless => -32022,
            Self::UnsupportedVersion => -32602,
            Self::Other(number) => match Self::from_number(number) {
                Self::Other(-32768..=-32000) => -32603,
                Self::Other(number) => number,
                // A known number given as `Other` means what the number means.
                known => known.number(revision),
            },
        }
    }
}

impl RpcError {
    /// Creates an error; `message` is cut to 1024 bytes.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let mut message = message.into();
        if message.len() > MESSAGE_LIMIT {
            let mut end = MESSAGE_LIMIT;
            while !message.is_char_boundary(end) {
                end -= 1;
            }
            message.truncate(end);
            message.push('…');
        }
        Self { code, message, data: None }
    }

    /// Adds detail.
    #[must_use]
    pub fn with_data(mut self, data: RawJson) -> Self {
        self.data = Some(data);
        self
    }

    /// Says that a line is not JSON.
    #[must_use]
    pub fn parse_error(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::ParseError, message)
    }

    /// Says that JSON is not a message.
    #[must_use]
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidRequest, message)
    }

    /// Says that a method is unknown, or gated by a capability that is not advertised.
    #[must_use]
    pub fn method_not_found(method: &str) -> Self {
        Self::new(ErrorCode::MethodNotFound, format!("method not found: {method}"))
    }

    /// Says that parameters do not fit the method.
    #[must_use]
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidParams, message)
    }

    /// Says that something unexpected happened.
    #[must_use]
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InternalError, message)
    }

    /// Says that no resource has the URI, which `data.uri` repeats.
    #[must_use]
    pub fn resource_not_found(uri: &str) -> Self {
        Self::new(ErrorCode::ResourceNotFound, format!("resource not found: {uri}"))
            .with_data(data(|object| object.field("uri", uri)))
    }

    /// Says that the user refused a sampling request.
    #[must_use]
    pub fn user_rejected(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::UserRejected, message)
    }

    /// Says that the request needs capabilities that it did not declare.
    #[must_use]
    pub fn missing_client_capability(required: &ClientCapabilities) -> Self {
        Self::new(ErrorCode::MissingClientCapability, "missing required client capability")
            .with_data(data(|object| object.field("requiredCapabilities", required)))
    }

    /// Says that the requested version is none of the supported ones.
    #[must_use]
    pub fn unsupported_version(requested: &str, supported: &[Revision]) -> Self {
        let names: Vec<&str> = supported.iter().map(|revision| revision.as_str()).collect();
        Self::new(
            ErrorCode::UnsupportedVersion,
            format!("unsupported protocol version {requested}, supported: {}", names.join(", ")),
        )
        .with_data(data(|object| {
            object.field("supported", names.as_slice());
            object.field("requested", requested);
        }))
    }

    /// Says that the user must finish URL elicitations before the request can be served.
    ///
    /// Only: 2025-11-25. Each elicitation needs an `elicitation_id`.
    ///
    /// # Errors
    /// Refuses an elicitation without an id.
    pub fn url_elicitation_required(
        elicitations: &[ElicitUrlParams],
    ) -> Result<Self, NotInRevision> {
        // The shape exists in one revision alone, so it is written as of that one.
        let data = try_to_raw(Revision::V2025_11_25, |out: &mut Writer<'_>| {
            out.object(|object| object.field("elicitations", elicitations));
        })?;
        Ok(Self::new(ErrorCode::UrlElicitationRequired, "URL elicitation required").with_data(data))
    }

    /// Reports whether the error says that a resource does not exist, in either numbering.
    #[must_use]
    pub fn is_resource_not_found(&self) -> bool {
        match self.code {
            ErrorCode::ResourceNotFound => true,
            ErrorCode::InvalidParams => self.decode_data::<UriData>().is_some(),
            _ => false,
        }
    }

    /// Returns the versions that an [`ErrorCode::UnsupportedVersion`] error offers.
    ///
    /// `None` when `data` holds no such list.
    #[must_use]
    pub fn supported_versions(&self) -> Option<Vec<String>> {
        self.decode_data::<VersionData>().map(|data| data.supported)
    }

    /// Returns the capabilities that an [`ErrorCode::MissingClientCapability`] error asks for.
    #[must_use]
    pub fn required_capabilities(&self) -> Option<ClientCapabilities> {
        self.decode_data::<CapabilityData>().map(|data| data.required_capabilities)
    }

    /// Returns the elicitations that an [`ErrorCode::UrlElicitationRequired`] error asks for.
    #[must_use]
    pub fn required_elicitations(&self) -> Option<Vec<ElicitUrlParams>> {
        self.decode_data::<ElicitationData>().map(|data| data.elicitations)
    }

    fn decode_data<T: for<'de> Deserialize<'de>>(&self) -> Option<T> {
        self.data.as_ref()?.decode().ok()
    }
}

impl fmt::Display for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RpcError {}

impl Encode for RpcError {
    fn encode(&self, out: &mut Writer<'_>) {
        let number = self.code.number(out.revision());
        out.object(|object| {
            object.field("code", &number);
            object.field("message", &self.message);
            object.optional("data", &self.data);
        });
    }
}

impl<'de> Deserialize<'de> for ErrorCode {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        i64::deserialize(deserializer).map(Self::from_number)
    }
}

#[derive(Deserialize)]
struct UriData {
    #[serde(rename = "uri")]
    _uri: String,
}

#[derive(Deserialize)]
struct VersionData {
    supported: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CapabilityData {
    required_capabilities: ClientCapabilities,
}

#[derive(Deserialize)]
struct ElicitationData {
    elicitations: Vec<ElicitUrlParams>,
}

fn data(fields: impl FnOnce(&mut Object<'_, '_>)) -> RawJson {
    to_raw(Revision::NEWEST, |out| out.object(fields))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_resource_has_its_own_number_only_before_the_stateless_revision() {
        for revision in Revision::ALL {
            let expected = if revision == Revision::V2026_07_28 { -32602 } else { -32002 };
            assert_eq!(ErrorCode::ResourceNotFound.number(revision), expected);
            assert_eq!(ErrorCode::Other(-32002).number(revision), expected);
        }
    }

    #[test]
    fn reserved_numbers_without_a_meaning_are_never_sent() {
        for revision in Revision::ALL {
            for number in [-32000, -32001, -32019, -32023, -32050, -32099, -32500, -32768] {
                assert_eq!(ErrorCode::Other(number).number(revision), -32603);
            }
            assert_eq!(ErrorCode::Other(7).number(revision), 7);
            assert_eq!(ErrorCode::Other(-31999).number(revision), -31999);
        }
        assert_eq!(ErrorCode::UrlElicitationRequired.number(Revision::V2026_07_28), -32603);
        assert_eq!(ErrorCode::UrlElicitationRequired.number(Revision::V2025_11_25), -32042);
    }

    #[test]
    fn null_data_is_kept_apart_from_absent_data() {
        let with: RpcError =
            serde_json::from_str(r#"{"code":1,"message":"m","data":null}"#).unwrap();
        let without: RpcError = serde_json::from_str(r#"{"code":1,"message":"m"}"#).unwrap();
        assert_eq!(with.data.unwrap().get(), "null");
        assert_eq!(without.data, None);
    }

    #[test]
    fn a_message_that_quotes_too_much_is_cut_between_characters() {
        let error = RpcError::invalid_params("é".repeat(5000));
        assert!(error.message.len() <= MESSAGE_LIMIT + '…'.len_utf8());
        assert!(error.message.ends_with("é…"));
    }

    #[test]
    fn both_numberings_of_a_missing_resource_are_recognised() {
        assert!(RpcError::resource_not_found("file:///x").is_resource_not_found());
        let mut stateless = RpcError::resource_not_found("file:///x");
        stateless.code = ErrorCode::InvalidParams;
        assert!(stateless.is_resource_not_found());
        assert!(!RpcError::invalid_params("missing field").is_resource_not_found());
    }
}
