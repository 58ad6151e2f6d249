//! Models behind HTTP endpoints and command-line agents, as `review_tool::model` asks for them.
//!
//! Knows requests, answers, keys and retries; knows nothing of diffs, findings or MCP. Where requests
//! go and under which key is the caller's to say, never the change's.

mod error;
mod http;
mod key;
mod price;
mod program;
mod provider;
mod retry;
mod sse;
mod tokens;
mod wire;

pub use error::ProviderError;
pub use key::Key;
pub use program::{Agent, AgentKind, Program};
pub use provider::{Kind, Provider, Settings, Timing};
pub use wire::Structured;
