//! The server as it stands: running, gone, or being started again.
//!
//! A server that has ended is started again at the next request, on a thread of its own, so that every
//! caller waits for it as long as its own request may take and no longer.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};

use super::cancel::{CancelToken, Wake};
use super::connection::{Connection, Settled};
use super::error::ClientError;
use super::launch::Ended;
use super::open::Learnt;
use super::options::Errand;
use super::session::Inner;
use crate::sync::{lock, wait, wait_for};

/// A connection, and what was settled on it.
#[derive(Clone)]
pub(super) struct Live {
    pub(super) connection: Arc<Connection>,
    pub(super) settled: Arc<Settled>,
}

impl Live {
    pub(super) const fn new(connection: Arc<Connection>, settled: Arc<Settled>) -> Self {
        Self { connection, settled }
    }

    /// How the server is spoken with.
    pub(super) fn learnt(&self) -> Learnt {
        let era = self.settled.wire.revision().era();
        Learnt { framing: self.connection.framing(), era }
    }
}

/// Which connection is in force, and what becomes of it.
pub(super) struct Standing {
    state: Mutex<State>,
    changed: Condvar,
    /// Ends an opening that goes on while the session is closed.
    closing: CancelToken,
}

struct State {
    live: Live,
    /// Since when it serves.
    opened: Instant,
    restarts: u32,
    phase: Phase,
    /// Why the opening failed that came to its end last, and when.
    failed: Option<(ClientError, Instant)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Open,
    Opening,
    Closed,
}

impl Wake for Standing {
    fn wake(&self) {
        drop(lock(&self.state));
        self.changed.notify_all();
    }
}

impl Standing {
    pub(super) fn new(live: Live) -> Arc<Self> {
        let (opened, phase) = (Instant::now(), Phase::Open);
        let state = State { live, opened, restarts: 0, phase, failed: None };
        Arc::new(Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
            closing: CancelToken::new(),
        })
    }

    /// The connection that was in force last.
    pub(super) fn last(&self) -> Live {
        lock(&self.state).live.clone()
    }

    /// Ends the server, also one that is just being started.
    pub(super) fn close(&self) {
        self.closing.cancel();
        let mut state = lock(&self.state);
        self.changed.notify_all();
        while state.phase == Phase::Opening {
            state = wait(&self.changed, state);
        }
        state.phase = Phase::Closed;
        let connection = Arc::clone(&state.live.connection);
        drop(state);
        self.changed.notify_all();
        connection.close();
    }

    /// The connection in force; a server that has ended is started again.
    ///
    /// # Errors
    /// Fails with what ended the waiting, or with why it could not be started again.
    pub(super) fn get(
        self: &Arc<Self>,
        inner: &Arc<Inner>,
        errand: &Errand<'_>,
    ) -> Result<Live, ClientError> {
        let mut state = lock(&self.state);
        if state.phase == Phase::Open && state.live.connection.lost().is_none() {
            return Ok(state.live.clone());
        }
        if let Some(token) = errand.options.cancel {
            let waiter: Weak<dyn Wake> = Arc::<Self>::downgrade(self);
            token.watch(waiter);
        }
        let mut waited = false;
        loop {
            if state.phase == Phase::Closed || self.closing.is_cancelled() {
                return Err(ClientError::Closed);
            }
            if state.phase == Phase::Open {
                let Some((lost, since)) = state.live.connection.lost() else {
                    return Ok(state.live.clone());
                };
                if waited && let Some((error, _)) = &state.failed {
                    return Err(error.clone());
                }
                self.start_again(&mut state, inner, lost, since)?;
            }
            errand.check()?;
            waited = true;
            let left = errand.until().saturating_duration_since(Instant::now());
            state = wait_for(&self.changed, state, left);
        }
    }

    fn start_again(
        self: &Arc<Self>,
        state: &mut State,
        inner: &Arc<Inner>,
        lost: ClientError,
        since: Instant,
    ) -> Result<(), ClientError> {
        let limits = &inner.shared.limits;
        // Not while it cannot be started: what served is long gone then.
        if state.failed.is_none()
            && since.saturating_duration_since(state.opened) >= limits.healthy_after
        {
            state.restarts = 0;
        }
        if state.restarts >= limits.max_restarts {
            let last = match lost {
                ClientError::Ended(ended) | ClientError::Broken { ended, .. } => ended,
                _ => Ended::default(),
            };
            return Err(ClientError::GaveUp { times: state.restarts + 1, last });
        }
        // Twice as long before each further one, counted from the moment it ended or failed to start.
        let since = state.failed.as_ref().map_or(since, |(_, failed)| since.max(*failed));
        let pause = limits.restart_backoff * 2_u32.saturating_pow(state.restarts);
        let (standing, opening) = (Arc::clone(self), Arc::clone(inner));
        let _detached = thread::Builder::new()
            .name("mcp-client-opener".to_owned())
            .spawn(move || standing.open_again(&opening, since + pause))
            .map_err(|error| ClientError::Thread(Arc::new(error)))?;
        state.restarts += 1;
        state.phase = Phase::Opening;
        state.failed = None;
        Ok(())
    }

    /// Starts the server again once the moment has come.
    fn open_again(&self, inner: &Arc<Inner>, moment: Instant) {
        self.pause_until(moment);
        let known = self.last().learnt();
        log::warn!("{} has ended and is started again", inner.name());
        let opening = AssertUnwindSafe(|| {
            let live = inner.open(Some(known), &self.closing)?;
            inner.set_up_again(&live);
            Ok(live)
        });
        let opened = catch_unwind(opening).unwrap_or_else(|_panic| {
            let panicked = io::Error::other("the launcher panicked");
            Err(ClientError::Launch(Arc::new(panicked)))
        });
        let mut state = lock(&self.state);
        state.phase = Phase::Open;
        let old = match opened {
            Ok(live) => {
                state.opened = Instant::now();
                Some(std::mem::replace(&mut state.live, live))
            }
            Err(error) => {
                state.failed = Some((error, Instant::now()));
                None
            }
        };
        drop(state);
        self.changed.notify_all();
        drop(old);
    }

    fn pause_until(&self, moment: Instant) {
        let mut state = lock(&self.state);
        while !self.closing.is_cancelled() {
            let left = moment.saturating_duration_since(Instant::now());
            if left == Duration::ZERO {
                return;
            }
            state = wait_for(&self.changed, state, left);
        }
    }
}
