//! What can go wrong: while a server is built, while it serves, and in a handler.

use mcp_proto::{ClientCapabilities, RpcError};

/// Says why a server cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Two handlers have one name.
    #[error("register {what} {name:?}: another one has that name")]
    Duplicate {
        /// The kind of handler.
        what: &'static str,
        /// The name that came twice.
        name: String,
    },
    /// A tool has a name that clients may refuse.
    #[error(
        "register tool {0:?}: a name has 1 to 128 characters out of A-Z, a-z, 0-9, `_`, `-` and `.`"
    )]
    ToolName(String),
    /// A tool's input schema does not describe an object.
    #[error("register tool {0:?}: the input schema must have \"type\": \"object\" at its root")]
    InputSchema(String),
    /// A URI template uses more than literals, `{name}` and `{+name}`.
    #[error(
        "register resource template {0:?}: only literals, `{{name}}` and `{{+name}}` are supported, \
         with a literal between two variables"
    )]
    Template(String),
}

/// Says why a tool with a schema of its own cannot be made.
#[cfg(feature = "json-schema")]
#[derive(Debug, thiserror::Error)]
#[error("compile the input schema of tool {tool:?}: {problem}")]
pub struct SchemaError {
    pub(crate) tool: String,
    pub(crate) problem: String,
}

/// Says why serving has failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// No thread could be started to serve the connection.
    #[error("start a thread")]
    Thread(#[source] std::io::Error),
}

/// Says how a request to a resource, a prompt or a completion failed.
///
/// The client gets an error response. Any error turns into an internal one with its text.
#[derive(Debug)]
pub struct RequestError(pub(crate) RequestFailure);

#[derive(Debug)]
pub(crate) enum RequestFailure {
    NotFound,
    Protocol(RpcError),
}

impl RequestError {
    /// Says that there is no resource under the URI that was asked for.
    #[must_use]
    pub const fn not_found() -> Self {
        Self(RequestFailure::NotFound)
    }

    /// Rejects what the client has sent.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::protocol(RpcError::invalid_params(message))
    }

    /// Says that the request failed for a reason of the server's.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::protocol(RpcError::internal(message))
    }

    /// Refuses a request that needs something the client has not declared.
    #[must_use]
    pub fn missing_capability(required: &ClientCapabilities) -> Self {
        Self::protocol(RpcError::missing_client_capability(required))
    }

    /// Answers with exactly this error.
    #[must_use]
    pub fn protocol(error: RpcError) -> Self {
        Self(RequestFailure::Protocol(error))
    }
}

impl<E: std::error::Error> From<E> for RequestError {
    fn from(error: E) -> Self {
        Self::internal(with_sources(&error))
    }
}

/// Returns the text of an error followed by those of its sources.
pub(crate) fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}
