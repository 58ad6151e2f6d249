//! Requests that wait for their answers.
//!
//! Whoever asks waits on a slot of its own; the reading thread fills it. A slot leaves the table with its
//! first answer, so a second one, a late one and a foreign one find nothing.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

use mcp_proto::{Progress, RequestId, RpcError};

use super::cancel::{CancelToken, Wake};
use super::error::ClientError;
use crate::sync::{lock, wait, wait_for};

/// Reports that wait for a slow callback; of more, the oldest are dropped.
const KEPT_REPORTS: usize = 64;

/// What came back for a request.
#[derive(Debug)]
pub(super) enum Answer {
    /// A result: where it stands in the frame that brought it.
    Result { frame: Vec<u8>, range: Range<usize> },
    /// An error of the server's.
    Error(RpcError),
    /// An answer that is none: what is wrong with it.
    Invalid(String),
    /// No answer can come any more.
    Lost(ClientError),
}

/// Where one request waits.
#[derive(Debug, Default)]
pub(super) struct Slot {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    answer: Option<Answer>,
    reports: VecDeque<Progress>,
    reported: Option<f64>,
}

/// How long to wait, and what to do meanwhile.
pub(super) struct Patience<'w> {
    /// When to give up; `None` for never.
    pub(super) until: Option<Instant>,
    /// Ends the waiting from another thread.
    pub(super) cancel: Option<&'w CancelToken>,
    /// Gets each report, and says until when to wait from then on.
    pub(super) on_progress: Option<&'w dyn Fn(&Progress) -> Instant>,
    /// Asked when the time is over; may say until when to wait still.
    pub(super) more: Option<&'w dyn Fn() -> Option<Instant>>,
}

impl Patience<'_> {
    /// Waits until then, and heeds nothing else.
    pub(super) const fn until(until: Instant) -> Self {
        Self { until: Some(until), cancel: None, on_progress: None, more: None }
    }
}

/// Why the waiting ended without an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Impatience {
    TimedOut,
    Cancelled,
}

impl Wake for Slot {
    fn wake(&self) {
        // Taking the lock means that the waiter either sees what changed or is asleep by now.
        drop(lock(&self.state));
        self.changed.notify_all();
    }
}

impl Slot {
    fn answer(&self, answer: Answer) {
        let mut state = lock(&self.state);
        if state.answer.is_none() {
            state.answer = Some(answer);
        }
        drop(state);
        self.changed.notify_all();
    }

    fn report(&self, progress: Progress) {
        let mut state = lock(&self.state);
        // PO-12: what does not rise is ignored.
        if state.reported.is_some_and(|last| progress.progress <= last) {
            return;
        }
        state.reported = Some(progress.progress);
        if state.reports.len() == KEPT_REPORTS {
            state.reports.pop_front();
        }
        state.reports.push_back(progress);
        drop(state);
        self.changed.notify_all();
    }

    /// Waits for the answer; every report that came before it is handed on first.
    pub(super) fn wait(&self, patience: &Patience<'_>) -> Result<Answer, Impatience> {
        let mut until = patience.until;
        let mut state = lock(&self.state);
        loop {
            if let Some(on_progress) = patience.on_progress
                && !state.reports.is_empty()
            {
                let reports = std::mem::take(&mut state.reports);
                drop(state);
                for report in &reports {
                    until = Some(on_progress(report));
                }
                state = lock(&self.state);
                continue;
            }
            if let Some(answer) = state.answer.take() {
                return Ok(answer);
            }
            if patience.cancel.is_some_and(CancelToken::is_cancelled) {
                return Err(Impatience::Cancelled);
            }
            let Some(end) = until else {
                state = wait(&self.changed, state);
                continue;
            };
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                until = patience.more.and_then(|more| more());
                if until.is_none() {
                    return Err(Impatience::TimedOut);
                }
                continue;
            }
            state = wait_for(&self.changed, state, left);
        }
    }
}

/// The requests in flight on one connection, by id.
#[derive(Debug, Default)]
pub(super) struct Pending {
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    slots: HashMap<i64, Arc<Slot>>,
    lost: Option<ClientError>,
}

impl Pending {
    /// Adds a request.
    ///
    /// # Errors
    /// Refuses when `most` are in flight, or when no answer can come any more.
    pub(super) fn add(&self, id: i64, most: usize) -> Result<Arc<Slot>, ClientError> {
        let mut table = lock(&self.table);
        if let Some(lost) = &table.lost {
            return Err(lost.clone());
        }
        if table.slots.len() >= most {
            return Err(ClientError::Busy(most));
        }
        let slot = Arc::new(Slot::default());
        table.slots.insert(id, Arc::clone(&slot));
        Ok(slot)
    }

    /// Forgets a request; its answer will find nothing.
    pub(super) fn remove(&self, id: i64) {
        lock(&self.table).slots.remove(&id);
    }

    /// Fills the slot of a request; returns the answer where there is none.
    pub(super) fn answer(&self, id: &RequestId, answer: Answer) -> Result<(), Answer> {
        let slot = id.as_i64().and_then(|id| lock(&self.table).slots.remove(&id));
        match slot {
            Some(slot) => {
                slot.answer(answer);
                Ok(())
            }
            None => Err(answer),
        }
    }

    /// Hands a report to the request that it is about; returns whether there was one.
    pub(super) fn report(&self, progress: Progress) -> bool {
        let token = progress.progress_token.as_i64();
        let slot = token.and_then(|id| lock(&self.table).slots.get(&id).map(Arc::clone));
        match slot {
            Some(slot) => {
                slot.report(progress);
                true
            }
            None => false,
        }
    }

    /// Ends every request, and every one to come, with this error. Only the first call counts.
    pub(super) fn lose(&self, error: &ClientError) {
        let mut table = lock(&self.table);
        if table.lost.is_none() {
            table.lost = Some(error.clone());
        }
        let slots: Vec<_> = table.slots.drain().map(|(_, slot)| slot).collect();
        drop(table);
        for slot in slots {
            slot.answer(Answer::Lost(error.clone()));
        }
    }

    /// Why no answer can come any more, if so.
    pub(super) fn lost(&self) -> Option<ClientError> {
        lock(&self.table).lost.clone()
    }
}
