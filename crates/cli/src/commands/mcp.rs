//! `foreread mcp`.

use std::time::Duration;

use anyhow::Context;
use mcp_stdio::{Limits, Server, Stop, Transport};

use crate::adapter::ReviewTool;
use crate::args::McpArgs;
use crate::{exit, logger};

/// Told to the host's model about the server as a whole.
const INSTRUCTIONS: &str = "Reviews git changes. After changing code, call `review` (what is staged \
    by default; `all` for everything since HEAD), mend the findings and call it again until \
    `summary.gate.passed` is true.";

/// Reviews that run at once; each works on several files at a time itself.
const MAX_RUNNING: usize = 16;

/// How long reviews may go on after the host has closed stdin, so that a script that pipes its requests
/// in gets its answers.
const DRAIN: Duration = Duration::from_secs(30);

/// Serves until the host closes stdin.
pub(crate) fn run(args: &McpArgs) -> anyhow::Result<u8> {
    logger::install();
    let stop = Stop::on_termination().context("cannot watch for signals")?;
    let server = Server::builder("foreread", env!("CARGO_PKG_VERSION"))
        .instructions(INSTRUCTIONS)
        .tool(ReviewTool::new(args.repo.clone()))
        .build()
        .context("cannot build the server")?;
    let limits =
        Limits { max_running_calls: MAX_RUNNING, drain_grace: DRAIN, ..Limits::recommended() };
    let transport = Transport::stdio(args.framing).context("cannot take over stdin and stdout")?;
    server.serve(transport, &limits, &stop).context("cannot serve")?;
    Ok(exit::DONE)
}
