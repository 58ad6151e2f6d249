//! Changes on their way to one client, in the forms of both eras.
//!
//! A handshake session hears of list changes unasked and of the resources it has subscribed to.
//! Since 2026-07-28 a client listens: the request stays in flight, the acknowledgement is its first
//! message, and every notification names it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use mcp_proto::{
    Cancelled, ListenParams, ListenResult, NotificationMeta, PromptListChanged,
    ResourceListChanged, ResourceUpdated, Revision, RpcError, SubscriptionFilter,
    SubscriptionsAcknowledged, TaskUpdated, ToolListChanged,
};

use super::connection::Connection;
use super::in_flight::Call;
use super::task::needs_tasks;
use crate::notifier::Change;
use crate::registry::Registry;
use crate::sync::lock;

/// The resources that a handshake session wants to hear of.
#[derive(Debug, Default)]
pub(super) struct Subscriptions {
    uris: Mutex<BTreeSet<String>>,
}

impl Subscriptions {
    /// Adds a resource; adding it twice changes nothing.
    pub(super) fn add(&self, uri: &str, limit: usize) -> Result<(), RpcError> {
        let mut uris = lock(&self.uris);
        if uris.len() >= limit && !uris.contains(uri) {
            return Err(RpcError::internal(format!("no more than {limit} subscriptions")));
        }
        uris.insert(uri.to_owned());
        Ok(())
    }

    pub(super) fn remove(&self, uri: &str) {
        lock(&self.uris).remove(uri);
    }

    fn covers(&self, uri: &str) -> bool {
        lock(&self.uris).iter().any(|subscribed| covers(subscribed, uri))
    }
}

/// Says whether `uri` is the subscribed one or one below it.
fn covers(subscribed: &str, uri: &str) -> bool {
    uri.strip_prefix(subscribed)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || subscribed.ends_with('/'))
}

fn wants(filter: &SubscriptionFilter, change: &Change) -> bool {
    match change {
        Change::Tools => filter.tools_list_changed,
        Change::Prompts => filter.prompts_list_changed,
        Change::Resources => filter.resources_list_changed,
        Change::Task(id) => filter.task_ids.contains(id),
        Change::Resource(uri) => {
            filter.resource_subscriptions.iter().any(|subscribed| covers(subscribed, uri))
        }
    }
}

/// Returns the part of `filter` that the server can serve.
fn honoured(registry: &Registry, filter: SubscriptionFilter) -> SubscriptionFilter {
    let announced = &registry.announced;
    let mut honoured = SubscriptionFilter::default();
    honoured.tools_list_changed = filter.tools_list_changed && announced.tools;
    honoured.prompts_list_changed = filter.prompts_list_changed && announced.prompts;
    honoured.resources_list_changed = filter.resources_list_changed && announced.resources;
    if announced.resource_updates {
        honoured.resource_subscriptions = filter.resource_subscriptions;
    }
    if let Some(tasks) = &registry.tasks {
        let mut ids = filter.task_ids;
        ids.retain(|id| tasks.find(id).is_some());
        honoured.task_ids = ids;
    }
    honoured
}

impl Connection {
    /// Tells the client of a change, in every form that it asked for.
    pub(crate) fn announce(&self, change: &Change) {
        if !self.registry.announces(change) {
            return;
        }
        if let Some(revision) = self.session.handshake_revision() {
            let wanted = match change {
                Change::Resource(uri) => self.subscriptions.covers(uri),
                Change::Tools | Change::Prompts | Change::Resources => true,
                Change::Task(_) => false,
            };
            if wanted {
                self.put_change(revision, None, change);
            }
        }
        for call in self.outbox.listening() {
            if call.listens_to.as_ref().is_some_and(|filter| wants(filter, change)) {
                self.put_change(call.peer.revision, Some(&call), change);
            }
        }
        self.flush();
    }

    fn put_change(&self, revision: Revision, listener: Option<&Arc<Call>>, change: &Change) {
        let meta = match listener {
            Some(call) => NotificationMeta::for_subscription(call.id.clone()),
            None => NotificationMeta::default(),
        };
        let wire = self.wire(revision);
        let mut body = Vec::new();
        let written = match change {
            Change::Tools => wire.notification(&mut body, &ToolListChanged {}, &meta),
            Change::Prompts => wire.notification(&mut body, &PromptListChanged {}, &meta),
            Change::Resources => wire.notification(&mut body, &ResourceListChanged {}, &meta),
            Change::Task(id) => {
                let tasks = self.registry.tasks.as_ref();
                let Some(entry) = tasks.and_then(|tasks| tasks.find(id)) else { return };
                wire.notification(&mut body, &TaskUpdated(entry.snapshot()), &meta)
            }
            Change::Resource(uri) => {
                wire.notification(&mut body, &ResourceUpdated::new(uri.as_str()), &meta)
            }
        };
        match written {
            Ok(()) => self.outbox.announce(listener, change, body),
            Err(error) => log::debug!("drop a change: {error}"),
        }
    }

    /// Opens a subscription: its request stays in flight, and the acknowledgement comes first.
    pub(super) fn listen(&self, mut call: Call, params: ListenParams) -> Result<(), RpcError> {
        let limit = self.limits.max_subscriptions;
        if self.outbox.listening().len() >= limit {
            return Err(RpcError::internal(format!("no more than {limit} subscriptions")));
        }
        if !params.notifications.task_ids.is_empty() && !call.peer.has_tasks() {
            return Err(needs_tasks());
        }
        let filter = honoured(&self.registry, params.notifications);
        let meta = NotificationMeta::for_subscription(call.id.clone());
        let acknowledged = SubscriptionsAcknowledged::new(filter.clone());
        let mut body = Vec::new();
        self.wire(call.peer.revision)
            .notification(&mut body, &acknowledged, &meta)
            .map_err(|error| RpcError::internal(error.to_string()))?;
        call.listens_to = Some(filter);
        self.outbox.enter_with(&Arc::new(call), &mut body);
        Ok(())
    }

    /// Ends every subscription with its result and a notice.
    ///
    /// One page of 2026-07-28 asks for the result (basic/patterns/subscriptions), another for
    /// `notifications/cancelled` (basic/patterns/cancellation); a client waits for either.
    pub(super) fn end_subscriptions(&self) {
        for call in self.outbox.listening() {
            let wire = self.wire(call.peer.revision);
            let (mut body, mut notice) = (Vec::new(), Vec::new());
            let result = ListenResult::new(call.id.clone());
            let cancelled = Cancelled::new(call.id.clone());
            let written = wire.result(&mut body, &call.id, &result).and_then(|()| {
                wire.notification(&mut notice, &cancelled, &NotificationMeta::default())
            });
            match written {
                // Nothing is said about one that the client has just cancelled.
                Ok(()) if self.outbox.complete(&call, &mut body) => self.outbox.send(&mut notice),
                Ok(()) => {}
                Err(error) => log::error!("end a subscription: {error}"),
            }
        }
    }
}
