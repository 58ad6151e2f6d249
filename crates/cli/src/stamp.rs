//! The clock and the names of reviews.

use std::time::{Instant, SystemTime};

use review_tool::history::Begun;
use review_tool::report::Stamp;

/// Measures and names one review, which begins now.
pub(crate) struct Stopwatch {
    since: Instant,
    begun: SystemTime,
    id: String,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        // Ids sort by the time at which reviews began.
        let id = uuid::Uuid::now_v7().to_string();
        Self { since: Instant::now(), begun: SystemTime::now(), id }
    }

    /// The beginning of the review, of no scope yet.
    pub(crate) fn begin(&self) -> Begun {
        let started = rfc3339(self.begun);
        Begun { id: self.id.clone(), repo: None, scope: String::new(), started }
    }

    /// The end of the review, which is now.
    pub(crate) fn stamp(&self) -> Stamp {
        Stamp {
            review_id: self.id.clone(),
            timestamp: now(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            latency_ms: u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX),
        }
    }
}

/// The time: RFC 3339 in UTC, with milliseconds.
pub(crate) fn now() -> String {
    rfc3339(SystemTime::now())
}

fn rfc3339(time: SystemTime) -> String {
    humantime::format_rfc3339_millis(time).to_string()
}
