//! Writing frames.
//!
//! A message goes out in one write together with its separator, and never with a raw newline in it
//! where lines separate messages.

use std::io::{self, Write};

use memchr::memchr2;

use super::Framing;
use super::buffer::KEPT_CAPACITY;

/// Appends `message` to `output` as one frame.
///
/// `Auto` writes lines: a side that has seen nothing yet speaks the protocol's own form.
fn put_frame(framing: Framing, message: &[u8], output: &mut Vec<u8>) {
    if framing == Framing::ContentLength {
        output.extend_from_slice(format!("Content-Length: {}\r\n\r\n", message.len()).as_bytes());
        output.extend_from_slice(message);
        return;
    }
    let start = output.len();
    output.extend_from_slice(message);
    blank_newlines(&mut output[start..]);
    output.push(b'\n');
}

/// Turns a message into a frame; lines keep its allocation.
pub(crate) fn seal_frame(framing: Framing, mut message: Vec<u8>) -> Vec<u8> {
    if framing == Framing::ContentLength {
        let mut frame = Vec::with_capacity(message.len() + 32);
        put_frame(framing, &message, &mut frame);
        return frame;
    }
    blank_newlines(&mut message);
    message.push(b'\n');
    message
}

/// Replaces raw newlines by spaces.
///
/// In JSON a raw newline is only ever white space between tokens, so this changes no value. It
/// matters for raw JSON that a caller brings along, such as a schema written over several lines.
fn blank_newlines(message: &mut [u8]) {
    let mut rest = message;
    while let Some(found) = memchr2(b'\n', b'\r', rest) {
        rest[found] = b' ';
        rest = &mut rest[found + 1..];
    }
}

/// Writes frames to a [`Write`], each flushed when it is whole.
#[derive(Debug)]
pub struct FrameWriter<W> {
    inner: W,
    framing: Framing,
    frame: Vec<u8>,
}

impl<W: Write> FrameWriter<W> {
    /// Creates a writer; [`Framing::Auto`] writes lines.
    pub fn new(inner: W, framing: Framing) -> Self {
        Self { inner, framing, frame: Vec::new() }
    }

    /// Writes one message, which must be JSON, as one frame.
    ///
    /// # Errors
    ///
    /// Passes on an error of the stream, after which the stream is not usable any more.
    pub fn write_frame(&mut self, message: &[u8]) -> io::Result<()> {
        self.frame.clear();
        put_frame(self.framing, message, &mut self.frame);
        self.inner.write_all(&self.frame)?;
        self.frame.shrink_to(KEPT_CAPACITY);
        self.inner.flush()
    }
}
