//! `cargo xtask bench`: how fast the stack is, beside others in one run.

use anyhow::{Result, bail};

use crate::install;
use crate::run::{cargo, command, root, say, step};

/// The servers that are measured beside ours, and what measures them.
pub(crate) const SERVER: &str = "tests/bench/server/Cargo.toml";

/// The clients that are measured beside ours, the server of them all, and what measures them.
pub(crate) const CLIENT: &str = "tests/bench/client/Cargo.toml";

/// Runs a benchmark, `server` if none is named.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] | ["server"] => server("5"),
        ["server", rounds] => server(rounds),
        ["client"] => client("5"),
        ["client", rounds] => client(rounds),
        _ => bail!("usage: cargo xtask bench [server|client [ROUNDS]]"),
    }
}

/// Measures our client beside those of rmcp and of the official TypeScript SDK, all with one server that
/// answers at once.
fn client(rounds: &str) -> Result<()> {
    let target = root().join("target/bench").to_string_lossy().into_owned();
    let build = ["build", "--locked", "--release", "--manifest-path", CLIENT];
    step(cargo(&[&build[..], &["--target-dir", &target]].concat()))?;
    install::npm("tests/bench/client/typescript")?;
    say("\na machine that does something else as well makes all of them slower, and not alike");
    step(command(&format!("{target}/release/client-bench"), &["--rounds", rounds]))
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
