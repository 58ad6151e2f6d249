//! Real MCP clients, run against foreread and the example server that has one of everything.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::install;
use crate::run::{built, cargo, root, say, step};

const FOLDER: &str = "tests/clients";

/// Installs the clients, at the versions pinned in `tests/clients`, and runs them all.
///
/// A client gets the paths of both servers as its arguments, writes a line for each test, and fails
/// if one of them did.
pub(crate) fn run() -> Result<()> {
    // The whole workspace, so that what the tests have built is used again.
    let build = ["build", "--workspace", "--all-features", "--locked", "--bin", "foreread"];
    step(cargo(&[&build[..], &["--example", "everything"]].concat()))?;
    install::npm(FOLDER)?;
    let python = install::python(&format!("{FOLDER}/requirements.txt"))?;
    let mut failed = Vec::new();
    for (program, script) in [
        (PathBuf::from("node"), "typescript1.mjs"),
        (PathBuf::from("node"), "typescript2.mjs"),
        (PathBuf::from("node"), "inspector.mjs"),
        (python, "python_client.py"),
    ] {
        let mut client = Command::new(program);
        client.current_dir(root().join(FOLDER)).arg(script);
        client.arg(built("foreread")?).arg(built("examples/everything")?);
        if let Err(error) = step(client) {
            say(&format!("{error:#}"));
            failed.push(script);
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    bail!("clients failed: {}", failed.join(", "));
}
