//! A server behind a supervisor: the side of the host.

use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal};

use super::control::{KILL, Launch, Report, Reports, STOP, send_launch};
use super::state::{Keeper, Shared};
use super::tree::signal_group;
use super::{ChildLimits, KILL_PATIENCE, ROLE, ServerCommand, Started};
use crate::sync::lock;

/// The name under which supervisors stand in a list of processes.
const NAME: &str = "mcp-supervise";

/// How long a supervisor may take to start the server.
const START_PATIENCE: Duration = Duration::from_secs(20);

/// Holds the line to the supervisor; when the last of it is dropped, the server ends.
struct Supervised(Mutex<UnixStream>);

impl Keeper for Supervised {
    fn stop(&self, shared: &Shared, limits: &ChildLimits) {
        self.say(STOP);
        let ladder = limits.exit_grace + limits.term_grace + KILL_PATIENCE;
        if !shared.wait_until_gone(ladder) {
            self.say(KILL);
            if !shared.wait_until_gone(KILL_PATIENCE) {
                log::error!("a process of a server cannot be ended");
            }
        }
    }

    fn kill(&self) {
        self.say(KILL);
    }
}

impl Supervised {
    fn say(&self, what: u8) {
        // A supervisor that cannot be reached has ended, or ends because the line does.
        drop(lock(&self.0).write_all(&[what]));
    }
}

/// Starts this program again as the supervisor of the server.
pub(super) fn start(command: &ServerCommand, limits: &ChildLimits) -> io::Result<Started> {
    let (mut line, far_line) = UnixStream::pair()?;
    let (server_input, input) = io::pipe()?;
    let (output, server_output) = io::pipe()?;
    let (errors, server_errors) = io::pipe()?;

    let mut supervisor = own_program()?;
    let supervisor = supervisor
        .arg(ROLE)
        .arg0(NAME)
        .env_clear()
        .stdin(OwnedFd::from(far_line))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut supervisor = supervisor.spawn()?;
    let shared = Arc::new(Shared::default());
    let reports = Reports::new(line.try_clone()?);
    let watched = Arc::clone(&shared);
    let watch = move || {
        watch(reports, &watched);
        drop(supervisor.wait());
        watched.set_gone();
    };
    thread::Builder::new().name("mcp-child".to_owned()).spawn(watch)?;

    let launch = Launch {
        program: command.program.clone(),
        arguments: command.arguments.clone(),
        environment: command
            .environment()
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
        folder: command.folder.clone(),
        memory: limits.memory,
        exit_grace: limits.exit_grace,
        term_grace: limits.term_grace,
    };
    let streams = [server_input.into(), server_output.into(), server_errors.into()];
    // Should this fail, the supervisor ends with the line, and says why if it can.
    let sent = send_launch(&mut line, &launch, &streams);
    // From here on these ends must be the server's alone.
    drop(streams);
    let id = match shared.wait_until_started(START_PATIENCE) {
        Err(error) => return Err(sent.err().unwrap_or(error)),
        Ok(id) => id,
    };
    let keeper = Arc::new(Supervised(Mutex::new(line)));
    Ok(Started { id, input, output, errors, shared, keeper })
}

/// The file that this process was started from, even if it was replaced meanwhile.
fn own_program() -> io::Result<Command> {
    if cfg!(target_os = "linux") {
        return Ok(Command::new("/proc/self/exe"));
    }
    std::env::current_exe().map(Command::new)
}

/// Keeps what the supervisor reports, until it ends.
fn watch(mut reports: Reports<UnixStream>, shared: &Shared) {
    let mut server = None;
    let mut exited = false;
    while let Some(report) = reports.next() {
        match report {
            Report::Started(id) => {
                server = Pid::from_raw(id);
                shared.set_started(id.unsigned_abs());
            }
            Report::Failed { errno, message } => {
                let error = errno.map(io::Error::from_raw_os_error);
                shared.set_failed(error.unwrap_or_else(|| io::Error::other(message)));
                return;
            }
            Report::OverMemory(bytes) => shared.set_over_memory(bytes),
            Report::Exited(status) => {
                exited = true;
                shared.set_exited(Some(ExitStatus::from_raw(status)));
            }
        }
    }
    // Without its supervisor nothing else would end the server.
    if let Some(server) = server.filter(|_| !exited) {
        signal_group(server, Signal::KILL);
        shared.set_exited(None);
    } else if !exited {
        shared.set_failed(io::Error::other("the supervisor of the server ended too early"));
    }
}
