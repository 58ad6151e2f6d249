//! How long reviews are kept, and how many.

use std::time::Duration;

use rusqlite::{Connection, params};

/// Bounds what is kept. A review goes when it reaches either bound; one that still runs stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// Reviews that began longer ago are dropped.
    pub age: Duration,
    /// Only this many are kept, the newest.
    pub count: u64,
}

impl Keep {
    /// What is kept unless the user says otherwise: half a year, ten thousand reviews.
    pub const DEFAULT: Self = Self { age: Duration::from_secs(180 * 24 * 3600), count: 10_000 };

    /// Drops what is beyond the bounds at `now`, an RFC 3339 time in UTC; returns how many.
    pub(crate) fn enforce(self, connection: &Connection, now: &str) -> rusqlite::Result<usize> {
        let too_old = connection.execute(
            "DELETE FROM reviews WHERE state <> 'running'
             AND started < strftime('%Y-%m-%dT%H:%M:%fZ', ?1, ?2)",
            params![now, format!("-{} seconds", self.age.as_secs())],
        )?;
        let too_many = connection.execute(
            "DELETE FROM reviews WHERE state <> 'running'
             AND id <= (SELECT id FROM reviews ORDER BY id DESC LIMIT 1 OFFSET ?1)",
            params![i64::try_from(self.count).unwrap_or(i64::MAX)],
        )?;
        Ok(too_old + too_many)
    }
}
