//! Runs a program to its end, bounded in time and output.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use review_tool::control::Control;

use super::Program;

/// A program that writes more is stopped.
const MAX_OUTPUT: usize = 16 << 20;
/// So much of the end of its stderr is kept.
const MAX_STDERR: usize = 4 << 10;
/// How often a wait looks for cancellation.
const POLL: Duration = Duration::from_millis(20);
/// How long a program may take to end once its output has.
const REAP: Duration = Duration::from_secs(5);

/// What a program left.
pub(super) struct Ran {
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) status: String,
    pub(super) success: bool,
}

/// Why it was stopped.
pub(super) enum Stopped {
    Cancelled,
    Failed(String),
}

/// A program with all that it starts; killed when dropped.
struct Group(Child);

impl Group {
    fn kill(&mut self) {
        #[cfg(unix)]
        {
            let group = i32::try_from(self.0.id()).ok().and_then(rustix::process::Pid::from_raw);
            if let Some(group) = group {
                let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            }
        }
        drop(self.0.kill());
    }

    /// Waits for the end of a program whose output has ended.
    fn reap(&mut self) -> Option<ExitStatus> {
        let end = Instant::now() + REAP;
        loop {
            match self.0.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < end => thread::sleep(POLL),
                Ok(None) | Err(_) => return None,
            }
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Whatever the program has left behind goes with it.
        self.kill();
        drop(self.0.wait());
    }
}

enum Piece {
    Out(Vec<u8>),
    Err(Vec<u8>),
    /// One of the two has ended.
    End,
}

/// Runs the program in `folder`.
pub(super) fn run(
    program: &Program,
    arguments: &[OsString],
    input: String,
    folder: &Path,
    control: &dyn Control,
) -> Result<Ran, Stopped> {
    let mut command = Command::new(&program.path);
    command
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .envs(program.environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let child = command.spawn().map_err(|error| {
        Stopped::Failed(format!("cannot start {}: {error}", program.path.display()))
    })?;
    let mut group = Group(child);
    let (sender, receiver) = sync_channel(16);
    if let Some(mut stdin) = group.0.stdin.take() {
        // From a thread of its own: a program may write before it has read everything.
        thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    }
    let mut open = 0;
    if let Some(stdout) = group.0.stdout.take() {
        let sender = sender.clone();
        open += 1;
        thread::spawn(move || pump(stdout, |piece| sender.send(piece).is_ok(), Piece::Out));
    }
    if let Some(stderr) = group.0.stderr.take() {
        open += 1;
        thread::spawn(move || pump(stderr, |piece| sender.send(piece).is_ok(), Piece::Err));
    }
    let (start, mut last) = (Instant::now(), Instant::now());
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    while open > 0 {
        match receiver.recv_timeout(POLL) {
            Ok(Piece::Out(piece)) => {
                last = Instant::now();
                stdout.extend(piece);
                if stdout.len() > MAX_OUTPUT {
                    return Err(Stopped::Failed(format!("it wrote more than {MAX_OUTPUT} bytes")));
                }
            }
            Ok(Piece::Err(piece)) => {
                last = Instant::now();
                stderr.extend(piece);
                let surplus = stderr.len().saturating_sub(MAX_STDERR);
                stderr.drain(..surplus);
            }
            Ok(Piece::End) => open -= 1,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if control.cancelled() {
            return Err(Stopped::Cancelled);
        }
        if start.elapsed() > program.total {
            let seconds = program.total.as_secs();
            return Err(Stopped::Failed(format!("it did not end within {seconds} s")));
        }
        if last.elapsed() > program.idle {
            let seconds = program.idle.as_secs();
            return Err(Stopped::Failed(format!("it said nothing for {seconds} s")));
        }
    }
    let status = group.reap();
    Ok(Ran {
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
        success: status.is_some_and(|status| status.success()),
        status: status.map_or_else(|| "no status".to_owned(), |status| status.to_string()),
    })
}

/// Hands over what a pipe gives, and its end.
fn pump(mut pipe: impl Read, send: impl Fn(Piece) -> bool, wrap: impl Fn(Vec<u8>) -> Piece) {
    let mut buffer = vec![0; 16 << 10];
    loop {
        match pipe.read(&mut buffer) {
            Ok(0) | Err(_) => {
                send(Piece::End);
                return;
            }
            Ok(read) => {
                if !send(wrap(buffer[..read].to_vec())) {
                    return;
                }
            }
        }
    }
}
