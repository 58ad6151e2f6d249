//! Server processes: started without a shell, watched while they live, and ended with everything
//! that they have started.
//!
//! A program that calls [`supervise`] first thing in its `main` gets the whole promise on Linux: no
//! process of a server outlives the session, nor the program, even if that is killed with `SIGKILL`,
//! and even if the process has left its group and outlived its parent. A small supervisor, this same
//! program started again, stands between; the streams pass it by. On macOS, where no process can
//! be the reaper of its descendants, the same holds for the server and its process group, and a
//! process that leaves the group escapes. A program that does not call it has direct children, whose
//! groups end with the session and not with the program. On Windows every server has a job object,
//! which ends with the session and with the program.
//!
//! The end, in this order: standard input is closed, the server may end by itself; the group gets
//! `SIGTERM`, and may end; whatever is left gets `SIGKILL`; everything is reaped.

use std::fmt;
use std::io::{self, PipeReader, PipeWriter};
use std::process::{ExitCode, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

mod command;
#[cfg(unix)]
mod control;
#[cfg(windows)]
mod job;
mod launch;
#[cfg(unix)]
mod plain;
mod state;
mod stderr;
#[cfg(unix)]
mod supervised;
#[cfg(unix)]
mod supervisor;
#[cfg(unix)]
mod tree;

pub use command::{MINIMAL_ENVIRONMENT, ServerCommand};
pub use launch::{ChildLauncher, LastWords};

use self::state::{Keeper, Shared};
use self::stderr::Tail;
use crate::sync::lock;

/// The first argument of a supervisor.
#[cfg(unix)]
const ROLE: &str = "__supervise";

/// How long processes may take to vanish that have been killed.
const KILL_PATIENCE: Duration = Duration::from_secs(5);

/// How long the last words of a server may take to arrive when it has gone.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Whether this program can be started again as a supervisor.
static CAN_SUPERVISE: AtomicBool = AtomicBool::new(false);

/// Makes the program able to be the supervisor of its own servers; call it first thing in `main`.
///
/// When the process was started as a supervisor, this does the whole work of one and returns the
/// exit code to end with. Otherwise it returns `None` at once, and from then on servers are started
/// behind supervisors where the system is a Unix.
#[must_use = "a supervisor must end with the code that it is given"]
pub fn supervise() -> Option<ExitCode> {
    #[cfg(unix)]
    if std::env::args_os().nth(1).is_some_and(|role| role == ROLE) {
        return Some(supervisor::run());
    }
    CAN_SUPERVISE.store(true, Ordering::SeqCst);
    None
}

/// Bounds what one server may take.
#[derive(Clone, Debug)]
pub struct ChildLimits {
    /// How long the server may take to end by itself once its input is closed.
    pub exit_grace: Duration,
    /// How long the server may take to end once it was asked to by a signal.
    pub term_grace: Duration,
    /// How many bytes of memory the server and all that it has started may hold; beyond that they
    /// are ended. Not watched on Windows.
    pub memory: Option<u64>,
}

impl ChildLimits {
    /// Returns the limits that the crate is tested with.
    #[must_use]
    pub const fn recommended() -> Self {
        Self {
            exit_grace: Duration::from_secs(2),
            term_grace: Duration::from_secs(2),
            memory: Some(2 << 30),
        }
    }
}

/// Says how a server ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChildEnd {
    /// How its process ended; `None` when that could not be learned.
    pub status: Option<ExitStatus>,
    /// How many bytes it held when it was ended for holding too many.
    pub over_memory: Option<u64>,
}

impl fmt::Display for ChildEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.over_memory, self.status) {
            (Some(bytes), _) => {
                write!(f, "was ended for holding {} MiB of memory, over its limit", bytes >> 20)
            }
            (None, Some(status)) => write!(f, "ended ({status})"),
            (None, None) => f.write_str("ended, its exit status is lost"),
        }
    }
}

/// Says why a server could not be started.
#[derive(Debug, thiserror::Error)]
#[error("start {program:?}{}", hint(.source))]
pub struct StartError {
    /// The program as it was named.
    program: String,
    #[source]
    source: io::Error,
}

impl StartError {
    /// Returns the kind of the system's error.
    #[must_use]
    pub fn kind(&self) -> io::ErrorKind {
        self.source.kind()
    }
}

fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => {
            " (the program or its folder does not exist; a bare name is looked up in PATH)"
        }
        io::ErrorKind::PermissionDenied => " (it must be an executable file)",
        _ => "",
    }
}

/// A server that runs.
///
/// Its methods may be called from any thread. Dropping it ends the server like [`stop`](Self::stop).
pub struct Child {
    id: u32,
    name: String,
    input: Mutex<Option<PipeWriter>>,
    output: Mutex<Option<PipeReader>>,
    tail: Arc<Tail>,
    shared: Arc<Shared>,
    keeper: Arc<dyn Keeper>,
    limits: ChildLimits,
    /// Whether it was told to end.
    ending: AtomicBool,
}

/// What every way of starting a server makes.
struct Started {
    id: u32,
    input: PipeWriter,
    output: PipeReader,
    errors: PipeReader,
    shared: Arc<Shared>,
    keeper: Arc<dyn Keeper>,
}

impl Child {
    /// Starts a server.
    ///
    /// # Errors
    ///
    /// Fails when the program cannot be started; then nothing runs.
    pub fn start(command: &ServerCommand, limits: &ChildLimits) -> Result<Self, StartError> {
        let failed =
            |source| StartError { program: command.program.to_string_lossy().into_owned(), source };
        let started = start(command, limits).map_err(failed)?;
        let tail = Tail::drain(started.errors).map_err(|error| {
            started.keeper.kill();
            failed(error)
        })?;
        Ok(Self {
            id: started.id,
            name: command.name(),
            input: Mutex::new(Some(started.input)),
            output: Mutex::new(Some(started.output)),
            tail,
            shared: started.shared,
            keeper: started.keeper,
            limits: limits.clone(),
            ending: AtomicBool::new(false),
        })
    }

    /// Returns the number of the server's process, which is that of its group too.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Takes the stream that the server reads, once. Dropping it closes the server's input.
    pub fn take_input(&self) -> Option<PipeWriter> {
        lock(&self.input).take()
    }

    /// Takes the stream that the server writes, once. It ends soon after the server, at the latest
    /// when what the server has left behind is ended.
    pub fn take_output(&self) -> Option<PipeReader> {
        lock(&self.output).take()
    }

    /// Returns how the server ended, if it has.
    #[must_use]
    pub fn end(&self) -> Option<ChildEnd> {
        self.shared.end()
    }

    /// Waits until the server has ended, for as long as `patience` at most, and returns how.
    #[must_use]
    pub fn end_within(&self, patience: Duration) -> Option<ChildEnd> {
        self.shared.wait_until_exited(patience);
        self.shared.end()
    }

    /// Waits until the server has ended.
    #[must_use]
    pub fn wait(&self) -> ChildEnd {
        self.shared.wait()
    }

    /// Returns the last lines that the server has written to standard error, oldest first: some
    /// twenty, cut at some 500 bytes each. They are the server's words, so untrusted.
    #[must_use]
    pub fn last_lines(&self) -> Vec<String> {
        if self.shared.end().is_some() {
            self.tail.settle(LAST_WORDS);
        }
        self.tail.lines()
    }

    /// Ends the server in an orderly way and returns when it and all it has started are gone.
    ///
    /// The input must have been dropped by whoever has taken it, or the server is not told before
    /// its first grace is over. Takes the graces of the limits at most, and a little more.
    pub fn stop(&self) {
        self.ending.store(true, Ordering::SeqCst);
        drop(self.take_input());
        self.keeper.stop(&self.shared, &self.limits);
    }

    /// Has the server and all it has started end at once, without waiting for it.
    pub fn kill(&self) {
        self.ending.store(true, Ordering::SeqCst);
        self.keeper.kill();
    }
}

impl fmt::Debug for Child {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Child").field("name", &self.name).field("id", &self.id).finish()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.stop();
    }
}

#[cfg(unix)]
fn start(command: &ServerCommand, limits: &ChildLimits) -> io::Result<Started> {
    if CAN_SUPERVISE.load(Ordering::SeqCst) {
        supervised::start(command, limits)
    } else {
        plain::start(command, limits)
    }
}

#[cfg(windows)]
fn start(command: &ServerCommand, limits: &ChildLimits) -> io::Result<Started> {
    job::start(command, limits)
}
