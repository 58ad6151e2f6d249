//! Every check of the project. A check outside this file does not exist.

use anyhow::Result;

use crate::run::{cargo, step};
use crate::{bench, clients, conformance, diffs, layers, servers, tidy};

/// Runs all checks, the quick ones first.
pub(crate) fn run() -> Result<()> {
    step(cargo(&["fmt", "--all", "--check"]))?;
    for outside in [clients::RMCP, servers::RMCP, bench::SERVER, bench::CLIENT] {
        step(cargo(&["fmt", "--manifest-path", outside, "--check"]))?;
        // A lock file that the workspace has moved on from is told here rather than at the end.
        step(cargo(&["fetch", "--locked", "--manifest-path", outside]))?;
    }
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
    clients::run()?;
    servers::run()
}

/// Measures the embedded reviewer over the cases of `crates/review-tool/quality` and prints its numbers.
pub(crate) fn quality(arguments: &[String]) -> Result<()> {
    let mut measure = cargo(&["test", "--quiet", "--package", "review-tool", "--test", "quality"]);
    measure.args(["--locked", "--", "--report"]).args(arguments);
    step(measure)
}
