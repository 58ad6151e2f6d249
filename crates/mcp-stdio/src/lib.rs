//! Synchronous Model Context Protocol server and client over stdio.
//!
//! Start with [`Server::builder`] and [`tool()`]. Threads are those of the standard library, and
//! there is no async runtime. The message types are those of `mcp-proto`.

mod context;
mod error;
mod frame;
mod limits;
mod page;
mod registry;
mod schema;
mod server;
mod stop;
mod sync;
mod tool;
mod transport;

pub use context::CallContext;
pub use error::{BuildError, ServeError};
pub use frame::{
    FrameDecoder, FrameEvent, FrameReader, FrameWriter, Framing, HeaderFault, UnknownFraming,
};
pub use limits::Limits;
pub use server::{Server, ServerBuilder};
pub use stop::Stop;
pub use tool::{
    Arguments, FunctionTool, IntoToolResult, NoArguments, Structured, Tool, ToolError, tool,
};
pub use transport::Transport;
