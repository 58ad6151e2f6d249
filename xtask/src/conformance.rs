//! The official MCP conformance suite, run against the example programs of mcp-stdio.

use std::process::Command;

use anyhow::{Result, bail};

use crate::install;
use crate::run::{built, cargo, root, step};

/// Where the suite, its bridges to stdio and the list of its scenarios are.
const FOLDER: &str = "tests/conformance";

/// A program that the suite is run against.
struct Target {
    /// The side that the program plays: `server` or `client`.
    role: &'static str,
    /// The example of mcp-stdio.
    example: &'static str,
    /// Each run has a name and options of its own, beside those that all runs share.
    runs: &'static [(&'static str, &'static [&'static str])],
}

const TARGETS: &[Target] = &[
    Target {
        role: "server",
        example: "everything",
        runs: &[
            ("server", &["--ext"]),
            // The bridge sends nothing valid first, so the first request of a process may be malformed.
            ("server-no-opening", &["--ext", "--no-opening", "--spec", "2026-07-28"]),
        ],
    },
    Target { role: "client", example: "conformance_client", runs: &[("client", &[])] },
];

/// Runs the suite against every target.
///
/// The first of `arguments` narrows that to the targets of one role; what follows it goes to the
/// runner, which then runs once for each target.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let role = arguments.first().map(String::as_str);
    let targets: Vec<_> =
        TARGETS.iter().filter(|target| role.is_none_or(|role| role == target.role)).collect();
    if targets.is_empty() {
        let roles: Vec<_> = TARGETS.iter().map(|target| target.role).collect();
        bail!(
            "no target has the role {:?}; there are: {}",
            role.unwrap_or_default(),
            roles.join(", ")
        );
    }
    install::npm(FOLDER)?;
    for target in targets {
        // The whole workspace, so that what the tests have built is used again.
        let build = ["build", "--workspace", "--all-features", "--locked", "--example"];
        step(cargo(&[&build[..], &[target.example]].concat()))?;
        match arguments.get(1..).unwrap_or_default() {
            [] => {
                for (name, options) in target.runs {
                    step(suite(target, name, options)?)?;
                }
            }
            options => {
                let options: Vec<_> = options.iter().map(String::as_str).collect();
                step(suite(target, "picked", &options)?)?;
            }
        }
    }
    Ok(())
}

/// One run of the suite; its results go to a folder of the run's name.
fn suite(target: &Target, name: &str, options: &[&str]) -> Result<Command> {
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let mut node = Command::new("node");
    node.current_dir(root().join(FOLDER))
        .args(["run.mjs", target.role, "--strict", "--jobs", &jobs.to_string(), "--out"])
        .arg(built("conformance")?.join(name))
        .args(options)
        .arg("--")
        .arg(built("examples")?.join(target.example));
    Ok(node)
}
