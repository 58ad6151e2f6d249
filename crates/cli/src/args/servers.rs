//! `foreread servers`.

use std::path::PathBuf;

use clap::Subcommand;

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
