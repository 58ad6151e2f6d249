//! `cargo xtask bench`: how fast the stack is, beside rmcp in one run.

use anyhow::{Result, bail};

use crate::run::{cargo, command, root, say, step};

/// The servers that are measured beside ours, and what measures them.
pub(crate) const SERVER: &str = "tests/bench/server/Cargo.toml";

/// Runs a benchmark, `server` if none is named.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let rounds = match arguments {
        [] => "5",
        [what] if what == "server" => "5",
        [what, rounds] if what == "server" => rounds,
        _ => bail!("usage: cargo xtask bench [server [ROUNDS]]"),
    };
    server(rounds)
}

/// Measures `crates/mcp-stdio/examples/bench_server.rs` beside the same tools served by rmcp, once as
/// its examples do it and once at its best.
fn server(rounds: &str) -> Result<()> {
    let own = ["build", "--locked", "--release", "--package", "mcp-stdio", "--all-features"];
    let target = root().join("target/bench").to_string_lossy().into_owned();
    let into = ["--target-dir", &target];
    step(cargo(&[&own[..], &["--example", "bench_server"], &into].concat()))?;
    let peers = ["build", "--locked", "--release", "--manifest-path", SERVER];
    step(cargo(&[&peers[..], &into].concat()))?;
    let built = |name: &str| format!("{target}/release/{name}");
    let (bench, rmcp, ours) =
        (built("server-bench"), built("rmcp"), built("examples/bench_server"));
    say("\na machine that does something else as well makes all of them slower, and not alike");
    step(command(
        &bench,
        &[rounds, "rmcp", &rmcp, "--", "rmcp-best", &rmcp, "--best", "--", "mcp-stdio", &ours],
    ))
}
