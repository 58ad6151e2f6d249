//! What a session wants to be told of, in both eras' forms.
//!
//! Since 2026-07-28 a watch is one listen request, which the server acknowledges and answers only when it
//! ends it. Before, list changes are told unasked, and resources are subscribed to one by one.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use mcp_proto::{
    Cancelled, Era, ListenParams, Method, RequestId, RpcError, SubscribeParams, SubscriptionFilter,
};

use super::connection::GiveUp;
use super::error::ClientError;
use super::events::Events;
use super::handler::Event;
use super::pending::Patience;
use super::standing::Live;
use crate::sync::{lock, wait_for};

/// The listen requests that are open on one connection, by id.
#[derive(Debug, Default)]
pub(super) struct Watches {
    open: Mutex<HashMap<i64, Open>>,
    changed: Condvar,
    /// How many watches there are in a revision that has no listen requests.
    subscribed: AtomicUsize,
}

#[derive(Debug, Default)]
struct Open {
    accepted: Option<SubscriptionFilter>,
    /// Whether whoever waits for the acknowledgement has it.
    claimed: bool,
    ended: bool,
    /// What the server answered instead of an acknowledgement.
    refused: Option<RpcError>,
}

/// How the waiting for an acknowledgement ended.
enum Opened {
    Accepted(SubscriptionFilter),
    Refused(RpcError),
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

    /// The server has ended it (SU-12), or refused it; returns whether it was open.
    pub(super) fn finish(
        &self,
        id: &RequestId,
        error: Option<RpcError>,
        events: &Arc<Events>,
    ) -> bool {
        let mut open = lock(&self.open);
        let Some(number) = id.as_i64() else { return false };
        let Some(watch) = open.get_mut(&number).filter(|watch| !watch.ended) else { return false };
        watch.ended = true;
        let began = watch.accepted.is_some();
        if !began {
            watch.refused = error;
        } else if watch.claimed {
            open.remove(&number);
        }
        drop(open);
        self.changed.notify_all();
        if began {
            events.push(Event::WatchEnded(true));
        }
        true
    }

    /// The connection is gone, and every watch with it.
    pub(super) fn lose(&self, events: &Arc<Events>) {
        let lost = std::mem::take(&mut *lock(&self.open));
        self.changed.notify_all();
        let listening = lost.values().filter(|watch| watch.claimed).count();
        for _ in 0..listening + self.subscribed.load(Ordering::SeqCst) {
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
            let (accepted, refused) = (watch.accepted.clone(), watch.refused.take());
            if ended {
                open.remove(&id);
            }
            match (accepted, refused) {
                (Some(accepted), _) => return Opened::Accepted(accepted),
                (None, Some(error)) => return Opened::Refused(error),
                (None, None) if ended => return Opened::Ended,
                (None, None) => {}
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
pub(super) fn listen(live: &Live, filter: &SubscriptionFilter) -> Result<Listening, ClientError> {
    match live.settled.wire.revision().era() {
        Era::PerRequest => listen_once(live, filter),
        Era::Handshake => subscribe(live, filter),
    }
}

fn listen_once(live: &Live, filter: &SubscriptionFilter) -> Result<Listening, ClientError> {
    let Live { connection, settled } = live;
    let (wire, meta) = (&settled.wire, &settled.meta);
    let method = Method::ListenSubscriptions;
    let params = ListenParams::new(filter.clone());
    let id = connection.ask_later(wire, method, &params, meta, |id| connection.watches.add(id))?;
    let within = connection.shared.limits.acknowledge_timeout;
    match connection.watches.accepted(id, within) {
        Opened::Accepted(accepted) => Ok(Listening { id: Some(id), accepted }),
        Opened::TimedOut => {
            connection.tell(wire, &Cancelled::new(id.into()));
            Err(ClientError::TimedOut { method, after: within })
        }
        Opened::Refused(error) => Err(ClientError::Answered { method, error }),
        Opened::Ended => Err(connection.lost().map_or_else(
            || ClientError::NotOffered("to be watched".to_owned()),
            |(error, _)| error,
        )),
    }
}

fn subscribe(live: &Live, filter: &SubscriptionFilter) -> Result<Listening, ClientError> {
    let has = &live.settled.capabilities;
    let mut accepted = SubscriptionFilter::default();
    accepted.tools_list_changed =
        filter.tools_list_changed && has.tools.as_ref().is_some_and(|tools| tools.list_changed);
    accepted.prompts_list_changed = filter.prompts_list_changed
        && has.prompts.as_ref().is_some_and(|prompts| prompts.list_changed);
    let resources = has.resources.as_ref();
    accepted.resources_list_changed =
        filter.resources_list_changed && resources.is_some_and(|has| has.list_changed);
    let mut listening = Listening { id: None, accepted };
    if resources.is_some_and(|has| has.subscribe) {
        for uri in &filter.resource_subscriptions {
            if let Err(error) = subscribe_to(live, uri) {
                unsubscribe(live, &listening.accepted);
                return Err(error);
            }
            listening.accepted.resource_subscriptions.push(uri.clone());
        }
    }
    live.connection.watches.subscribed.fetch_add(1, Ordering::SeqCst);
    Ok(listening)
}

fn subscribe_to(live: &Live, uri: &str) -> Result<(), ClientError> {
    let Live { connection, settled } = live;
    let within = connection.shared.limits.acknowledge_timeout;
    let patience = Patience::until(Instant::now() + within);
    let params = SubscribeParams::new(uri);
    let (wire, meta) = (&settled.wire, settled.meta.clone());
    connection.ask(wire, Method::Subscribe, &params, meta, &patience, GiveUp::Tell).map(drop)
}

fn unsubscribe(live: &Live, accepted: &SubscriptionFilter) {
    let Live { connection, settled } = live;
    for uri in &accepted.resource_subscriptions {
        let params = SubscribeParams::new(uri.as_str());
        let (wire, meta) = (&settled.wire, &settled.meta);
        // The answer is of no use to anybody, and finds nobody.
        drop(connection.ask_later(wire, Method::Unsubscribe, &params, meta, |_| {}));
    }
}

/// Tells the server that nobody listens any more.
pub(super) fn unlisten(live: &Live, listening: &Listening) {
    let watches = &live.connection.watches;
    match listening.id {
        Some(id) if watches.remove(id) => {
            live.connection.tell(&live.settled.wire, &Cancelled::new(id.into()));
        }
        Some(_) => {}
        None => {
            watches.subscribed.fetch_sub(1, Ordering::SeqCst);
            unsubscribe(live, &listening.accepted);
        }
    }
}
