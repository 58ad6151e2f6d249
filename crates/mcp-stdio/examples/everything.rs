//! A server with one of everything: the fixtures of the official conformance suite.
//!
//! It also shows how each part of the library is used. Nothing here needs files or the network.

#[path = "everything/ask.rs"]
mod ask;
#[path = "everything/content.rs"]
mod content;
#[path = "everything/offer.rs"]
mod offer;
#[path = "everything/rounds.rs"]
mod rounds;
#[path = "everything/task.rs"]
mod task;

use std::error::Error;

use mcp_stdio::{Framing, Limits, Server, Stop, Transport};

fn main() -> Result<(), Box<dyn Error>> {
    let stop = Stop::on_termination()?;
    server()?.serve(Transport::stdio(Framing::Auto)?, &Limits::recommended(), &stop)?;
    Ok(())
}

/// Puts all the fixtures together.
pub(crate) fn server() -> Result<Server, Box<dyn Error>> {
    let builder = Server::builder("everything", env!("CARGO_PKG_VERSION"))
        .instructions("Test fixtures: each tool does what its name says.")
        .logging()
        .announces_tools()
        .announces_prompts()
        .announces_resources()
        .announces_resource_updates();
    let builder = content::add(builder)?;
    let builder = ask::add(builder);
    let builder = rounds::add(builder);
    let builder = offer::add(builder);
    Ok(task::add(builder).build()?)
}
