//! What a server reads: writing that need not wait.
//!
//! A server that does not read its input must not hold up the thread that wants to ask it something. So a
//! session writes what goes through at once from the asking thread, and leaves the rest to a thread of
//! its own.

use std::io::{self, Write};

/// A stream to a server.
///
/// `Write` may wait for the server to read.
pub trait Output: Write + Send {
    /// Writes what goes through without waiting, and returns how many bytes that was.
    ///
    /// The default writes nothing, which is always allowed.
    ///
    /// # Errors
    /// Passes on an error of the stream, after which it is not usable any more.
    fn write_now(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // What cannot be known not to wait is left to `write`.
        let _unwritten = bytes;
        Ok(0)
    }

    /// Returns how much of what was written the server has not read yet; `None`, as by default, where
    /// that cannot be known.
    fn unread(&self) -> Option<usize> {
        None
    }
}

/// Any stream, which may wait at every write.
pub(crate) struct Blocking<W>(pub(crate) W);

impl<W: Write> Write for Blocking<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<W: Write + Send> Output for Blocking<W> {}

#[cfg(unix)]
pub use pipe::PipeOutput;

#[cfg(unix)]
mod pipe {
    use std::fs::File;
    use std::io::{self, ErrorKind, Write};
    use std::os::fd::{AsFd, OwnedFd};

    use rustix::event::{PollFd, PollFlags, poll};

    use super::Output;

    /// The writing end of a pipe, such as a child's standard input.
    ///
    /// The end is switched to not blocking, which the reading end does not notice.
    #[derive(Debug)]
    pub struct PipeOutput(File);

    impl PipeOutput {
        /// Takes the end over.
        ///
        /// # Errors
        /// Fails when the system refuses to switch it.
        pub fn new(pipe: impl Into<OwnedFd>) -> io::Result<Self> {
            let pipe: OwnedFd = pipe.into();
            rustix::io::ioctl_fionbio(&pipe, true)?;
            Ok(Self(File::from(pipe)))
        }
    }

    impl Write for PipeOutput {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            loop {
                match self.0.write(bytes) {
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        let fd = self.0.as_fd();
                        let ready = poll(&mut [PollFd::from_borrowed_fd(fd, PollFlags::OUT)], None);
                        match ready {
                            Ok(_) | Err(rustix::io::Errno::INTR) => {}
                            Err(error) => return Err(error.into()),
                        }
                    }
                    result => return result,
                }
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Output for PipeOutput {
        fn write_now(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut written = 0;
            while written < bytes.len() {
                match self.0.write(&bytes[written..]) {
                    Ok(0) => return Err(ErrorKind::WriteZero.into()),
                    Ok(count) => written += count,
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(written)
        }

        #[cfg(any(target_os = "linux", target_os = "android"))]
        fn unread(&self) -> Option<usize> {
            // Elsewhere the writing end of a pipe does not tell.
            rustix::io::ioctl_fionread(&self.0).ok().and_then(|count| count.try_into().ok())
        }
    }
}
