//! `foreread servers`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Subcommand;

use crate::settings::servers::parse_duration;

/// Third-party MCP servers
///
/// They come from `[servers.NAME]` of your settings and from the `.mcp.json` of the project. What a
/// project names runs only after you have trusted it.
#[derive(Debug, clap::Args)]
pub(crate) struct ServersArgs {
    #[command(subcommand)]
    pub(crate) command: ServersCommand,

    /// The project, or a folder in it [default: the current folder]
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) repo: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ServersCommand {
    /// List the servers that are configured, and which may run; starts none
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Start servers, ask each what it offers, and end it again
    ///
    /// Exit codes: 0 every one answered; 2 wrong usage or settings, or a server that is named and not
    /// trusted; 3 one did not answer as it should.
    Check {
        /// The servers; all that may run where none is named
        #[arg(value_name = "NAME")]
        names: Vec<String>,
        /// As JSON
        #[arg(long)]
        json: bool,
        /// How long each server may take to answer, for example 30s
        #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
        timeout: Option<Duration>,
    },
    /// Show exactly what a project's server would run, and allow it
    ///
    /// On a terminal it asks first. The trust ends when the command, its environment, its folder or a
    /// file of the project that it names changes.
    Trust {
        /// The names of the servers
        #[arg(value_name = "NAME", required = true)]
        names: Vec<String>,
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
    },
    /// Take the permission away
    Untrust {
        /// The names of the servers
        #[arg(value_name = "NAME", required = true)]
        names: Vec<String>,
    },
}
