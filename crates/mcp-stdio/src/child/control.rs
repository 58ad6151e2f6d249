//! What a host and its supervisor say to each other, over a pair of sockets.
//!
//! The host sends one [`Launch`] as a line of JSON, with the three streams of the server beside its
//! first byte, and later single bytes. The supervisor sends [`Report`]s as lines of JSON. The end of
//! the stream is the message that counts: it comes however the other side has ended.

use std::ffi::OsString;
use std::io::{self, BufRead, ErrorKind, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::{Deserialize, Serialize};

/// Asks the supervisor to end the server in an orderly way.
pub(super) const STOP: u8 = b's';

/// Asks the supervisor to end the server at once.
pub(super) const KILL: u8 = b'k';

/// The longest launch that is read: more than a system lets a program be started with.
const MAX_LAUNCH: u64 = 8 << 20;

/// What to run and how to end it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Launch {
    pub(super) program: OsString,
    pub(super) arguments: Vec<OsString>,
    pub(super) environment: Vec<(OsString, OsString)>,
    pub(super) folder: Option<PathBuf>,
    pub(super) memory: Option<u64>,
    pub(super) exit_grace: Duration,
    pub(super) term_grace: Duration,
}

/// What became of the server.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Report {
    /// It runs, in a process group of its own with this number.
    Started(i32),
    /// It could not be started, with the system's error where there is one.
    Failed {
        /// The system's number of the error.
        errno: Option<i32>,
        /// What went wrong.
        message: String,
    },
    /// It held that many bytes, more than its limit, and is being ended.
    OverMemory(u64),
    /// It has ended, with this wait status; what it left behind may still run.
    Exited(i32),
}

/// Sends the launch and the server's three streams.
pub(super) fn send_launch(
    socket: &mut UnixStream,
    launch: &Launch,
    streams: &[OwnedFd; 3],
) -> io::Result<()> {
    let mut text = serde_json::to_vec(launch)?;
    text.push(b'\n');
    let streams = streams.each_ref().map(AsFd::as_fd);
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut beside = SendAncillaryBuffer::new(&mut space);
    beside.push(SendAncillaryMessage::ScmRights(&streams));
    let sent = loop {
        match sendmsg(&*socket, &[IoSlice::new(&text)], &mut beside, SendFlags::empty()) {
            Err(rustix::io::Errno::INTR) => {}
            result => break result?,
        }
    };
    socket.write_all(&text[sent..])
}

/// Receives the launch and the server's three streams.
pub(super) fn receive_launch(socket: &UnixStream) -> io::Result<(Launch, [OwnedFd; 3])> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut beside = RecvAncillaryBuffer::new(&mut space);
    let mut first = [0; 1];
    // Elsewhere than on Linux descriptors arrive without the flag; nothing else runs here yet.
    #[cfg(target_os = "linux")]
    let flags = RecvFlags::CMSG_CLOEXEC;
    #[cfg(not(target_os = "linux"))]
    let flags = RecvFlags::empty();
    loop {
        match recvmsg(socket, &mut [IoSliceMut::new(&mut first)], &mut beside, flags) {
            Err(rustix::io::Errno::INTR) => {}
            result => {
                result?;
                break;
            }
        }
    }
    let mut streams = Vec::new();
    for message in beside.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            streams.extend(descriptors);
        }
    }
    let missing = |_| io::Error::new(ErrorKind::InvalidData, "no launch came");
    let streams = <[OwnedFd; 3]>::try_from(streams).map_err(missing)?;
    for stream in &streams {
        rustix::io::fcntl_setfd(stream, rustix::io::FdFlags::CLOEXEC)?;
    }
    let mut text = Vec::from(first);
    io::BufReader::new(socket.take(MAX_LAUNCH)).read_until(b'\n', &mut text)?;
    Ok((serde_json::from_slice(&text)?, streams))
}

/// Sends a report.
pub(super) fn send_report(mut socket: &UnixStream, report: &Report) -> io::Result<()> {
    let mut text = serde_json::to_vec(report)?;
    text.push(b'\n');
    socket.write_all(&text)
}

/// Reads reports until the supervisor has ended.
pub(super) struct Reports<R>(io::BufReader<io::Take<R>>);

impl<R: Read> Reports<R> {
    pub(super) fn new(socket: R) -> Self {
        Self(io::BufReader::new(socket.take(64 * 1024)))
    }

    /// Waits for the next report; `None` is the end, or nonsense.
    pub(super) fn next(&mut self) -> Option<Report> {
        let mut line = Vec::new();
        loop {
            match self.0.read_until(b'\n', &mut line) {
                Ok(_) => return serde_json::from_slice(&line).ok(),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn a_launch_arrives_with_its_streams() {
        let (mut host, supervisor) = UnixStream::pair().unwrap();
        let launch = Launch {
            program: "p".into(),
            // More than a socket holds, so that it comes in several pieces.
            arguments: vec!["x".repeat(1 << 20).into(), "".into()],
            environment: vec![("N".into(), "v\n".into())],
            folder: Some("/".into()),
            memory: Some(1),
            exit_grace: Duration::from_millis(1),
            term_grace: Duration::from_secs(2),
        };
        let (mut read, write) = io::pipe().unwrap();
        let file: OwnedFd = File::open("/dev/null").unwrap().into();
        let copy = launch_copy(&launch);
        let sending = std::thread::spawn(move || {
            let read = OwnedFd::from(io::pipe().unwrap().0);
            send_launch(&mut host, &copy, &[read, write.into(), file]).unwrap();
        });
        let (received, [_, write, _]) = receive_launch(&supervisor).unwrap();
        sending.join().unwrap();
        assert_eq!(received, launch);
        File::from(write).write_all(b"through").unwrap();
        let mut text = String::new();
        read.read_to_string(&mut text).unwrap();
        assert_eq!(text, "through");
    }

    #[test]
    fn nonsense_is_no_launch() {
        for text in [&b""[..], b"x", b"{}\n"] {
            let (mut host, supervisor) = UnixStream::pair().unwrap();
            host.write_all(text).unwrap();
            drop(host);
            receive_launch(&supervisor).unwrap_err();
        }
    }

    #[test]
    fn reports_arrive_in_order() {
        let (host, supervisor) = UnixStream::pair().unwrap();
        let reports = [Report::Started(3), Report::OverMemory(9), Report::Exited(256)];
        for report in &reports {
            send_report(&supervisor, report).unwrap();
        }
        drop(supervisor);
        let mut received = Reports::new(host);
        for report in reports {
            assert_eq!(received.next(), Some(report));
        }
        assert_eq!(received.next(), None);
    }

    fn launch_copy(launch: &Launch) -> Launch {
        serde_json::from_slice(&serde_json::to_vec(launch).unwrap()).unwrap()
    }
}
