//! What is known of a child, shared between those who use it and those who watch it.

use std::io;
use std::process::ExitStatus;
use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

use super::{ChildEnd, ChildLimits};
use crate::sync::{lock, wait, wait_for};

/// Ends a child, its group and whatever it started.
pub(super) trait Keeper: Send + Sync {
    /// Ends it in an orderly way; returns when everything has gone, within a bound.
    fn stop(&self, shared: &Shared, limits: &ChildLimits);

    /// Has it end at once, without waiting.
    fn kill(&self);
}

/// The state of a child.
#[derive(Debug, Default)]
pub(super) struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    start: Option<io::Result<u32>>,
    over_memory: Option<u64>,
    end: Option<Option<ExitStatus>>,
    reaped: bool,
    gone: bool,
}

impl Shared {
    pub(super) fn set_started(&self, id: u32) {
        self.change(|state| state.start = Some(Ok(id)));
    }

    pub(super) fn set_failed(&self, error: io::Error) {
        self.change(|state| state.start = state.start.take().or(Some(Err(error))));
    }

    pub(super) fn set_over_memory(&self, bytes: u64) {
        self.change(|state| state.over_memory = Some(bytes));
    }

    /// The server has ended; `None` when its status was lost. What it started may still run.
    pub(super) fn set_exited(&self, status: Option<ExitStatus>) {
        self.change(|state| state.end = Some(status));
    }

    /// The server is about to be reaped, after which its number may be another's.
    pub(super) fn set_reaped(&self) {
        self.change(|state| state.reaped = true);
    }

    /// Does something that is only right while the server has not been reaped.
    pub(super) fn unless_reaped(&self, action: impl FnOnce()) {
        let state = lock(&self.state);
        if !state.reaped {
            action();
        }
    }

    /// Nothing is left.
    pub(super) fn set_gone(&self) {
        self.change(|state| state.gone = true);
    }

    pub(super) fn wait_until_started(&self, patience: Duration) -> io::Result<u32> {
        let mut state = self.wait_while(patience, |state| state.start.is_none() && !state.gone);
        state.start.take().unwrap_or_else(|| {
            Err(io::Error::new(io::ErrorKind::TimedOut, "its supervisor does not answer"))
        })
    }

    /// Waits until the server has ended; returns whether it has.
    pub(super) fn wait_until_exited(&self, patience: Duration) -> bool {
        self.wait_while(patience, |state| state.end.is_none()).end.is_some()
    }

    /// Waits until nothing is left; returns whether that is so.
    pub(super) fn wait_until_gone(&self, patience: Duration) -> bool {
        self.wait_while(patience, |state| !state.gone).gone
    }

    /// Waits for the end without bound.
    pub(super) fn wait(&self) -> ChildEnd {
        let mut state = lock(&self.state);
        loop {
            match state.child_end() {
                Some(end) => return end,
                None => state = wait(&self.changed, state),
            }
        }
    }

    pub(super) fn end(&self) -> Option<ChildEnd> {
        lock(&self.state).child_end()
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut lock(&self.state));
        self.changed.notify_all();
    }

    fn wait_while(
        &self,
        patience: Duration,
        unsettled: impl Fn(&State) -> bool,
    ) -> std::sync::MutexGuard<'_, State> {
        let until = Instant::now() + patience;
        let mut state = lock(&self.state);
        while unsettled(&state) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = wait_for(&self.changed, state, left);
        }
        state
    }
}

impl State {
    fn child_end(&self) -> Option<ChildEnd> {
        self.end.map(|status| ChildEnd { status, over_memory: self.over_memory })
    }
}
