//! The process's own end of a pipe.

use std::fs::File;
use std::io::{self, Read, Write};

/// A transfer of this many bytes is part of a large message: half of what a pipe holds at first.
const LARGE: usize = 32 * 1024;

/// So much a pipe may hold once it has seen one, where the system allows it (pipe(7): a user's pipes
/// together may hold 64 MiB). Each time that a pipe is full or empty the other end has to be woken.
#[cfg(target_os = "linux")]
const WIDE: usize = 1024 * 1024;

/// A standard stream, which mostly is a pipe, and is widened by the first large message.
pub(super) struct Pipe {
    file: File,
    widened: bool,
}

impl Pipe {
    pub(super) fn new(file: File) -> Self {
        Self { file, widened: false }
    }

    fn passed(&mut self, count: usize) {
        if count >= LARGE && !self.widened {
            self.widened = true;
            // One that is no pipe, or may not be wider, goes on as it is.
            #[cfg(target_os = "linux")]
            let _unchanged = rustix::pipe::fcntl_setpipe_size(&self.file, WIDE);
        }
    }
}

impl Read for Pipe {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(into)?;
        self.passed(count);
        Ok(count)
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.passed(bytes.len());
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
