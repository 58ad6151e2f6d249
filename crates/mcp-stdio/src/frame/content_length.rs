//! Header blocks: a `Content-Length` and a blank line before each message.
//!
//! Names match in any case, other headers are ignored, and lines may end in a bare newline.
//! Where a block is faulty but its length is known, exactly its body is skipped; where the length
//! is unknown, everything up to the next `Content-Length:` is.

use memchr::memchr;

use super::buffer::Buffer;
use super::ends::Ends;
use super::{FrameEvent, is_blank};

/// The longest header block that is read, in bytes.
const MAX_HEADER_BLOCK: usize = 8 * 1024;

const LENGTH_HEADER: &[u8] = b"content-length";
const TYPE_HEADER: &[u8] = b"content-type";

/// Names what is wrong with a header block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderFault {
    /// No `Content-Length` stands in the block.
    #[error("no Content-Length header")]
    NoLength,
    /// The length is not a decimal number of bytes, for example because it is negative.
    #[error("Content-Length is not a decimal number of bytes")]
    BadLength,
    /// Two `Content-Length` headers disagree.
    #[error("Content-Length headers contradict each other")]
    TwoLengths,
    /// The body is in a charset other than UTF-8.
    #[error("unsupported charset in Content-Type, expected utf-8")]
    Charset,
    /// The block does not end within 8 KiB.
    #[error("header block longer than 8192 bytes")]
    LongBlock,
    /// The stream ended within a block or before the whole body came.
    #[error("stream ended within a message")]
    Truncated,
}

#[derive(Debug, Default)]
pub(super) struct HeaderBlocks {
    step: Step,
    /// Unread bytes that are known to hold no newline.
    searched: usize,
    block: Block,
}

#[derive(Debug, Default)]
enum Step {
    #[default]
    Header,
    Body {
        length: usize,
    },
    Skip {
        left: u64,
        event: FrameEvent,
        ends: Ends,
    },
    Resync,
}

/// What the lines of the current header block have said.
#[derive(Debug, Default)]
struct Block {
    length: Option<u64>,
    fault: Option<HeaderFault>,
    bytes: usize,
}

impl HeaderBlocks {
    pub(super) fn pull(
        &mut self,
        buffer: &mut Buffer,
        max_frame: usize,
        ended: bool,
        frame: &mut Vec<u8>,
    ) -> Option<(FrameEvent, Option<Ends>)> {
        loop {
            let event = match &mut self.step {
                Step::Header => match self.header(buffer, max_frame, ended) {
                    Progress::Stepped => continue,
                    Progress::Starved => return None,
                    Progress::Fault(fault) => {
                        frame.clear();
                        FrameEvent::Malformed(fault)
                    }
                },
                Step::Body { length } => {
                    let length = *length;
                    if buffer.unread().len() >= length {
                        self.step = Step::Header;
                        buffer.take(length, length, frame);
                        FrameEvent::Message
                    } else if ended {
                        self.step = Step::Header;
                        buffer.consume(buffer.unread().len());
                        frame.clear();
                        FrameEvent::Malformed(HeaderFault::Truncated)
                    } else {
                        return None;
                    }
                }
                Step::Skip { left, event, ends } => {
                    let unread = buffer.unread();
                    let count = usize::try_from(*left).unwrap_or(usize::MAX).min(unread.len());
                    ends.push(&unread[..count]);
                    *left -= count as u64;
                    buffer.consume(count);
                    if *left > 0 && !ended {
                        return None;
                    }
                    let event = *event;
                    let ends = std::mem::take(ends);
                    self.step = Step::Header;
                    frame.clear();
                    let too_long = matches!(event, FrameEvent::TooLong { .. });
                    return Some((event, too_long.then_some(ends)));
                }
                Step::Resync => {
                    if !resync(buffer) {
                        return None;
                    }
                    self.step = Step::Header;
                    continue;
                }
            };
            return Some((event, None));
        }
    }

    /// Reads header lines until the block ends.
    fn header(&mut self, buffer: &mut Buffer, max_frame: usize, ended: bool) -> Progress {
        let unread = buffer.unread();
        let Some(found) = memchr(b'\n', &unread[self.searched..]) else {
            self.searched = unread.len();
            if self.block.bytes + unread.len() > MAX_HEADER_BLOCK {
                // What is dropped here must not be found again as the next block.
                buffer.consume(unread.len() - LENGTH_HEADER.len());
                return self.give_up(HeaderFault::LongBlock);
            }
            if ended && (self.block.bytes > 0 || !unread.iter().all(|byte| is_blank(*byte))) {
                buffer.consume(buffer.unread().len());
                self.searched = 0;
                self.block = Block::default();
                return Progress::Fault(HeaderFault::Truncated);
            }
            return Progress::Starved;
        };
        let end = self.searched + found;
        self.searched = 0;
        let line = unread[..end].trim_ascii();
        if !line.is_empty() {
            self.block.bytes += end + 1;
            self.block.line(line);
            buffer.consume(end + 1);
            if self.block.bytes > MAX_HEADER_BLOCK {
                return self.give_up(HeaderFault::LongBlock);
            }
            return Progress::Stepped;
        }
        buffer.consume(end + 1);
        if self.block.bytes == 0 {
            // Blank lines between messages are not a block.
            return Progress::Stepped;
        }
        let block = std::mem::take(&mut self.block);
        match (block.length, block.fault) {
            (Some(left), Some(fault @ HeaderFault::Charset)) => {
                let event = FrameEvent::Malformed(fault);
                self.step = Step::Skip { left, event, ends: Ends::default() };
            }
            (_, Some(fault)) => return self.give_up(fault),
            (None, None) => return self.give_up(HeaderFault::NoLength),
            // An empty body is no message, as a blank line is none.
            (Some(0), None) => {}
            (Some(length), None) => {
                self.step = match usize::try_from(length) {
                    Ok(length) if length <= max_frame => Step::Body { length },
                    _ => Step::Skip {
                        left: length,
                        event: FrameEvent::TooLong { length },
                        ends: Ends::default(),
                    },
                };
            }
        }
        Progress::Stepped
    }

    fn give_up(&mut self, fault: HeaderFault) -> Progress {
        self.step = Step::Resync;
        self.searched = 0;
        self.block = Block::default();
        Progress::Fault(fault)
    }
}

enum Progress {
    Stepped,
    Starved,
    Fault(HeaderFault),
}

impl Block {
    fn line(&mut self, line: &[u8]) {
        let Some(colon) = memchr(b':', line) else { return };
        let name = line[..colon].trim_ascii();
        let value = line[colon + 1..].trim_ascii();
        if name.eq_ignore_ascii_case(LENGTH_HEADER) {
            match (decimal(value), self.length) {
                (None, _) => self.fault = Some(HeaderFault::BadLength),
                (Some(length), Some(before)) if length != before => {
                    self.fault = Some(HeaderFault::TwoLengths);
                }
                (length, _) => self.length = length,
            }
        } else if name.eq_ignore_ascii_case(TYPE_HEADER) && !is_utf8(value) && self.fault.is_none()
        {
            self.fault = Some(HeaderFault::Charset);
        }
    }
}

fn decimal(value: &[u8]) -> Option<u64> {
    if value.is_empty() {
        return None;
    }
    value.iter().try_fold(0_u64, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

/// Says whether a `Content-Type` value names UTF-8, in either spelling, or no charset at all.
fn is_utf8(content_type: &[u8]) -> bool {
    content_type.split(|byte| *byte == b';').skip(1).all(|parameter| {
        let mut halves = parameter.splitn(2, |byte| *byte == b'=');
        let name = halves.next().unwrap_or_default().trim_ascii();
        let value = halves.next().unwrap_or_default().trim_ascii();
        let value = value.strip_prefix(b"\"").unwrap_or(value);
        let value = value.strip_suffix(b"\"").unwrap_or(value);
        !name.eq_ignore_ascii_case(b"charset")
            || value.eq_ignore_ascii_case(b"utf-8")
            || value.eq_ignore_ascii_case(b"utf8")
    })
}

/// Drops bytes up to the next length header; returns whether one has begun.
fn resync(buffer: &mut Buffer) -> bool {
    let unread = buffer.unread();
    let found = unread.windows(LENGTH_HEADER.len() + 1).position(|window| {
        window.ends_with(b":") && window[..LENGTH_HEADER.len()].eq_ignore_ascii_case(LENGTH_HEADER)
    });
    if let Some(found) = found {
        buffer.consume(found);
        return true;
    }
    // The name may have begun in the bytes at hand.
    buffer.consume(unread.len().saturating_sub(LENGTH_HEADER.len()));
    false
}
