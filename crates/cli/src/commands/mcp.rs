//! `foreread mcp`.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use mcp_stdio::{Limits, Server, Stop, Transport};

use crate::adapter::{self, Shared};
use crate::args::McpArgs;
use crate::folders::Folders;
use crate::history::UserHistory;
use crate::settings::Settings;
use crate::{exit, logger};

/// Told to the host's model about the server as a whole.
const INSTRUCTIONS: &str = "Reviews git changes. After changing code, call `review` (what is staged \
    by default; `all` for everything since HEAD), mend the findings and call it again until \
    `summary.gate.passed` is true. `explain_rule` says why a finding is one. Past reviews are kept: \
    `list_reviews`, `get_review`, and the resources below `foreread://reviews`.";

/// Reviews that run at once; each works on several files at a time itself.
const MAX_RUNNING: usize = 16;

/// How long reviews may go on after the host has closed stdin, so that a script that pipes its requests
/// in gets its answers.
const DRAIN: Duration = Duration::from_secs(30);

/// How long the client may take to name its roots, which is all it is ever asked for.
const ANSWER: Duration = Duration::from_secs(30);

/// Serves until the host closes stdin.
pub(crate) fn run(args: &McpArgs) -> anyhow::Result<u8> {
    logger::install();
    let stop = Stop::on_termination().context("cannot watch for signals")?;
    let folders = Folders::from_environment();
    let settings = Settings::load(&folders)?;
    let history = UserHistory::new(&folders, &settings)?;
    let shared = Arc::new(Shared::new(args.repo.clone(), history, settings, folders));
    let builder = Server::builder("foreread", env!("CARGO_PKG_VERSION")).instructions(INSTRUCTIONS);
    let server = adapter::add(builder, &shared).build().context("cannot build the server")?;
    shared.history.announce_to(server.notifier());
    // The history is opened beside the first answers. The handle keeps the watch that the thread made.
    let _watch = std::thread::Builder::new()
        .name("history".to_owned())
        .spawn(move || shared.history.watch_others())
        .context("cannot start a thread")?;
    let limits = Limits {
        max_running_calls: MAX_RUNNING,
        drain_grace: DRAIN,
        input_timeout: ANSWER,
        ..Limits::recommended()
    };
    let transport = Transport::stdio(args.framing).context("cannot take over stdin and stdout")?;
    server.serve(transport, &limits, &stop).context("cannot serve")?;
    Ok(exit::DONE)
}
