//! The seam to whatever runs the server: a process, a pipe of a test, another machine.

use std::io::{self, Read};

use super::output::Output;
use crate::frame::Framing;
use crate::transport::Transport;

/// Starts a server, as often as a session needs a fresh one.
pub trait Launch: Send + Sync {
    /// Starts the server. `framing` is what the session is going to speak with it: never `Auto`.
    ///
    /// # Errors
    /// Fails when the server cannot be started; the session tells its caller and tries no other way.
    fn launch(&self, framing: Framing) -> io::Result<Link>;

    /// Names the server in messages and logs.
    fn name(&self) -> &str;

    /// Identifies what is started, so that what was learnt about it can be used the next time; `None`
    /// where nothing is to be remembered. Another command, another key.
    fn memory_key(&self) -> Option<String> {
        None
    }
}

/// One running server: its streams and a grip on its process.
pub struct Link {
    /// What the server writes.
    pub input: Box<dyn Read + Send>,
    /// What the server reads.
    pub output: Box<dyn Output>,
    /// Its process.
    pub peer: Box<dyn Peer>,
}

impl Link {
    /// Joins what the server writes (`input`), what it reads (`output`), and its process.
    pub fn new(
        input: impl Read + Send + 'static,
        output: impl Output + 'static,
        peer: impl Peer + 'static,
    ) -> Self {
        Self { input: Box::new(input), output: Box::new(output), peer: Box::new(peer) }
    }

    /// Joins a transport to a peer that is no process, such as a server in a thread.
    #[must_use]
    pub fn over(transport: Transport) -> Self {
        let (input, output) = transport.into_streams();
        Self { input, output: Box::new(super::output::Blocking(output)), peer: Box::new(NoProcess) }
    }
}

/// A grip on the process behind a link.
///
/// Both methods may be called from any thread and while others read and write the streams.
pub trait Peer: Send + Sync {
    /// Says how the process ended and what it wrote to standard error last, without waiting longer than
    /// it takes to collect what is already there.
    fn ended(&self) -> Ended;

    /// Ends the process and everything that it started, and returns when nothing of it is left.
    ///
    /// The session has closed the server's standard input before. Calling it again does nothing.
    fn shutdown(&self);

    /// Ends the process at once, without the grace that [`shutdown`](Self::shutdown) gives: it does not
    /// behave. Calling it again does nothing.
    fn kill(&self);
}

/// What is known of a process that is gone, or is about to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// How it ended, in words such as `exit status: 1`; `None` while it runs or where nobody knows.
    pub status: Option<String>,
    /// Why it was ended, where its supervisor did that, for example over a memory limit.
    pub reason: Option<String>,
    /// The last lines that it wrote to standard error, oldest first.
    pub stderr: Vec<String>,
}

/// The peer of a link that no process stands behind.
struct NoProcess;

impl Peer for NoProcess {
    fn ended(&self) -> Ended {
        Ended::default()
    }

    fn shutdown(&self) {}

    fn kill(&self) {}
}
