//! One connection: what its threads share.

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use mcp_proto::{LoggingLevel, RequestId, RpcError};

use super::asked::Asked;
use super::batch::Batch;
use super::changes::Subscriptions;
use super::in_flight::Call;
use super::monitor::{End, Monitor};
use super::outbox::Outbox;
use super::pool::{Pool, Staffing};
use super::session::Session;
use super::worker;
use crate::frame::{FrameReader, Framing};
use crate::limits::Limits;
use crate::notifier::Notifier;
use crate::registry::Registry;
use crate::transport::Transport;

/// Everything about one client: shared by the threads that serve it.
pub(crate) struct Connection {
    pub(super) registry: Arc<Registry>,
    pub(super) limits: Limits,
    pub(super) session: Session,
    pub(super) asked: Asked,
    pub(super) subscriptions: Subscriptions,
    pub(super) outbox: Outbox,
    pub(super) pool: Pool,
    pub(super) monitor: Arc<Monitor>,
    /// Whoever holds this lock reads; see `worker`.
    pub(super) input: Mutex<Input>,
    /// Bad messages since the last good one.
    bad_messages: AtomicU32,
}

/// The reading side, owned by one thread at a time.
pub(super) struct Input {
    pub(super) reader: FrameReader<Box<dyn io::Read + Send>>,
    pub(super) framing: Framing,
    pub(super) ended: bool,
}

impl Connection {
    pub(super) fn new(registry: Arc<Registry>, transport: Transport, limits: Limits) -> Arc<Self> {
        let reader = FrameReader::new(transport.input, transport.framing, limits.max_frame);
        let input = Input { reader, framing: transport.framing, ended: false };
        Arc::new(Self {
            session: Session::default(),
            asked: Asked::default(),
            subscriptions: Subscriptions::default(),
            outbox: Outbox::new(transport.output, transport.framing),
            pool: Pool::new(&limits),
            monitor: Arc::new(Monitor::new()),
            input: Mutex::new(input),
            bad_messages: AtomicU32::new(0),
            registry,
            limits,
        })
    }

    /// Starts the thread that `staffing` asks for, if any.
    pub(super) fn staff(self: &Arc<Self>, staffing: Staffing) {
        let Staffing::Start(number) = staffing else { return };
        if let Err(error) = worker::start(self, number) {
            log::error!("start a thread: {error}");
            self.pool.start_failed();
        }
    }

    /// Starts the thread that reads first.
    pub(super) fn start_first(self: &Arc<Self>) -> io::Result<()> {
        match self.pool.offer_reading() {
            Staffing::Start(number) => worker::start(self, number),
            Staffing::Enough => Ok(()),
        }
    }

    /// Writes what is ready without waiting longer than `grace` for a client that does not read.
    pub(super) fn flush_within(self: &Arc<Self>, grace: Duration) {
        if self.outbox.is_written() {
            return;
        }
        let connection = Arc::clone(self);
        let writer = thread::Builder::new().name("mcp-writer".to_owned());
        if let Err(error) = writer.spawn(move || connection.flush()) {
            log::error!("write the last answers: {error}");
            return;
        }
        self.outbox.wait_until_written(Instant::now() + grace);
    }

    /// Sends a message about `call`, if that is not over and `wanted` agrees.
    pub(crate) fn tell(&self, call: &Call, body: &mut Vec<u8>, wanted: impl FnOnce() -> bool) {
        if self.outbox.wait_for_room(self.limits.max_unread_output) {
            self.outbox.send_for(call, body, wanted);
            self.flush();
        }
    }

    pub(crate) fn notifier(&self) -> Notifier {
        self.registry.notifier.clone()
    }

    /// Says whether the client of `call` wants log messages of that level.
    pub(crate) fn wants_log(&self, call: &Call, level: LoggingLevel) -> bool {
        self.registry.capabilities.logging.is_some()
            && self.session.log_level(&call.peer).is_some_and(|wanted| level >= wanted)
    }

    /// Writes what is ready, and ends the connection when the client does not take it.
    pub(super) fn flush(&self) {
        if !self.outbox.flush() {
            self.monitor.end(End::Output);
        }
    }

    /// Answers a message that is none, unless too many such came in a row.
    pub(super) fn refuse(
        &self,
        batch: Option<&Batch>,
        id: Option<&RequestId>,
        error: &RpcError,
        body: &mut Vec<u8>,
    ) {
        let count = self.bad_messages.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        log::warn!("bad message: {}", error.message);
        if count > self.limits.max_bad_messages {
            if let Some(batch) = batch {
                self.outbox.leave(batch);
            }
            return;
        }
        self.wire(self.session.revision()).error(body, id, error);
        self.outbox.answer(batch, body);
    }

    /// Notes that a message was one.
    pub(super) fn accept(&self) {
        if self.bad_messages.load(Ordering::Relaxed) != 0 {
            self.bad_messages.store(0, Ordering::Relaxed);
        }
    }
}
