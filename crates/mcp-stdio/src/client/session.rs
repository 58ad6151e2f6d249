//! A session: one server, kept running, usable from many threads.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

use mcp_proto::{
    Era, Implementation, LoggingLevel, Method, NoParams, RequestMeta, Revision, RootsListChanged,
    ServerCapabilities, SetLevelParams, SubscriptionFilter,
};

use super::connection::{Connection, GiveUp, Raw, Settled, Shared, cancelled};
use super::error::ClientError;
use super::events::Events;
use super::handler::{Handler, NoHandler};
use super::launch::Launch;
use super::limits::ClientLimits;
use super::list::Lists;
use super::open::{self, Manner, Memory};
use super::options::{CallOptions, Clock};
use super::pending::Patience;
use super::receive::Stale;
use super::watch::{self, Listening};
use crate::frame::Framing;
use crate::sync::{lock, wait_for};

/// Puts a session together.
pub struct SessionBuilder {
    info: Implementation,
    handler: Arc<dyn Handler>,
    limits: ClientLimits,
    manner: Manner,
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

    /// Starts the server and settles how to speak with it.
    ///
    /// # Errors
    /// Fails when it cannot be started or does not speak any revision that may be used; nothing of it is
    /// left then.
    pub fn open(self, launch: impl Launch + 'static) -> Result<Session, ClientError> {
        let events = Arc::new(Events::new(Arc::clone(&self.handler), self.limits.max_events));
        let shared = Arc::new(Shared {
            info: self.info,
            handler: self.handler,
            events,
            limits: self.limits,
            next_id: AtomicI64::new(1),
            stale: Stale::default(),
        });
        let inner = Arc::new(Inner {
            launch: Box::new(launch),
            manner: self.manner,
            shared,
            current: Mutex::new(Current { connection: None, restarts: 0, opening: false }),
            changed: Condvar::new(),
            closed: AtomicBool::new(false),
            lists: Lists::default(),
            watched: Mutex::default(),
        });
        let connection = open::open(inner.launch.as_ref(), &inner.shared, &inner.manner)?;
        lock(&inner.current).connection = Some(connection);
        Ok(Session { inner })
    }
}

/// A session with one server.
///
/// Every method may be called from many threads at once; each call waits for its own answer alone. A
/// server that ends by itself is started again at the next request, as often as the limits allow; a
/// request that was in flight then is not repeated. Dropping the session ends the server.
pub struct Session {
    inner: Arc<Inner>,
}

pub(super) struct Inner {
    launch: Box<dyn Launch>,
    manner: Manner,
    pub(super) shared: Arc<Shared>,
    current: Mutex<Current>,
    changed: Condvar,
    closed: AtomicBool,
    pub(super) lists: Lists,
    watched: Mutex<Vec<Watched>>,
}

struct Current {
    connection: Option<Arc<Connection>>,
    restarts: u32,
    /// Whether a thread is at starting it again.
    opening: bool,
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
        let current = lock(&self.inner.current);
        let connection = current.connection.as_ref();
        let settled = connection.and_then(|connection| connection.settled.get().cloned());
        let framing = connection.map_or(Framing::Line, |connection| connection.framing());
        match settled {
            Some(settled) => Agreement {
                revision: settled.wire.revision(),
                framing,
                capabilities: settled.capabilities.clone(),
                server: settled.server.clone(),
                instructions: settled.instructions.clone(),
            },
            None => Agreement {
                revision: Revision::NEWEST_HANDSHAKE,
                framing,
                capabilities: ServerCapabilities::default(),
                server: None,
                instructions: None,
            },
        }
    }

    /// Asks the server whether it is there, in the form that its revision has.
    ///
    /// # Errors
    /// As for every request.
    pub fn ping(&self, options: &CallOptions<'_>) -> Result<(), ClientError> {
        let (connection, settled) = self.inner.connection(options)?;
        let method = match settled.wire.revision().era() {
            Era::Handshake => Method::Ping,
            Era::PerRequest => Method::Discover,
        };
        self.inner.ask_on(&connection, &settled, method, &NoParams {}, options).map(drop)
    }

    /// Sets the level of the log messages that the server sends by itself. Until: 2025-11-25.
    ///
    /// # Errors
    /// As for every request; [`ClientError::NotOffered`] where the revision has no such request.
    pub fn set_log_level(
        &self,
        level: LoggingLevel,
        options: &CallOptions<'_>,
    ) -> Result<(), ClientError> {
        let (connection, settled) = self.inner.connection(options)?;
        if settled.capabilities.logging.is_none() {
            return Err(ClientError::NotOffered("logging".to_owned()));
        }
        let params = SetLevelParams::new(level);
        self.inner.ask_on(&connection, &settled, Method::SetLevel, &params, options).map(drop)
    }

    /// Tells the server that the roots are others now. Has no form since 2026-07-28, and does nothing
    /// there.
    pub fn roots_changed(&self) {
        let connection = lock(&self.inner.current).connection.clone();
        if let Some(connection) = connection
            && let Some(settled) = connection.settled.get()
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
        let (connection, settled) = self.inner.connection(&CallOptions::default())?;
        let listening = watch::listen(&connection, &settled, filter)?;
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
        let connection = lock(&self.inner.current).connection.clone();
        if let Some(listening) = watched.and_then(|watched| watched.listening)
            && let Some(connection) = connection
            && let Some(settled) = connection.settled.get()
        {
            watch::unlisten(&connection, settled, &listening);
        }
    }
}

impl Inner {
    /// The connection in force; a server that has ended is started again.
    pub(super) fn connection(
        &self,
        options: &CallOptions<'_>,
    ) -> Result<(Arc<Connection>, Arc<Settled>), ClientError> {
        let mut current = lock(&self.current);
        loop {
            if self.closed.load(Ordering::SeqCst) {
                return Err(ClientError::Closed);
            }
            let lost = match &current.connection {
                Some(connection) => match connection.lost() {
                    None => {
                        let settled = connection.settled.get().cloned();
                        let settled = settled.ok_or(ClientError::Closed)?;
                        return Ok((Arc::clone(connection), settled));
                    }
                    lost => lost,
                },
                None => None,
            };
            cancelled(options.cancel)?;
            if current.opening {
                current = wait_for(&self.changed, current, self.shared.limits.restart_backoff);
                continue;
            }
            let limits = &self.shared.limits;
            if current.restarts >= limits.max_restarts {
                let last = match lost {
                    Some((ClientError::Ended(ended) | ClientError::Broken { ended, .. }, _)) => {
                        ended
                    }
                    _ => super::Ended::default(),
                };
                return Err(ClientError::GaveUp { times: current.restarts + 1, last });
            }
            // Twice as long before each further one, counted from the moment it ended.
            let pause = limits.restart_backoff * 2_u32.saturating_pow(current.restarts);
            let since = lost.map_or_else(Instant::now, |(_, since)| since);
            let left = (since + pause).saturating_duration_since(Instant::now());
            if !left.is_zero() {
                current = wait_for(&self.changed, current, left);
                continue;
            }
            current.restarts += 1;
            current.opening = true;
            drop(current);
            log::warn!("{} has ended and is started again", self.launch.name());
            let opened = open::open(self.launch.as_ref(), &self.shared, &self.manner);
            current = lock(&self.current);
            current.opening = false;
            self.changed.notify_all();
            let connection = opened?;
            current.connection = Some(Arc::clone(&connection));
            drop(current);
            self.lists.forget();
            self.watch_again(&connection);
            current = lock(&self.current);
        }
    }

    /// SU-13: a fresh process knows of no watch.
    fn watch_again(&self, connection: &Arc<Connection>) {
        let Some(settled) = connection.settled.get() else { return };
        let wanted: Vec<_> = lock(&self.watched)
            .iter()
            .map(|watched| (watched.number, watched.filter.clone()))
            .collect();
        for (number, filter) in wanted {
            match watch::listen(connection, settled, &filter) {
                Ok(listening) => {
                    let mut watched = lock(&self.watched);
                    match watched.iter_mut().find(|watched| watched.number == number) {
                        Some(watched) => watched.listening = Some(listening),
                        None => watch::unlisten(connection, settled, &listening),
                    }
                }
                Err(error) => log::warn!("watch again: {error}"),
            }
        }
    }

    /// Sends a request on a connection and waits for its answer.
    pub(super) fn ask_on<P: mcp_proto::Fields + ?Sized>(
        &self,
        connection: &Arc<Connection>,
        settled: &Settled,
        method: Method,
        params: &P,
        options: &CallOptions<'_>,
    ) -> Result<Raw, ClientError> {
        let clock = options.clock(&self.shared.limits);
        let meta = self.meta(connection, settled, options);
        ask_by(connection, settled, method, params, meta, options, &clock)
    }

    pub(super) fn meta(
        &self,
        connection: &Connection,
        settled: &Settled,
        options: &CallOptions<'_>,
    ) -> RequestMeta {
        let mut meta = connection.meta(&settled.wire);
        meta.log_level = options.log_level;
        meta
    }

    fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.shared.events.close();
        let connection = lock(&self.current).connection.take();
        self.changed.notify_all();
        if let Some(connection) = connection {
            connection.close();
        }
    }
}

/// Asks within the time that is left on a clock.
pub(super) fn ask_by<P: mcp_proto::Fields + ?Sized>(
    connection: &Arc<Connection>,
    settled: &Settled,
    method: Method,
    params: &P,
    meta: RequestMeta,
    options: &CallOptions<'_>,
    clock: &Clock,
) -> Result<Raw, ClientError> {
    let report = |progress: &mcp_proto::Progress| {
        if let Some(on_progress) = options.on_progress {
            on_progress(progress);
        }
        clock.extended()
    };
    let wanted = options.on_progress.is_some() || options.extended_to.is_some();
    let patience = Patience {
        until: Some(clock.first),
        cancel: options.cancel,
        on_progress: wanted.then_some(&report),
    };
    connection.ask(&settled.wire, method, params, meta, &patience, GiveUp::Tell)
}
