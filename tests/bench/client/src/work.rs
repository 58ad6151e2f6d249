//! What every client is asked to do, and what comes of it.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// How many calls are in flight at once under load.
pub const IN_FLIGHT: usize = 64;

/// What a client does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Starts the server and lists its tools.
    Open,
    /// One call of 100 bytes after the other.
    Sequential,
    /// Calls of 100 bytes, many at once.
    Parallel,
    /// One call of a mebibyte after the other.
    Large,
}

impl Work {
    pub const ALL: [Self; 4] = [Self::Open, Self::Sequential, Self::Parallel, Self::Large];

    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Sequential => "sequential",
            Self::Parallel => "parallel",
            Self::Large => "large",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|work| work.name() == name)
    }

    /// How long it is measured.
    pub fn time(self) -> Duration {
        Duration::from_millis(if self == Self::Large { 1500 } else { 1000 })
    }

    /// The text that is echoed.
    pub fn text(self) -> String {
        "grüße \"x\" ".repeat(if self == Self::Large { 1 << 20 } else { 100 } / 12)
    }
}

/// What was measured.
#[derive(Debug, Serialize, Deserialize)]
pub struct Measured {
    /// Calls per second.
    pub calls: f64,
    /// Microseconds that half of the calls took at most; of an opening, the time that it took.
    pub p50: f64,
    /// Microseconds that 99 of 100 calls took at most.
    pub p99: f64,
    /// Microseconds of the client's own CPU time for each call.
    pub cpu: f64,
}

/// Measures a loop of calls in one thread of control.
pub struct Meter {
    times: Vec<Duration>,
    begun: Instant,
    cpu: Duration,
}

impl Meter {
    pub fn start() -> Self {
        Self { times: Vec::with_capacity(1 << 20), begun: Instant::now(), cpu: cpu() }
    }

    pub fn add(&mut self, time: Duration) {
        self.times.push(time);
    }

    pub fn extend(&mut self, times: Vec<Duration>) {
        self.times.extend(times);
    }

    pub fn stop(mut self) -> Measured {
        let (took, cpu) = (self.begun.elapsed(), cpu() - self.cpu);
        self.times.sort_unstable();
        let count = self.times.len();
        let at = |share: f64| {
            let index = (count as f64 * share) as usize;
            self.times.get(index.min(count.saturating_sub(1))).map_or(0.0, micros)
        };
        Measured {
            calls: count as f64 / took.as_secs_f64(),
            p50: at(0.5),
            p99: at(0.99),
            cpu: micros(&cpu) / count.max(1) as f64,
        }
    }
}

pub fn micros(time: &Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The CPU time of this process, all threads, in kernel and user.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
