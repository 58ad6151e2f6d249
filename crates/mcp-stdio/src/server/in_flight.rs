//! The requests that have been accepted and not yet answered.
//!
//! A request leaves the table exactly once: answered, cancelled or given up at the end. Whoever
//! removes it may write its response; nobody else can. The table is only touched under the lock of
//! the outbox, so that "answered or cancelled" is one step.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use mcp_proto::{ProgressToken, RequestId, SubscriptionFilter};

use super::batch::Batch;
use super::session::Peer;
use crate::sync::{lock, wait_for};

/// One accepted request, from admission to its response.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) id: RequestId,
    pub(crate) peer: Peer,
    pub(crate) progress_token: Option<ProgressToken>,
    pub(super) batch: Option<Arc<Batch>>,
    /// What the client listens to, if the request is a subscription.
    pub(super) listens_to: Option<SubscriptionFilter>,
    /// Set under the lock of the outbox when the request leaves the table.
    over: AtomicBool,
    cancelled: Mutex<bool>,
    cancelled_flag: AtomicBool,
    cancelled_changed: Condvar,
    last_progress: Mutex<f64>,
}

impl Call {
    pub(super) fn new(
        id: RequestId,
        peer: Peer,
        progress_token: Option<ProgressToken>,
        batch: Option<Arc<Batch>>,
    ) -> Self {
        Self {
            id,
            peer,
            progress_token,
            batch,
            listens_to: None,
            over: AtomicBool::new(false),
            cancelled: Mutex::new(false),
            cancelled_flag: AtomicBool::new(false),
            cancelled_changed: Condvar::new(),
            last_progress: Mutex::new(f64::NEG_INFINITY),
        }
    }

    /// Takes everything back that could reach the client: this stands for a task.
    pub(super) fn detached(self) -> Self {
        self.over.store(true, Ordering::Release);
        self
    }

    /// Says whether nobody waits for the outcome any more.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled_flag.load(Ordering::Acquire)
    }

    /// Waits for a cancellation, at most `duration`; returns whether it came.
    pub(crate) fn wait_cancelled(&self, duration: Duration) -> bool {
        let deadline = Instant::now().checked_add(duration);
        let mut cancelled = lock(&self.cancelled);
        while !*cancelled {
            let left = match deadline {
                Some(deadline) => deadline.saturating_duration_since(Instant::now()),
                None => Duration::MAX,
            };
            if left.is_zero() {
                return false;
            }
            cancelled = wait_for(&self.cancelled_changed, cancelled, left);
        }
        true
    }

    pub(crate) fn cancel(&self) {
        *lock(&self.cancelled) = true;
        self.cancelled_flag.store(true, Ordering::Release);
        self.cancelled_changed.notify_all();
    }

    /// Says whether the response has been written or must not be written any more.
    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Accepts a progress value if it is a number above the one before.
    pub(crate) fn rises_to(&self, progress: f64) -> bool {
        let mut last = lock(&self.last_progress);
        let rises = progress.is_finite() && progress > *last;
        if rises {
            *last = progress;
        }
        rises
    }
}

/// The table of accepted requests by id.
#[derive(Debug, Default)]
pub(super) struct InFlight {
    calls: HashMap<RequestId, Arc<Call>>,
}

impl InFlight {
    /// Enters a request; `false` when its id is taken, and then nothing changes.
    pub(super) fn enter(&mut self, call: &Arc<Call>) -> bool {
        if self.contains(&call.id) {
            return false;
        }
        self.calls.insert(call.id.clone(), Arc::clone(call));
        true
    }

    pub(super) fn contains(&self, id: &RequestId) -> bool {
        !self.calls.is_empty() && self.calls.contains_key(id)
    }

    /// Removes the request; `false` when it is over, so that nothing may be written for it.
    pub(super) fn complete(&mut self, call: &Call) -> bool {
        let first = !call.over.swap(true, Ordering::AcqRel);
        if first {
            self.calls.remove(&call.id);
        }
        first
    }

    /// Removes the request of that id because its sender does not want the answer.
    pub(super) fn cancel(&mut self, id: &RequestId) -> Option<Arc<Call>> {
        let call = self.calls.remove(id)?;
        call.over.store(true, Ordering::Release);
        Some(call)
    }

    /// Lists the requests that are left, subscriptions or all others.
    pub(super) fn list(&self, subscriptions: bool) -> Vec<Arc<Call>> {
        let wanted = |call: &&Arc<Call>| call.listens_to.is_some() == subscriptions;
        let mut calls: Vec<_> = self.calls.values().filter(wanted).map(Arc::clone).collect();
        calls.sort_by(|a, b| a.id.cmp(&b.id));
        calls
    }

    /// Says whether a request is left that will be answered by itself.
    pub(super) fn has_calls(&self) -> bool {
        self.calls.values().any(|call| call.listens_to.is_none())
    }
}
