//! Telling clients that something has changed.
//!
//! Changes reach every client that may and wants to hear of them: in the handshake revisions
//! without being asked for, except updates of single resources, since 2026-07-28 only on
//! subscriptions. What a client has not read yet is not said twice.

use std::sync::{Arc, Mutex, Weak};

use crate::server::Connection;
use crate::sync::lock;

/// Announces changes on all connections of one server. Clones announce on the same.
#[derive(Clone, Default)]
pub struct Notifier {
    connections: Arc<Mutex<Vec<Weak<Connection>>>>,
}

/// Something that clients may want to hear of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    Tools,
    Prompts,
    Resources,
    /// The resource under this URI has new contents.
    Resource(String),
    /// The task of this id has changed.
    Task(String),
}

impl Notifier {
    /// Says that the list of tools is another one now.
    pub fn tools_changed(&self) {
        self.announce(&Change::Tools);
    }

    /// Says that the list of prompts is another one now.
    pub fn prompts_changed(&self) {
        self.announce(&Change::Prompts);
    }

    /// Says that the list of resources is another one now.
    pub fn resources_changed(&self) {
        self.announce(&Change::Resources);
    }

    /// Says that the resource under `uri` has other contents now.
    pub fn resource_updated(&self, uri: impl Into<String>) {
        self.announce(&Change::Resource(uri.into()));
    }

    pub(crate) fn announce(&self, change: &Change) {
        let connections: Vec<_> =
            lock(&self.connections).iter().filter_map(Weak::upgrade).collect();
        for connection in connections {
            connection.announce(change);
        }
    }

    pub(crate) fn attach(&self, connection: &Arc<Connection>) {
        let mut connections = lock(&self.connections);
        connections.retain(|known| known.strong_count() > 0);
        connections.push(Arc::downgrade(connection));
    }
}
