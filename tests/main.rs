//! Black-box tests: everything here is done through the program, as its users do it.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails where it stands"
)]

mod cli;
mod harness;
