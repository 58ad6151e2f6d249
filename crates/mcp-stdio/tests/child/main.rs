//! Server processes and what becomes of them: direct ones, supervised ones, and those whose host is
//! killed.
//!
//! The test program plays every part itself: `serve` is a server with one bad habit, `host` is a
//! program that starts servers and is killed. Each server carries a marker in its environment, and
//! a case is over when no process with that marker is left.

#![expect(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::zombie_processes,
    reason = "a program of tests: it fails by panicking, and its servers misbehave"
)]

#[cfg(target_os = "linux")]
mod cases;
#[cfg(target_os = "linux")]
mod parts;
#[cfg(target_os = "linux")]
mod traces;

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    use libtest_mimic::{Arguments, Trial};

    let words: Vec<String> = std::env::args().skip(1).collect();
    let part = words.first().map(String::as_str);
    if part == Some("serve") {
        return parts::serve(&words[1]);
    }
    // Whoever does not say that it can supervise has direct children.
    let direct = part == Some("direct");
    if !direct && let Some(code) = mcp_stdio::child::supervise() {
        return code;
    }
    if part == Some("host") {
        return parts::host(&words[1..]);
    }
    let cases = if direct { cases::direct() } else { cases::supervised() };
    let trials = cases.into_iter().map(|(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    let arguments = if direct { Arguments::default() } else { Arguments::from_args() };
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// Elsewhere the traces of a process cannot be looked up like this.
#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    ExitCode::SUCCESS
}
