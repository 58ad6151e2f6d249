//! The server that the benchmark measures: `echo`, `blob` and `sleep`.

use std::error::Error;
use std::io::Write;
use std::time::Duration;

use mcp_stdio::{Framing, Limits, Server, Stop, ToolError, Transport, tool};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Blob {
    bytes: usize,
}

#[derive(Deserialize, JsonSchema)]
struct Sleep {
    ms: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::builder("bench", env!("CARGO_PKG_VERSION"))
        .tool(tool("echo", "Returns the text.", |echo: Echo, _| Ok::<_, ToolError>(echo.text)))
        .tool(tool("blob", "Returns that many bytes.", |blob: Blob, _| {
            Ok::<_, ToolError>("x".repeat(blob.bytes))
        }))
        .tool(tool("sleep", "Sleeps.", |sleep: Sleep, context| {
            if context.cancelled_within(Duration::from_millis(sleep.ms)) {
                writeln!(std::io::stderr(), "cancelled")?;
            }
            Ok::<_, ToolError>("slept")
        }))
        .build()?;
    server.serve(
        Transport::stdio(Framing::Auto)?,
        &Limits::recommended(),
        &Stop::on_termination()?,
    )?;
    Ok(())
}
