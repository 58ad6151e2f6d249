//! One try at opening: starts a server in one framing and settles the revision with it.
//!
//! A server that is slow to start is not silent: where the system tells whether the probe was read, the
//! patience with its answer begins only then, so that a program which installs itself first is not
//! ended over it.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use mcp_proto::{
    DiscoverResult, Era, ErrorCode, InitializeParams, InitializeResult, Initialized, Method,
    NoParams, Revision, RpcError, ServerCapabilities, Wire,
};

use super::connection::{Connection, GiveUp, Raw, Settled};
use super::error::ClientError;
use super::open::{Manner, Opening};
use super::pending::Patience;
use super::standing::Live;
use crate::frame::Framing;

/// How often a server that has not read its probe yet is looked at.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// What one try is like.
#[derive(Clone, Copy)]
pub(super) struct Try<'o> {
    pub(super) opening: &'o Opening<'o>,
    pub(super) framing: Framing,
    /// Whether the handshake comes first, and the probe only where it is refused.
    pub(super) straight: bool,
    /// How long the handshake may take.
    pub(super) handshake: Duration,
    /// Whether a server that ends over the first message is started once more.
    pub(super) again: bool,
}

/// Why a try failed.
pub(super) struct Failed {
    pub(super) error: ClientError,
    /// What else may do.
    pub(super) hope: Hope,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Hope {
    /// Nothing.
    None,
    /// Another framing: nothing came that can be read.
    OtherFraming,
    /// Another framing, or more time: nothing came at all.
    MoreTime,
}

impl Failed {
    fn of(error: ClientError, connection: &Connection) -> Self {
        let spoke = connection.spoke.load(Ordering::Relaxed);
        let headers = connection.speaks_headers.load(Ordering::Relaxed);
        let hope = match error {
            ClientError::TimedOut { .. } if !spoke => Hope::MoreTime,
            _ if headers || (error.ends_server() && !spoke) => Hope::OtherFraming,
            _ => Hope::None,
        };
        Self { error, hope }
    }

    const fn for_good(error: ClientError) -> Self {
        Self { error, hope: Hope::None }
    }
}

/// What a probe has told.
enum Probed {
    Stateless(Box<Settled>),
    /// A handshake, with the revision to ask for.
    Handshake(Revision),
    /// Nothing, in the time that it had.
    Silent(ClientError),
}

impl Try<'_> {
    pub(super) fn run(&self) -> Result<Live, Failed> {
        let connection = self.start()?;
        let error = match self.settle(&connection) {
            Ok(settled) => return Ok(Live::new(connection, settled)),
            Err(error) => error,
        };
        let failed = self.fail(&connection, error);
        let headers = connection.speaks_headers.load(Ordering::Relaxed);
        let probed = !self.straight && self.manner().stateless().is_some();
        let Some(revision) = self.manner().of(Era::Handshake).next() else { return Err(failed) };
        if !probed || !self.again || headers || !failed.error.ends_server() {
            return Err(failed);
        }
        // ER-30: the probe may have ended it, so a fresh one is not probed.
        let connection = self.start()?;
        match self.initialize(&connection, revision) {
            Ok(settled) => Ok(Live::new(connection, settled)),
            Err(error) => Err(self.fail(&connection, error)),
        }
    }

    const fn manner(&self) -> &Manner {
        self.opening.manner
    }

    fn start(&self) -> Result<Arc<Connection>, Failed> {
        let Opening { launch, shared, cancel, .. } = self.opening;
        if cancel.is_cancelled() {
            return Err(Failed::for_good(ClientError::Cancelled));
        }
        let link = launch
            .launch(self.framing)
            .map_err(|error| Failed::for_good(ClientError::Launch(Arc::new(error))))?;
        Connection::start(link, self.framing, shared).map_err(Failed::for_good)
    }

    fn fail(&self, connection: &Connection, error: ClientError) -> Failed {
        let failed = Failed::of(error, connection);
        // CN-16: what was asked is not cancelled; the process is ended.
        connection.close();
        failed
    }

    /// Finds out what the server speaks, and has it agree.
    fn settle(&self, connection: &Arc<Connection>) -> Result<Arc<Settled>, ClientError> {
        let legacy = self.manner().of(Era::Handshake).next();
        match (self.manner().stateless(), legacy) {
            (None, None) => Err(self.manner().none_in_common(Vec::new())),
            (None, Some(revision)) => self.initialize(connection, revision),
            (Some(newest), Some(revision)) if self.straight => {
                match self.initialize(connection, revision) {
                    // It may be another server by now, one that has no handshake.
                    Err(ClientError::Answered { .. }) => self.settle_by_probe(connection, newest),
                    settled => settled,
                }
            }
            (Some(newest), _) => self.settle_by_probe(connection, newest),
        }
    }

    fn settle_by_probe(
        &self,
        connection: &Arc<Connection>,
        newest: Revision,
    ) -> Result<Arc<Settled>, ClientError> {
        match self.probe(connection, newest)? {
            Probed::Stateless(settled) => Ok(connection.settle(*settled)),
            Probed::Handshake(revision) => self.initialize(connection, revision),
            Probed::Silent(error) => match self.manner().of(Era::Handshake).next() {
                Some(revision) => self.initialize(connection, revision),
                None => Err(error),
            },
        }
    }

    fn probe(&self, connection: &Arc<Connection>, newest: Revision) -> Result<Probed, ClientError> {
        let legacy = self.manner().of(Era::Handshake).next();
        let mut corrected = false;
        loop {
            let error = match self.discover(connection, newest) {
                Ok(raw) => return self.discovered(&raw, newest),
                Err(error @ ClientError::TimedOut { .. }) => return Ok(Probed::Silent(error)),
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
                    return match self.manner().of(Era::Handshake).find(|&revision| has(revision)) {
                        Some(revision) => Ok(Probed::Handshake(revision)),
                        None => Err(self.manner().none_in_common(theirs)),
                    };
                }
                ErrorCode::MissingClientCapability | ErrorCode::HeaderMismatch => {
                    // ER-22: it is stateless and does not want to be discovered.
                    return Ok(Probed::Stateless(Box::new(Settled {
                        wire: Wire::new(newest),
                        meta: self.opening.shared.meta(newest),
                        capabilities: everything(),
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
        let limits = &self.opening.shared.limits;
        let begun = Instant::now();
        let latest = begun + limits.handshake_timeout.max(limits.probe_timeout);
        let (waited, over) = (Cell::new(false), Cell::new(false));
        let more = || {
            let now = Instant::now();
            if over.get() || now >= latest {
                return None;
            }
            if connection.unread().is_some_and(|count| count > 0) {
                waited.set(true);
                return Some((now + LOOK_AGAIN).min(latest));
            }
            over.set(true);
            waited.get().then(|| (now + limits.probe_timeout).min(latest))
        };
        let patience = Patience {
            cancel: Some(self.opening.cancel),
            more: Some(&more),
            ..Patience::until(begun + limits.probe_timeout)
        };
        let meta = self.opening.shared.meta(newest);
        let method = Method::Discover;
        let raw = connection.ask(&wire, method, &NoParams {}, meta, &patience, GiveUp::Silently);
        match (raw, connection.unread()) {
            (Err(ClientError::TimedOut { .. }), Some(waiting)) if waiting > 0 => {
                Err(ClientError::NotReading { waiting })
            }
            (raw, _) => raw,
        }
    }

    fn discovered(&self, raw: &Raw, newest: Revision) -> Result<Probed, ClientError> {
        let legacy = self.manner().of(Era::Handshake).next();
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
            return Ok(Probed::Stateless(Box::new(Settled {
                wire: Wire::new(newest),
                meta: self.opening.shared.meta(newest),
                capabilities: found.capabilities,
                server: found.meta.server_info,
                instructions: found.instructions,
            })));
        }
        // ER-33.
        match self.manner().of(Era::Handshake).find(|&revision| has(revision)) {
            Some(revision) => Ok(Probed::Handshake(revision)),
            None => Err(self.manner().none_in_common(found.supported_versions)),
        }
    }

    fn initialize(
        &self,
        connection: &Arc<Connection>,
        revision: Revision,
    ) -> Result<Arc<Settled>, ClientError> {
        let settled = connection.settle(self.shake_hands(connection, revision)?);
        connection.tell(&settled.wire, &Initialized {});
        Ok(settled)
    }

    fn shake_hands(
        &self,
        connection: &Arc<Connection>,
        revision: Revision,
    ) -> Result<Settled, ClientError> {
        let result = match self.ask_to_initialize(connection, revision) {
            Err(ClientError::Answered { method, error }) => {
                // It names what it has in the error: one correction.
                let theirs = error.supported_versions().unwrap_or_default();
                let other = self.manner().of(Era::Handshake).find(|other| {
                    *other != revision && theirs.iter().any(|version| version == other.as_str())
                });
                match other {
                    Some(other) => self.ask_to_initialize(connection, other)?,
                    None if theirs.is_empty() => {
                        return Err(ClientError::Answered { method, error });
                    }
                    None => return Err(self.manner().none_in_common(theirs)),
                }
            }
            result => result?,
        };
        // LC-08: what was not asked for and is not known ends the connection.
        let agreed = self
            .manner()
            .of(Era::Handshake)
            .find(|revision| revision.as_str() == result.protocol_version)
            .ok_or_else(|| self.manner().none_in_common(vec![result.protocol_version.clone()]))?;
        Ok(Settled {
            wire: Wire::new(agreed),
            meta: self.opening.shared.meta(agreed),
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
        let shared = self.opening.shared;
        let params =
            InitializeParams::new(revision, shared.capabilities.clone(), shared.info.clone());
        let patience = Patience {
            cancel: Some(self.opening.cancel),
            ..Patience::until(Instant::now() + self.handshake)
        };
        let meta = shared.meta(revision);
        let raw = connection.ask(&wire, method, &params, meta, &patience, GiveUp::Silently)?;
        serde_json::from_slice(raw.bytes())
            .map_err(|error| ClientError::InvalidAnswer { method, problem: error.to_string() })
    }
}

/// What a server is taken to offer that did not say: it will refuse what it does not.
fn everything() -> ServerCapabilities {
    ServerCapabilities::default()
        .with_tools(true)
        .with_resources(true, true)
        .with_prompts(true)
        .with_completions()
        .with_logging()
}
