//! Sees to it that somebody reads, and learns of the end.
//!
//! A thread that has read a message carries it through itself, without waking another one: that is
//! what makes small calls cheap. If it takes long, nobody reads meanwhile. The monitor notices and
//! has another thread take the reading over. While nothing happens it sleeps.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use crate::stop::Watcher;
use crate::sync::{lock, wait, wait_for};

/// How long a call may keep the reading before another thread takes over: one to two of these.
const TICK: Duration = Duration::from_millis(1);

/// How many bytes of a message buy it one more of these.
const BYTES_PER_TICK: usize = 128 * 1024;

/// After how many ticks without any reading the monitor goes to sleep.
const TICKS_TO_SLEEP: u32 = 8;

/// Why a connection is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The client has closed its side.
    Input,
    /// The client does not take answers any more.
    Output,
    /// Someone has asked for it.
    Stopped,
}

/// What the monitor wants after a while of watching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watch {
    NobodyReads,
    Ended(End),
}

#[derive(Debug)]
pub(super) struct Monitor {
    /// Odd while a thread holds the reading; grows with every change.
    turns: AtomicU64,
    /// How many ticks the reading may be free before somebody else takes it.
    patience: AtomicU32,
    asleep: AtomicBool,
    /// Whether messages must not be served any more, even if they have been read.
    ended: AtomicBool,
    end: Mutex<Option<End>>,
    changed: Condvar,
}

impl Monitor {
    /// Creates a monitor that takes it for granted that a first thread is about to read.
    pub(super) fn new() -> Self {
        Self {
            turns: AtomicU64::new(1),
            patience: AtomicU32::new(1),
            asleep: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            end: Mutex::new(None),
            changed: Condvar::new(),
        }
    }

    /// Notes that a thread has taken the reading. Only its new holder may call this.
    pub(super) fn taken(&self) {
        let turns = self.turns.load(Ordering::SeqCst);
        self.turns.store((turns + 1) | 1, Ordering::SeqCst);
    }

    /// Notes that the reading is free while its holder deals with that many bytes.
    ///
    /// To decode or to write a large message takes time, but hardly more than it took to read it.
    /// That is not worth another thread, whose allocations would come on top of this one's.
    pub(super) fn released(&self, bytes: usize) {
        let ticks = u32::try_from(bytes / BYTES_PER_TICK).unwrap_or(u32::MAX);
        self.patience.store(ticks.saturating_add(1), Ordering::Relaxed);
        self.turns.fetch_add(1, Ordering::SeqCst);
        if self.asleep.load(Ordering::SeqCst) {
            let _end = lock(&self.end);
            self.asleep.store(false, Ordering::SeqCst);
            self.changed.notify_all();
        }
    }

    /// Reports the end; the first report counts, except that a failed output beats the others.
    pub(super) fn end(&self, end: End) {
        let mut known = lock(&self.end);
        if end != End::Input {
            self.ended.store(true, Ordering::SeqCst);
        }
        if known.is_none() || end == End::Output {
            *known = Some(end);
        }
        self.asleep.store(false, Ordering::SeqCst);
        self.changed.notify_all();
    }

    /// Says whether messages must not be served any more.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    /// Waits until the reading has been free for too long, or everything is over.
    pub(super) fn watch(&self) -> Watch {
        let mut known = lock(&self.end);
        let mut last = self.turns.load(Ordering::SeqCst);
        let mut quiet = 0;
        let mut free = 0;
        loop {
            if let Some(end) = *known {
                return Watch::Ended(end);
            }
            if quiet < TICKS_TO_SLEEP {
                known = wait_for(&self.changed, known, TICK);
            } else {
                self.asleep.store(true, Ordering::SeqCst);
                // Whoever released the reading before it saw the flag must not go unwatched.
                if is_taken(self.turns.load(Ordering::SeqCst)) {
                    while self.asleep.load(Ordering::SeqCst) {
                        known = wait(&self.changed, known);
                    }
                }
                self.asleep.store(false, Ordering::SeqCst);
                quiet = 0;
            }
            let turns = self.turns.load(Ordering::SeqCst);
            if turns != last {
                (quiet, free) = (0, 0);
                last = turns;
            } else if is_taken(turns) {
                quiet += 1;
            } else {
                free += 1;
                if free >= self.patience.load(Ordering::Relaxed) && known.is_none() {
                    return Watch::NobodyReads;
                }
            }
        }
    }
}

fn is_taken(turns: u64) -> bool {
    turns % 2 == 1
}

impl Watcher for Monitor {
    fn stop(&self) {
        self.end(End::Stopped);
    }
}
