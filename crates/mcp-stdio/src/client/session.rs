//! A session: one server, kept running, usable from many threads.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use mcp_proto::{
    Era, Fields, Implementation, LoggingLevel, Method, NoParams, Progress, Revision,
    RootsListChanged, ServerCapabilities, SetLevelParams, SubscriptionFilter,
};

use super::cancel::CancelToken;
use super::connection::{GiveUp, Raw, Shared};
use super::error::ClientError;
use super::events::Events;
use super::handler::{Handler, NoHandler};
use super::launch::Launch;
use super::limits::ClientLimits;
use super::list::Lists;
use super::open::{Learnt, Manner, Memory, Opening};
use super::options::{CallOptions, Errand};
use super::pending::Patience;
use super::receive::Stale;
use super::standing::{Live, Standing};
use super::watch::{self, Listening};
use crate::frame::Framing;
use crate::sync::lock;

/// Puts a session together.
pub struct SessionBuilder {
    info: Implementation,
    handler: Arc<dyn Handler>,
    limits: ClientLimits,
    manner: Manner,
    cancel: CancelToken,
}

impl SessionBuilder {
    /// Lets the handler answer what servers ask.
    #[must_use]
    pub fn handler(mut self, handler: impl Handler + 'static) -> Self {
        self.handler = Arc::new(handler);
        self
    }

    /// Bounds the session in this way, instead of as [`ClientLimits::recommended`] says.
    #[must_use]
    pub fn limits(mut self, limits: ClientLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Frames messages in this way. Without it, lines are tried first, then header blocks.
    #[must_use]
    pub fn framing(mut self, framing: Framing) -> Self {
        self.manner.framing = framing;
        self
    }

    /// Speaks only the revisions of one era, so that no probe of the other costs time.
    #[must_use]
    pub fn era(mut self, era: Era) -> Self {
        self.manner.revisions.retain(|revision| revision.era() == era);
        self
    }

    /// Speaks only these revisions.
    #[must_use]
    pub fn revisions(mut self, revisions: &[Revision]) -> Self {
        self.manner.revisions.retain(|revision| revisions.contains(revision));
        self
    }

    /// Remembers how servers are spoken with.
    #[must_use]
    pub fn memory(mut self, memory: Arc<dyn Memory>) -> Self {
        self.manner.memory = Some(memory);
        self
    }

    /// Lets the token end [`open`](Self::open) from another thread.
    #[must_use]
    pub fn cancel(mut self, token: &CancelToken) -> Self {
        self.cancel = token.clone();
        self
    }

    /// Starts the server and settles how to speak with it.
    ///
    /// # Errors
    /// Fails when it cannot be started or does not speak any revision that may be used; nothing of it is
    /// left then.
    pub fn open(self, launch: impl Launch + 'static) -> Result<Session, ClientError> {
        let events = Arc::new(Events::new(Arc::clone(&self.handler), self.limits.max_events));
        let shared = Arc::new(Shared {
            info: self.info,
            capabilities: self.handler.capabilities(),
            handler: self.handler,
            events,
            limits: self.limits,
            next_id: AtomicI64::new(1),
            stale: Stale::default(),
        });
        let (manner, cancel) = (self.manner, &self.cancel);
        let live =
            Opening { launch: &launch, shared: &shared, manner: &manner, cancel }.open(None)?;
        let inner = Arc::new(Inner {
            launch: Box::new(launch),
            manner,
            shared,
            standing: Standing::new(live),
            lists: Lists::default(),
            watched: Mutex::default(),
            log_level: Mutex::default(),
        });
        Ok(Session { inner })
    }
}

/// A session with one server.
///
/// Every method may be called from many threads at once; each call waits for its own answer alone. A
/// server that ends by itself is started again at the next request, as often as the limits allow, counted
/// anew once one has served for long enough; a request that was in flight then is not repeated. Dropping the session ends the server.
pub struct Session {
    inner: Arc<Inner>,
}

pub(super) struct Inner {
    launch: Box<dyn Launch>,
    manner: Manner,
    pub(super) shared: Arc<Shared>,
    standing: Arc<Standing>,
    pub(super) lists: Lists,
    watched: Mutex<Vec<Watched>>,
    /// The level that was asked for last, for a fresh server.
    log_level: Mutex<Option<LoggingLevel>>,
}

/// One watch, and what it is on the connection in force.
struct Watched {
    number: i64,
    filter: SubscriptionFilter,
    listening: Option<Listening>,
}

impl Session {
    /// Starts to put a session together; name and version are the client's.
    #[must_use]
    pub fn builder(name: &str, version: &str) -> SessionBuilder {
        SessionBuilder {
            info: Implementation::new(name, version),
            handler: Arc::new(NoHandler),
            limits: ClientLimits::recommended(),
            manner: Manner {
                framing: Framing::Auto,
                revisions: Revision::ALL.iter().rev().copied().collect(),
                memory: None,
            },
            cancel: CancelToken::new(),
        }
    }

    /// The name that the server was given where it was set up.
    #[must_use]
    pub fn name(&self) -> &str {
        self.inner.launch.name()
    }

    /// What both sides settled on last.
    #[must_use]
    pub fn agreement(&self) -> Agreement {
        let Live { connection, settled } = self.inner.standing.last();
        Agreement {
            revision: settled.wire.revision(),
            framing: connection.framing(),
            capabilities: settled.capabilities.clone(),
            server: settled.server.clone(),
            instructions: settled.instructions.clone(),
        }
    }

    /// Returns the first thing that the server wrote since its last message and that is no message, quoted and
    /// cut short: for whoever wonders why no answer comes.
    #[must_use]
    pub fn stray_output(&self) -> Option<String> {
        lock(&self.inner.standing.last().connection.stray).clone()
    }

    /// Asks the server whether it is there, in the form that its revision has.
    ///
    /// # Errors
    /// As for every request.
    pub fn ping(&self, options: &CallOptions<'_>) -> Result<(), ClientError> {
        let mut errand = self.inner.errand(Method::Ping, options);
        let live = self.inner.live(&errand)?;
        if live.settled.wire.revision().era() == Era::PerRequest {
            errand.method = Method::Discover;
        }
        self.inner.ask(&live, &NoParams {}, &errand).map(drop)
    }

    /// Sets the level of the log messages that the server sends by itself, also after a restart.
    /// Until: 2025-11-25.
    ///
    /// # Errors
    /// As for every request; [`ClientError::NotOffered`] where the revision has no such request.
    pub fn set_log_level(
        &self,
        level: LoggingLevel,
        options: &CallOptions<'_>,
    ) -> Result<(), ClientError> {
        let errand = self.inner.errand(Method::SetLevel, options);
        let live = self.inner.live(&errand)?;
        if live.settled.capabilities.logging.is_none() {
            return Err(ClientError::NotOffered("logging".to_owned()));
        }
        self.inner.ask(&live, &SetLevelParams::new(level), &errand)?;
        *lock(&self.inner.log_level) = Some(level);
        Ok(())
    }

    /// Tells the server that the roots are others now, where the handler has declared that it will be
    /// told. Has no form since 2026-07-28, and does nothing there.
    pub fn roots_changed(&self) {
        let Live { connection, settled } = self.inner.standing.last();
        let declared = &self.inner.shared.capabilities.roots;
        if declared.as_ref().is_some_and(|roots| roots.list_changed)
            && settled.wire.revision().era() == Era::Handshake
        {
            connection.tell(&settled.wire, &RootsListChanged {});
        }
    }

    /// Asks to be told of what the filter names, through [`Handler::notified`]; again after a restart.
    ///
    /// # Errors
    /// As for every request. What the server does not offer is left out of [`Watch::accepted`].
    pub fn watch(&self, filter: &SubscriptionFilter) -> Result<Watch, ClientError> {
        let options = CallOptions::default();
        let live = self.inner.live(&self.inner.errand(Method::ListenSubscriptions, &options))?;
        let listening = watch::listen(&live, filter)?;
        let accepted = listening.accepted.clone();
        let number = self.inner.shared.next_id.fetch_add(1, Ordering::Relaxed);
        let watched = Watched { number, filter: filter.clone(), listening: Some(listening) };
        lock(&self.inner.watched).push(watched);
        Ok(Watch { inner: Arc::clone(&self.inner), number, accepted })
    }

    /// Ends the server. Requests in flight fail; further ones do too.
    pub fn close(&self) {
        self.inner.close();
    }

    pub(super) fn inner(&self) -> &Arc<Inner> {
        &self.inner
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.inner.close();
    }
}

/// What a session and its server settled on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Agreement {
    /// The revision in force.
    pub revision: Revision,
    /// How messages are framed.
    pub framing: Framing,
    /// What the server offers.
    pub capabilities: ServerCapabilities,
    /// Who the server says it is. For display only.
    pub server: Option<Implementation>,
    /// What the server says about itself to models. Untrusted.
    pub instructions: Option<String>,
}

/// Keeps a watch up; dropping it ends the watch.
#[must_use = "a watch ends when it is dropped"]
pub struct Watch {
    inner: Arc<Inner>,
    number: i64,
    accepted: SubscriptionFilter,
}

impl Watch {
    /// What the server agreed to tell of.
    #[must_use]
    pub const fn accepted(&self) -> &SubscriptionFilter {
        &self.accepted
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let watched = {
            let mut watched = lock(&self.inner.watched);
            let at = watched.iter().position(|watched| watched.number == self.number);
            at.map(|at| watched.remove(at))
        };
        if let Some(listening) = watched.and_then(|watched| watched.listening) {
            watch::unlisten(&self.inner.standing.last(), &listening);
        }
    }
}

impl Inner {
    pub(super) fn name(&self) -> &str {
        self.launch.name()
    }

    /// One request of a caller's.
    pub(super) fn errand<'o>(&self, method: Method, options: &'o CallOptions<'_>) -> Errand<'o> {
        Errand::new(method, options, &self.shared.limits)
    }

    /// The connection in force; a server that has ended is started again.
    pub(super) fn live(self: &Arc<Self>, errand: &Errand<'_>) -> Result<Live, ClientError> {
        self.standing.get(self, errand)
    }

    pub(super) fn open(
        &self,
        known: Option<Learnt>,
        cancel: &CancelToken,
    ) -> Result<Live, ClientError> {
        let launch = self.launch.as_ref();
        Opening { launch, shared: &self.shared, manner: &self.manner, cancel }.open(known)
    }

    /// Tells a fresh server what the one before it was told.
    pub(super) fn set_up_again(&self, live: &Live) {
        if let Some(level) = *lock(&self.log_level) {
            let options = CallOptions::default();
            let errand = self.errand(Method::SetLevel, &options);
            if let Err(error) = self.ask(live, &SetLevelParams::new(level), &errand) {
                log::warn!("{}: set the log level again: {error}", self.name());
            }
        }
        // SU-13: it knows of no watch.
        let wanted: Vec<_> = lock(&self.watched)
            .iter()
            .map(|watched| (watched.number, watched.filter.clone()))
            .collect();
        for (number, filter) in wanted {
            match watch::listen(live, &filter) {
                Ok(listening) => {
                    let mut watched = lock(&self.watched);
                    match watched.iter_mut().find(|watched| watched.number == number) {
                        Some(watched) => watched.listening = Some(listening),
                        None => watch::unlisten(live, &listening),
                    }
                }
                Err(error) => log::warn!("{}: watch again: {error}", self.name()),
            }
        }
    }

    /// Sends a request and waits for its answer.
    pub(super) fn ask<P: Fields + ?Sized>(
        &self,
        live: &Live,
        params: &P,
        errand: &Errand<'_>,
    ) -> Result<Raw, ClientError> {
        let Live { connection, settled } = live;
        let mut meta = settled.meta.clone();
        meta.log_level = errand.options.log_level;
        let report = |progress: &Progress| errand.report(progress);
        let patience = Patience {
            until: Some(errand.until()),
            cancel: errand.options.cancel,
            on_progress: errand.wants_reports().then_some(&report),
            more: None,
        };
        let asked =
            connection.ask(&settled.wire, errand.method, params, meta, &patience, GiveUp::Tell);
        asked.map_err(|error| match error {
            ClientError::TimedOut { .. } => errand.timed_out(),
            error => error,
        })
    }

    fn close(&self) {
        self.shared.events.close();
        self.standing.close();
    }
}
