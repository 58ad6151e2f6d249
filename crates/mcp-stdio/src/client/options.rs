//! How one request is made: its patience, its cancellation, its reports.

use std::cell::Cell;
use std::time::{Duration, Instant};

use mcp_proto::{LoggingLevel, Method, Progress};

use super::cancel::CancelToken;
use super::error::ClientError;
use super::limits::ClientLimits;

/// No request waits longer, since clocks end somewhere: a hundred years.
const LONGEST: Duration = Duration::from_secs(100 * 366 * 24 * 60 * 60);

/// How one request is made. The default waits as long as the session's limits say.
#[derive(Clone, Copy, Default)]
#[non_exhaustive]
pub struct CallOptions<'c> {
    /// How long to wait for the answer, instead of the session's own patience. Covers everything that the
    /// request takes: the restart of a server, the pages of a list, the rounds of input, but not the
    /// time that the client's own handler takes to give that input.
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
}

/// One request of a caller's, with the time that it has in all.
pub(super) struct Errand<'o> {
    pub(super) method: Method,
    pub(super) options: &'o CallOptions<'o>,
    begun: Instant,
    /// How long to wait, from the beginning and from each report.
    each: Duration,
    longest: Cell<Option<Instant>>,
    until: Cell<Instant>,
}

impl<'o> Errand<'o> {
    pub(super) fn new(method: Method, options: &'o CallOptions<'o>, limits: &ClientLimits) -> Self {
        let each = options.timeout.unwrap_or(limits.request_timeout).min(LONGEST);
        let begun = Instant::now();
        Self {
            method,
            options,
            begun,
            each,
            longest: Cell::new(
                options.extended_to.map(|longest| begun + longest.min(LONGEST).max(each)),
            ),
            until: Cell::new(begun + each),
        }
    }

    /// When to give up.
    pub(super) fn until(&self) -> Instant {
        self.until.get()
    }

    /// Hands a report to the caller and returns when to give up from now on.
    pub(super) fn report(&self, progress: &Progress) -> Instant {
        if let Some(on_progress) = self.options.on_progress {
            on_progress(progress);
        }
        if let Some(longest) = self.longest.get() {
            self.until.set(longest.min(Instant::now() + self.each));
        }
        self.until.get()
    }

    /// Whether reports are of use.
    pub(super) fn wants_reports(&self) -> bool {
        self.options.on_progress.is_some() || self.options.extended_to.is_some()
    }

    /// Does what is the client's own business, which does not count.
    pub(super) fn meanwhile<T>(&self, work: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let done = work();
        let spent = begun.elapsed();
        self.until.set(self.until.get() + spent);
        self.longest.set(self.longest.get().map(|longest| longest + spent));
        done
    }

    /// Fails once the caller has cancelled it or its time is over.
    pub(super) fn check(&self) -> Result<(), ClientError> {
        self.cancelled()?;
        if Instant::now() >= self.until.get() { Err(self.timed_out()) } else { Ok(()) }
    }

    /// Fails once the caller has cancelled it.
    pub(super) fn cancelled(&self) -> Result<(), ClientError> {
        match self.options.cancel {
            Some(token) if token.is_cancelled() => Err(ClientError::Cancelled),
            _ => Ok(()),
        }
    }

    pub(super) fn timed_out(&self) -> ClientError {
        let after = self.begun.elapsed();
        let after = Duration::from_millis(u64::try_from(after.as_millis()).unwrap_or(u64::MAX));
        ClientError::TimedOut { method: self.method, after }
    }
}
