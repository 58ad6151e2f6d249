//! The responses of one JSON-RPC batch, held until all of them are there.
//!
//! A batch of 2025-03-26 is answered with one array. Cancelled members and notifications add
//! nothing to it, and an array without members is not sent.

use std::sync::Mutex;

use crate::sync::lock;

#[derive(Debug)]
pub(super) struct Batch {
    answers: Mutex<Answers>,
}

#[derive(Debug)]
struct Answers {
    /// Members that may still answer, and the reader while it is taking members in.
    open: usize,
    array: Vec<u8>,
}

impl Batch {
    /// Creates a batch that stays open until the reader calls [`leave`](Self::leave).
    pub(super) fn new() -> Self {
        Self { answers: Mutex::new(Answers { open: 1, array: Vec::new() }) }
    }

    /// Counts one more member that will answer or leave.
    pub(super) fn join(&self) {
        lock(&self.answers).open += 1;
    }

    /// Adds a member's answer; returns the whole array when it was the last.
    pub(super) fn answer(&self, body: &[u8]) -> Option<Vec<u8>> {
        let mut answers = lock(&self.answers);
        let opening = if answers.array.is_empty() { b'[' } else { b',' };
        answers.array.push(opening);
        answers.array.extend_from_slice(body);
        answers.close_one()
    }

    /// Drops a member without an answer; returns the whole array when it was the last.
    pub(super) fn leave(&self) -> Option<Vec<u8>> {
        lock(&self.answers).close_one()
    }
}

impl Answers {
    fn close_one(&mut self) -> Option<Vec<u8>> {
        self.open -= 1;
        if self.open > 0 || self.array.is_empty() {
            return None;
        }
        self.array.push(b']');
        Some(std::mem::take(&mut self.array))
    }
}
