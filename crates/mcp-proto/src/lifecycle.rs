//! Who is talking, in which revision, with which capabilities.
//!
//! `initialize` settles that once per process up to 2025-11-25; since 2026-07-28 every request
//! says it and `server/discover` merely tells.

use serde::Deserialize;

use crate::capabilities::{ClientCapabilities, ServerCapabilities};
use crate::encode::{Fields, NotificationBody, Object, ResultBody, encode_fields};
use crate::icon::Icon;
use crate::json::{JsonObject, or_default};
use crate::meta::ResultMeta;
use crate::method::Method;
use crate::page::{CacheHint, CacheScope, ttl_ms};
use crate::revision::Revision;

/// The name and version of a client or server. For display: nothing may depend on it.
///
/// Since: 2024-11-05. Page: basic/lifecycle.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Implementation {
    /// The program's name.
    pub name: String,
    /// The name to show. Since: 2025-06-18.
    pub title: Option<String>,
    /// The program's version.
    pub version: String,
    /// What the program does. Since: 2025-11-25.
    pub description: Option<String>,
    /// The program's home page. Since: 2025-11-25.
    pub website_url: Option<String>,
    /// Icons. Since: 2025-11-25.
    #[serde(default, deserialize_with = "or_default")]
    pub icons: Vec<Icon>,
}

impl Implementation {
    /// Creates an identity.
    #[must_use]
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            version: version.into(),
            description: None,
            website_url: None,
            icons: Vec::new(),
        }
    }

    /// Sets the name to show.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Says what the program does.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the home page.
    #[must_use]
    pub fn website_url(mut self, url: impl Into<String>) -> Self {
        self.website_url = Some(url.into());
        self
    }

    /// Adds an icon.
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icons.push(icon);
        self
    }
}

/// Parameters of `initialize`.
///
/// Since: 2024-11-05. Until: 2025-11-25. Page: basic/lifecycle.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InitializeParams {
    /// The newest revision the client speaks, as an open string.
    pub protocol_version: String,
    /// What the client can do.
    pub capabilities: ClientCapabilities,
    /// Who the client is.
    pub client_info: Implementation,
}

impl InitializeParams {
    /// Opens with `revision`.
    #[must_use]
    pub fn new(
        revision: Revision,
        capabilities: ClientCapabilities,
        client_info: Implementation,
    ) -> Self {
        Self { protocol_version: revision.as_str().to_owned(), capabilities, client_info }
    }
}

/// Result of `initialize`.
///
/// Since: 2024-11-05. Until: 2025-11-25. Page: basic/lifecycle.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InitializeResult {
    /// The revision that the server settles on, as an open string.
    pub protocol_version: String,
    /// What the server can do.
    pub capabilities: ServerCapabilities,
    /// Who the server is.
    pub server_info: Implementation,
    /// How to use the server, meant for the model.
    pub instructions: Option<String>,
    /// What travels beside the result.
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
    pub meta: ResultMeta,
}

impl InitializeResult {
    /// Settles on `revision`.
    #[must_use]
    pub fn new(
        revision: Revision,
        capabilities: ServerCapabilities,
        server_info: Implementation,
    ) -> Self {
        Self {
            protocol_version: revision.as_str().to_owned(),
            capabilities,
            server_info,
            instructions: None,
            meta: ResultMeta::default(),
        }
    }

    /// Tells the model how to use the server.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }
}

/// Result of `server/discover`.
///
/// Since: 2026-07-28. Page: server/discover.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DiscoverResult {
    /// The versions that requests may name, as open strings.
    pub supported_versions: Vec<String>,
    /// What the server can do.
    pub capabilities: ServerCapabilities,
    /// How to use the server, meant for the model.
    pub instructions: Option<String>,
    /// Milliseconds for which the result counts as fresh.
    #[serde(default, deserialize_with = "ttl_ms")]
    pub ttl_ms: u64,
    /// Who may share the result.
    #[serde(default, deserialize_with = "or_default")]
    pub cache_scope: CacheScope,
    /// What travels beside the result.
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
    pub meta: ResultMeta,
}

impl DiscoverResult {
    /// Offers `versions`.
    #[must_use]
    pub fn new(versions: &[Revision], capabilities: ServerCapabilities) -> Self {
        Self {
            supported_versions: versions.iter().map(|v| v.as_str().to_owned()).collect(),
            capabilities,
            instructions: None,
            ttl_ms: 0,
            cache_scope: CacheScope::Private,
            meta: ResultMeta::default(),
        }
    }

    /// Tells the model how to use the server.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Says how long the result may be kept.
    #[must_use]
    pub fn cache(mut self, hint: CacheHint) -> Self {
        (self.ttl_ms, self.cache_scope) = (hint.ttl_ms, hint.scope);
        self
    }
}

/// Parameters of requests that have none beyond `_meta`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct NoParams {}

/// A result that says no more than "done".
///
/// Since: 2024-11-05. Page: basic.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct EmptyResult {
    /// What travels beside the result.
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
    pub meta: ResultMeta,
}

/// A result whose members are the caller's own, such as an extension's.
///
/// `_meta` and `resultType` are not among its members.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RawResult {
    /// The members, in order.
    pub members: JsonObject,
    /// What travels beside the result.
    pub meta: ResultMeta,
    /// The `resultType`, an open set. Since: 2026-07-28.
    pub result_type: String,
}

impl RawResult {
    /// Creates a complete result of these members.
    #[must_use]
    pub fn new(members: JsonObject) -> Self {
        Self { members, meta: ResultMeta::default(), result_type: "complete".to_owned() }
    }
}

/// Says that the client is ready after `initialize`.
///
/// Since: 2024-11-05. Until: 2025-11-25. Page: basic/lifecycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Initialized {}

impl Fields for Implementation {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("name", &self.name);
        object.since(Revision::V2025_06_18, |object| object.optional("title", &self.title));
        object.field("version", &self.version);
        object.since(Revision::V2025_11_25, |object| {
            object.optional("description", &self.description);
            object.optional("websiteUrl", &self.website_url);
            object.list("icons", &self.icons);
        });
    }
}

impl Fields for InitializeParams {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("protocolVersion", &self.protocol_version);
        object.field("capabilities", &self.capabilities);
        object.field("clientInfo", &self.client_info);
    }
}

impl Fields for InitializeResult {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("protocolVersion", &self.protocol_version);
        object.field("capabilities", &self.capabilities);
        object.field("serverInfo", &self.server_info);
        object.optional("instructions", &self.instructions);
        object.since(Revision::V2026_07_28, |object| object.refuse("a handshake result"));
    }
}

impl Fields for DiscoverResult {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.until(Revision::V2025_11_25, |object| object.refuse("a discovery result"));
        object.field("supportedVersions", &self.supported_versions);
        object.field("capabilities", &self.capabilities);
        object.optional("instructions", &self.instructions);
    }
}

impl Fields for NoParams {
    fn fields(&self, _: &mut Object<'_, '_>) {}
}

impl Fields for EmptyResult {
    fn fields(&self, _: &mut Object<'_, '_>) {}
}

impl Fields for RawResult {
    fn fields(&self, object: &mut Object<'_, '_>) {
        let reserved = ["_meta", "resultType"];
        for (name, value) in self.members.iter().filter(|(name, _)| !reserved.contains(name)) {
            object.field(name, value);
        }
    }
}

impl Fields for Initialized {
    fn fields(&self, _: &mut Object<'_, '_>) {}
}

encode_fields!(Implementation);

impl ResultBody for InitializeResult {
    fn meta(&self) -> &ResultMeta {
        &self.meta
    }
}

impl ResultBody for DiscoverResult {
    fn meta(&self) -> &ResultMeta {
        &self.meta
    }

    fn cache(&self) -> Option<CacheHint> {
        Some(CacheHint { ttl_ms: self.ttl_ms, scope: self.cache_scope })
    }
}

impl ResultBody for EmptyResult {
    fn meta(&self) -> &ResultMeta {
        &self.meta
    }
}

impl ResultBody for RawResult {
    fn meta(&self) -> &ResultMeta {
        &self.meta
    }

    fn result_type(&self) -> &str {
        &self.result_type
    }
}

impl NotificationBody for Initialized {
    const METHOD: Method = Method::Initialized;
}
