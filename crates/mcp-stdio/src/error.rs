//! What can go wrong before and while a server serves.

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
    /// A tool's input schema is not a JSON object.
    #[error("register tool {0:?}: the input schema must be a JSON object")]
    InputSchema(String),
}

/// Says why serving has failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// No thread could be started to serve the connection.
    #[error("start a thread")]
    Thread(#[source] std::io::Error),
}
