//! Ending a connection from outside: by code, or by the signals that end a process.

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

    /// Creates a handle that the first `SIGTERM` or `SIGINT` triggers; a second one ends the
    /// process at once. Elsewhere than on Unix nothing triggers it.
    ///
    /// # Errors
    ///
    /// Fails when the handlers or the thread that waits for signals cannot be set up.
    pub fn on_termination() -> std::io::Result<Self> {
        let stop = Self::new();
        #[cfg(unix)]
        stop.watch_signals()?;
        Ok(stop)
    }

    #[cfg(unix)]
    fn watch_signals(&self) -> std::io::Result<()> {
        use signal_hook::consts::{SIGINT, SIGTERM};

        let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGINT])?;
        let stop = self.clone();
        std::thread::Builder::new().name("mcp-signals".to_owned()).spawn(move || {
            for signal in &mut signals {
                if stop.is_triggered()
                    && let Err(error) = signal_hook::low_level::emulate_default_handler(signal)
                {
                    log::warn!("end at the second signal: {error}");
                }
                stop.trigger();
            }
        })?;
        Ok(())
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

    pub(crate) fn watch(&self, watcher: Weak<dyn Watcher>) {
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
    }
}
