//! One module for each subcommand.

pub(crate) mod call;
pub(crate) mod config;
pub(crate) mod mcp;
pub(crate) mod review;
pub(crate) mod reviews;
pub(crate) mod rules;
pub(crate) mod servers;
pub(crate) mod tools;
