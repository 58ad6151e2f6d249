//! Every check of the project. A check outside this file does not exist.

use std::process::Command;

use anyhow::Result;

use crate::run::{cargo, root, step};
use crate::{conformance, diffs, layers, tidy};

/// Runs all checks, the quick ones first.
pub(crate) fn run() -> Result<()> {
    step(cargo(&["fmt", "--all", "--check"]))?;
    tidy::run()?;
    layers::run()?;
    step(cargo(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--all-features",
        "--locked",
        "--",
        "--deny",
        "warnings",
    ]))?;
    let mut test = cargo(&["test", "--workspace", "--all-features", "--locked"]);
    // A snapshot that does not match fails; nothing is written.
    test.env("INSTA_UPDATE", "no");
    step(test)?;
    diffs::run()?;
    let mut doc = cargo(&["doc", "--workspace", "--all-features", "--no-deps", "--locked"]);
    doc.env("RUSTDOCFLAGS", "--deny warnings");
    step(doc)?;
    conformance::run(&[])?;
    clients()
}

/// Installs the real MCP clients, at the versions pinned in `tests/clients`, and runs them.
pub(crate) fn clients() -> Result<()> {
    step(cargo(&["build", "--locked"]))?;
    let mut clients = Command::new("bash");
    clients.arg("tests/clients/run.sh").current_dir(root());
    step(clients)
}

/// Measures the embedded reviewer over the cases of `crates/review-tool/quality` and prints its numbers.
pub(crate) fn quality(arguments: &[String]) -> Result<()> {
    let mut measure = cargo(&["test", "--quiet", "--package", "review-tool", "--test", "quality"]);
    measure.args(["--locked", "--", "--report"]).args(arguments);
    step(measure)
}
