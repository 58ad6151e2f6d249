//! How one request is made: its patience, its cancellation, its reports.

use std::time::{Duration, Instant};

use mcp_proto::{LoggingLevel, Progress};

use super::cancel::CancelToken;
use super::limits::ClientLimits;

/// How one request is made. The default waits as long as the session's limits say.
#[derive(Clone, Copy, Default)]
#[non_exhaustive]
pub struct CallOptions<'c> {
    /// How long to wait for the answer, instead of the session's own patience.
    pub timeout: Option<Duration>,
    /// How long to wait at most where each report of progress starts the waiting anew (CN-15).
    pub extended_to: Option<Duration>,
    /// Ends the waiting from another thread.
    pub cancel: Option<&'c CancelToken>,
    /// Gets each report, in the calling thread, rising, and none after the answer.
    pub on_progress: Option<&'c dyn Fn(&Progress)>,
    /// Asks for log messages of this level and worse while the request runs. Since 2026-07-28; before, a
    /// session sets one level for all.
    pub log_level: Option<LoggingLevel>,
}

impl<'c> CallOptions<'c> {
    /// Waits for so long.
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Starts the waiting anew at each report, up to `longest` in all.
    #[must_use]
    pub const fn extended_to(mut self, longest: Duration) -> Self {
        self.extended_to = Some(longest);
        self
    }

    /// Can be cancelled by the token.
    #[must_use]
    pub const fn cancel(mut self, token: &'c CancelToken) -> Self {
        self.cancel = Some(token);
        self
    }

    /// Reports progress to the callback.
    #[must_use]
    pub const fn on_progress(mut self, callback: &'c dyn Fn(&Progress)) -> Self {
        self.on_progress = Some(callback);
        self
    }

    /// Asks for log messages.
    #[must_use]
    pub const fn log_level(mut self, level: LoggingLevel) -> Self {
        self.log_level = Some(level);
        self
    }

    pub(super) fn clock(&self, limits: &ClientLimits) -> Clock {
        let each = self.timeout.unwrap_or(limits.request_timeout);
        let now = Instant::now();
        Clock {
            each,
            longest: self.extended_to.map(|longest| now + longest.max(each)),
            first: now + each,
        }
    }
}

/// The time that one call has, over all rounds of input.
pub(super) struct Clock {
    each: Duration,
    longest: Option<Instant>,
    pub(super) first: Instant,
}

impl Clock {
    /// The new end after a report, where reports extend it.
    pub(super) fn extended(&self) -> Option<Instant> {
        self.longest.map(|longest| longest.min(Instant::now() + self.each))
    }
}
