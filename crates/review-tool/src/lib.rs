//! Reviews a git change: diff, rules, findings, report.

pub mod baseline;
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
pub mod policy;
mod printable;
pub mod prompt;
pub mod reply;
pub mod repo;
pub mod report;
pub mod request;
pub mod resource;
mod review;
pub mod rules;
pub mod secret;
pub mod self_review;
pub mod source;
mod suppression;
pub mod syntax;
pub mod tool;
pub mod tuning;
pub mod view;
pub use error::ReviewError;
pub use printable::{printable, push_json};
pub use review::{
    Excerpt, Presented, Reading, Review, Statement, dry_run, present, review, review_statement,
    review_with,
};
