//! The program itself, run to its end with every wait bounded.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use super::repo::{Repo, scrub};

/// Far more than any step needs, even on a busy machine; reached only by a hang.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A run that is being put together.
pub(crate) struct Program {
    command: Command,
    stdin: Vec<u8>,
}

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

impl Program {
    /// The program, to be run in the work tree of a repository.
    pub(crate) fn new<I, S>(repo: &Repo, arguments: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_foreread"));
        scrub(&mut command, &repo.home()).args(arguments);
        let folder = repo.path();
        command.current_dir(if folder.exists() { folder } else { repo.root().to_path_buf() });
        Self { command, stdin: Vec::new() }
    }

    pub(crate) fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.command.current_dir(folder.into());
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn stdin(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.stdin = text.into();
        self
    }

    /// Starts the program with all three streams piped.
    pub(crate) fn spawn(&mut self) -> Child {
        let streams = self.command.stdin(Stdio::piped()).stdout(Stdio::piped());
        streams.stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Runs the program to its end.
    pub(crate) fn run(mut self) -> Ended {
        let mut child = self.spawn();
        let stdout = collect(child.stdout.take().unwrap());
        self.finish(child, Some(stdout))
    }

    /// Runs the program with the reader of its stdout gone before it starts to write.
    pub(crate) fn run_with_closed_stdout(mut self) -> Ended {
        let mut child = self.spawn();
        drop(child.stdout.take());
        self.finish(child, None)
    }

    fn finish(self, mut child: Child, stdout: Option<Receiver<Vec<u8>>>) -> Ended {
        let Self { command, stdin: text } = self;
        let stderr = collect(child.stderr.take().unwrap());
        let mut stdin = child.stdin.take().unwrap();
        // A program that reads nothing leaves a broken pipe, which is no fault of the test.
        thread::spawn(move || drop(stdin.write_all(&text)));
        let mut wait = |what: &str, stream: Receiver<Vec<u8>>| {
            stream.recv_timeout(PATIENCE).unwrap_or_else(|_| {
                drop(child.kill());
                panic!("{command:?} still holds its {what} after {PATIENCE:?}")
            })
        };
        let stdout = stdout.map(|stream| wait("stdout", stream)).unwrap_or_default();
        let stderr = wait("stderr", stderr);
        Ended { code: ended(child).code(), stdout, stderr }
    }
}

/// Waits for a process whose output has ended.
pub(crate) fn ended(mut child: Child) -> ExitStatus {
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(child.wait()));
    receiver.recv_timeout(PATIENCE).expect("the program lives on without its streams").unwrap()
}

/// Reads a stream to its end on a thread of its own.
pub(crate) fn collect(mut stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        drop(stream.read_to_end(&mut bytes));
        sender.send(bytes)
    });
    receiver
}

impl Ended {
    /// Asserts an exit code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.out(), self.err());
        self
    }

    pub(crate) fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub(crate) fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// The document on stdout.
    #[track_caller]
    pub(crate) fn document(&self) -> serde_json::Value {
        serde_json::from_slice(&self.stdout).unwrap_or_else(|error| {
            panic!("no document: {error}\n{}\n{}", self.out(), self.err());
        })
    }
}
