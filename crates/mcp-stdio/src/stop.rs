//! Ending a connection from outside: by code, or by the signals that end a process.

use std::io;
use std::sync::{Arc, Mutex, Weak};

use crate::sync::lock;

/// Ends the connections that were served with it.
///
/// Clones share one state. Triggering more than once, or before anything is served, is fine.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    triggered: bool,
    watchers: Vec<Weak<dyn Watcher>>,
    #[cfg(unix)]
    signals: Option<signals::Signals>,
}

/// Hears of the trigger.
pub(crate) trait Watcher: Send + Sync + std::fmt::Debug {
    fn stop(&self);
}

impl Stop {
    /// Creates a handle that nothing has triggered.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a handle that the first `SIGTERM` or `SIGINT` triggers.
    ///
    /// Until a served connection has brought its first message, and after the first signal, these
    /// signals end the process at once. Elsewhere than on Unix nothing triggers the handle.
    ///
    /// # Errors
    ///
    /// Fails when the signal handlers cannot be set up.
    pub fn on_termination() -> io::Result<Self> {
        let stop = Self::new();
        #[cfg(unix)]
        {
            lock(&stop.state).signals = Some(signals::Signals::new()?);
        }
        Ok(stop)
    }

    /// Ends the connections: what was accepted is answered within the grace that the limits give.
    pub fn trigger(&self) {
        let watchers = {
            let mut state = lock(&self.state);
            state.triggered = true;
            std::mem::take(&mut state.watchers)
        };
        for watcher in watchers.iter().filter_map(Weak::upgrade) {
            watcher.stop();
        }
    }

    /// Says whether the end has been asked for.
    #[must_use]
    pub fn is_triggered(&self) -> bool {
        lock(&self.state).triggered
    }

    /// Says whether only signals can trigger the handle, and these still end the process at once.
    pub(crate) fn is_dormant(&self) -> bool {
        #[cfg(unix)]
        return lock(&self.state).signals.is_some();
        #[cfg(not(unix))]
        return false;
    }

    /// Tells `watcher` of the trigger, now or later. From now on signals trigger the handle.
    pub(crate) fn watch(&self, watcher: Weak<dyn Watcher>) -> io::Result<()> {
        #[cfg(unix)]
        {
            let signals = lock(&self.state).signals.take();
            if let Some(signals) = signals {
                signals.trigger(self.clone())?;
            }
        }
        let mut state = lock(&self.state);
        state.watchers.retain(|known| known.strong_count() > 0);
        if !state.triggered {
            state.watchers.push(watcher);
        } else {
            drop(state);
            if let Some(watcher) = watcher.upgrade() {
                watcher.stop();
            }
        }
        Ok(())
    }
}

#[cfg(unix)]
mod signals {
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::{flag, iterator};

    use super::Stop;

    /// Handlers for the signals that end a process.
    #[derive(Debug)]
    pub(super) struct Signals {
        signals: iterator::Signals,
        /// Whether a signal ends the process at once.
        at_once: Arc<AtomicBool>,
    }

    impl Signals {
        pub(super) fn new() -> io::Result<Self> {
            let at_once = Arc::new(AtomicBool::new(true));
            for signal in [SIGTERM, SIGINT] {
                flag::register_conditional_default(signal, Arc::clone(&at_once))?;
            }
            Ok(Self { signals: iterator::Signals::new([SIGTERM, SIGINT])?, at_once })
        }

        /// Has the next signal trigger `stop` instead of ending the process.
        pub(super) fn trigger(mut self, stop: Stop) -> io::Result<()> {
            let thread = thread::Builder::new().name("mcp-signals".to_owned());
            let at_once = Arc::clone(&self.at_once);
            thread.spawn(move || {
                for _signal in &mut self.signals {
                    self.at_once.store(true, Ordering::SeqCst);
                    stop.trigger();
                }
            })?;
            at_once.store(false, Ordering::SeqCst);
            Ok(())
        }
    }
}
