//! Project tasks: `cargo xtask <task>`.

use std::process::ExitCode;

mod bench;
mod ci;
mod clients;
mod conformance;
mod diffs;
mod install;
mod layers;
mod live_model;
mod run;
mod servers;
mod tidy;

const USAGE: &str = "usage: cargo xtask <task>

tasks:
  ci       every check of the project, in order: what a change must pass
  layers   no edge between crates that the design does not name
  tidy     rules on text: file sizes, module heads, words that do not belong
  quality  recall, precision and noise of the embedded rules over the project's own cases; --misses lists
           the open cases that go wrong, --only NAME narrows them
  diffs    the changed lines of a review against git's, on generated repositories and real histories
  clients  install the real MCP clients and run them against foreread and an example
  servers  install real MCP servers and use them through foreread
  conformance [server|client [OPTION...]]
           the official conformance suite against the examples of mcp-stdio; with options, one run with
           these (tests/conformance/README.md)
  bench [server|client [ROUNDS]]
           the server's speed and memory beside rmcp's, or the client's beside rmcp's and the TypeScript
           SDK's, in one run; not part of ci
  live-model
           reviews by a real model on a real server, installed and built the first time; not part of ci";

fn main() -> ExitCode {
    let task = std::env::args().nth(1).unwrap_or_default();
    let arguments: Vec<String> = std::env::args().skip(2).collect();
    let result = match task.as_str() {
        "ci" => ci::run(),
        "layers" => layers::run(),
        "tidy" => tidy::run(),
        "diffs" => diffs::run(),
        "clients" => clients::run(),
        "servers" => servers::run(),
        "quality" => ci::quality(&arguments),
        "live-model" => live_model::run(),
        "bench" => bench::run(&arguments),
        "conformance" => conformance::run(&arguments),
        _ => {
            run::say(USAGE);
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            run::say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
