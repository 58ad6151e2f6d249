//! From a message to what is done about it.
//!
//! What needs no handler is answered at once by the thread that reads, so that a ping never waits
//! behind a tool. What needs one becomes a [`Run`]. A request is answered exactly once: here, or by
//! whoever takes it out of the table of accepted requests.

use std::sync::Arc;

use mcp_proto::{
    Cancelled, DiscoverResult, EmptyResult, Incoming, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListToolsResult, Method, MethodName, NotInRevision, PageParams,
    RawJson, RequestId, Revision, RpcError, SetLevelParams, SubscribeParams, decode, decode_params,
    recover_id,
};
use serde_json::value::RawValue;

use super::batch::Batch;
use super::connection::Connection;
use super::in_flight::Call;
use super::run::{Run, Work};
use super::session::{Admission, Peer, Refusal, STATELESS};
use crate::frame::FrameEvent;
use crate::page::page;

/// What is left to do with a message.
pub(super) enum Next<'m> {
    Served,
    Run(Run<'m>),
}

/// What a request has come to so far.
enum Reaction<'m> {
    /// The answer stands in the body.
    Answered,
    /// The request is a subscription, which is open now.
    Listening,
    Run(Run<'m>),
}

impl Connection {
    /// Serves one frame up to the point where a handler is needed.
    pub(super) fn receive<'m>(
        self: &Arc<Self>,
        event: FrameEvent,
        message: &'m [u8],
        body: &mut Vec<u8>,
    ) -> Next<'m> {
        match event {
            FrameEvent::Message => match decode(message) {
                Incoming::Batch(members) if self.session.has_batches() && !members.is_empty() => {
                    self.receive_batch(members, body);
                    Next::Served
                }
                Incoming::Batch(members) => {
                    let problem = match members.is_empty() {
                        true => "a batch must not be empty",
                        false => "this revision has no batches",
                    };
                    self.refuse(None, None, &RpcError::invalid_request(problem), body);
                    Next::Served
                }
                single => self.receive_one(single, None, body),
            },
            FrameEvent::TooLong { length } => {
                let limit = self.limits.max_frame;
                let problem = format!("message of {length} bytes is over the limit of {limit}");
                let error = RpcError::invalid_request(problem);
                self.refuse(None, recover_id(message).as_ref(), &error, body);
                Next::Served
            }
            FrameEvent::Malformed(fault) => {
                let error = RpcError::parse_error(format!("bad header block: {fault}"));
                self.refuse(None, None, &error, body);
                Next::Served
            }
        }
    }

    /// Serves the members of a batch; those that need a handler wait for a thread.
    fn receive_batch(self: &Arc<Self>, members: Vec<Incoming<'_>>, body: &mut Vec<u8>) {
        let batch = Arc::new(Batch::new());
        for member in members {
            if let Next::Run(run) = self.receive_one(member, Some(&batch), body) {
                self.staff(self.pool.enqueue(run.to_job()));
            }
        }
        self.outbox.leave(&batch);
    }

    fn receive_one<'m>(
        self: &Arc<Self>,
        message: Incoming<'m>,
        batch: Option<&Arc<Batch>>,
        body: &mut Vec<u8>,
    ) -> Next<'m> {
        match message {
            Incoming::Request { id, method, params } => {
                self.accept();
                if let Some(batch) = batch {
                    batch.join();
                }
                match self.request(&id, &method, params, batch, body) {
                    Ok(Reaction::Run(run)) => return Next::Run(run),
                    Ok(Reaction::Listening) => return Next::Served,
                    Ok(Reaction::Answered) => {}
                    Err(Refusal { revision, error }) => {
                        self.wire(revision).error(body, Some(&id), &error);
                    }
                }
                self.outbox.answer(batch.map(AsRef::as_ref), body);
            }
            Incoming::Notification { method, params } => {
                self.accept();
                self.notification(&method, params);
            }
            Incoming::Response { id, result } => {
                self.accept();
                let is_expected =
                    id.as_ref().is_some_and(|id| self.asked.answer(id, result.map(RawJson::from)));
                if !is_expected {
                    log::debug!("drop a response that nobody waits for: {id:?}");
                }
            }
            // The decoder yields no batch within a batch.
            Incoming::Batch(_) => {}
            Incoming::Invalid { is_response: true, error, .. } => {
                log::warn!("drop a bad response: {}", error.message);
            }
            Incoming::Invalid { id, error, .. } => {
                if let Some(batch) = batch {
                    batch.join();
                }
                self.refuse(batch.map(AsRef::as_ref), id.as_ref(), &error, body);
            }
        }
        Next::Served
    }

    /// Takes a request as far as the reading thread can.
    fn request<'m>(
        self: &Arc<Self>,
        id: &RequestId,
        method: &MethodName<'_>,
        params: Option<&'m RawValue>,
        batch: Option<&Arc<Batch>>,
        body: &mut Vec<u8>,
    ) -> Result<Reaction<'m>, Refusal> {
        let settled = Refusal::of(self.session.revision());
        if self.outbox.is_in_flight(id) {
            let problem = format!("id {id} is already in flight");
            return Err(settled(RpcError::invalid_request(problem)));
        }
        match self.session.admit(method, params)? {
            Admission::Initialize if batch.is_some() => {
                Err(settled(RpcError::invalid_request("`initialize` must not be in a batch")))
            }
            Admission::Initialize => {
                self.initialize(id, params, body).map_err(settled).map(|()| Reaction::Answered)
            }
            Admission::Ping => {
                let wire = self.wire(self.session.revision());
                encoded(wire.result(body, id, &EmptyResult::default())).map_err(settled)?;
                Ok(Reaction::Answered)
            }
            Admission::Serve { method, peer, progress_token } => {
                let refusal = Refusal::of(peer.revision);
                if !self.registry.serves(method, peer.revision) {
                    return Err(refusal(RpcError::method_not_found(method.as_str())));
                }
                if self.answer_at_once(id, method, params, &peer, body).map_err(&refusal)? {
                    return Ok(Reaction::Answered);
                }
                if method == Method::ListenSubscriptions {
                    if batch.is_some() {
                        let problem = "`subscriptions/listen` must not be in a batch";
                        return Err(refusal(RpcError::invalid_request(problem)));
                    }
                    let params = decode_params(params).map_err(&refusal)?;
                    let call = Call::new(id.clone(), peer, progress_token, None);
                    self.listen(call, params).map_err(&refusal)?;
                    return Ok(Reaction::Listening);
                }
                let work = Work::prepare(&self.registry, method, params).map_err(&refusal)?;
                let call = Call::new(id.clone(), peer, progress_token, batch.map(Arc::clone));
                let call = Arc::new(call);
                // Nobody else enters requests, so the id is still free.
                self.outbox.enter(&call);
                Ok(Reaction::Run(Run { call, work, params }))
            }
        }
    }

    /// Answers a request that needs no handler; `false` for any other.
    fn answer_at_once(
        &self,
        id: &RequestId,
        method: Method,
        params: Option<&RawValue>,
        peer: &Peer,
        body: &mut Vec<u8>,
    ) -> Result<bool, RpcError> {
        let wire = self.wire(peer.revision);
        let size = self.limits.page_size;
        let hint = self.registry.list_cache;
        let written = match method {
            Method::Discover => {
                let mut result =
                    DiscoverResult::new(&STATELESS, self.registry.capabilities.clone()).cache(hint);
                result.instructions = self.registry.instructions.clone();
                wire.result(body, id, &result)
            }
            Method::ListTools => {
                let PageParams { cursor, .. } = decode_params(params)?;
                let tools = self.registry.tools.available(|tool| tool.is_available());
                let (range, next) =
                    page("tools", &tools, |tool| &tool.name, cursor.as_ref(), size)?;
                let mut result = ListToolsResult::new(&tools[range]).cache(hint);
                result.next_cursor = next;
                wire.result(body, id, &result)
            }
            Method::ListPrompts => {
                let PageParams { cursor, .. } = decode_params(params)?;
                let prompts = self.registry.prompts.available(|prompt| prompt.is_available());
                let (range, next) =
                    page("prompts", &prompts, |prompt| &prompt.name, cursor.as_ref(), size)?;
                let mut result = ListPromptsResult::new(&prompts[range]).cache(hint);
                result.next_cursor = next;
                wire.result(body, id, &result)
            }
            Method::ListResourceTemplates => {
                let PageParams { cursor, .. } = decode_params(params)?;
                let templates = self.registry.templates.definitions();
                let (range, next) = page(
                    "templates",
                    templates,
                    |template| &template.uri_template,
                    cursor.as_ref(),
                    size,
                )?;
                let mut result = ListResourceTemplatesResult::new(&templates[range]).cache(hint);
                result.next_cursor = next;
                wire.result(body, id, &result)
            }
            Method::Subscribe => {
                let SubscribeParams { uri, .. } = decode_params(params)?;
                if !self.registry.has_resource(&uri) {
                    return Err(RpcError::resource_not_found(&uri));
                }
                self.subscriptions.add(&uri, self.limits.max_subscriptions)?;
                wire.result(body, id, &EmptyResult::default())
            }
            Method::Unsubscribe => {
                let SubscribeParams { uri, .. } = decode_params(params)?;
                self.subscriptions.remove(&uri);
                wire.result(body, id, &EmptyResult::default())
            }
            Method::GetTask => wire.result(body, id, &self.get_task(peer, params)?),
            Method::CancelTask => {
                self.cancel_task(peer, params)?;
                wire.result(body, id, &EmptyResult::default())
            }
            Method::UpdateTask => {
                self.update_task(peer, params)?;
                wire.result(body, id, &EmptyResult::default())
            }
            Method::SetLevel => {
                let SetLevelParams { level, .. } = decode_params(params)?;
                self.session.set_log_level(level);
                wire.result(body, id, &EmptyResult::default())
            }
            _ => return Ok(false),
        };
        encoded(written)?;
        Ok(true)
    }

    fn initialize(
        &self,
        id: &RequestId,
        params: Option<&RawValue>,
        body: &mut Vec<u8>,
    ) -> Result<(), RpcError> {
        let revision = self.session.initialize(params)?.revision;
        let registry = &self.registry;
        let mut result =
            InitializeResult::new(revision, registry.capabilities.clone(), registry.info.clone());
        result.instructions = registry.instructions.clone();
        encoded(self.wire(revision).result(body, id, &result))
    }

    /// Follows a notification. Nothing is ever answered, whatever is wrong with it.
    fn notification(&self, method: &MethodName<'_>, params: Option<&RawValue>) {
        match method.known() {
            Some(Method::Cancelled) => {
                let cancelled = decode_params::<Cancelled>(params);
                let Ok(Cancelled { request_id: Some(id), reason, .. }) = cancelled else {
                    log::debug!("ignore a cancellation that names no request");
                    return;
                };
                let reason = reason.as_deref().unwrap_or("no reason given");
                match self.outbox.cancel(&id) {
                    Some(_call) => {
                        self.asked.wake();
                        log::info!("request {id} was cancelled: {reason:?}");
                    }
                    None => log::debug!("ignore the cancellation of {id}, which is not in flight"),
                }
            }
            Some(Method::Initialized) if self.session.handshake_revision().is_some() => {
                self.asked.set_ready();
            }
            _ => log::debug!("ignore notification {:?}", method.as_str()),
        }
    }

    /// Returns the wire form of a revision.
    pub(crate) fn wire(&self, revision: Revision) -> &mcp_proto::Wire {
        self.registry.wire(revision)
    }
}

/// Turns a result that the revision cannot express into an error for the client.
pub(super) fn encoded(written: Result<(), NotInRevision>) -> Result<(), RpcError> {
    written.map_err(|error| RpcError::internal(error.to_string()))
}
