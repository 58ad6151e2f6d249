//! What a session wants to be told of, in both eras' forms.
//!
//! Since 2026-07-28 a watch is one listen request, which the server acknowledges and answers only when it
//! ends it. Before, list changes are told unasked, and resources are subscribed to one by one.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use mcp_proto::{
    Cancelled, Era, ListenParams, Method, RequestId, SubscribeParams, SubscriptionFilter,
};

use super::connection::{Connection, GiveUp, Settled};
use super::error::ClientError;
use super::events::Events;
use super::handler::Event;
use super::pending::Patience;
use crate::sync::{lock, wait_for};

/// The listen requests that are open on one connection, by id.
#[derive(Debug, Default)]
pub(super) struct Watches {
    open: Mutex<HashMap<i64, Open>>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Open {
    accepted: Option<SubscriptionFilter>,
    /// Whether whoever waits for the acknowledgement has it.
    claimed: bool,
    ended: bool,
}

/// How the waiting for an acknowledgement ended.
enum Opened {
    Accepted(SubscriptionFilter),
    Ended,
    TimedOut,
}

impl Watches {
    pub(super) fn holds(&self, id: &RequestId) -> bool {
        id.as_i64().is_some_and(|id| lock(&self.open).contains_key(&id))
    }

    pub(super) fn acknowledge(&self, id: &RequestId, accepted: SubscriptionFilter) {
        let mut open = lock(&self.open);
        if let Some(watch) = id.as_i64().and_then(|id| open.get_mut(&id)) {
            watch.accepted.get_or_insert(accepted);
        }
        drop(open);
        self.changed.notify_all();
    }

    /// The server has ended it (SU-12); returns whether it was open.
    pub(super) fn finish(&self, id: &RequestId, events: &Arc<Events>) -> bool {
        let mut open = lock(&self.open);
        let Some(number) = id.as_i64() else { return false };
        let Some(watch) = open.get_mut(&number).filter(|watch| !watch.ended) else { return false };
        watch.ended = true;
        if watch.claimed {
            open.remove(&number);
        }
        drop(open);
        self.changed.notify_all();
        events.push(Event::WatchEnded(true));
        true
    }

    /// The connection is gone, and every watch with it.
    pub(super) fn lose(&self, events: &Arc<Events>) {
        let lost = std::mem::take(&mut *lock(&self.open));
        self.changed.notify_all();
        for _ in 0..lost.len() {
            events.push(Event::WatchEnded(false));
        }
    }

    fn add(&self, id: i64) {
        lock(&self.open).insert(id, Open::default());
    }

    fn remove(&self, id: i64) -> bool {
        lock(&self.open).remove(&id).is_some()
    }

    /// Waits for the acknowledgement, which the end may follow at once.
    fn accepted(&self, id: i64, within: Duration) -> Opened {
        let until = Instant::now() + within;
        let mut open = lock(&self.open);
        loop {
            let Some(watch) = open.get_mut(&id) else { return Opened::Ended };
            let ended = watch.ended;
            watch.claimed = watch.accepted.is_some();
            let accepted = watch.accepted.clone();
            if ended {
                open.remove(&id);
            }
            match accepted {
                Some(accepted) => return Opened::Accepted(accepted),
                None if ended => return Opened::Ended,
                None => {}
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                open.remove(&id);
                return Opened::TimedOut;
            }
            open = wait_for(&self.changed, open, left);
        }
    }
}

/// What was opened on a connection for one watch.
#[derive(Debug)]
pub(super) struct Listening {
    /// The listen request, where the revision has them.
    id: Option<i64>,
    pub(super) accepted: SubscriptionFilter,
}

/// Asks a server to tell of what the filter names.
pub(super) fn listen(
    connection: &Arc<Connection>,
    settled: &Settled,
    filter: &SubscriptionFilter,
) -> Result<Listening, ClientError> {
    match settled.wire.revision().era() {
        Era::PerRequest => listen_once(connection, settled, filter),
        Era::Handshake => subscribe(connection, settled, filter),
    }
}

fn listen_once(
    connection: &Arc<Connection>,
    settled: &Settled,
    filter: &SubscriptionFilter,
) -> Result<Listening, ClientError> {
    let wire = &settled.wire;
    let method = Method::ListenSubscriptions;
    let params = ListenParams::new(filter.clone());
    let meta = connection.meta(wire);
    let id = connection.ask_later(wire, method, &params, &meta, |id| connection.watches.add(id))?;
    let within = connection.shared.limits.acknowledge_timeout;
    match connection.watches.accepted(id, within) {
        Opened::Accepted(accepted) => Ok(Listening { id: Some(id), accepted }),
        Opened::TimedOut => {
            connection.tell(wire, &Cancelled::new(id.into()));
            Err(ClientError::TimedOut { method, after: within })
        }
        Opened::Ended => Err(connection.lost().map_or_else(
            || ClientError::NotOffered("to be watched".to_owned()),
            |(error, _)| error,
        )),
    }
}

fn subscribe(
    connection: &Arc<Connection>,
    settled: &Settled,
    filter: &SubscriptionFilter,
) -> Result<Listening, ClientError> {
    let has = &settled.capabilities;
    let mut accepted = SubscriptionFilter::default();
    accepted.tools_list_changed =
        filter.tools_list_changed && has.tools.as_ref().is_some_and(|tools| tools.list_changed);
    accepted.prompts_list_changed = filter.prompts_list_changed
        && has.prompts.as_ref().is_some_and(|prompts| prompts.list_changed);
    let resources = has.resources.as_ref();
    accepted.resources_list_changed =
        filter.resources_list_changed && resources.is_some_and(|has| has.list_changed);
    if resources.is_some_and(|has| has.subscribe) {
        for uri in &filter.resource_subscriptions {
            subscribe_to(connection, settled, uri)?;
            accepted.resource_subscriptions.push(uri.clone());
        }
    }
    Ok(Listening { id: None, accepted })
}

fn subscribe_to(
    connection: &Arc<Connection>,
    settled: &Settled,
    uri: &str,
) -> Result<(), ClientError> {
    let until = Some(Instant::now() + connection.shared.limits.acknowledge_timeout);
    let patience = Patience { until, cancel: None, on_progress: None };
    let wire = &settled.wire;
    let params = SubscribeParams::new(uri);
    let meta = connection.meta(wire);
    connection.ask(wire, Method::Subscribe, &params, meta, &patience, GiveUp::Tell).map(drop)
}

/// Tells the server that nobody listens any more.
pub(super) fn unlisten(connection: &Arc<Connection>, settled: &Settled, listening: &Listening) {
    match listening.id {
        Some(id) => {
            if connection.watches.remove(id) {
                connection.tell(&settled.wire, &Cancelled::new(id.into()));
            }
        }
        None => {
            for uri in &listening.accepted.resource_subscriptions {
                let params = SubscribeParams::new(uri.as_str());
                let meta = connection.meta(&settled.wire);
                // The answer is of no use to anybody, and finds nobody.
                let sent = connection.ask_later(
                    &settled.wire,
                    Method::Unsubscribe,
                    &params,
                    &meta,
                    |_| {},
                );
                drop(sent);
            }
        }
    }
}
