//! Frames: where one message ends and the next begins, in both directions.
//!
//! Bytes are pushed as they come and frames are pulled out; the decoder knows nothing of JSON.
//! Every frame is bounded while it is still being read, so memory stays flat whatever a peer sends.
//! A frame that breaks the rules is reported once and skipped; the stream goes on behind it.

mod buffer;
mod content_length;
mod ends;
mod line;
mod reader;
mod writer;

use std::str::FromStr;

use self::buffer::Buffer;
pub(crate) use self::buffer::KEPT_CAPACITY;
use self::content_length::HeaderBlocks;
pub use self::content_length::HeaderFault;
use self::line::Lines;
pub use self::reader::FrameReader;
pub use self::writer::FrameWriter;
pub(crate) use self::writer::seal_frame;

/// The longest header name that `auto` looks at before it decides for lines.
const LONGEST_HEADER_NAME: usize = 64;

/// What a buffer holds beside one frame of the largest size: the piece that ends it, and headers.
const FRAME_SLACK: usize = 128 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Selects how messages are separated on a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Settles on [`Line`](Self::Line) or [`ContentLength`](Self::ContentLength) by how the stream
    /// begins and stays with it. A first line that begins `Name:` means header blocks, anything
    /// else means lines.
    Auto,
    /// One message per line, ended by a newline: the form that the protocol prescribes.
    Line,
    /// A `Content-Length` header block before each message, as language servers speak.
    ContentLength,
}

/// Reports a name that is none of `auto`, `line` and `content-length`.
#[derive(Debug, thiserror::Error)]
#[error("read framing {0:?}: expected auto, line or content-length")]
pub struct UnknownFraming(String);

impl FromStr for Framing {
    type Err = UnknownFraming;

    fn from_str(name: &str) -> Result<Self, UnknownFraming> {
        match name {
            "auto" => Ok(Self::Auto),
            "line" => Ok(Self::Line),
            "content-length" => Ok(Self::ContentLength),
            other => Err(UnknownFraming(other.to_owned())),
        }
    }
}

/// Describes what [`FrameDecoder::pull`] has put into the caller's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameEvent {
    /// A whole message without its separator, never empty.
    Message,
    /// A message over the limit; the buffer holds its first bytes (at most 4 KiB).
    TooLong {
        /// Bytes the message had, or had announced.
        length: u64,
    },
    /// A header block that names no usable body; the buffer is empty.
    Malformed(HeaderFault),
}

/// Cuts a stream of bytes into frames, whatever pieces the bytes arrive in.
#[derive(Debug)]
pub struct FrameDecoder {
    buffer: Buffer,
    opening: Opening,
    lines: Lines,
    header_blocks: HeaderBlocks,
    framing: Framing,
    max_frame: usize,
    ended: bool,
    /// The last bytes of the last over-long message.
    tail: Vec<u8>,
}

/// Says what may still stand before the first frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opening {
    ByteOrderMark,
    Framing,
    Over,
}

impl FrameDecoder {
    /// Creates a decoder that accepts messages of up to `max_frame` bytes.
    #[must_use]
    pub fn new(framing: Framing, max_frame: usize) -> Self {
        Self {
            buffer: Buffer::default(),
            opening: Opening::ByteOrderMark,
            lines: Lines::default(),
            header_blocks: HeaderBlocks::default(),
            framing,
            max_frame,
            ended: false,
            tail: Vec::new(),
        }
    }

    /// Adds bytes in the order they arrived.
    ///
    /// Pull until [`pull`](Self::pull) returns `None` before pushing again: that is what bounds
    /// the memory to `max_frame` plus one piece.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.push(bytes, self.max_frame.saturating_add(FRAME_SLACK));
    }

    /// Says that no more bytes will come, so that a last unterminated line counts as a message.
    pub fn end(&mut self) {
        self.ended = true;
    }

    /// Moves the next frame into `frame`, replacing what it held.
    ///
    /// Returns `None` when more bytes are needed, or, after [`end`](Self::end), when all are used.
    /// A large frame is handed over with its allocation instead of being copied.
    pub fn pull(&mut self, frame: &mut Vec<u8>) -> Option<FrameEvent> {
        if self.opening != Opening::Over && !self.open() {
            return None;
        }
        let (event, ends) = match self.framing {
            Framing::ContentLength => {
                self.header_blocks.pull(&mut self.buffer, self.max_frame, self.ended, frame)
            }
            Framing::Line | Framing::Auto => {
                self.lines.pull(&mut self.buffer, self.max_frame, self.ended, frame)
            }
        }?;
        if let Some(ends) = ends {
            *frame = ends.head;
            self.tail = ends.tail;
        }
        Some(event)
    }

    /// Returns the last bytes (at most 256) of the message that [`FrameEvent::TooLong`] told of last.
    #[must_use]
    pub fn tail(&self) -> &[u8] {
        &self.tail
    }

    /// Returns the framing in force: `Auto` until the stream has begun.
    #[must_use]
    pub fn framing(&self) -> Framing {
        self.framing
    }

    /// Skips what may stand before the first frame; returns whether the frames can begin.
    fn open(&mut self) -> bool {
        if self.opening == Opening::ByteOrderMark {
            let unread = self.buffer.unread();
            if unread.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(unread) {
                if !self.ended {
                    return false;
                }
            } else if unread.starts_with(BYTE_ORDER_MARK) {
                self.buffer.consume(BYTE_ORDER_MARK.len());
            }
            self.opening = Opening::Framing;
        }
        if self.framing == Framing::Auto {
            let blank = self.buffer.unread().iter().take_while(|byte| is_blank(**byte)).count();
            self.buffer.consume(blank);
            match sniff(self.buffer.unread(), self.ended) {
                Some(framing) => self.framing = framing,
                None => return false,
            }
        }
        self.opening = Opening::Over;
        true
    }
}

/// Decides the framing by the first bytes, or asks for more.
///
/// A letter alone does not decide: a first line of plain text must stay one bad line, or every
/// message behind it would be taken for a header.
fn sniff(start: &[u8], ended: bool) -> Option<Framing> {
    let Some(first) = start.first() else { return ended.then_some(Framing::Line) };
    if !first.is_ascii_alphabetic() {
        return Some(Framing::Line);
    }
    let end = start.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-');
    let name = end.unwrap_or(start.len());
    let gap = start[name..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    match start.get(name + gap) {
        _ if name + gap > LONGEST_HEADER_NAME => Some(Framing::Line),
        Some(b':') => Some(Framing::ContentLength),
        Some(_) => Some(Framing::Line),
        None if ended => Some(Framing::Line),
        None => None,
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}
