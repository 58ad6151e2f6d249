//! What is on its way to the client: the only way to the output stream.
//!
//! Messages are appended whole and in order under one lock, which also guards the table of accepted
//! requests. One thread at a time writes, outside that lock, and takes everything that has come
//! together by then in one call. What the client leaves unread is counted.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use mcp_proto::RequestId;

use super::batch::Batch;
use super::in_flight::{Call, InFlight};
use super::spares::Spares;
use crate::frame::Framing;
use crate::notifier::Change;
use crate::sync::{lock, try_lock, wait, wait_for};

/// Messages up to this size share a chunk, and so a write.
const CHUNK: usize = 64 * 1024;

pub(super) struct Outbox {
    pub(super) spares: Spares,
    state: Mutex<State>,
    changed: Condvar,
    output: Mutex<Box<dyn Write + Send>>,
}

struct State {
    in_flight: InFlight,
    chunks: VecDeque<Vec<u8>>,
    /// Changes that are still to be told, each once: the subscription, and what has changed.
    changes: BTreeMap<(Option<RequestId>, Change), Vec<u8>>,
    /// A small written chunk whose allocation serves again.
    spare: Vec<u8>,
    /// Bytes appended and not yet written.
    unread: usize,
    framing: Framing,
    writing: bool,
    closed: bool,
    waiting: usize,
}

impl Outbox {
    pub(super) fn new(output: Box<dyn Write + Send>, framing: Framing) -> Self {
        let state = State {
            in_flight: InFlight::default(),
            chunks: VecDeque::new(),
            changes: BTreeMap::new(),
            spare: Vec::new(),
            unread: 0,
            framing,
            writing: false,
            closed: false,
            waiting: 0,
        };
        Self {
            spares: Spares::default(),
            state: Mutex::new(state),
            changed: Condvar::new(),
            output: Mutex::new(output),
        }
    }

    /// Answers in the framing that the client was found to use.
    pub(super) fn settle(&self, framing: Framing) {
        lock(&self.state).framing = framing;
    }

    /// Enters a request into the table; `false` when its id is in use.
    pub(super) fn enter(&self, call: &Arc<Call>) -> bool {
        lock(&self.state).in_flight.enter(call)
    }

    /// Enters a request into the table together with the first message about it.
    pub(super) fn enter_with(&self, call: &Arc<Call>, body: &mut Vec<u8>) {
        let mut state = lock(&self.state);
        if state.in_flight.enter(call) {
            state.append(body);
        }
    }

    pub(super) fn is_in_flight(&self, id: &RequestId) -> bool {
        lock(&self.state).in_flight.contains(id)
    }

    /// Appends the response of `call`; `false` when the request was over already.
    ///
    /// `body` is emptied, and its allocation may be taken.
    pub(super) fn complete(&self, call: &Call, body: &mut Vec<u8>) -> bool {
        let mut state = lock(&self.state);
        let first = state.in_flight.complete(call);
        if first {
            state.deliver(call.batch.as_deref(), body);
            self.wake(&state);
        }
        body.clear();
        first
    }

    /// Returns how many bytes the client has still to read, as far as the process can tell.
    pub(super) fn unread(&self) -> usize {
        lock(&self.state).unread
    }

    /// Appends a response to a request that never entered the table.
    pub(super) fn answer(&self, batch: Option<&Batch>, body: &mut Vec<u8>) {
        lock(&self.state).deliver(batch, body);
        body.clear();
    }

    /// Appends a message that belongs to no request.
    pub(super) fn send(&self, body: &mut Vec<u8>) {
        lock(&self.state).append(body);
        body.clear();
    }

    /// Appends a message about `call` if that is not over and `wanted` agrees.
    pub(super) fn send_for(&self, call: &Call, body: &mut Vec<u8>, wanted: impl FnOnce() -> bool) {
        let mut state = lock(&self.state);
        if !call.is_over() && wanted() {
            state.append(body);
        }
        body.clear();
    }

    /// Has a change told at the next write, in place of an older one of its kind.
    pub(super) fn announce(&self, listener: Option<&Arc<Call>>, change: &Change, body: Vec<u8>) {
        let mut state = lock(&self.state);
        if !state.closed && listener.is_none_or(|call| !call.is_over()) {
            let key = (listener.map(|call| call.id.clone()), change.clone());
            state.changes.insert(key, body);
        }
    }

    /// Lists the subscriptions.
    pub(super) fn listening(&self) -> Vec<Arc<Call>> {
        lock(&self.state).in_flight.list(true)
    }

    /// Ends the reader's part in a batch, which may complete it.
    pub(super) fn leave(&self, batch: &Batch) {
        if let Some(mut array) = batch.leave() {
            self.send(&mut array);
        }
    }

    /// Takes a request out of the table without an answer.
    pub(super) fn cancel(&self, id: &RequestId) -> Option<Arc<Call>> {
        let mut state = lock(&self.state);
        let call = state.in_flight.cancel(id)?;
        if let Some(mut array) = call.batch.as_deref().and_then(Batch::leave) {
            state.append(&mut array);
        }
        self.wake(&state);
        drop(state);
        call.cancel();
        Some(call)
    }

    /// Lists the requests that are still to be answered.
    pub(super) fn remaining(&self) -> Vec<Arc<Call>> {
        lock(&self.state).in_flight.list(false)
    }

    /// Says whether a flush would find something to write.
    pub(super) fn has_unsent(&self) -> bool {
        let state = lock(&self.state);
        !state.writing && !state.has_nothing_to_write()
    }

    /// Writes until nothing is left, unless another thread is already doing that; `false` when the
    /// output has failed.
    pub(super) fn flush(&self) -> bool {
        let mut state = lock(&self.state);
        if state.writing {
            return true;
        }
        state.writing = true;
        while let Some(mut chunk) = state.next_chunk() {
            drop(state);
            let written = self.write(&chunk);
            let length = chunk.len();
            self.spares.take_back(&mut chunk);
            state = lock(&self.state);
            state.unread -= length;
            state.keep(chunk);
            if let Err(error) = written {
                log::debug!("stop writing: {error}");
                state.close();
            }
            self.wake(&state);
        }
        state.writing = false;
        self.wake(&state);
        !state.closed
    }

    fn write(&self, chunk: &[u8]) -> io::Result<()> {
        let mut output = lock(&self.output);
        output.write_all(chunk)?;
        output.flush()
    }

    /// Waits until the client has read enough that at most `max_unread` bytes are left; `false`
    /// when it never will.
    pub(super) fn wait_for_room(&self, max_unread: usize) -> bool {
        let mut state = lock(&self.state);
        while state.unread > max_unread && !state.closed {
            state.waiting += 1;
            state = wait(&self.changed, state);
            state.waiting -= 1;
        }
        !state.closed
    }

    /// Waits until every request is answered and every answer written; `false` at the deadline.
    pub(super) fn wait_until_done(&self, deadline: Instant) -> bool {
        self.wait_until(deadline, |state| !state.in_flight.has_calls() && state.is_written())
    }

    /// Waits until everything appended has been written; `false` at the deadline.
    pub(super) fn wait_until_written(&self, deadline: Instant) -> bool {
        self.wait_until(deadline, State::is_written)
    }

    fn wait_until(&self, deadline: Instant, done: impl Fn(&State) -> bool) -> bool {
        let mut state = lock(&self.state);
        while !done(&state) && !state.closed {
            let left = deadline.saturating_duration_since(Instant::now());
            if left == Duration::ZERO {
                return false;
            }
            state.waiting += 1;
            state = wait_for(&self.changed, state, left);
            state.waiting -= 1;
        }
        true
    }

    /// Closes the output, so that the client sees the end even if threads are still held up.
    pub(super) fn close(&self) {
        lock(&self.state).close();
        // A thread that is stuck in a write keeps the stream; nobody could help that.
        if let Some(mut output) = try_lock(&self.output) {
            *output = Box::new(io::sink());
        }
    }

    /// Says whether everything appended has been written.
    pub(super) fn is_written(&self) -> bool {
        lock(&self.state).is_written()
    }

    /// Wakes those who wait; without any, that costs no system call.
    fn wake(&self, state: &MutexGuard<'_, State>) {
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }
}

impl State {
    fn deliver(&mut self, batch: Option<&Batch>, body: &mut Vec<u8>) {
        match batch {
            None => self.append(body),
            Some(batch) => {
                if let Some(mut array) = batch.answer(body) {
                    self.append(&mut array);
                }
            }
        }
    }

    /// Appends one message as a frame, taking the allocation of a large one.
    fn append(&mut self, body: &mut Vec<u8>) {
        if self.closed {
            return;
        }
        let header = match self.framing {
            Framing::ContentLength => format!("Content-Length: {}\r\n\r\n", body.len()),
            Framing::Line | Framing::Auto => String::new(),
        };
        let end: &[u8] = if header.is_empty() { b"\n" } else { b"" };
        self.unread += header.len() + body.len() + end.len();
        if body.len() < CHUNK {
            let chunk = self.shared_chunk(header.len() + body.len() + end.len());
            chunk.extend_from_slice(header.as_bytes());
            chunk.extend_from_slice(body);
            chunk.extend_from_slice(end);
            return;
        }
        if !header.is_empty() {
            self.chunks.push_back(header.into_bytes());
        }
        let mut large = std::mem::take(body);
        large.extend_from_slice(end);
        self.chunks.push_back(large);
    }

    /// Returns the last chunk if `more` bytes still fit it, or a new one.
    fn shared_chunk(&mut self, more: usize) -> &mut Vec<u8> {
        let fits = self.chunks.back().is_some_and(|chunk| chunk.len() + more <= CHUNK);
        if !fits {
            let chunk = std::mem::take(&mut self.spare);
            self.chunks.push_back(chunk);
        }
        let last = self.chunks.len() - 1;
        &mut self.chunks[last]
    }

    fn keep(&mut self, mut chunk: Vec<u8>) {
        if chunk.capacity() > self.spare.capacity() {
            chunk.clear();
            self.spare = chunk;
        }
    }

    fn close(&mut self) {
        self.closed = true;
        self.chunks.clear();
        self.changes.clear();
        self.unread = 0;
    }

    /// Returns what is to be written next.
    fn next_chunk(&mut self) -> Option<Vec<u8>> {
        while let Some(((listener, _), mut body)) = self.changes.pop_first() {
            // Nothing may be said about a subscription that has been cancelled meanwhile.
            if listener.is_none_or(|id| self.in_flight.contains(&id)) {
                self.append(&mut body);
            }
        }
        self.chunks.pop_front()
    }

    fn has_nothing_to_write(&self) -> bool {
        self.chunks.is_empty() && self.changes.is_empty()
    }

    fn is_written(&self) -> bool {
        self.has_nothing_to_write() && !self.writing
    }
}
