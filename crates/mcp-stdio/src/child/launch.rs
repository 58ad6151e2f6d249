//! Servers of sessions: each launch is a fresh process of one command.

use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::stderr::Tail;
use super::{Child, ChildLimits, ServerCommand};
#[cfg(unix)]
use crate::client::PipeOutput;
use crate::client::{Ended, Launch, Link, Peer};
use crate::frame::Framing;
use crate::sync::lock;

/// How long the end of a process may come after the end of its output.
const END_AFTER_OUTPUT: Duration = Duration::from_millis(200);

/// Starts one command, as often as a session needs a fresh process of it.
#[derive(Debug)]
pub struct ChildLauncher {
    name: String,
    command: ServerCommand,
    limits: ChildLimits,
    last_words: LastWords,
}

/// What the process that was launched last has written to standard error, for as long as someone may ask.
#[derive(Clone, Debug, Default)]
pub struct LastWords(Arc<Mutex<Option<Arc<Tail>>>>);

impl LastWords {
    /// Returns its last lines, as [`Child::last_lines`] does; none where nothing was launched.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        lock(&self.0).as_ref().map(|tail| tail.lines()).unwrap_or_default()
    }
}

impl ChildLauncher {
    /// Creates a launcher; `name` is how messages and logs call the server.
    pub fn new(name: impl Into<String>, command: ServerCommand, limits: ChildLimits) -> Self {
        Self { name: name.into(), command, limits, last_words: LastWords::default() }
    }

    /// Returns a view of what the servers say on standard error, which outlives the launcher.
    #[must_use]
    pub fn last_words(&self) -> LastWords {
        self.last_words.clone()
    }
}

impl Launch for ChildLauncher {
    fn launch(&self, _framing: Framing) -> io::Result<Link> {
        let child = Child::start(&self.command, &self.limits)
            .map_err(|error| io::Error::new(error.kind(), error))?;
        *lock(&self.last_words.0) = Some(Arc::clone(&child.tail));
        let (Some(output), Some(input)) = (child.take_output(), child.take_input()) else {
            return Err(io::Error::other("the streams of a new process are taken"));
        };
        #[cfg(unix)]
        let input = PipeOutput::new(input)?;
        #[cfg(not(unix))]
        let input = crate::client::Blocking(input);
        Ok(Link::new(output, input, child))
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn memory_key(&self) -> Option<String> {
        Some(self.command.key())
    }
}

impl Peer for Child {
    fn ended(&self) -> Ended {
        let end = self.end_within(END_AFTER_OUTPUT);
        let reason = match end {
            Some(end) => end.over_memory.map(|_| format!("it {end}")),
            None if self.ending.load(Ordering::SeqCst) => None,
            None => Some("it closed its output and went on".to_owned()),
        };
        let status = end.and_then(|end| end.status).map(|status| status.to_string());
        Ended { status, reason, stderr: self.last_lines() }
    }

    fn shutdown(&self) {
        self.stop();
    }

    fn kill(&self) {
        Self::kill(self);
    }
}

impl ServerCommand {
    /// Returns a text that stands for this command and no other: a hash, which gives away nothing.
    pub(super) fn key(&self) -> String {
        let mut hash = Sha256::new();
        let mut put = |text: &[u8]| {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        };
        put(self.program.as_encoded_bytes());
        put(&(self.arguments.len() as u64).to_le_bytes());
        self.arguments.iter().for_each(|argument| put(argument.as_encoded_bytes()));
        put(self.folder.as_ref().map_or(&b""[..], |folder| folder.as_os_str().as_encoded_bytes()));
        for (name, value) in &self.named {
            put(name.as_encoded_bytes());
            put(value.as_encoded_bytes());
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_command_makes_another_key() {
        let base = || ServerCommand::new("p").arg("a").env("N", "v");
        let others = [
            ServerCommand::new("q").arg("a").env("N", "v"),
            ServerCommand::new("p").arg("ab").env("N", "v"),
            ServerCommand::new("p").args(["a", ""]).env("N", "v"),
            base().env("N", "w"),
            base().folder("/"),
        ];
        assert_eq!(base().key(), base().key());
        for other in others {
            assert_ne!(base().key(), other.key(), "{other:?}");
        }
        // What the host's own environment holds is no part of the command.
        let host = [("PATH".into(), "/bin".into())];
        assert_eq!(base().key(), base().inherit(host).key());
    }
}
