//! Real MCP clients, run against foreread and the example server that has one of everything.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::install;
use crate::run::{built, cargo, root, say, step};

const FOLDER: &str = "tests/clients";

/// rmcp, as a client and as a server of the same tools.
pub(crate) const RMCP: &str = "tests/rmcp/Cargo.toml";

/// Installs the clients, at the versions pinned in `tests/clients` and `tests/rmcp`, and runs them all.
///
/// A client gets the paths of both servers as its arguments, writes a line for each test, and fails
/// if one of them did.
pub(crate) fn run() -> Result<()> {
    // The whole workspace, so that what the tests have built is used again.
    let build = ["build", "--workspace", "--all-features", "--locked", "--bin", "foreread"];
    step(cargo(&[&build[..], &["--example", "everything"]].concat()))?;
    install::npm(FOLDER)?;
    let python = install::python(&format!("{FOLDER}/requirements.txt"))?;
    let target = built("..")?.to_string_lossy().into_owned();
    step(cargo(&["build", "--locked", "--manifest-path", RMCP, "--target-dir", &target]))?;
    let node = PathBuf::from("node");
    let (foreread, everything) = (built("foreread")?, built("examples/everything")?);
    let (rmcp_client, rmcp_server) = (built("rmcp-client")?, built("rmcp-server")?);
    let mut failed = 0;
    for (program, script, servers) in [
        (&node, Some("typescript1.mjs"), [&foreread, &everything]),
        (&node, Some("typescript2.mjs"), [&foreread, &everything]),
        (&node, Some("inspector.mjs"), [&foreread, &everything]),
        (&python, Some("python_client.py"), [&foreread, &everything]),
        (&rmcp_client, None, [&foreread, &everything]),
        // The same script on the same tools, behind the other stack.
        (&node, Some("swap.mjs"), [&foreread, &rmcp_server]),
    ] {
        let mut client = Command::new(program);
        client.current_dir(root().join(FOLDER)).args(script).args(servers);
        if let Err(error) = step(client) {
            say(&format!("{error:#}"));
            failed += 1;
        }
    }
    if failed > 0 {
        bail!("{failed} of the clients failed");
    }
    Ok(())
}
