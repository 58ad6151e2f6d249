//! Reviews a git change: diff, rules, findings, report.

pub mod changed_names;
mod content;
pub mod control;
pub mod diff;
mod error;
pub mod finding;
pub mod history;
pub mod language;
pub mod model;
pub mod nearest;
pub mod numbered;
mod printable;
pub mod prompt;
pub mod reply;
pub mod repo;
pub mod report;
pub mod request;
mod review;
pub mod rules;
pub mod secret;
pub mod source;
pub mod syntax;
pub mod tool;
pub mod view;
pub use error::ReviewError;
pub use printable::printable;
pub use review::{Excerpt, Reading, Review, dry_run, review, review_with};
