//! Sessions against servers that are written down message by message, and against the real one.

#![expect(
    clippy::expect_used,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers outside of test functions fail a test by panicking, and take JSON as written"
)]

mod peer;

mod asked;
mod calls;
mod end;
mod lists;
mod opening;
mod random;
mod real;
