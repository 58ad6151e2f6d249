//! Lines: one message per line.
//!
//! The newline is searched only in bytes not searched before. Blank lines are skipped, a carriage
//! return before the newline does not count, and an over-long line is dropped while it arrives.

use memchr::memchr;

use super::buffer::Buffer;
use super::{FrameEvent, KEPT_HEAD, is_blank};

#[derive(Debug, Default)]
pub(super) struct Lines {
    /// Unread bytes that are known to hold no newline.
    searched: usize,
    skipped: Option<Skipped>,
}

/// An over-long line of which only the beginning is kept.
#[derive(Debug)]
struct Skipped {
    head: Vec<u8>,
    length: u64,
}

impl Lines {
    pub(super) fn pull(
        &mut self,
        buffer: &mut Buffer,
        max_frame: usize,
        ended: bool,
        frame: &mut Vec<u8>,
    ) -> Option<FrameEvent> {
        loop {
            let unread = buffer.unread();
            let (end, consumed) = match memchr(b'\n', &unread[self.searched..]) {
                Some(found) => (self.searched + found, self.searched + found + 1),
                None if ended && (!unread.is_empty() || self.skipped.is_some()) => {
                    (unread.len(), unread.len())
                }
                None => {
                    self.searched = unread.len();
                    self.drop_if_too_long(buffer, max_frame);
                    return None;
                }
            };
            self.searched = 0;
            if let Some(skipped) = self.skipped.take() {
                buffer.consume(consumed);
                *frame = skipped.head;
                return Some(FrameEvent::TooLong { length: skipped.length + end as u64 });
            }
            let line = &unread[..end];
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.iter().all(|byte| is_blank(*byte)) {
                buffer.consume(consumed);
            } else if line.len() > max_frame {
                let length = line.len() as u64;
                frame.clear();
                frame.extend_from_slice(&line[..line.len().min(KEPT_HEAD)]);
                buffer.consume(consumed);
                return Some(FrameEvent::TooLong { length });
            } else {
                buffer.take(line.len(), consumed, frame);
                return Some(FrameEvent::Message);
            }
        }
    }

    fn drop_if_too_long(&mut self, buffer: &mut Buffer, max_frame: usize) {
        let unread = buffer.unread();
        let count = unread.len();
        match &mut self.skipped {
            Some(skipped) => skipped.length += count as u64,
            // One byte more than allowed may be the carriage return before the newline.
            None if count > max_frame.saturating_add(1) => {
                let head = unread[..count.min(KEPT_HEAD)].to_vec();
                self.skipped = Some(Skipped { head, length: count as u64 });
            }
            None => return,
        }
        buffer.consume(count);
        self.searched = 0;
    }
}
