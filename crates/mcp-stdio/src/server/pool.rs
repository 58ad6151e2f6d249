//! Who does what: the calls that wait, the threads that are idle, and whether a reader is wanted.
//!
//! A thread that becomes free takes the reading if nobody has it, else the oldest waiting call,
//! else it waits. Threads are started only when no idle one is left, and at most as many as calls
//! may run, plus one to read and one to write.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use mcp_proto::Method;
use serde_json::value::RawValue;

use super::in_flight::Call;
use crate::limits::Limits;
use crate::sync::{lock, wait};

/// A request that waits for its turn.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) call: Arc<Call>,
    pub(super) method: Method,
    pub(super) params: Option<Box<RawValue>>,
}

impl Job {
    fn bytes(&self) -> usize {
        self.params.as_ref().map_or(0, |params| params.get().len())
    }
}

/// What a free thread shall do.
#[derive(Debug)]
pub(super) enum Task {
    Read,
    Run(Job),
    Leave,
}

/// Whether the caller has to start a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Staffing {
    Enough,
    /// One more thread, already counted and numbered.
    Start(usize),
}

#[derive(Debug)]
pub(super) struct Pool {
    state: Mutex<State>,
    wake: Condvar,
    room: Condvar,
    /// Calls that hold a place: those that run.
    running: AtomicUsize,
    /// Calls in the queue, kept beside it so that a look costs no lock.
    waiting: AtomicUsize,
    max_running: usize,
    max_waiting: usize,
    max_waiting_bytes: usize,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<Job>,
    queued_bytes: usize,
    threads: usize,
    /// Threads that wait and have not been called yet.
    idle: usize,
    /// Threads that have been called and have not woken up yet.
    called: usize,
    reader_wanted: bool,
    room_wanted: bool,
    stopping: bool,
}

impl Pool {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            state: Mutex::new(State::default()),
            wake: Condvar::new(),
            room: Condvar::new(),
            running: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            max_running: limits.max_running_calls.max(1),
            max_waiting: limits.max_waiting_calls,
            max_waiting_bytes: limits.max_waiting_bytes,
        }
    }

    /// Takes a place for a call at once, if one is free and no call waits for it.
    pub(super) fn try_start(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) == 0 && self.take_place()
    }

    fn take_place(&self) -> bool {
        let limit = self.max_running;
        let taken = self.running.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |running| {
            (running < limit).then_some(running + 1)
        });
        taken.is_ok()
    }

    /// Gives a call's place back and calls a thread for the next one in the queue.
    pub(super) fn finish(&self) -> Staffing {
        self.running.fetch_sub(1, Ordering::SeqCst);
        if self.waiting.load(Ordering::SeqCst) == 0 {
            return Staffing::Enough;
        }
        self.call_thread(&mut lock(&self.state))
    }

    /// Queues a call, after waiting for room if there is none.
    pub(super) fn enqueue(&self, job: Job) -> Staffing {
        let mut state = lock(&self.state);
        while !state.stopping && !self.has_room(&state, job.bytes()) {
            state.room_wanted = true;
            state = wait(&self.room, state);
        }
        if state.stopping {
            return Staffing::Enough;
        }
        state.queued_bytes += job.bytes();
        state.queue.push_back(job);
        self.waiting.fetch_add(1, Ordering::SeqCst);
        if self.running.load(Ordering::SeqCst) < self.max_running {
            self.call_thread(&mut state)
        } else {
            Staffing::Enough
        }
    }

    fn has_room(&self, state: &State, bytes: usize) -> bool {
        state.queue.is_empty()
            || (state.queue.len() < self.max_waiting
                && state.queued_bytes + bytes <= self.max_waiting_bytes)
    }

    /// Says that nobody reads, and calls a thread for it.
    pub(super) fn offer_reading(&self) -> Staffing {
        let mut state = lock(&self.state);
        state.reader_wanted = true;
        self.call_thread(&mut state)
    }

    /// Lets one idle thread wake up, or asks for a new one.
    fn call_thread(&self, state: &mut MutexGuard<'_, State>) -> Staffing {
        if state.idle > 0 {
            state.idle -= 1;
            state.called += 1;
            self.wake.notify_one();
        } else if state.threads < self.max_running + 2 {
            state.threads += 1;
            return Staffing::Start(state.threads);
        }
        Staffing::Enough
    }

    /// Corrects the count when a thread could not be started.
    pub(super) fn start_failed(&self) {
        lock(&self.state).threads -= 1;
    }

    /// Waits for something to do.
    pub(super) fn next(&self) -> Task {
        let mut state = lock(&self.state);
        loop {
            if state.reader_wanted {
                state.reader_wanted = false;
                return Task::Read;
            }
            if !state.queue.is_empty()
                && self.take_place()
                && let Some(job) = self.dequeue(&mut state)
            {
                return Task::Run(job);
            }
            if state.stopping {
                state.threads -= 1;
                return Task::Leave;
            }
            state.idle += 1;
            while state.called == 0 {
                state = wait(&self.wake, state);
            }
            state.called -= 1;
        }
    }

    fn dequeue(&self, state: &mut MutexGuard<'_, State>) -> Option<Job> {
        let job = state.queue.pop_front()?;
        state.queued_bytes -= job.bytes();
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        if std::mem::take(&mut state.room_wanted) {
            self.room.notify_all();
        }
        Some(job)
    }

    /// Drops the calls that wait and sends every thread home that is not busy.
    pub(super) fn stop(&self) {
        let mut state = lock(&self.state);
        state.stopping = true;
        state.queue.clear();
        state.queued_bytes = 0;
        self.waiting.store(0, Ordering::SeqCst);
        state.called += state.idle;
        state.idle = 0;
        self.wake.notify_all();
        self.room.notify_all();
    }
}
