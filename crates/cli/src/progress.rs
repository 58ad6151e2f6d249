//! Progress of a review on a terminal.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};
use review_tool::control::{Control, Progress};
use review_tool::printable;

/// The exit code of a process that was interrupted twice, as shells have it.
const INTERRUPTED: i32 = 130;

/// Shows progress on stderr where that is a terminal, and nothing elsewhere. The first interrupt
/// cancels, so that no program is left running; the second ends the process at once.
pub(crate) struct Terminal {
    bar: Option<ProgressBar>,
    interrupted: Arc<AtomicBool>,
}

impl Terminal {
    pub(crate) fn new(quiet: bool) -> Self {
        let shown = !quiet && std::io::stderr().is_terminal();
        let interrupted = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            // The order matters: the flag that the first sets is set by the second handler. Without
            // them an interrupt just ends the process.
            let again = Arc::clone(&interrupted);
            drop(signal_hook::flag::register_conditional_shutdown(signal, INTERRUPTED, again));
            drop(signal_hook::flag::register(signal, Arc::clone(&interrupted)));
        }
        let bar = shown.then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {pos}/{len} {wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self { bar, interrupted }
    }
}

impl Control for Terminal {
    fn cancelled(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    fn progress(&self, progress: Progress) {
        if let Some(bar) = &self.bar {
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
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
