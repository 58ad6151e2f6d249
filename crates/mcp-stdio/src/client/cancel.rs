//! Cancelling a request from another thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

use super::pending::Slot;
use crate::sync::lock;

/// Cancels what waits for it, from any thread. Clones are the same token.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    cancelled: AtomicBool,
    waiting: Mutex<Vec<Weak<Slot>>>,
}

impl CancelToken {
    /// Creates a token that is not cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels every request that was given this token, and every one that will be. They return at once
    /// and tell the server.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::SeqCst);
        for slot in lock(&self.0.waiting).drain(..) {
            if let Some(slot) = slot.upgrade() {
                slot.wake();
            }
        }
    }

    /// Whether it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::SeqCst)
    }

    /// Wakes the slot when the token is cancelled.
    pub(super) fn watch(&self, slot: &Arc<Slot>) {
        let mut waiting = lock(&self.0.waiting);
        waiting.retain(|slot| slot.strong_count() > 0);
        waiting.push(Arc::downgrade(slot));
    }
}
