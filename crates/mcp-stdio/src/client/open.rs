//! Opening: which era and which framing a server speaks (ER-20 to ER-35).
//!
//! A probe that every server can answer comes first. What comes back decides, and whatever is no answer of
//! the newest revision, an error of any number included, means a handshake. A server that ends over the
//! probe is started afresh and never probed again. Where the framing is not given, lines are tried first;
//! a server that stays silent or cannot be read gets header blocks in a fresh process.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use mcp_proto::{
    DiscoverResult, Era, ErrorCode, InitializeParams, InitializeResult, Initialized, Method,
    NoParams, Revision, RpcError, Wire,
};

use super::connection::{Connection, GiveUp, Raw, Settled, Shared};
use super::error::ClientError;
use super::launch::Launch;
use super::pending::Patience;
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
#[derive(Clone)]
pub(super) struct Manner {
    pub(super) framing: Framing,
    /// The revisions that may be used, newest first.
    pub(super) revisions: Vec<Revision>,
    pub(super) memory: Option<Arc<dyn Memory>>,
}

impl Manner {
    fn stateless(&self) -> Option<Revision> {
        self.of(Era::PerRequest).next()
    }

    fn of(&self, era: Era) -> impl Iterator<Item = Revision> {
        self.revisions.iter().copied().filter(move |revision| revision.era() == era)
    }

    fn none_in_common(&self, theirs: Vec<String>) -> ClientError {
        let ours = self.revisions.iter().map(|revision| revision.as_str().to_owned()).collect();
        ClientError::NoCommonRevision { theirs, ours }
    }
}

/// One try at opening, in one framing.
struct Try<'o> {
    launch: &'o dyn Launch,
    shared: &'o Arc<Shared>,
    manner: &'o Manner,
    framing: Framing,
    /// Whether the probe is left out.
    straight: bool,
    /// How long the handshake may take.
    handshake: Duration,
    /// Whether a server that ends over the first message is started once more.
    again: bool,
}

/// Why a try failed.
struct Failed {
    error: ClientError,
    /// Nothing came, or nothing that can be read: another framing may do.
    unreadable: bool,
    /// Nothing at all came in the time.
    silent: bool,
}

impl Failed {
    fn of(error: ClientError, connection: &Connection) -> Self {
        let spoke = connection.spoke.load(Ordering::Relaxed);
        let headers = connection.speaks_headers.load(Ordering::Relaxed);
        let silent = matches!(error, ClientError::TimedOut { .. }) && !spoke;
        let ended = error.ends_server() && !spoke;
        Self { error, unreadable: silent || ended || headers, silent }
    }

    fn final_(error: ClientError) -> Self {
        Self { error, unreadable: false, silent: false }
    }
}

/// Opens a connection: starts the server and settles the revision.
pub(super) fn open(
    launch: &dyn Launch,
    shared: &Arc<Shared>,
    manner: &Manner,
) -> Result<Arc<Connection>, ClientError> {
    let key = launch.memory_key();
    let memory = manner.memory.as_deref().zip(key.as_deref());
    let known = memory.and_then(|(memory, key)| memory.recall(key));
    let connection = open_as(launch, shared, manner, known).map_err(|failed| failed.error)?;
    if let (Some((memory, key)), Some(settled)) = (memory, connection.settled.get()) {
        let era = settled.wire.revision().era();
        let learnt = Learnt { framing: connection.framing(), era };
        if known != Some(learnt) {
            memory.keep(key, learnt);
        }
    }
    Ok(connection)
}

fn open_as(
    launch: &dyn Launch,
    shared: &Arc<Shared>,
    manner: &Manner,
    known: Option<Learnt>,
) -> Result<Arc<Connection>, Failed> {
    let limits = &shared.limits;
    let fixed = (manner.framing != Framing::Auto).then_some(manner.framing);
    let attempt = |framing, straight, handshake, again| {
        Try { launch, shared, manner, framing, straight, handshake, again }.run()
    };
    if let Some(known) = known.filter(|known| fixed.is_none_or(|fixed| fixed == known.framing)) {
        let straight = known.era == Era::Handshake;
        match attempt(known.framing, straight, limits.handshake_timeout, true) {
            Ok(connection) => return Ok(connection),
            // ER-26: the assumption may have failed rather than the server.
            Err(failed) => log::debug!("{}: as it was last time: {}", launch.name(), failed.error),
        }
    }
    if let Some(framing) = fixed {
        return attempt(framing, false, limits.handshake_timeout, true);
    }
    let short = limits.handshake_timeout.min(limits.probe_timeout);
    let first = match attempt(Framing::Line, false, short, true) {
        Ok(connection) => return Ok(connection),
        Err(failed) if !failed.unreadable => return Err(failed),
        Err(failed) => failed,
    };
    match attempt(Framing::ContentLength, false, short, false) {
        Ok(connection) => return Ok(connection),
        Err(failed) if !failed.unreadable => return Err(failed),
        Err(_) => {}
    }
    if first.silent {
        // It may only be slow to start. A handshake in lines is what nearly every server knows.
        return attempt(Framing::Line, true, limits.handshake_timeout, false);
    }
    Err(first)
}

/// What a probe has told.
enum Probed {
    Stateless(Arc<Settled>),
    /// A handshake, with the revision to ask for.
    Handshake(Revision),
    Silent,
}

impl Try<'_> {
    fn run(&self) -> Result<Arc<Connection>, Failed> {
        let connection = self.start()?;
        let Some(newest) = self.manner.stateless().filter(|_| !self.straight) else {
            let Some(revision) = self.manner.of(Era::Handshake).next() else {
                return Err(Failed::final_(self.manner.none_in_common(Vec::new())));
            };
            return self.shake_hands(&connection, revision);
        };
        match self.probe(&connection, newest) {
            Ok(Probed::Stateless(settled)) => {
                drop(connection.settled.set(settled));
                Ok(connection)
            }
            Ok(Probed::Handshake(revision)) => self.shake_hands(&connection, revision),
            Ok(Probed::Silent) => match self.manner.of(Era::Handshake).next() {
                Some(revision) => self.shake_hands(&connection, revision),
                None => {
                    let after = self.shared.limits.probe_timeout;
                    let error = ClientError::TimedOut { method: Method::Discover, after };
                    Err(self.fail(&connection, error))
                }
            },
            Err(error) if error.ends_server() => {
                let failed = self.fail(&connection, error);
                let Some(revision) = self.manner.of(Era::Handshake).next() else {
                    return Err(failed);
                };
                if !self.again || connection.speaks_headers.load(Ordering::Relaxed) {
                    return Err(failed);
                }
                // ER-30: the probe may have ended it, so a fresh one is not probed.
                let connection = self.start()?;
                self.shake_hands(&connection, revision)
            }
            Err(error) => Err(self.fail(&connection, error)),
        }
    }

    fn start(&self) -> Result<Arc<Connection>, Failed> {
        let link = self
            .launch
            .launch(self.framing)
            .map_err(|error| Failed::final_(ClientError::Launch(Arc::new(error))))?;
        Connection::start(link, self.framing, self.shared).map_err(Failed::final_)
    }

    fn fail(&self, connection: &Connection, error: ClientError) -> Failed {
        let failed = Failed::of(error, connection);
        // CN-16: what was asked is not cancelled; the process is ended.
        connection.close();
        failed
    }

    fn probe(&self, connection: &Arc<Connection>, newest: Revision) -> Result<Probed, ClientError> {
        let legacy = self.manner.of(Era::Handshake).next();
        let mut corrected = false;
        loop {
            let error = match self.discover(connection, newest) {
                Ok(raw) => return self.discovered(&raw, newest),
                Err(ClientError::TimedOut { .. }) => return Ok(Probed::Silent),
                Err(ClientError::Answered { error, .. }) => error,
                // An answer that is none, such as one with neither result nor error.
                Err(ClientError::InvalidAnswer { .. }) => RpcError::internal("invalid answer"),
                Err(error) => return Err(error),
            };
            match error.code {
                ErrorCode::UnsupportedVersion => {
                    let theirs = error.supported_versions().unwrap_or_default();
                    let has = |revision: Revision| theirs.iter().any(|v| v == revision.as_str());
                    if has(newest) && !corrected {
                        // ER-35: one correction, and no loop.
                        corrected = true;
                        continue;
                    }
                    return match self.manner.of(Era::Handshake).find(|&revision| has(revision)) {
                        Some(revision) => Ok(Probed::Handshake(revision)),
                        None => Err(self.manner.none_in_common(theirs)),
                    };
                }
                ErrorCode::MissingClientCapability | ErrorCode::HeaderMismatch => {
                    // ER-22: it is stateless and does not want to be discovered.
                    return Ok(Probed::Stateless(Arc::new(Settled {
                        wire: Wire::new(newest),
                        capabilities: mcp_proto::ServerCapabilities::default(),
                        server: None,
                        instructions: None,
                    })));
                }
                _ => {
                    return match legacy {
                        Some(revision) => Ok(Probed::Handshake(revision)),
                        None => Err(ClientError::Answered { method: Method::Discover, error }),
                    };
                }
            }
        }
    }

    fn discover(&self, connection: &Arc<Connection>, newest: Revision) -> Result<Raw, ClientError> {
        let wire = Wire::new(newest);
        connection.probing.store(true, Ordering::SeqCst);
        let until = Some(Instant::now() + self.shared.limits.probe_timeout);
        let patience = Patience { until, cancel: None, on_progress: None };
        let meta = connection.meta(&wire);
        let method = Method::Discover;
        connection.ask(&wire, method, &NoParams {}, meta, &patience, GiveUp::Silently)
    }

    fn discovered(&self, raw: &Raw, newest: Revision) -> Result<Probed, ClientError> {
        let legacy = self.manner.of(Era::Handshake).next();
        let Ok(found) = serde_json::from_slice::<DiscoverResult>(raw.bytes()) else {
            // ER-32: a success of another kind comes from a server that answers everything.
            return legacy.map(Probed::Handshake).ok_or_else(|| ClientError::InvalidAnswer {
                method: Method::Discover,
                problem: "no list of supported versions".to_owned(),
            });
        };
        let has = |revision: Revision| {
            found.supported_versions.iter().any(|version| version == revision.as_str())
        };
        if has(newest) {
            return Ok(Probed::Stateless(Arc::new(Settled {
                wire: Wire::new(newest),
                capabilities: found.capabilities,
                server: found.meta.server_info,
                instructions: found.instructions,
            })));
        }
        // ER-33.
        match self.manner.of(Era::Handshake).find(|&revision| has(revision)) {
            Some(revision) => Ok(Probed::Handshake(revision)),
            None => Err(self.manner.none_in_common(found.supported_versions)),
        }
    }

    fn shake_hands(
        &self,
        connection: &Arc<Connection>,
        revision: Revision,
    ) -> Result<Arc<Connection>, Failed> {
        match self.initialize(connection, revision) {
            Ok(settled) => {
                let settled = Arc::new(settled);
                drop(connection.settled.set(Arc::clone(&settled)));
                connection.tell(&settled.wire, &Initialized {});
                Ok(Arc::clone(connection))
            }
            Err(error) => Err(self.fail(connection, error)),
        }
    }

    fn initialize(
        &self,
        connection: &Arc<Connection>,
        revision: Revision,
    ) -> Result<Settled, ClientError> {
        let result = match self.ask_to_initialize(connection, revision) {
            Err(ClientError::Answered { method, error }) => {
                // It names what it has in the error: one correction.
                let theirs = error.supported_versions().unwrap_or_default();
                let other = self.manner.of(Era::Handshake).find(|other| {
                    *other != revision && theirs.iter().any(|version| version == other.as_str())
                });
                match other {
                    Some(other) => self.ask_to_initialize(connection, other)?,
                    None if theirs.is_empty() => {
                        return Err(ClientError::Answered { method, error });
                    }
                    None => return Err(self.manner.none_in_common(theirs)),
                }
            }
            result => result?,
        };
        // LC-08: what was not asked for and is not known ends the connection.
        let agreed = self
            .manner
            .of(Era::Handshake)
            .find(|revision| revision.as_str() == result.protocol_version)
            .ok_or_else(|| self.manner.none_in_common(vec![result.protocol_version.clone()]))?;
        Ok(Settled {
            wire: Wire::new(agreed),
            capabilities: result.capabilities,
            server: Some(result.server_info),
            instructions: result.instructions,
        })
    }

    fn ask_to_initialize(
        &self,
        connection: &Arc<Connection>,
        revision: Revision,
    ) -> Result<InitializeResult, ClientError> {
        let method = Method::Initialize;
        connection.probing.store(false, Ordering::SeqCst);
        let wire = Wire::new(revision);
        let params = InitializeParams::new(
            revision,
            self.shared.handler.capabilities(),
            self.shared.info.clone(),
        );
        let until = Some(Instant::now() + self.handshake);
        let patience = Patience { until, cancel: None, on_progress: None };
        let meta = connection.meta(&wire);
        let raw = connection.ask(&wire, method, &params, meta, &patience, GiveUp::Silently)?;
        serde_json::from_slice(raw.bytes())
            .map_err(|error| ClientError::InvalidAnswer { method, problem: error.to_string() })
    }
}
