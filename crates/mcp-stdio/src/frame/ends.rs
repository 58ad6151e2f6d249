//! What is kept of a frame that is too long to be kept: its two ends, where an id may stand.

/// How many first bytes are kept.
const HEAD: usize = 4096;

/// How many last bytes are kept.
const TAIL: usize = 256;

/// The two ends of a frame that passes by in pieces.
#[derive(Debug, Default)]
pub(super) struct Ends {
    pub(super) head: Vec<u8>,
    pub(super) tail: Vec<u8>,
    pub(super) length: u64,
}

impl Ends {
    /// Takes note of the next piece.
    pub(super) fn push(&mut self, piece: &[u8]) {
        self.length += piece.len() as u64;
        let kept = piece.len().min(HEAD.saturating_sub(self.head.len()));
        self.head.extend_from_slice(&piece[..kept]);
        let last = &piece[piece.len().saturating_sub(TAIL)..];
        let over = (self.tail.len() + last.len()).saturating_sub(TAIL);
        self.tail.drain(..over.min(self.tail.len()));
        self.tail.extend_from_slice(last);
    }
}
