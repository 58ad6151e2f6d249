//! Sessions with servers that misbehave, one habit for each case of `cases.json`.
//!
//! The test program plays the servers itself. After each case the error is the right one, no process of the
//! server is left, no thread of the session, and no memory that is worth a word.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::zombie_processes,
    reason = "a program of tests: it fails by panicking, and its servers misbehave"
)]

#[cfg(target_os = "linux")]
mod cases;
#[cfg(target_os = "linux")]
mod server;
#[cfg(target_os = "linux")]
#[path = "../child/traces.rs"]
#[expect(dead_code, reason = "other tests look for more")]
mod traces;

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    use libtest_mimic::{Arguments, Trial};

    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.first().map(String::as_str) {
        Some("serve") => return server::serve(&cases::named(&words[1]).server),
        Some("linger-far") => return server::linger(true),
        Some("linger-near") => return server::linger(false),
        _ => {}
    }
    if let Some(code) = mcp_stdio::child::supervise() {
        return code;
    }
    let trials = cases::all().into_iter().map(|case| {
        Trial::test(case.name.clone(), move || {
            cases::run(&case);
            Ok(())
        })
    });
    let hundred = Trial::test("a-hundred-servers-twenty-at-a-time", || {
        cases::a_hundred_servers();
        Ok(())
    });
    // One after the other, since threads and memory are counted.
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    libtest_mimic::run(&arguments, trials.chain([hundred]).collect()).exit_code()
}

/// Elsewhere the traces of a process cannot be looked up like this.
#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    ExitCode::SUCCESS
}
