//! Reviews a git change: diff, rules, findings, report.

pub mod diff;
pub mod finding;
pub mod language;
pub mod rules;
pub mod secret;
pub mod source;
pub mod syntax;
pub mod view;
