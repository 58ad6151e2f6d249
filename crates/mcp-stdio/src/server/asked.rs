//! Requests of the server's own, which exist in the handshake revisions only.
//!
//! A call that needs input sends its requests and waits on its own thread. The wait ends with the
//! answers, with the call's cancellation, after the time that the limits give, or with the input.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex};
use std::time::Instant;

use mcp_proto::{RawJson, RequestId, RpcError};

use crate::sync::{lock, wait_for};

/// The client's answer to one request.
pub(super) type Reply = Result<RawJson, RpcError>;

/// Why no answers came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unanswered {
    Cancelled,
    TimedOut,
    Closed,
}

#[derive(Debug, Default)]
pub(super) struct Asked {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Requests that wait for an answer, or have it.
    replies: HashMap<RequestId, Option<Reply>>,
    last_id: u64,
    /// Whether the client has said that it takes requests.
    ready: bool,
    closed: bool,
}

impl Asked {
    /// Notes that the client takes requests from now on.
    pub(super) fn set_ready(&self) {
        lock(&self.state).ready = true;
        self.changed.notify_all();
    }

    /// Notes that no answer can come any more.
    pub(super) fn close(&self) {
        lock(&self.state).closed = true;
        self.changed.notify_all();
    }

    /// Has every waiting call look whether it was cancelled.
    pub(super) fn wake(&self) {
        // Taking the lock makes sure that nobody is between looking and waiting.
        drop(lock(&self.state));
        self.changed.notify_all();
    }

    /// Returns a fresh id, whose answer is expected from now on.
    pub(super) fn expect(&self) -> RequestId {
        let mut state = lock(&self.state);
        state.last_id += 1;
        let id = RequestId::from(state.last_id);
        state.replies.insert(id.clone(), None);
        id
    }

    /// Forgets a request, so that a late answer is dropped.
    pub(super) fn forget(&self, id: &RequestId) {
        lock(&self.state).replies.remove(id);
    }

    /// Takes an answer in; `false` when nobody expects it.
    pub(super) fn answer(&self, id: &RequestId, reply: Reply) -> bool {
        let mut state = lock(&self.state);
        let Some(slot @ None) = state.replies.get_mut(id) else { return false };
        *slot = Some(reply);
        drop(state);
        self.changed.notify_all();
        true
    }

    /// Waits until the client takes requests.
    pub(super) fn wait_ready(
        &self,
        deadline: Instant,
        is_cancelled: impl Fn() -> bool,
    ) -> Result<(), Unanswered> {
        self.wait_until(deadline, is_cancelled, |state| state.ready)
    }

    /// Waits for the answers to all of `ids` and forgets the requests.
    ///
    /// Without all answers, the ids that have none are returned with the reason.
    pub(super) fn collect(
        &self,
        ids: &[RequestId],
        deadline: Instant,
        is_cancelled: impl Fn() -> bool,
    ) -> Result<Vec<Reply>, (Unanswered, Vec<RequestId>)> {
        let outcome = self.wait_until(deadline, is_cancelled, |state| {
            ids.iter().all(|id| matches!(state.replies.get(id), Some(Some(_))))
        });
        let mut state = lock(&self.state);
        let replies = ids.iter().map(|id| (id, state.replies.remove(id).flatten()));
        let (mut answered, mut open) = (Vec::new(), Vec::new());
        for (id, reply) in replies {
            match reply {
                Some(reply) => answered.push(reply),
                None => open.push(id.clone()),
            }
        }
        outcome.map(|()| answered).map_err(|reason| (reason, open))
    }

    fn wait_until(
        &self,
        deadline: Instant,
        is_cancelled: impl Fn() -> bool,
        done: impl Fn(&State) -> bool,
    ) -> Result<(), Unanswered> {
        let mut state = lock(&self.state);
        loop {
            if is_cancelled() {
                return Err(Unanswered::Cancelled);
            }
            if done(&state) {
                return Ok(());
            }
            if state.closed {
                return Err(Unanswered::Closed);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Unanswered::TimedOut);
            }
            state = wait_for(&self.changed, state, left);
        }
    }
}
