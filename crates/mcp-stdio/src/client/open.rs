//! Opening: which era and which framing a server speaks (ER-20 to ER-35).
//!
//! A probe that every server can answer comes first. What comes back decides, and whatever is no answer of
//! the newest revision, an error of any number included, means a handshake. A server that ends over the
//! probe is started afresh and never probed again. Where the framing is not given, lines are tried first;
//! a server that stays silent or cannot be read gets header blocks in a fresh process.

use std::sync::Arc;

use mcp_proto::{Era, Revision};

use super::cancel::CancelToken;
use super::connection::Shared;
use super::error::ClientError;
use super::launch::Launch;
use super::settle::{Failed, Hope, Try};
use super::standing::Live;
use crate::frame::Framing;

/// What a session learnt about how to speak with a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Learnt {
    /// How its messages are framed: never `Auto`.
    pub framing: Framing,
    /// Whether it has a handshake.
    pub era: Era,
}

/// Keeps what was learnt about servers, so that the next session need not try again.
///
/// What is recalled is tried first; where it does not hold, the session finds out anew.
pub trait Memory: Send + Sync {
    /// Returns what was last kept under the key.
    fn recall(&self, key: &str) -> Option<Learnt>;

    /// Keeps what was learnt under the key.
    fn keep(&self, key: &str, learnt: Learnt);
}

/// How a server is to be spoken with.
pub(super) struct Manner {
    pub(super) framing: Framing,
    /// The revisions that may be used, newest first.
    pub(super) revisions: Vec<Revision>,
    pub(super) memory: Option<Arc<dyn Memory>>,
}

impl Manner {
    pub(super) fn stateless(&self) -> Option<Revision> {
        self.of(Era::PerRequest).next()
    }

    pub(super) fn of(&self, era: Era) -> impl Iterator<Item = Revision> {
        self.revisions.iter().copied().filter(move |revision| revision.era() == era)
    }

    pub(super) fn none_in_common(&self, theirs: Vec<String>) -> ClientError {
        let ours = self.revisions.iter().map(|revision| revision.as_str().to_owned()).collect();
        ClientError::NoCommonRevision { theirs, ours }
    }
}

/// Opens connections to one server.
pub(super) struct Opening<'o> {
    pub(super) launch: &'o dyn Launch,
    pub(super) shared: &'o Arc<Shared>,
    pub(super) manner: &'o Manner,
    /// Ends the opening from another thread.
    pub(super) cancel: &'o CancelToken,
}

impl Opening<'_> {
    /// Starts the server and settles how to speak with it; `known` is how it was last time, as far as
    /// the session itself knows.
    pub(super) fn open(&self, known: Option<Learnt>) -> Result<Live, ClientError> {
        let key = self.launch.memory_key();
        let memory = self.manner.memory.as_deref().zip(key.as_deref());
        let kept = memory.and_then(|(memory, key)| memory.recall(key));
        let live = self.open_as(known.or(kept)).map_err(|failed| failed.error)?;
        if let Some((memory, key)) = memory
            && kept != Some(live.learnt())
        {
            memory.keep(key, live.learnt());
        }
        Ok(live)
    }

    fn open_as(&self, known: Option<Learnt>) -> Result<Live, Failed> {
        let limits = &self.shared.limits;
        let fixed = (self.manner.framing != Framing::Auto).then_some(self.manner.framing);
        let attempt = |framing, straight, handshake, again| {
            Try { opening: self, framing, straight, handshake, again }.run()
        };
        if let Some(known) = known.filter(|known| fixed.is_none_or(|fixed| fixed == known.framing))
        {
            let straight = known.era == Era::Handshake;
            match attempt(known.framing, straight, limits.handshake_timeout, true) {
                Ok(live) => return Ok(live),
                Err(failed) if !may_pass(&failed.error) => return Err(failed),
                // ER-26: the assumption may have failed rather than the server.
                Err(failed) => {
                    log::debug!("{}: as it was last time: {}", self.launch.name(), failed.error);
                }
            }
        }
        if let Some(framing) = fixed {
            return attempt(framing, false, limits.handshake_timeout, true);
        }
        let short = limits.handshake_timeout.min(limits.probe_timeout);
        let first = match attempt(Framing::Line, false, short, true) {
            Ok(live) => return Ok(live),
            Err(failed) if failed.hope == Hope::None => return Err(failed),
            Err(failed) => failed,
        };
        match attempt(Framing::ContentLength, false, short, false) {
            Ok(live) => return Ok(live),
            Err(failed) if failed.hope == Hope::None => return Err(failed),
            Err(_) => {}
        }
        if first.hope == Hope::MoreTime {
            // It may only be slow to start. A handshake in lines is what nearly every server knows.
            return attempt(Framing::Line, true, limits.handshake_timeout, false);
        }
        Err(first)
    }
}

/// Whether another way to speak with a server may do after this error.
const fn may_pass(error: &ClientError) -> bool {
    !matches!(error, ClientError::Launch(_) | ClientError::Thread(_) | ClientError::Cancelled)
}
