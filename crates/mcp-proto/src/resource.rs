//! Resources: what a server lets a client read, and the contents it then gives.

use std::borrow::Cow;

use serde::Deserialize;

use crate::content::{Annotations, nested_meta};
use crate::encode::{Fields, Object, ResultBody, encode_fields};
use crate::icon::Icon;
use crate::input_required::{InputResponses, RequestState};
use crate::json::{JsonObject, or_default};
use crate::meta::ResultMeta;
use crate::page::{CacheHint, CacheScope, Cursor, ttl_ms};
use crate::revision::Revision;

mod contents;

pub use contents::{EmbeddedResource, ResourceBody, ResourceContents};

/// Something that can be read under a URI.
///
/// Since: 2024-11-05. Page: server/resources.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Resource {
    /// Where it is: a URI.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// The name to show. Since: 2025-06-18.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Its media type.
    pub mime_type: Option<String>,
    /// Its size in bytes, before base64.
    pub size: Option<u64>,
    /// Hints.
    pub annotations: Option<Annotations>,
    /// Icons. Since: 2025-11-25.
    #[serde(default, deserialize_with = "or_default")]
    pub icons: Vec<Icon>,
    /// What travels beside it. Since: 2025-06-18.
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
    pub meta: JsonObject,
}

/// A family of resources whose URIs follow a template.
///
/// Since: 2024-11-05. Page: server/resources.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceTemplate {
    /// The template: RFC 6570.
    pub uri_template: String,
    /// Its name.
    pub name: String,
    /// The name to show. Since: 2025-06-18.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// The media type, if all matching resources share it.
    pub mime_type: Option<String>,
    /// Hints.
    pub annotations: Option<Annotations>,
    /// Icons. Since: 2025-11-25.
    #[serde(default, deserialize_with = "or_default")]
    pub icons: Vec<Icon>,
    /// What travels beside it. Since: 2025-06-18.
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
    pub meta: JsonObject,
}

/// Parameters of `resources/read`.
///
/// Since: 2024-11-05. Page: server/resources.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReadResourceParams<'a> {
    /// What to read: a URI.
    #[serde(borrow)]
    pub uri: Cow<'a, str>,
    /// Answers to what the last attempt asked for. Since: 2026-07-28.
    pub input_responses: Option<InputResponses>,
    /// The state that the last attempt returned. Since: 2026-07-28.
    pub request_state: Option<RequestState>,
}

/// Parameters of `resources/subscribe` and `resources/unsubscribe`.
///
/// Since: 2024-11-05. Until: 2025-11-25. Page: server/resources.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct SubscribeParams<'a> {
    /// The resource: a URI.
    #[serde(borrow)]
    pub uri: Cow<'a, str>,
}

/// Result of `resources/list`.
///
/// Since: 2024-11-05. Page: server/resources.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListResourcesResult<'a> {
    /// The resources of this page.
    pub resources: Cow<'a, [Resource]>,
    /// Where the list continues; absent at its end.
    pub next_cursor: Option<Cursor>,
    /// Milliseconds for which the result counts as fresh. Since: 2026-07-28.
    #[serde(default, deserialize_with = "ttl_ms")]
    pub ttl_ms: u64,
    /// Who may share the result. Since: 2026-07-28.
    #[serde(default, deserialize_with = "or_default")]
    pub cache_scope: CacheScope,
    /// What travels beside the result.
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
    pub meta: ResultMeta,
}

/// Result of `resources/templates/list`.
///
/// Since: 2024-11-05. Page: server/resources.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListResourceTemplatesResult<'a> {
    /// The templates of this page.
    pub resource_templates: Cow<'a, [ResourceTemplate]>,
    /// Where the list continues; absent at its end.
    pub next_cursor: Option<Cursor>,
    /// Milliseconds for which the result counts as fresh. Since: 2026-07-28.
    #[serde(default, deserialize_with = "ttl_ms")]
    pub ttl_ms: u64,
    /// Who may share the result. Since: 2026-07-28.
    #[serde(default, deserialize_with = "or_default")]
    pub cache_scope: CacheScope,
    /// What travels beside the result.
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
    pub meta: ResultMeta,
}

/// Result of `resources/read`.
///
/// Since: 2024-11-05. Page: server/resources.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReadResourceResult {
    /// What was read: the resource itself or parts of it.
    pub contents: Vec<ResourceContents>,
    /// Milliseconds for which the result counts as fresh. Since: 2026-07-28.
    #[serde(default, deserialize_with = "ttl_ms")]
    pub ttl_ms: u64,
    /// Who may share the result. Since: 2026-07-28.
    #[serde(default, deserialize_with = "or_default")]
    pub cache_scope: CacheScope,
    /// What travels beside the result.
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
    pub meta: ResultMeta,
}

/// Members that resources and templates describe themselves by.
macro_rules! described {
    ($name:ident) => {
        impl $name {
            /// Sets the name to show.
            #[must_use]
            pub fn title(mut self, title: impl Into<String>) -> Self {
                self.title = Some(title.into());
                self
            }

            /// Says what it is.
            #[must_use]
            pub fn description(mut self, description: impl Into<String>) -> Self {
                self.description = Some(description.into());
                self
            }

            /// Sets the media type.
            #[must_use]
            pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
                self.mime_type = Some(mime_type.into());
                self
            }

            /// Adds hints.
            #[must_use]
            pub fn annotations(mut self, annotations: Annotations) -> Self {
                self.annotations = Some(annotations);
                self
            }

            /// Adds an icon.
            #[must_use]
            pub fn icon(mut self, icon: Icon) -> Self {
                self.icons.push(icon);
                self
            }

            /// Sets what travels beside it.
            #[must_use]
            pub fn meta(mut self, meta: JsonObject) -> Self {
                self.meta = meta;
                self
            }
        }
    };
}

described!(Resource);
described!(ResourceTemplate);

impl Resource {
    /// Creates a resource.
    #[must_use]
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
            annotations: None,
            icons: Vec::new(),
            meta: JsonObject::new(),
        }
    }

    /// Sets the size in bytes, before base64.
    #[must_use]
    pub const fn size(mut self, bytes: u64) -> Self {
        self.size = Some(bytes);
        self
    }
}

impl ResourceTemplate {
    /// Creates a template: RFC 6570.
    #[must_use]
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri_template: uri_template.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            annotations: None,
            icons: Vec::new(),
            meta: JsonObject::new(),
        }
    }
}

impl<'a> ReadResourceParams<'a> {
    /// Asks for a resource.
    #[must_use]
    pub fn new(uri: impl Into<Cow<'a, str>>) -> Self {
        Self { uri: uri.into(), input_responses: None, request_state: None }
    }
}

impl<'a> SubscribeParams<'a> {
    /// Names a resource.
    #[must_use]
    pub fn new(uri: impl Into<Cow<'a, str>>) -> Self {
        Self { uri: uri.into() }
    }
}

impl<'a> ListResourcesResult<'a> {
    /// Creates a page, the last one unless a cursor is set.
    #[must_use]
    pub fn new(resources: impl Into<Cow<'a, [Resource]>>) -> Self {
        Self { resources: resources.into(), ..Self::default() }
    }
}

impl<'a> ListResourceTemplatesResult<'a> {
    /// Creates a page, the last one unless a cursor is set.
    #[must_use]
    pub fn new(templates: impl Into<Cow<'a, [ResourceTemplate]>>) -> Self {
        Self { resource_templates: templates.into(), ..Self::default() }
    }
}

impl ReadResourceResult {
    /// Creates a result.
    #[must_use]
    pub fn new(contents: Vec<ResourceContents>) -> Self {
        Self { contents, ttl_ms: 0, cache_scope: CacheScope::Private, meta: ResultMeta::default() }
    }

    /// Says how long the result may be kept.
    #[must_use]
    pub fn cache(mut self, hint: CacheHint) -> Self {
        (self.ttl_ms, self.cache_scope) = (hint.ttl_ms, hint.scope);
        self
    }
}

impl Fields for Resource {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("uri", &self.uri);
        object.field("name", &self.name);
        object.since(Revision::V2025_06_18, |object| object.optional("title", &self.title));
        object.optional("description", &self.description);
        object.optional("mimeType", &self.mime_type);
        object.optional("size", &self.size);
        object.optional("annotations", &self.annotations);
        object.since(Revision::V2025_11_25, |object| object.list("icons", &self.icons));
        nested_meta(object, &self.meta);
    }
}

impl Fields for ResourceTemplate {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("uriTemplate", &self.uri_template);
        object.field("name", &self.name);
        object.since(Revision::V2025_06_18, |object| object.optional("title", &self.title));
        object.optional("description", &self.description);
        object.optional("mimeType", &self.mime_type);
        object.optional("annotations", &self.annotations);
        object.since(Revision::V2025_11_25, |object| object.list("icons", &self.icons));
        nested_meta(object, &self.meta);
    }
}

impl Fields for ReadResourceParams<'_> {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("uri", self.uri.as_ref());
        object.since(Revision::V2026_07_28, |object| {
            object.optional("inputResponses", &self.input_responses);
            object.optional("requestState", &self.request_state);
        });
    }
}

impl Fields for SubscribeParams<'_> {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("uri", self.uri.as_ref());
    }
}

impl Fields for ListResourcesResult<'_> {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("resources", self.resources.as_ref());
        object.optional("nextCursor", &self.next_cursor);
    }
}

impl Fields for ListResourceTemplatesResult<'_> {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("resourceTemplates", self.resource_templates.as_ref());
        object.optional("nextCursor", &self.next_cursor);
    }
}

impl Fields for ReadResourceResult {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("contents", &self.contents);
    }
}

encode_fields!(Resource, ResourceTemplate);

crate::page::paged_result!(ListResourcesResult);
crate::page::paged_result!(ListResourceTemplatesResult);

impl ResultBody for ReadResourceResult {
    fn meta(&self) -> &ResultMeta {
        &self.meta
    }

    fn cache(&self) -> Option<CacheHint> {
        Some(CacheHint { ttl_ms: self.ttl_ms, scope: self.cache_scope })
    }
}
