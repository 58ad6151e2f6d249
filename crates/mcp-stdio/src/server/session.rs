//! Admission: which revision a request is served under, for which client.
//!
//! This is the only place that knows eras. A request that claims a revision in its `_meta` is
//! served by that claim alone; without a claim, what `initialize` has settled counts. Nothing here
//! remembers anything from a request that carries its own metadata.

use std::sync::{Arc, Mutex, OnceLock};

use mcp_proto::{
    ClientCapabilities, Era, Implementation, InitializeParams, Kind, LoggingLevel, Method,
    MethodName, ProgressToken, RequestMeta, Revision, RpcError, decode_params, raw_meta,
};
use serde_json::value::RawValue;

use crate::sync::lock;

/// The revisions that a request may claim for itself.
pub(super) const STATELESS: [Revision; 1] = [Revision::V2026_07_28];

/// The client as far as one request may know it.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    pub(crate) revision: Revision,
    pub(crate) client: Arc<Client>,
    /// The log level that the request itself asked for.
    pub(crate) log_level: Option<LoggingLevel>,
}

/// What a client has said about itself.
#[derive(Debug, Default)]
pub(crate) struct Client {
    pub(crate) info: Option<Implementation>,
    pub(crate) capabilities: ClientCapabilities,
}

/// What the metadata of a request says.
#[derive(Debug, Default)]
struct Claim {
    meta: RequestMeta,
    client: Arc<Client>,
}

/// What is to be done with a request.
#[derive(Debug)]
pub(super) enum Admission {
    /// Open a handshake session.
    Initialize,
    /// Say that the server lives; legal before anything else.
    Ping,
    Serve {
        method: Method,
        peer: Peer,
        progress_token: Option<ProgressToken>,
    },
}

/// Why a request is not served, and the revision whose form the error takes.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) revision: Revision,
    pub(super) error: RpcError,
}

impl Refusal {
    /// Turns an error into a refusal in the form of `revision`.
    pub(super) fn of(revision: Revision) -> impl Fn(RpcError) -> Self {
        move |error| Self { revision, error }
    }
}

/// The state of one connection that outlives a request.
#[derive(Debug, Default)]
pub(super) struct Session {
    handshake: OnceLock<Peer>,
    log_level: Mutex<Option<LoggingLevel>>,
    /// The last metadata read, by its text: clients send the same with every request.
    last_meta: Mutex<Option<(Box<str>, Arc<Claim>)>>,
}

impl Session {
    /// Decides how to serve a request, or why not.
    pub(super) fn admit(
        &self,
        method: &MethodName<'_>,
        params: Option<&RawValue>,
    ) -> Result<Admission, Refusal> {
        let revision = self.revision();
        let claim = self.claim(params).map_err(Refusal::of(revision))?;
        if let Some(version) = &claim.meta.protocol_version {
            let settled = self.handshake.get();
            if settled.is_none_or(|peer| peer.revision.as_str() != version) {
                return Self::admit_stateless(method, version, &claim)
                    .map_err(Refusal::of(Revision::NEWEST));
            }
        }
        self.admit_by_handshake(method, claim.meta.progress_token.clone())
            .map_err(Refusal::of(revision))
    }

    fn admit_by_handshake(
        &self,
        method: &MethodName<'_>,
        progress_token: Option<ProgressToken>,
    ) -> Result<Admission, RpcError> {
        let Some(peer) = self.handshake.get() else {
            return match method.known() {
                Some(Method::Initialize) => Ok(Admission::Initialize),
                Some(Method::Ping) => Ok(Admission::Ping),
                _ => Err(RpcError::invalid_params(
                    "no session yet: send `initialize`, or put `_meta` with \
                     `io.modelcontextprotocol/protocolVersion` and \
                     `io.modelcontextprotocol/clientCapabilities` into the params",
                )),
            };
        };
        match method.known() {
            Some(Method::Initialize) => {
                Err(RpcError::invalid_request("the session is already initialized"))
            }
            Some(Method::Ping) => Ok(Admission::Ping),
            known => Ok(Admission::Serve {
                method: served(known, peer.revision)
                    .ok_or_else(|| RpcError::method_not_found(method.as_str()))?,
                peer: peer.clone(),
                progress_token,
            }),
        }
    }

    fn admit_stateless(
        method: &MethodName<'_>,
        version: &str,
        claim: &Claim,
    ) -> Result<Admission, RpcError> {
        let meta = &claim.meta;
        if meta.client_capabilities.is_none() {
            return Err(RpcError::invalid_params(
                "`_meta` lacks `io.modelcontextprotocol/clientCapabilities`",
            ));
        }
        let Some(revision) = STATELESS.into_iter().find(|known| known.as_str() == version) else {
            return Err(RpcError::unsupported_version(version, &STATELESS));
        };
        let client = Arc::clone(&claim.client);
        let peer = Peer { revision, client, log_level: meta.log_level };
        Ok(Admission::Serve {
            method: served(method.known(), revision)
                .ok_or_else(|| RpcError::method_not_found(method.as_str()))?,
            peer,
            progress_token: meta.progress_token.clone(),
        })
    }

    fn claim(&self, params: Option<&RawValue>) -> Result<Arc<Claim>, RpcError> {
        let Some(raw) = raw_meta(params) else { return Ok(Arc::default()) };
        let mut last = lock(&self.last_meta);
        if let Some((text, claim)) = &*last
            && **text == *raw.get()
        {
            return Ok(Arc::clone(claim));
        }
        let meta = RequestMeta::from_raw(raw)?;
        let client = Arc::new(Client {
            info: meta.client_info.clone(),
            capabilities: meta.client_capabilities.clone().unwrap_or_default(),
        });
        let claim = Arc::new(Claim { meta, client });
        *last = Some((raw.get().into(), Arc::clone(&claim)));
        Ok(claim)
    }

    /// Settles the revision of a handshake session: the one asked for if it has a handshake, else
    /// the newest that has.
    pub(super) fn initialize(&self, params: Option<&RawValue>) -> Result<Peer, RpcError> {
        let params: InitializeParams = decode_params(params)?;
        let revision = Revision::parse(&params.protocol_version)
            .filter(|revision| revision.era() == Era::Handshake)
            .unwrap_or(Revision::NEWEST_HANDSHAKE);
        let client = Client { info: Some(params.client_info), capabilities: params.capabilities };
        let peer = Peer { revision, client: Arc::new(client), log_level: None };
        match self.handshake.set(peer.clone()) {
            Ok(()) => Ok(peer),
            Err(_) => Err(RpcError::invalid_request("the session is already initialized")),
        }
    }

    /// Returns the revision of the handshake session, if there is one.
    pub(super) fn handshake_revision(&self) -> Option<Revision> {
        self.handshake.get().map(|peer| peer.revision)
    }

    pub(super) fn has_batches(&self) -> bool {
        self.handshake.get().is_some_and(|peer| peer.revision.has_batches())
    }

    pub(super) fn set_log_level(&self, level: LoggingLevel) {
        *lock(&self.log_level) = Some(level);
    }

    /// Returns the level from which on `peer` wants log messages, if it wants any.
    pub(super) fn log_level(&self, peer: &Peer) -> Option<LoggingLevel> {
        match peer.revision.era() {
            Era::PerRequest => peer.log_level,
            Era::Handshake => Some((*lock(&self.log_level)).unwrap_or(LoggingLevel::Info)),
        }
    }

    /// Returns the revision for messages that belong to no admitted request.
    pub(super) fn revision(&self) -> Revision {
        self.handshake.get().map_or(Revision::NEWEST_HANDSHAKE, |peer| peer.revision)
    }
}

/// Returns the method if it is a request that clients may send in `revision`.
fn served(method: Option<Method>, revision: Revision) -> Option<Method> {
    method.filter(|method| {
        let spec = method.spec();
        spec.kind == Kind::Request && spec.client_may_send(revision)
    })
}
