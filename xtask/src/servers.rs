//! Real MCP servers, started and used through foreread.

use std::process::Command;

use anyhow::Result;

use crate::install;
use crate::run::{built, cargo, root, step};

const FOLDER: &str = "tests/servers";

/// A server of rmcp's.
pub(crate) const RMCP: &str = "tests/servers/rmcp/Cargo.toml";

/// Installs the servers, at the versions pinned in `tests/servers`, and uses them all.
pub(crate) fn run() -> Result<()> {
    // The whole workspace, so that what the tests have built is used again.
    let build = ["build", "--workspace", "--all-features", "--locked", "--bin", "foreread"];
    step(cargo(&[&build[..], &["--example", "exercise"]].concat()))?;
    let target = built("..")?.to_string_lossy().into_owned();
    step(cargo(&["build", "--locked", "--manifest-path", RMCP, "--target-dir", &target]))?;
    install::npm(FOLDER)?;
    // The Python SDK is that of the clients; its examples come with its sources.
    let python = install::python("tests/clients/requirements.txt")?;

    let mut script = Command::new("bash");
    script
        .arg(root().join(FOLDER).join("run.sh"))
        .arg(built("foreread")?)
        .arg(built("examples/exercise")?)
        .arg(built("rmcp-counter")?)
        .arg(python)
        .arg(built("servers")?);
    step(script)
}
