//! What a server tells, on its way to the handler: bounded, in order, and off the reading thread.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use super::handler::{Event, Handler};
use crate::sync::{lock, wait};

pub(super) struct Events {
    state: Mutex<State>,
    changed: Condvar,
    handler: Arc<dyn Handler>,
    most: usize,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Event>,
    running: bool,
    closed: bool,
    dropped: u64,
}

impl Events {
    pub(super) fn new(handler: Arc<dyn Handler>, most: usize) -> Self {
        Self { state: Mutex::default(), changed: Condvar::new(), handler, most }
    }

    /// Hands an event to the handler's thread. Does not wait.
    pub(super) fn push(self: &Arc<Self>, event: Event) {
        let mut state = lock(&self.state);
        if state.closed || state.queue.iter().any(|queued| says_the_same(queued, &event)) {
            return;
        }
        if state.queue.len() >= self.most {
            state.queue.pop_front();
            state.dropped += 1;
            if state.dropped.is_power_of_two() {
                log::warn!("{} notifications of the server were dropped", state.dropped);
            }
        }
        state.queue.push_back(event);
        if !state.running {
            let events = Arc::clone(self);
            let name = "mcp-client-events".to_owned();
            match thread::Builder::new().name(name).spawn(move || events.run()) {
                Ok(_) => state.running = true,
                Err(error) => log::warn!("start a thread for notifications: {error}"),
            }
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Ends the thread after the event that it is at; what waits is dropped.
    pub(super) fn close(&self) {
        let mut state = lock(&self.state);
        state.closed = true;
        state.queue.clear();
        drop(state);
        self.changed.notify_all();
    }

    fn run(&self) {
        let mut state = lock(&self.state);
        while !state.closed {
            let Some(event) = state.queue.pop_front() else {
                state = wait(&self.changed, state);
                continue;
            };
            drop(state);
            // A handler that panics over one event still gets the next.
            let handled = std::panic::AssertUnwindSafe(|| self.handler.notified(&event));
            if std::panic::catch_unwind(handled).is_err() {
                log::warn!("the handler of notifications panicked");
            }
            state = lock(&self.state);
        }
    }
}

/// Whether a second one adds nothing to a first that is not handled yet.
fn says_the_same(queued: &Event, event: &Event) -> bool {
    match (queued, event) {
        (Event::ToolsChanged, Event::ToolsChanged)
        | (Event::PromptsChanged, Event::PromptsChanged)
        | (Event::ResourcesChanged, Event::ResourcesChanged) => true,
        (Event::ResourceUpdated(one), Event::ResourceUpdated(other)) => one == other,
        _ => false,
    }
}
