//! The one growing buffer that bytes wait in until a frame is whole.
//!
//! Read bytes are dropped on the next push, and capacity above [`KEPT_CAPACITY`] is given back as
//! soon as the bytes that needed it are gone.

/// The capacity in bytes that an empty buffer may keep for the next frame.
pub(crate) const KEPT_CAPACITY: usize = 128 * 1024;

/// From this size on, the buffer grows to its full size in one step: pages that are never touched
/// cost nothing, and copying a half-read frame again and again does.
const LAST_STEP: usize = 4 * 1024 * 1024;

/// From this size on, a frame takes the buffer's allocation along instead of being copied.
const MOVED_FRAME: usize = 64 * 1024;

#[derive(Debug, Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    /// Bytes before this index have been consumed.
    start: usize,
}

impl Buffer {
    /// Appends bytes; `full` is the size that the buffer may reach.
    pub(super) fn push(&mut self, bytes: &[u8], full: usize) {
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
        let length = self.bytes.len() + bytes.len();
        if length > self.bytes.capacity() && length > LAST_STEP {
            self.bytes.reserve_exact(full.max(length) - self.bytes.len());
        }
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn unread(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    pub(super) fn consume(&mut self, count: usize) {
        self.start += count;
        if self.start >= self.bytes.len() {
            self.bytes.clear();
            self.start = 0;
            self.bytes.shrink_to(KEPT_CAPACITY);
        }
    }

    /// Moves the first `length` unread bytes into `frame` and consumes `consumed` bytes.
    pub(super) fn take(&mut self, length: usize, consumed: usize, frame: &mut Vec<u8>) {
        frame.clear();
        if length < MOVED_FRAME {
            frame.extend_from_slice(&self.unread()[..length]);
            self.consume(consumed);
            return;
        }
        let rest = self.bytes.get(self.start + consumed..).unwrap_or_default();
        frame.extend_from_slice(rest);
        std::mem::swap(frame, &mut self.bytes);
        frame.truncate(self.start + length);
        frame.drain(..self.start);
        self.start = 0;
    }
}
