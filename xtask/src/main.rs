//! Project tasks: `cargo xtask <task>`.

use std::process::ExitCode;

mod ci;
mod diffs;
mod layers;
mod run;
mod tidy;

const USAGE: &str = "usage: cargo xtask <task>

tasks:
  ci       every check of the project, in order: what a change must pass
  layers   no edge between crates that the design does not name
  tidy     rules on text: file sizes, module heads, words that do not belong
  quality  recall, precision and noise of the embedded rules over the project's own cases; --misses lists
           the open cases that go wrong, --only NAME narrows them
  diffs    the changed lines of a review against git's, on generated repositories and real histories
  clients  install the real MCP clients and run them against foreread mcp";

fn main() -> ExitCode {
    let task = std::env::args().nth(1).unwrap_or_default();
    let result = match task.as_str() {
        "ci" => ci::run(),
        "layers" => layers::run(),
        "tidy" => tidy::run(),
        "diffs" => diffs::run(),
        "clients" => ci::clients(),
        "quality" => ci::quality(&std::env::args().skip(2).collect::<Vec<_>>()),
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
