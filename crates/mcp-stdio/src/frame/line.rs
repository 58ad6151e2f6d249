//! Lines: one message per line.
//!
//! The newline is searched only in bytes not searched before. Blank lines are skipped, a carriage
//! return before the newline does not count, and an over-long line is dropped while it arrives.

use memchr::memchr;

use super::buffer::Buffer;
use super::ends::Ends;
use super::{FrameEvent, is_blank};

#[derive(Debug, Default)]
pub(super) struct Lines {
    /// Unread bytes that are known to hold no newline.
    searched: usize,
    /// What is kept of an over-long line.
    skipped: Option<Ends>,
}

impl Lines {
    pub(super) fn pull(
        &mut self,
        buffer: &mut Buffer,
        max_frame: usize,
        ended: bool,
        frame: &mut Vec<u8>,
    ) -> Option<(FrameEvent, Option<Ends>)> {
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
            if let Some(mut skipped) = self.skipped.take() {
                skipped.push(&unread[..end]);
                buffer.consume(consumed);
                return Some((FrameEvent::TooLong { length: skipped.length }, Some(skipped)));
            }
            let line = &unread[..end];
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.iter().all(|byte| is_blank(*byte)) {
                buffer.consume(consumed);
            } else if line.len() > max_frame {
                let mut ends = Ends::default();
                ends.push(line);
                buffer.consume(consumed);
                return Some((FrameEvent::TooLong { length: ends.length }, Some(ends)));
            } else {
                buffer.take(line.len(), consumed, frame);
                return Some((FrameEvent::Message, None));
            }
        }
    }

    fn drop_if_too_long(&mut self, buffer: &mut Buffer, max_frame: usize) {
        let unread = buffer.unread();
        let count = unread.len();
        // One byte more than allowed may be the carriage return before the newline.
        if self.skipped.is_none() && count <= max_frame.saturating_add(1) {
            return;
        }
        self.skipped.get_or_insert_default().push(unread);
        buffer.consume(count);
        self.searched = 0;
    }
}
