//! Listen requests: the only way to unasked-for notifications since 2026-07-28.

use serde::Deserialize;

use crate::encode::{Fields, NotificationBody, Object, ResultBody, encode_fields};
use crate::id::RequestId;
use crate::json::or_default;
use crate::meta::ResultMeta;
use crate::method::Method;
use crate::revision::Era;

/// Which notifications a client wants, or a server will send.
///
/// Since: 2026-07-28. Page: basic/patterns/subscriptions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SubscriptionFilter {
    /// Changes of the list of tools.
    #[serde(default, deserialize_with = "or_default")]
    pub tools_list_changed: bool,
    /// Changes of the list of prompts.
    #[serde(default, deserialize_with = "or_default")]
    pub prompts_list_changed: bool,
    /// Changes of the list of resources.
    #[serde(default, deserialize_with = "or_default")]
    pub resources_list_changed: bool,
    /// Updates of these resources: URIs.
    #[serde(default, deserialize_with = "or_default")]
    pub resource_subscriptions: Vec<String>,
    /// Changes of these tasks, from the tasks extension.
    #[serde(default, deserialize_with = "or_default")]
    pub task_ids: Vec<String>,
}

impl SubscriptionFilter {
    /// Reports whether nothing is wanted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns what both filters want.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let common = |ours: &[String], theirs: &[String]| {
            ours.iter().filter(|item| theirs.contains(item)).cloned().collect()
        };
        Self {
            tools_list_changed: self.tools_list_changed && other.tools_list_changed,
            prompts_list_changed: self.prompts_list_changed && other.prompts_list_changed,
            resources_list_changed: self.resources_list_changed && other.resources_list_changed,
            resource_subscriptions: common(
                &self.resource_subscriptions,
                &other.resource_subscriptions,
            ),
            task_ids: common(&self.task_ids, &other.task_ids),
        }
    }
}

/// Parameters of `subscriptions/listen`.
///
/// Since: 2026-07-28. Page: basic/patterns/subscriptions.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct ListenParams {
    /// What the client wants.
    pub notifications: SubscriptionFilter,
}

impl ListenParams {
    /// Asks for notifications.
    #[must_use]
    pub const fn new(notifications: SubscriptionFilter) -> Self {
        Self { notifications }
    }
}

/// The first message of a subscription: what the server will send.
///
/// Since: 2026-07-28. Page: basic/patterns/subscriptions.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct SubscriptionsAcknowledged {
    /// The part of the request that is honoured.
    pub notifications: SubscriptionFilter,
}

impl SubscriptionsAcknowledged {
    /// Tells what will be sent.
    #[must_use]
    pub const fn new(notifications: SubscriptionFilter) -> Self {
        Self { notifications }
    }
}

/// Result of `subscriptions/listen`, when the server ends it.
///
/// Since: 2026-07-28. Page: basic/patterns/subscriptions.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ListenResult {
    /// Names the listen request; required.
    #[serde(rename = "_meta")]
    pub meta: ResultMeta,
}

impl ListenResult {
    /// Ends the listen request of this id.
    #[must_use]
    pub fn new(id: RequestId) -> Self {
        Self { meta: ResultMeta { subscription_id: Some(id), ..ResultMeta::default() } }
    }
}

impl Fields for SubscriptionFilter {
    fn fields(&self, object: &mut Object<'_, '_>) {
        let flags = [
            ("toolsListChanged", self.tools_list_changed),
            ("promptsListChanged", self.prompts_list_changed),
            ("resourcesListChanged", self.resources_list_changed),
        ];
        for (name, _) in flags.into_iter().filter(|(_, wanted)| *wanted) {
            object.field(name, &true);
        }
        object.list("resourceSubscriptions", &self.resource_subscriptions);
        object.list("taskIds", &self.task_ids);
    }
}

impl Fields for ListenParams {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("notifications", &self.notifications);
    }
}

impl Fields for SubscriptionsAcknowledged {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("notifications", &self.notifications);
    }
}

impl Fields for ListenResult {
    fn fields(&self, object: &mut Object<'_, '_>) {
        if object.revision().era() == Era::Handshake {
            object.refuse("the result of a listen request");
        } else if self.meta.subscription_id.is_none() {
            object.refuse("the result of a listen request without its id");
        }
    }
}

encode_fields!(SubscriptionFilter);

impl ResultBody for ListenResult {
    fn meta(&self) -> &ResultMeta {
        &self.meta
    }
}

impl NotificationBody for SubscriptionsAcknowledged {
    const METHOD: Method = Method::SubscriptionsAcknowledged;
}
