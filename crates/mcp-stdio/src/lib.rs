//! Synchronous Model Context Protocol server and client over stdio.
//!
//! Start with [`Server::builder`] and [`tool()`]. Threads are those of the standard library, and
//! there is no async runtime. The message types are those of `mcp-proto`.
//!
//! The feature `json-schema` adds tools that bring their own JSON Schema.

mod catalog;
pub mod child;
pub mod client;
mod completion;
mod context;
mod error;
mod frame;
mod limits;
mod notifier;
mod page;
mod percent;
mod prompt;
#[cfg(feature = "json-schema")]
mod raw_tool;
mod registry;
mod resource;
mod schema;
mod seal;
mod server;
mod stop;
mod sync;
mod task;
mod template;
mod tool;
mod transport;

pub use completion::Complete;
pub use context::{CallContext, InvalidAnswer};
#[cfg(feature = "json-schema")]
pub use error::SchemaError;
pub use error::{BuildError, RequestError, ServeError};
pub use frame::{
    FrameDecoder, FrameEvent, FrameReader, FrameWriter, Framing, HeaderFault, UnknownFraming,
};
pub use limits::Limits;
pub use notifier::Notifier;
pub use percent::percent_decoded;
pub use prompt::{Prompt, prompt};
#[cfg(feature = "json-schema")]
pub use raw_tool::{RawTool, raw_tool};
pub use resource::{Resource, ResourceTemplate, resource, resource_template};
pub use server::{Server, ServerBuilder};
pub use stop::Stop;
pub use template::TemplateMatch;
pub use tool::{
    Arguments, FunctionTool, IntoToolResult, NoArguments, Structured, Tool, ToolError, tool,
};
pub use transport::Transport;
