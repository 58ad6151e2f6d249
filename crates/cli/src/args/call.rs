//! `foreread tools` and `foreread call`.

use std::path::PathBuf;
use std::time::Duration;

use crate::settings::servers::parse_duration;

/// List the tools of third-party MCP servers
///
/// Starts the server that is named, or every server that may run.
#[derive(Debug, clap::Args)]
pub(crate) struct ToolsArgs {
    /// The server; all that may run where none is named
    #[arg(value_name = "SERVER")]
    pub(crate) server: Option<String>,

    /// As JSON, each tool as its server describes it
    #[arg(long)]
    pub(crate) json: bool,

    /// How long each server may take to answer, for example 30s
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub(crate) timeout: Option<Duration>,

    /// The project, or a folder in it [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) repo: Option<PathBuf>,
}

/// Call one tool of one server and print its result
///
/// Exit codes: 0 done; 1 the tool says that it failed; 2 wrong usage or settings, a server that is not
/// trusted, or a tool that it does not have; 3 no result came.
#[derive(Debug, clap::Args)]
pub(crate) struct CallArgs {
    /// The server
    #[arg(value_name = "SERVER")]
    pub(crate) server: String,

    /// The tool
    #[arg(value_name = "TOOL")]
    pub(crate) tool: String,

    /// The arguments: a JSON object, `@FILE` for a file that holds one, or `-` for stdin
    #[arg(value_name = "JSON", default_value = "{}", hide_default_value = true)]
    pub(crate) arguments: String,

    /// Print the whole result as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// How long to wait for the result in all, for example 30s
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub(crate) timeout: Option<Duration>,

    /// No progress
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// The project, or a folder in it [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) repo: Option<PathBuf>,
}
