//! A server with toy tools, driven through pipes: what a client sees, message by message.

#![expect(
    clippy::expect_used,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers outside of test functions fail a test by panicking, and take JSON as written"
)]

mod client;
mod toys;

mod calls;
mod changes;
mod end;
mod envelope;
mod input;
mod offers;
mod opening;
mod random;
mod tasks;
mod vectors;
