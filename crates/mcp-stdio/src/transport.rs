//! The two byte streams of a connection, and how they are framed.
//!
//! The process's own standard streams can be taken once. From then on a stray print goes to
//! standard error and a child process reads nothing, so that no code can disturb the wire.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::frame::Framing;

#[cfg(unix)]
mod pipe;

/// Carries one connection: where messages come from, where they go, and how they are separated.
pub struct Transport {
    pub(crate) input: Box<dyn Read + Send>,
    pub(crate) output: Box<dyn Write + Send>,
    pub(crate) framing: Framing,
}

static STDIO_TAKEN: AtomicBool = AtomicBool::new(false);

impl Transport {
    /// Joins any two byte streams.
    pub fn new(
        input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
        framing: Framing,
    ) -> Self {
        Self { input: Box::new(input), output: Box::new(output), framing }
    }

    /// Takes the process's standard input and output for the connection.
    ///
    /// On Unix, descriptor 0 becomes the null device and descriptor 1 a copy of standard error, so
    /// that neither `println!` nor a child process can touch the connection.
    ///
    /// # Errors
    ///
    /// Fails when they have been taken before, or when the system refuses to duplicate them.
    pub fn stdio(framing: Framing) -> io::Result<Self> {
        if STDIO_TAKEN.swap(true, Ordering::SeqCst) {
            return Err(io::Error::other("standard input and output are already in use"));
        }
        let (input, output) = take_stdio()?;
        Ok(Self::new(input, output, framing))
    }

    /// Makes the two ends of a connection within the process, joined by pipes.
    ///
    /// # Errors
    ///
    /// Fails when the system has no more descriptors.
    pub fn memory(framing: Framing) -> io::Result<(Self, Self)> {
        let (near_input, far_output) = io::pipe()?;
        let (far_input, near_output) = io::pipe()?;
        let near = Self::new(near_input, near_output, framing);
        let far = Self::new(far_input, far_output, framing);
        Ok((near, far))
    }

    /// Splits the connection into its streams.
    #[must_use]
    pub fn into_streams(self) -> (Box<dyn Read + Send>, Box<dyn Write + Send>) {
        (self.input, self.output)
    }
}

#[cfg(unix)]
fn take_stdio() -> io::Result<(pipe::Pipe, pipe::Pipe)> {
    use std::fs::File;
    use std::os::fd::AsFd;

    // Private copies start behind the standard descriptors and are not inherited by children.
    let input = rustix::io::fcntl_dupfd_cloexec(io::stdin().as_fd(), 3)?;
    let output = rustix::io::fcntl_dupfd_cloexec(io::stdout().as_fd(), 3)?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(io::stderr().as_fd())?;
    Ok((pipe::Pipe::new(File::from(input)), pipe::Pipe::new(File::from(output))))
}

#[cfg(not(unix))]
fn take_stdio() -> io::Result<(io::Stdin, io::Stdout)> {
    Ok((io::stdin(), io::stdout()))
}
