//! Cancelling a request from another thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

use crate::sync::lock;

/// Somebody who waits, and looks again when woken.
pub(super) trait Wake: Send + Sync {
    fn wake(&self);
}

/// Cancels what waits for it, from any thread. Clones are the same token.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    cancelled: AtomicBool,
    waiting: Mutex<Vec<Weak<dyn Wake>>>,
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
        let waiting = std::mem::take(&mut *lock(&self.0.waiting));
        for waiter in waiting.iter().filter_map(Weak::upgrade) {
            waiter.wake();
        }
    }

    /// Whether it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::SeqCst)
    }

    /// Wakes the waiter when the token is cancelled.
    pub(super) fn watch(&self, waiter: Weak<dyn Wake>) {
        let mut waiting = lock(&self.0.waiting);
        waiting.retain(|waiter| waiter.strong_count() > 0);
        waiting.push(waiter);
    }
}
