//! Reading frames from a byte stream.

use std::io::{self, ErrorKind, Read};

use super::{FrameDecoder, FrameEvent, Framing};

/// How many bytes one read may bring: what a pipe holds on Linux.
const CHUNK: usize = 64 * 1024;

/// Reads frames from a [`Read`], one system call for as many frames as are waiting.
#[derive(Debug)]
pub struct FrameReader<R> {
    inner: R,
    decoder: FrameDecoder,
    chunk: Box<[u8]>,
    ended: bool,
}

impl<R: Read> FrameReader<R> {
    /// Creates a reader that accepts messages of up to `max_frame` bytes.
    pub fn new(inner: R, framing: Framing, max_frame: usize) -> Self {
        let decoder = FrameDecoder::new(framing, max_frame);
        Self { inner, decoder, chunk: vec![0; CHUNK].into_boxed_slice(), ended: false }
    }

    /// Moves the next frame into `frame`, reading as often as needed; `None` is the end of the
    /// stream.
    ///
    /// # Errors
    ///
    /// Passes on an error of the stream; interrupted reads are repeated.
    pub fn read_frame(&mut self, frame: &mut Vec<u8>) -> io::Result<Option<FrameEvent>> {
        loop {
            if let Some(event) = self.pull(frame) {
                return Ok(Some(event));
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// Moves the next frame that is already here into `frame`, without reading.
    pub fn pull(&mut self, frame: &mut Vec<u8>) -> Option<FrameEvent> {
        self.decoder.pull(frame)
    }

    /// Reads once; returns whether [`pull`](Self::pull) can have something new.
    ///
    /// # Errors
    ///
    /// Passes on an error of the stream; interrupted reads are repeated.
    pub fn fill(&mut self) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        let count = loop {
            match self.inner.read(&mut self.chunk) {
                Ok(count) => break count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        };
        if count == 0 {
            self.ended = true;
            self.decoder.end();
        } else {
            self.decoder.push(&self.chunk[..count]);
        }
        Ok(true)
    }

    /// Returns the last bytes (at most 256) of the message that [`FrameEvent::TooLong`] told of last.
    pub fn tail(&self) -> &[u8] {
        self.decoder.tail()
    }

    /// Returns the framing in force: `Auto` until the stream has begun.
    pub fn framing(&self) -> Framing {
        self.decoder.framing()
    }
}
