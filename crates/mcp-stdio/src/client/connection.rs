//! One running server: requests out, answers in, until it ends.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::thread;
use std::time::{Duration, Instant};

use mcp_proto::{
    Cancelled, ClientCapabilities, Era, Fields, Implementation, Method, NotificationBody,
    NotificationMeta, RequestId, RequestMeta, Revision, RpcError, ServerCapabilities, Wire,
};

use super::asked::Asked;
use super::cancel::Wake;
use super::error::ClientError;
use super::events::Events;
use super::handler::Handler;
use super::launch::{Link, Peer};
use super::limits::ClientLimits;
use super::outbox::Outbox;
use super::pending::{Answer, Impatience, Patience, Pending, Slot};
use super::receive;
use super::watch::Watches;
use crate::frame::{FrameReader, Framing, seal_frame};
use crate::sync::lock;

/// What both sides have settled on.
#[derive(Debug)]
pub(super) struct Settled {
    pub(super) wire: Wire,
    /// What the `_meta` of every request holds.
    pub(super) meta: RequestMeta,
    pub(super) capabilities: ServerCapabilities,
    pub(super) server: Option<Implementation>,
    pub(super) instructions: Option<String>,
}

/// What every connection of a session shares.
pub(super) struct Shared {
    pub(super) info: Implementation,
    pub(super) handler: Arc<dyn Handler>,
    /// What the handler declares, asked once.
    pub(super) capabilities: ClientCapabilities,
    pub(super) events: Arc<Events>,
    pub(super) limits: ClientLimits,
    /// Ids are not used twice, also not after a restart.
    pub(super) next_id: AtomicI64,
    pub(super) stale: receive::Stale,
}

pub(super) struct Connection {
    pub(super) shared: Arc<Shared>,
    pub(super) pending: Pending,
    pub(super) asked: Asked,
    pub(super) watches: Watches,
    pub(super) settled: OnceLock<Arc<Settled>>,
    outbox: Arc<Outbox>,
    peer: Box<dyn Peer>,
    framing: Framing,
    /// Whether what is asked while nothing is settled has no handshake.
    pub(super) probing: AtomicBool,
    /// Whether any message has come.
    pub(super) spoke: AtomicBool,
    /// Whether the first thing that came was a header block, though lines were asked for.
    pub(super) speaks_headers: AtomicBool,
    /// The first thing since the last message that is none.
    pub(super) stray: Mutex<Option<String>>,
    closing: AtomicBool,
    ended_at: Mutex<Option<Instant>>,
}

/// A result that stands in the frame that brought it.
#[derive(Debug)]
pub(super) struct Raw {
    frame: Vec<u8>,
    range: Range<usize>,
}

impl Raw {
    pub(super) fn bytes(&self) -> &[u8] {
        self.frame.get(self.range.clone()).unwrap_or_default()
    }
}

/// Whether giving up on a request is told to the server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum GiveUp {
    Tell,
    Silently,
}

impl Connection {
    /// Takes a link over and starts to read from it.
    pub(super) fn start(
        link: Link,
        framing: Framing,
        shared: &Arc<Shared>,
    ) -> Result<Arc<Self>, ClientError> {
        let Link { input, output, peer } = link;
        let connection = Arc::new(Self {
            shared: Arc::clone(shared),
            pending: Pending::default(),
            asked: Asked::default(),
            watches: Watches::default(),
            settled: OnceLock::new(),
            outbox: Arc::new(Outbox::new(output, shared.limits.max_unsent)),
            peer,
            framing,
            probing: AtomicBool::new(false),
            spoke: AtomicBool::new(false),
            speaks_headers: AtomicBool::new(false),
            stray: Mutex::new(None),
            closing: AtomicBool::new(false),
            ended_at: Mutex::new(None),
        });
        let reader = FrameReader::new(input, framing, shared.limits.max_frame);
        let reading = Arc::clone(&connection);
        let name = "mcp-client-reader".to_owned();
        match thread::Builder::new().name(name).spawn(move || receive::run(&reading, reader)) {
            Ok(_) => Ok(connection),
            Err(error) => {
                connection.peer.kill();
                Err(ClientError::Thread(Arc::new(error)))
            }
        }
    }

    /// Notes what both sides have settled on.
    pub(super) fn settle(&self, settled: Settled) -> Arc<Settled> {
        Arc::clone(self.settled.get_or_init(|| Arc::new(settled)))
    }

    pub(super) const fn framing(&self) -> Framing {
        self.framing
    }

    /// The revision in force; before one is settled, the one that is tried.
    pub(super) fn revision(&self) -> Revision {
        match self.settled.get() {
            Some(settled) => settled.wire.revision(),
            None if self.probing.load(Ordering::SeqCst) => Revision::NEWEST,
            None => Revision::NEWEST_HANDSHAKE,
        }
    }

    /// Sends a request and waits for its answer.
    pub(super) fn ask<P: Fields + ?Sized>(
        self: &Arc<Self>,
        wire: &Wire,
        method: Method,
        params: &P,
        mut meta: RequestMeta,
        patience: &Patience<'_>,
        give_up: GiveUp,
    ) -> Result<Raw, ClientError> {
        let asked_at = Instant::now();
        let number = self.shared.next_id.fetch_add(1, Ordering::Relaxed);
        let id = RequestId::from(number);
        if patience.on_progress.is_some() {
            meta.progress_token = Some(number.into());
        }
        let frame = self.frame(|out| wire.request(out, &id, method, params, &meta))?;
        let slot = self.pending.add(number, self.shared.limits.max_in_flight)?;
        if let Some(cancel) = patience.cancel {
            let waiter: Weak<dyn Wake> = Arc::<Slot>::downgrade(&slot);
            cancel.watch(waiter);
            if cancel.is_cancelled() {
                self.pending.remove(number);
                return Err(ClientError::Cancelled);
            }
        }
        if let Err(error) = self.outbox.send(&frame) {
            self.pending.remove(number);
            return Err(error);
        }
        let given_up = match slot.wait(patience) {
            Ok(Answer::Result { frame, range }) => return Ok(Raw { frame, range }),
            Ok(Answer::Error(error)) => return Err(ClientError::Answered { method, error }),
            Ok(Answer::Invalid(problem)) => {
                return Err(ClientError::InvalidAnswer { method, problem });
            }
            Ok(Answer::Lost(error)) => return Err(error),
            Err(impatience) => impatience,
        };
        self.pending.remove(number);
        let (error, reason) = match given_up {
            Impatience::Cancelled => (ClientError::Cancelled, "cancelled by the caller"),
            Impatience::TimedOut => {
                let after = asked_at.elapsed();
                let after =
                    Duration::from_millis(u64::try_from(after.as_millis()).unwrap_or(u64::MAX));
                (ClientError::TimedOut { method, after }, "no answer in time")
            }
        };
        if give_up == GiveUp::Tell {
            self.tell(wire, &Cancelled::new(id).reason(reason));
        }
        Err(error)
    }

    /// Sends a request whose answer nobody waits for here; returns its id.
    pub(super) fn ask_later<P: Fields + ?Sized>(
        &self,
        wire: &Wire,
        method: Method,
        params: &P,
        meta: &RequestMeta,
        before: impl FnOnce(i64),
    ) -> Result<i64, ClientError> {
        let number = self.shared.next_id.fetch_add(1, Ordering::Relaxed);
        let id = RequestId::from(number);
        let frame = self.frame(|out| wire.request(out, &id, method, params, meta))?;
        if let Some(lost) = self.pending.lost() {
            return Err(lost);
        }
        before(number);
        self.outbox.send(&frame)?;
        Ok(number)
    }

    /// Sends a notification; one that cannot be sent is nobody's loss.
    pub(super) fn tell<N: NotificationBody>(&self, wire: &Wire, notification: &N) {
        let meta = NotificationMeta::default();
        let sent = self
            .frame(|out| wire.notification(out, notification, &meta))
            .and_then(|frame| self.outbox.send(&frame));
        if let Err(error) = sent {
            log::debug!("send {}: {error}", N::METHOD);
        }
    }

    /// Sends what `write` appends.
    pub(super) fn send(&self, write: impl FnOnce(&mut Vec<u8>)) {
        let mut message = Vec::new();
        write(&mut message);
        if let Err(error) = self.outbox.send(&seal_frame(self.framing, message)) {
            log::debug!("answer the server: {error}");
        }
    }

    fn frame(
        &self,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), mcp_proto::NotInRevision>,
    ) -> Result<Vec<u8>, ClientError> {
        let mut message = Vec::with_capacity(256);
        write(&mut message).map_err(|error| ClientError::NotOffered(error.to_string()))?;
        Ok(seal_frame(self.framing, message))
    }

    /// Says that nothing more can come. Called by the reading thread, once.
    pub(super) fn ended(&self, problem: Option<String>) {
        let closing = self.closing.load(Ordering::SeqCst);
        if problem.is_some() && !closing {
            self.peer.kill();
        }
        let error = match problem {
            _ if closing => ClientError::Closed,
            None => ClientError::Ended(self.peer.ended()),
            Some(problem) => ClientError::Broken { problem, ended: self.peer.ended() },
        };
        *lock(&self.ended_at) = Some(Instant::now());
        self.outbox.close();
        self.asked.cancel_all();
        self.pending.lose(&error);
        self.watches.lose(&self.shared.events);
        if !closing {
            // Nothing of it may stay, and whoever reaps it must not hold up the callers.
            self.peer.shutdown();
        }
    }

    /// Why nothing more can come, and since when.
    pub(super) fn lost(&self) -> Option<(ClientError, Instant)> {
        let lost = self.pending.lost()?;
        Some((lost, lock(&self.ended_at).unwrap_or_else(Instant::now)))
    }

    /// Ends the server and everything that waits for it.
    pub(super) fn close(&self) {
        if self.closing.swap(true, Ordering::SeqCst) {
            return;
        }
        self.outbox.close();
        self.asked.cancel_all();
        self.pending.lose(&ClientError::Closed);
        self.peer.shutdown();
    }

    /// Returns how much the server has not read yet of what was sent; `None` where nobody knows.
    pub(super) fn unread(&self) -> Option<usize> {
        self.outbox.unread()
    }

    pub(super) fn answer_of(&self, id: Option<&RequestId>, answer: Answer) {
        let Some(id) = id else {
            log::debug!("the server answered without an id");
            return;
        };
        let Err(answer) = self.pending.answer(id, answer) else { return };
        let error = match answer {
            Answer::Error(error) => Some(error),
            Answer::Invalid(problem) => Some(RpcError::internal(problem)),
            Answer::Result { .. } | Answer::Lost(_) => None,
        };
        if !self.watches.finish(id, error, &self.shared.events) {
            // Late, repeated, or foreign.
            log::debug!("the server answered a request that does not wait: {id:?}");
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    /// The `_meta` of every request in one revision.
    pub(super) fn meta(&self, revision: Revision) -> RequestMeta {
        match revision.era() {
            Era::Handshake => RequestMeta::default(),
            Era::PerRequest => RequestMeta::default()
                .with_client_info(self.info.clone())
                .with_client_capabilities(self.capabilities.clone()),
        }
    }
}
