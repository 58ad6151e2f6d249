//! The program with servers that misbehave: what its user is told, and that nothing of them stays.
//!
//! The servers and their habits are those of `crates/mcp-stdio/tests/misbehaving`, which looks at sessions;
//! this looks at the command line. The test program plays the servers itself.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::zombie_processes,
    reason = "a program of tests: it fails by panicking, and its servers misbehave"
)]

#[cfg(target_os = "linux")]
mod killed;
#[cfg(target_os = "linux")]
#[path = "../../crates/mcp-stdio/tests/misbehaving/server.rs"]
mod server;
#[cfg(target_os = "linux")]
#[path = "../../crates/mcp-stdio/tests/child/traces.rs"]
#[expect(dead_code, reason = "other tests look for more")]
mod traces;
#[cfg(target_os = "linux")]
mod user;

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    use libtest_mimic::{Arguments, Trial};

    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.first().map(String::as_str) {
        Some("serve") => return server::serve(&behaviour(&words[1])),
        Some("linger-far") => return server::linger(true),
        Some("linger-near") => return server::linger(false),
        _ => {}
    }
    let trials = user::all().into_iter().map(|case| {
        Trial::test(case.name.clone(), move || {
            user::run(&case);
            Ok(())
        })
    });
    let killed = Trial::test("a-killed-program-leaves-no-process", || {
        killed::run();
        Ok(())
    });
    let trials = trials.chain([killed]);
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

#[cfg(target_os = "linux")]
fn behaviour(name: &str) -> server::Behaviour {
    let mut all =
        user::all().into_iter().map(|case| (case.name, case.server)).chain(killed::servers());
    all.find(|(known, _)| known == name).expect("a known name").1
}

/// Elsewhere the traces of a process cannot be looked up like this.
#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    ExitCode::SUCCESS
}
