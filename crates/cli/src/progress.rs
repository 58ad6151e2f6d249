//! Progress of a review on a terminal.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};
use review_tool::control::{Control, Progress};
use review_tool::printable;

/// Shows progress on stderr where that is a terminal, and nothing elsewhere. Never cancels: Ctrl-C
/// ends the process.
pub(crate) struct Terminal(Option<ProgressBar>);

impl Terminal {
    pub(crate) fn new(quiet: bool) -> Self {
        let shown = !quiet && std::io::stderr().is_terminal();
        Self(shown.then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {pos}/{len} {wide_msg}") {
                bar.set_style(style);
            }
            bar
        }))
    }
}

impl Control for Terminal {
    fn cancelled(&self) -> bool {
        false
    }

    fn progress(&self, progress: Progress) {
        if let Some(bar) = &self.0 {
            if let Some(total) = progress.total {
                bar.set_length(total);
            }
            bar.set_position(progress.done);
            bar.set_message(printable(&progress.message).into_owned());
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
