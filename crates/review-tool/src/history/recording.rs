//! One review on its way into the history.

use super::{Begun, History, HistoryError};
use crate::report::Document;

/// Keeps one review: entered at its beginning, forgotten again unless it is finished.
pub struct Recording<'h> {
    history: &'h dyn History,
    id: String,
    /// Why the review could not be entered.
    failed: Option<HistoryError>,
    ended: bool,
}

impl<'h> Recording<'h> {
    /// Enters the review. A failure shows when the review is finished.
    pub fn begin(history: &'h dyn History, review: &Begun) -> Self {
        let failed = history.begin(review).err();
        Self { history, id: review.id.clone(), failed, ended: false }
    }

    /// Gives the review its document.
    ///
    /// # Errors
    /// Why the review is not kept; it is as good without.
    pub fn finish(mut self, document: &Document) -> Result<(), HistoryError> {
        self.ended = true;
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        self.history.finish(document).inspect_err(|_| {
            // Nothing is lost that could still be kept; the first error is the one to tell.
            drop(self.history.abandon(&self.id));
        })
    }
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        if !self.ended && self.failed.is_none() {
            // Nobody is left to tell; the review counts as interrupted at the next start.
            drop(self.history.abandon(&self.id));
        }
    }
}
