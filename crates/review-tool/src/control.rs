//! What crosses a running review sideways: cancellation down, progress up.

/// A step of a review, for whoever waits for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// Steps done; rises with every report.
    pub done: u64,
    /// Steps in all, once known.
    pub total: Option<u64>,
    /// What is being done, for a person.
    pub message: String,
}

/// The caller's hold on a running review. Called from several threads at once.
pub trait Control: Sync {
    /// Whether the caller no longer wants the result. Polled between files and while git runs.
    fn cancelled(&self) -> bool;

    /// Takes a report of progress.
    fn progress(&self, progress: Progress);
}

/// A control that never cancels and drops all progress.
#[derive(Debug, Clone, Copy, Default)]
pub struct Uncontrolled;

impl Control for Uncontrolled {
    fn cancelled(&self) -> bool {
        false
    }

    fn progress(&self, _: Progress) {}
}
