//! The process between a host and one server: it outlives both just long enough to clean up.
//!
//! It starts the server in a process group of its own and watches three things: the host, through a
//! socket that closes however the host ends; the server, through `SIGCHLD`; and the memory of all.
//! On Linux it is the reaper of everything below it, so a process that leaves the group, or outlives
//! its parent, still comes back here, and the supervisor ends only when it has no child left.
//!
//! Only direct children and the group of an unreaped leader are ever signalled: their numbers cannot
//! have been given to anyone else.

use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions, waitid, waitpid};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};

use super::command::ServerCommand;
use super::control::{KILL, Launch, Report, receive_launch, send_report};
use super::tree::{self, signal_group, signal_process};

/// How long a server may take to end after its host has died: nobody waits for its work any more.
const ORPHAN_GRACE: Duration = Duration::from_millis(500);

/// How long processes that a server leaves behind may take to end after it.
const LEFT_BEHIND_GRACE: Duration = Duration::from_millis(200);

/// How often what is being killed is looked at.
const KILL_TICK: Duration = Duration::from_millis(5);

/// How fast memory is expected to fill at most, in bytes a second; the smaller the room that is
/// left, the sooner it is looked at again.
const FILL_RATE: u64 = 2 << 30;

/// How often memory is looked at, at least and at most.
const MEMORY_TICKS: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

/// Supervises the server that the host names on standard input, to its end.
pub(super) fn run() -> ExitCode {
    match supervise() {
        Ok(()) => ExitCode::SUCCESS,
        // There is nobody to tell but the host, and that hears of the end.
        Err(_) => ExitCode::from(2),
    }
}

fn supervise() -> io::Result<()> {
    // Away from the terminal and the group of the host, whose signals are not meant for servers.
    let _ = rustix::process::setsid();
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    // Whatever the host had inherited itself is none of the server's business.
    close_fds::CloseFdsBuilder::new().cloexecfrom(3);

    let host = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    rustix::stdio::dup2_stdin(std::fs::File::open("/dev/null")?)?;
    let (launch, streams) = receive_launch(&host)?;
    let (signals, wake) = UnixStream::pair()?;
    let (endings, end) = UnixStream::pair()?;
    signals.set_nonblocking(true)?;
    endings.set_nonblocking(true)?;
    signal_hook::low_level::pipe::register(SIGCHLD, wake)?;
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        signal_hook::low_level::pipe::register(signal, end.try_clone()?)?;
    }

    let server = match start(&launch, streams) {
        Ok(server) => server,
        Err(error) => {
            let report = Report::Failed { errno: error.raw_os_error(), message: error.to_string() };
            return send_report(&host, &report);
        }
    };
    host.set_nonblocking(true)?;
    let mut watch = Watch {
        host,
        host_lives: true,
        server,
        phase: Phase::Running,
        exited: None,
        next_look: launch.memory.map(|_| Instant::now()),
        launch,
    };
    watch.report(&Report::Started(server.as_raw_nonzero().get()));
    watch.run(&signals, &endings)
}

/// Starts the server, which takes the streams with it.
fn start(launch: &Launch, streams: [OwnedFd; 3]) -> io::Result<Pid> {
    let mut command = ServerCommand {
        program: launch.program.clone(),
        arguments: launch.arguments.clone(),
        named: launch.environment.clone(),
        inherited: Vec::new(),
        folder: launch.folder.clone(),
    }
    .to_std();
    let [input, output, errors] = streams;
    command.stdin(Stdio::from(input)).stdout(Stdio::from(output)).stderr(Stdio::from(errors));
    let child = command.process_group(0).spawn()?;
    i32::try_from(child.id())
        .ok()
        .and_then(Pid::from_raw)
        .ok_or_else(|| io::Error::other("the system gave no process number"))
}

/// How far the end of a server has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Running,
    /// Its input is closed; it may end by itself until then.
    Closing(Instant),
    /// It was asked to end; it may do so until then.
    Terminating(Instant),
    /// Whatever is left is killed.
    Killing,
}

struct Watch {
    host: UnixStream,
    host_lives: bool,
    server: Pid,
    phase: Phase,
    /// The wait status of the server, once it has ended and been reaped.
    exited: Option<i32>,
    next_look: Option<Instant>,
    launch: Launch,
}

impl Watch {
    fn run(&mut self, signals: &UnixStream, endings: &UnixStream) -> io::Result<()> {
        loop {
            if self.step() {
                return Ok(());
            }
            let timeout = self.timeout().and_then(|left| Timespec::try_from(left).ok());
            let mut sources =
                vec![PollFd::new(signals, PollFlags::IN), PollFd::new(endings, PollFlags::IN)];
            if self.host_lives {
                sources.push(PollFd::new(&self.host, PollFlags::IN));
            }
            match poll(&mut sources, timeout.as_ref()) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            drop(sources);
            drain(signals);
            if drain(endings) {
                self.stop(ORPHAN_GRACE);
            }
            self.listen();
        }
    }

    /// Does what is due; returns whether nothing is left to do.
    fn step(&mut self) -> bool {
        let left = self.reap();
        if self.exited.is_some() && left.is_empty() {
            return true;
        }
        let now = Instant::now();
        match self.phase {
            Phase::Closing(until) if until <= now => {
                self.terminate(&left, now + self.grace(self.launch.term_grace));
            }
            Phase::Terminating(until) if until <= now => self.phase = Phase::Killing,
            Phase::Running | Phase::Closing(_) | Phase::Terminating(_) | Phase::Killing => {}
        }
        if self.next_look.is_some_and(|due| due <= now) {
            self.look_at_memory(now);
        }
        if self.phase == Phase::Killing {
            self.signal(&left, Signal::KILL);
        }
        false
    }

    /// How long nothing is due.
    fn timeout(&self) -> Option<Duration> {
        let due = match self.phase {
            Phase::Running => None,
            Phase::Closing(until) | Phase::Terminating(until) => Some(until),
            Phase::Killing => return Some(KILL_TICK),
        };
        let due = [due, self.next_look].into_iter().flatten().min()?;
        Some(due.saturating_duration_since(Instant::now()))
    }

    /// Takes note of what has ended; returns the children beside the server that have not.
    fn reap(&mut self) -> Vec<Pid> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let ended =
            self.exited.is_none() && !matches!(waitid(WaitId::Pid(self.server), options), Ok(None));
        // Looked up behind it: what an ended server leaves behind has become a child by then.
        let mut left = tree::children(rustix::process::getpid());
        left.retain(|child| *child != self.server && !has_been_reaped(*child));
        if ended {
            // Until the leader of the group is reaped, nobody else can get the group's number.
            match self.phase {
                Phase::Running | Phase::Closing(_) if !left.is_empty() => {
                    self.terminate(&left, Instant::now() + LEFT_BEHIND_GRACE);
                }
                Phase::Terminating(_) if !left.is_empty() => self.stop(LEFT_BEHIND_GRACE),
                _ => signal_group(self.server, Signal::KILL),
            }
            let status = waitpid(Some(self.server), WaitOptions::NOHANG);
            let status = status.ok().flatten().map_or(0, |(_, status)| status.as_raw());
            self.exited = Some(status);
            self.report(&Report::Exited(status));
        }
        left
    }

    fn terminate(&mut self, left: &[Pid], until: Instant) {
        self.phase = Phase::Terminating(until);
        self.signal(left, Signal::TERM);
    }

    /// Signals the group of the server, while it has its leader, and each child once.
    fn signal(&self, left: &[Pid], signal: Signal) {
        let group = self.exited.is_none().then_some(self.server);
        if let Some(group) = group {
            signal_group(group, signal);
        }
        for child in left {
            if group.is_none() || rustix::process::getpgid(Some(*child)).ok() != group {
                signal_process(*child, signal);
            }
        }
    }

    fn look_at_memory(&mut self, now: Instant) {
        let Some(limit) = self.launch.memory else { return };
        #[cfg(target_os = "linux")]
        let root = rustix::process::getpid();
        #[cfg(not(target_os = "linux"))]
        let root = self.server;
        let held = tree::memory(root, false, limit).unwrap_or(0);
        if held > limit && self.phase != Phase::Killing {
            self.report(&Report::OverMemory(held));
            self.phase = Phase::Killing;
        }
        let time_to_fill = (limit.saturating_sub(held)).saturating_mul(1000) / FILL_RATE;
        let pause = Duration::from_millis(time_to_fill).clamp(MEMORY_TICKS.0, MEMORY_TICKS.1);
        self.next_look = (self.phase != Phase::Killing).then_some(now + pause);
    }

    /// Hears what the host says, or that it is no more.
    fn listen(&mut self) {
        let mut bytes = [0; 16];
        while self.host_lives {
            match (&self.host).read(&mut bytes) {
                Ok(0) => {
                    self.host_lives = false;
                    self.stop(ORPHAN_GRACE);
                }
                Ok(count) if bytes[..count].contains(&KILL) => self.phase = Phase::Killing,
                Ok(_) => self.stop(self.launch.exit_grace),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => {
                    self.host_lives = false;
                    self.stop(ORPHAN_GRACE);
                }
            }
        }
    }

    /// Lets the server end by itself within the grace; a stop that is under way only gets shorter.
    fn stop(&mut self, grace: Duration) {
        let until = Instant::now() + self.grace(grace);
        self.phase = match self.phase {
            Phase::Running => Phase::Closing(until),
            Phase::Closing(known) => Phase::Closing(known.min(until)),
            Phase::Terminating(known) => Phase::Terminating(known.min(until)),
            Phase::Killing => Phase::Killing,
        };
    }

    fn grace(&self, wanted: Duration) -> Duration {
        if self.host_lives { wanted } else { wanted.min(ORPHAN_GRACE) }
    }

    fn report(&self, report: &Report) {
        // A host that has gone is heard of elsewhere.
        drop(send_report(&self.host, report));
    }
}

/// Reaps a child if it has ended; a number that is no child's counts as reaped.
fn has_been_reaped(child: Pid) -> bool {
    !matches!(waitpid(Some(child), WaitOptions::NOHANG), Ok(None))
}

/// Empties a socket; returns whether it held anything.
fn drain(mut socket: &UnixStream) -> bool {
    let mut bytes = [0; 64];
    let mut any = false;
    while matches!(socket.read(&mut bytes), Ok(count) if count > 0) {
        any = true;
    }
    any
}
