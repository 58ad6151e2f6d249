//! The command line as its users meet it: exit codes, streams, formats, messages.

use crate::harness::program::Program;
use crate::harness::repo::Repo;

mod doors;
mod exit_codes;
mod gate;
mod hostile;
mod messages;
mod model;
mod output;
mod own_rules;
mod reviews;
mod scopes;
mod settings;
mod trust;

/// A function whose default argument is shared between calls: one finding of severity medium.
const FAULT: &str = "def collect(item, into=[]):\n    into.append(item)\n    return into\n";

const CLEAN: &str = "def collect(item, into):\n    into.append(item)\n    return into\n";

/// A repository with a commit and a staged fault.
fn staged_fault() -> Repo {
    let repo = Repo::new();
    repo.write("README.md", "A list.\n").commit("start").write("app/list.py", FAULT).stage();
    repo
}

/// A repository with a commit and a staged change without a fault.
fn staged_clean() -> Repo {
    let repo = Repo::new();
    repo.write("README.md", "A list.\n").commit("start").write("app/list.py", CLEAN).stage();
    repo
}

/// `foreread review` with more arguments, separated by spaces.
fn review(repo: &Repo, arguments: &str) -> Program {
    Program::new(repo, ["review"].into_iter().chain(arguments.split_whitespace()))
}

/// `file:line rule` of every finding of a document.
fn places(document: &serde_json::Value) -> Vec<String> {
    let findings = document["findings"].as_array().unwrap();
    let place = |finding: &serde_json::Value| {
        let file = finding["file"].as_str().unwrap();
        let rule = finding["rule"].as_str().unwrap();
        format!("{file}:{} {rule}", finding["line"])
    };
    findings.iter().map(place).collect()
}
