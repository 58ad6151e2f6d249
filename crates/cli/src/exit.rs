//! What the exit codes of the program mean, and how an error becomes one.

use review_tool::{ReviewError, printable};

use crate::servers::project::ProjectError;
use crate::settings::SettingsError;

/// Done; the gate passed.
pub(crate) const DONE: u8 = 0;
/// The gate failed: there are findings at or above the threshold.
pub(crate) const FINDINGS: u8 = 1;
/// Wrong usage or settings.
pub(crate) const USAGE: u8 = 2;
/// The review could not be completed.
pub(crate) const INCOMPLETE: u8 = 3;

/// An error of usage that is not one of the review itself.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Writes an error to stderr and returns its exit code.
pub(crate) fn report(error: &anyhow::Error) -> u8 {
    let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
    let text = format!("error: {}", causes.join(": "));
    // Line by line, since git's advice has several and a line end is no danger.
    text.lines().for_each(|line| crate::terminal::say(&printable(line)));
    let usage = error.downcast_ref::<Usage>().is_some()
        || error.downcast_ref::<SettingsError>().is_some()
        || error.downcast_ref::<ProjectError>().is_some()
        || error.downcast_ref::<ReviewError>().is_some_and(ReviewError::is_usage);
    if usage { USAGE } else { INCOMPLETE }
}
