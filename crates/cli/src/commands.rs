//! One module for each subcommand.

pub(crate) mod mcp;
pub(crate) mod review;
pub(crate) mod rules;
