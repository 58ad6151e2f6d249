//! What is on its way to the server: the only way to its input.
//!
//! A frame goes out from the thread that sends it as far as the pipe takes it. What is left waits in a
//! buffer, which a thread of its own empties; nobody else waits for a server that does not read.

use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use super::error::ClientError;
use super::output::Output;
use crate::sync::{lock, wait};

pub(super) struct Outbox {
    state: Mutex<State>,
    changed: Condvar,
    most: usize,
}

struct State {
    /// `None` while the writing thread has it, and when the stream is over.
    output: Option<Box<dyn Output>>,
    buffer: Vec<u8>,
    /// Bytes that the writing thread is at.
    writing: usize,
    has_writer: bool,
    closed: bool,
}

impl Outbox {
    /// `most` bounds the bytes that may wait.
    pub(super) fn new(output: Box<dyn Output>, most: usize) -> Self {
        let state = State {
            output: Some(output),
            buffer: Vec::new(),
            writing: 0,
            has_writer: false,
            closed: false,
        };
        Self { state: Mutex::new(state), changed: Condvar::new(), most }
    }

    /// Sends one frame behind all that were sent before. Does not wait.
    ///
    /// # Errors
    /// Refuses when too much waits already. A stream that is over swallows the frame: that it is over
    /// is for the reading side to say.
    pub(super) fn send(self: &Arc<Self>, frame: &[u8]) -> Result<(), ClientError> {
        let mut state = lock(&self.state);
        let waiting = state.buffer.len() + state.writing;
        if waiting > 0 && waiting + frame.len() > self.most {
            return Err(ClientError::NotReading { waiting });
        }
        if state.closed {
            return Ok(());
        }
        let mut rest = frame;
        if state.buffer.is_empty()
            && state.writing == 0
            && let Some(output) = &mut state.output
        {
            match output.write_now(frame) {
                Ok(count) => rest = &frame[count..],
                Err(error) => {
                    log::debug!("write to the server: {error}");
                    state.closed = true;
                    state.output = None;
                    return Ok(());
                }
            }
        }
        if rest.is_empty() {
            return Ok(());
        }
        state.buffer.extend_from_slice(rest);
        if !state.has_writer {
            let outbox = Arc::clone(self);
            let started = thread::Builder::new()
                .name("mcp-client-writer".to_owned())
                .spawn(move || outbox.write());
            drop(started.map_err(|error| ClientError::Thread(Arc::new(error)))?);
            state.has_writer = true;
        }
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// Returns how much the server has not read yet of what was sent; `None` where nobody knows.
    pub(super) fn unread(&self) -> Option<usize> {
        let state = lock(&self.state);
        let waiting = state.buffer.len() + state.writing;
        match &state.output {
            Some(output) => output.unread().map(|unread| unread + waiting),
            None => (waiting > 0).then_some(waiting),
        }
    }

    /// Closes the server's input once everything before has gone out.
    pub(super) fn close(&self) {
        let mut state = lock(&self.state);
        state.closed = true;
        if state.buffer.is_empty() {
            // The end that the writing thread holds closes when it is done.
            state.output = None;
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Empties the buffer, again and again.
    fn write(&self) {
        let mut state = lock(&self.state);
        loop {
            if state.buffer.is_empty() {
                if state.closed {
                    state.output = None;
                    return;
                }
                state = wait(&self.changed, state);
                continue;
            }
            let Some(mut output) = state.output.take() else { return };
            let chunk = std::mem::take(&mut state.buffer);
            state.writing = chunk.len();
            drop(state);
            let written = output.write_all(&chunk).and_then(|()| output.flush());
            state = lock(&self.state);
            state.writing = 0;
            match written {
                Ok(()) => state.output = Some(output),
                Err(error) => {
                    log::debug!("write to the server: {error}");
                    state.closed = true;
                    state.buffer = Vec::new();
                    return;
                }
            }
        }
    }
}
