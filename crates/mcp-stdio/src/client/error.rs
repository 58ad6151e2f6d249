//! What can go wrong between a client and a server.

use std::sync::Arc;
use std::time::Duration;

use mcp_proto::{Method, Revision, RpcError};

use super::launch::Ended;

/// Says why a request, or a whole session, failed. Messages name the thing, not the server: its caller
/// knows which one it asked.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The server could not be started.
    #[error("start the server")]
    Launch(#[source] Arc<std::io::Error>),
    /// A thread could not be started.
    #[error("start a thread")]
    Thread(#[source] Arc<std::io::Error>),
    /// The server ended, or closed its output, before it answered.
    #[error("the server ended before it answered{}", told(.0))]
    Ended(Ended),
    /// The server broke the protocol so that nothing more can be read from it.
    #[error("the server does not speak the protocol: {problem}{}", told(.ended))]
    Broken {
        /// What it did.
        problem: String,
        /// What is known of its process.
        ended: Ended,
    },
    /// The session was closed by its owner.
    #[error("the session is closed")]
    Closed,
    /// The server ended by itself more often than it is started again.
    #[error("the server ended {times} times and is not started again{}", told(.last))]
    GaveUp {
        /// How often it was started.
        times: u32,
        /// What is known of the last process.
        last: Ended,
    },
    /// No answer came in time. The server was told to stop working on it.
    #[error("no answer to {method} within {}", seconds(*.after))]
    TimedOut {
        /// The request.
        method: Method,
        /// How long it was waited for.
        after: Duration,
    },
    /// The server does not read what it is sent.
    #[error("the server does not read its input: {waiting} bytes wait for it")]
    NotReading {
        /// How much was left unread.
        waiting: usize,
    },
    /// The caller cancelled the request.
    #[error("cancelled")]
    Cancelled,
    /// As many requests are in flight as may be.
    #[error("{0} requests are in flight already")]
    Busy(usize),
    /// The server answered with an error.
    #[error("the server answered {method} with error {}: {}", number(.error), .error.message)]
    Answered {
        /// The request.
        method: Method,
        /// The answer.
        error: RpcError,
    },
    /// The answer does not have the shape that the protocol gives it.
    #[error("invalid answer to {method}: {problem}")]
    InvalidAnswer {
        /// The request.
        method: Method,
        /// What is wrong with it.
        problem: String,
    },
    /// The revision, or the server, does not have what was asked for.
    #[error("the server does not offer {0}")]
    NotOffered(String),
    /// The two sides have no revision in common.
    #[error(
        "no revision in common: the server has {}, this client has {}",
        .theirs.join(", "),
        .ours.join(", ")
    )]
    NoCommonRevision {
        /// What the server has, as it says.
        theirs: Vec<String>,
        /// What the client may use.
        ours: Vec<String>,
    },
    /// A list did not come to its end within its bounds.
    #[error("the list of {method} does not end: {problem}")]
    EndlessList {
        /// The request for a page.
        method: Method,
        /// Which bound was met.
        problem: String,
    },
    /// The server asked for something that this client does not give.
    #[error("the server asked for input that was not given: {0}")]
    InputRefused(String),
}

impl ClientError {
    /// Whether the server is gone, so that another request needs a fresh one.
    #[must_use]
    pub const fn ends_server(&self) -> bool {
        matches!(self, Self::Ended(_) | Self::Broken { .. } | Self::Closed | Self::GaveUp { .. })
    }
}

/// What is known of the process, for the end of a sentence.
fn told(ended: &Ended) -> String {
    let mut text = String::new();
    for part in ended.reason.iter().chain(&ended.status) {
        text.push_str(&format!(" ({part})"));
    }
    if !ended.stderr.is_empty() {
        text.push_str("; it said last: ");
        text.push_str(&ended.stderr.join(" | "));
    }
    text
}

/// The number as it most likely stood in the answer.
fn number(error: &RpcError) -> i64 {
    error.code.number(Revision::NEWEST_HANDSHAKE)
}

fn seconds(duration: Duration) -> String {
    format!("{} s", duration.as_secs_f64())
}
