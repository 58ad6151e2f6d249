//! `_meta`: what travels beside a message's own members.
//!
//! Keys that the protocol defines are typed; every other key is kept as it came. Defined keys that
//! are present must have their type, `null` included: a malformed claim is never read as absence.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::capabilities::ClientCapabilities;
use crate::encode::{Encode, Fields, Object, Writer};
use crate::error::RpcError;
use crate::id::{ProgressToken, RequestId};
use crate::json::{JsonObject, Name, RawJson};
use crate::lifecycle::Implementation;
use crate::member;
use crate::notification::LoggingLevel;
use crate::params::{decode_params, invalid_params, problem};
use crate::revision::Revision;

const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";
const PROGRESS_TOKEN: &str = "progressToken";

/// The `_meta` of a request.
///
/// Since: 2024-11-05; the `io.modelcontextprotocol/` keys since 2026-07-28. Page: basic.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RequestMeta {
    /// Asks for progress reports under this token.
    pub progress_token: Option<ProgressToken>,
    /// The revision the request follows, as an open string. Presence makes a request stateless.
    pub protocol_version: Option<String>,
    /// The client's identity, for display only.
    pub client_info: Option<Implementation>,
    /// What the client can do for this request.
    pub client_capabilities: Option<ClientCapabilities>,
    /// Asks for log messages of this level and above while the request runs.
    pub log_level: Option<LoggingLevel>,
    /// The task that the request belongs to. Only: 2025-11-25.
    pub related_task: Option<RelatedTask>,
    /// All other keys, trace context included.
    pub other: JsonObject,
}

/// The `_meta` of a result.
///
/// Since: 2024-11-05. Page: basic.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ResultMeta {
    /// The server's identity. A malformed one is ignored. Since: 2026-07-28.
    pub server_info: Option<Implementation>,
    /// The listen request that a final listen result ends. Since: 2026-07-28.
    pub subscription_id: Option<RequestId>,
    /// The task that the result belongs to. Only: 2025-11-25.
    pub related_task: Option<RelatedTask>,
    /// All other keys.
    pub other: JsonObject,
}

/// The `_meta` of a notification.
///
/// Since: 2024-11-05. Page: basic.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct NotificationMeta {
    /// The listen request that asked for the notification. Since: 2026-07-28.
    pub subscription_id: Option<RequestId>,
    /// The task that the notification belongs to. Only: 2025-11-25.
    pub related_task: Option<RelatedTask>,
    /// All other keys.
    pub other: JsonObject,
}

/// Names the task that a message belongs to.
///
/// Only: 2025-11-25. Page: basic/utilities/tasks.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RelatedTask {
    /// The task's id.
    pub task_id: String,
}

/// Returns the text of a message's `_meta` without decoding anything else.
///
/// The first of several counts, and `null` counts as none. Equal texts decode to equal values, so a receiver may keep the last decoded one.
#[must_use]
pub fn raw_meta(params: Option<&RawValue>) -> Option<&RawValue> {
    let params = params?;
    let text = params.get();
    if member::is_large(params) {
        let meta = text.get(member::find(params, "_meta")?)?;
        return serde_json::from_str::<&RawValue>(meta).ok().filter(|raw| raw.get() != "null");
    }
    // A search is cheaper than a parse. A name written with escapes hides from the search.
    if !text.contains("_meta") && !text.contains("\\u") {
        return None;
    }
    let mut found = None;
    let mut json = serde_json::Deserializer::from_str(text);
    // The text is known to be JSON, so an error means no more than that reading stopped early.
    let _outcome = json.deserialize_map(MetaFinder(&mut found));
    found.filter(|raw| raw.get() != "null")
}

impl RequestMeta {
    /// Decodes the `_meta` of a request, or the default when it has none.
    ///
    /// # Errors
    /// Gives "invalid params" when a defined key is present but malformed.
    pub fn from_params(params: Option<&RawValue>) -> Result<Self, RpcError> {
        match raw_meta(params) {
            Some(meta) => Self::from_raw(meta),
            None => Ok(Self::default()),
        }
    }

    /// Decodes the text that [`raw_meta`] returned.
    ///
    /// # Errors
    /// Gives "invalid params" when a defined key is present but malformed.
    pub fn from_raw(meta: &RawValue) -> Result<Self, RpcError> {
        serde_json::from_str(meta.get()).map_err(|error| invalid_params("_meta", &error))
    }

    /// Sets the progress token.
    #[must_use]
    pub fn with_progress_token(mut self, token: impl Into<ProgressToken>) -> Self {
        self.progress_token = Some(token.into());
        self
    }

    /// Sets the client's identity.
    #[must_use]
    pub fn with_client_info(mut self, client: Implementation) -> Self {
        self.client_info = Some(client);
        self
    }

    /// Sets the client's capabilities.
    #[must_use]
    pub fn with_client_capabilities(mut self, capabilities: ClientCapabilities) -> Self {
        self.client_capabilities = Some(capabilities);
        self
    }

    /// Asks for log messages.
    #[must_use]
    pub fn with_log_level(mut self, level: LoggingLevel) -> Self {
        self.log_level = Some(level);
        self
    }
}

impl Fields for RequestMeta {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.optional(PROGRESS_TOKEN, &self.progress_token);
        object.since(Revision::V2026_07_28, |object| {
            // A request is sent in one revision and can claim no other.
            object.field(PROTOCOL_VERSION, object.revision().as_str());
            object.optional(CLIENT_INFO, &self.client_info);
            match &self.client_capabilities {
                Some(capabilities) => object.field(CLIENT_CAPABILITIES, capabilities),
                None => object.field(CLIENT_CAPABILITIES, &ClientCapabilities::default()),
            }
            object.optional(LOG_LEVEL, &self.log_level);
        });
        object.only(Revision::V2025_11_25, |object| {
            object.optional(RELATED_TASK, &self.related_task);
        });
        object.members(&self.other);
    }
}

impl ResultMeta {
    /// Writes the members; `stamp` stands in for an identity that the result does not bring.
    pub(crate) fn write(&self, object: &mut Object<'_, '_>, stamp: Option<&RawJson>) {
        object.since(Revision::V2026_07_28, |object| {
            match (&self.server_info, stamp) {
                (Some(server), _) => object.field(SERVER_INFO, server),
                (None, Some(stamp)) => object.field(SERVER_INFO, stamp),
                (None, None) => {}
            }
            object.optional(SUBSCRIPTION_ID, &self.subscription_id);
        });
        object.only(Revision::V2025_11_25, |object| {
            object.optional(RELATED_TASK, &self.related_task);
        });
        object.members(&self.other);
    }
}

impl NotificationMeta {
    /// Decodes the `_meta` of a notification, or the default when it has none.
    ///
    /// # Errors
    /// Gives "invalid params" when a defined key is present but malformed.
    pub fn from_params(params: Option<&RawValue>) -> Result<Self, RpcError> {
        match raw_meta(params) {
            Some(_) => decode_params::<MetaHolder<Self>>(params).map(|holder| holder.meta),
            None => Ok(Self::default()),
        }
    }

    /// Ties the notification to a listen request.
    #[must_use]
    pub fn for_subscription(id: RequestId) -> Self {
        Self { subscription_id: Some(id), ..Self::default() }
    }
}

impl Fields for NotificationMeta {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.since(Revision::V2026_07_28, |object| {
            object.optional(SUBSCRIPTION_ID, &self.subscription_id);
        });
        object.only(Revision::V2025_11_25, |object| {
            object.optional(RELATED_TASK, &self.related_task);
        });
        object.members(&self.other);
    }
}

impl Encode for RelatedTask {
    fn encode(&self, out: &mut Writer<'_>) {
        out.object(|object| object.field("taskId", &self.task_id));
    }
}

#[derive(Deserialize)]
struct MetaHolder<T> {
    #[serde(rename = "_meta")]
    meta: T,
}

/// Finds the first `_meta` of an object and stops there.
struct MetaFinder<'f, 'a>(&'f mut Option<&'a RawValue>);

impl<'a> Visitor<'a> for MetaFinder<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Name(name)) = map.next_key()? {
            if name == "_meta" {
                *self.0 = Some(map.next_value()?);
                return Ok(());
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

/// Decodes an open set: a visitor that types the keys given and keeps the others.
macro_rules! open_set {
    ($name:ident { $($key:ident => $field:ident : $mode:ident),+ $(,)? }) => {
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct SetVisitor;

                impl<'de> Visitor<'de> for SetVisitor {
                    type Value = $name;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str("an object")
                    }

                    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                        let mut set = $name::default();
                        let mut other: Vec<(String, RawJson)> = Vec::new();
                        while let Some(key) = map.next_key::<Name<'_>>()? {
                            match key.0.as_ref() {
                                $($key => set.$field = open_set!(@$mode map, $key),)+
                                _ => other.push((key.0.into_owned(), map.next_value()?)),
                            }
                        }
                        set.other = JsonObject::from_members(other);
                        Ok(set)
                    }
                }

                deserializer.deserialize_map(SetVisitor)
            }
        }
    };
    (@strict $map:ident, $key:ident) => {
        match $map.next_value() {
            Ok(value) => Some(value),
            Err(error) => {
                let problem = problem(&error);
                return Err(A::Error::custom(format_args!("`{}`: {problem}", $key)));
            }
        }
    };
    (@lenient $map:ident, $key:ident) => { $map.next_value::<RawJson>()?.decode().ok() };
}

open_set!(RequestMeta {
    PROGRESS_TOKEN => progress_token: strict,
    PROTOCOL_VERSION => protocol_version: strict,
    CLIENT_INFO => client_info: strict,
    CLIENT_CAPABILITIES => client_capabilities: strict,
    LOG_LEVEL => log_level: strict,
    RELATED_TASK => related_task: strict,
});

open_set!(ResultMeta {
    SERVER_INFO => server_info: lenient,
    SUBSCRIPTION_ID => subscription_id: strict,
    RELATED_TASK => related_task: lenient,
});

open_set!(NotificationMeta {
    SUBSCRIPTION_ID => subscription_id: strict,
    RELATED_TASK => related_task: lenient,
});
