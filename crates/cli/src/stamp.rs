//! The clock and the names of reviews.

use std::time::{Instant, SystemTime};

use review_tool::report::Stamp;

/// Measures one review from now on.
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Names the review, which ends now. Ids sort by time.
    pub(crate) fn stamp(&self) -> Stamp {
        Stamp {
            review_id: uuid::Uuid::now_v7().to_string(),
            timestamp: humantime::format_rfc3339_millis(SystemTime::now()).to_string(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            latency_ms: u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX),
        }
    }
}
