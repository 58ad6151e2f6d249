//! What a server writes to standard error: read at once and always, the last lines kept.
//!
//! A pipe that nobody reads stops a server after 64 KiB of log, so the reading never waits for
//! anything; what is kept is bounded in lines and in bytes.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use memchr::memchr_iter;

use crate::sync::{lock, wait_for};

/// How many lines are kept.
const MAX_LINES: usize = 20;

/// How many bytes of a line are kept.
const MAX_LINE: usize = 512;

/// The last lines that came, shared with the thread that reads them.
#[derive(Debug, Default)]
pub(super) struct Tail {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct State {
    lines: Lines,
    ended: bool,
}

impl Tail {
    /// Reads `stream` to its end on a thread of its own.
    pub(super) fn drain(mut stream: impl Read + Send + 'static) -> io::Result<Arc<Self>> {
        let tail = Arc::new(Self::default());
        let shared = Arc::clone(&tail);
        let read = move || {
            let mut chunk = [0; 16 * 1024];
            loop {
                match stream.read(&mut chunk) {
                    Ok(0) => break,
                    Ok(count) => lock(&shared.state).lines.push(&chunk[..count]),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
            lock(&shared.state).ended = true;
            shared.ended.notify_all();
        };
        thread::Builder::new().name("mcp-stderr".to_owned()).spawn(read)?;
        Ok(tail)
    }

    /// Returns the last lines, oldest first. Bytes that are no text are replaced.
    pub(super) fn lines(&self) -> Vec<String> {
        lock(&self.state).lines.list()
    }

    /// Waits until the stream has ended, for as long as `patience` at most.
    pub(super) fn settle(&self, patience: Duration) {
        let state = lock(&self.state);
        if !state.ended {
            drop(wait_for(&self.ended, state, patience));
        }
    }
}

/// Lines as they come in pieces.
#[derive(Debug, Default)]
struct Lines {
    whole: VecDeque<Vec<u8>>,
    /// The line that has not ended yet.
    last: Vec<u8>,
}

impl Lines {
    fn push(&mut self, bytes: &[u8]) {
        let mut start = 0;
        for end in memchr_iter(b'\n', bytes) {
            self.extend(&bytes[start..end]);
            start = end + 1;
            if self.last.trim_ascii().is_empty() {
                self.last.clear();
                continue;
            }
            // A flood of lines needs no flood of allocations.
            let full = self.whole.len() == MAX_LINES;
            let mut next = if full { self.whole.pop_front() } else { None }.unwrap_or_default();
            next.clear();
            self.whole.push_back(std::mem::replace(&mut self.last, next));
        }
        self.extend(&bytes[start..]);
    }

    fn extend(&mut self, bytes: &[u8]) {
        let room = MAX_LINE - self.last.len();
        self.last.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn list(&self) -> Vec<String> {
        let lines = self.whole.iter().chain(std::iter::once(&self.last));
        let lines = lines.map(|line| String::from_utf8_lossy(line).trim_end().to_owned());
        let lines: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
        lines[lines.len().saturating_sub(MAX_LINES)..].to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_stay_whatever_comes() {
        let mut lines = Lines::default();
        for number in 0..1000 {
            lines.push(format!("line {number}\r\n\n").as_bytes());
        }
        lines.push(b"no ");
        lines.push(b"end \xff");
        let list = lines.list();
        assert_eq!(list.last().map(String::as_str), Some("no end \u{fffd}"));
        assert_eq!(list[0], "line 981");
        assert_eq!(list.len(), MAX_LINES);
    }

    #[test]
    fn a_line_without_end_is_cut() {
        let mut lines = Lines::default();
        for _ in 0..1000 {
            lines.push(&[b'x'; 1000]);
        }
        assert_eq!(lines.list(), ["x".repeat(MAX_LINE)]);
    }
}
