//! The command line over the review engine and the MCP stack: arguments, wiring, exit codes.
//!
//! The only crate that reads the environment, the clock and the terminal, and the only one in which
//! the review tool and the transport meet.

use std::process::ExitCode;

use clap::Parser;

mod adapter;
mod args;
mod commands;
mod exit;
mod file_uri;
mod folders;
mod history;
mod json_text;
mod logger;
mod models;
mod progress;
mod servers;
mod settings;
mod stamp;
mod table;
mod terminal;
mod tuning;

use args::{Args, Command};

/// Runs the program with the arguments of the process.
#[must_use]
pub fn main() -> ExitCode {
    // The same program stands between itself and each server that it starts.
    if let Some(code) = mcp_stdio::child::supervise() {
        return code;
    }
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Help and version are answers; anything else is wrong usage.
            let code = if error.use_stderr() { exit::USAGE } else { exit::DONE };
            drop(error.print());
            return ExitCode::from(code);
        }
    };
    let result = match args.command {
        Command::Review(args) => commands::review::run(&args),
        Command::Mcp(args) => commands::mcp::run(&args),
        Command::Rules(args) => commands::rules::run(&args),
        Command::Config(args) => commands::config::run(&args),
        Command::Servers(args) => commands::servers::run(&args),
        Command::Reviews(args) => commands::reviews::run(&args),
        Command::Tools(args) => commands::tools::run(&args),
        Command::Call(args) => commands::call::run(&args),
    };
    ExitCode::from(result.unwrap_or_else(|error| exit::report(&error)))
}
