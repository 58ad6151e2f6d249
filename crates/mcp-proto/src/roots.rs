//! Roots: the directories a client lets servers know about. Deprecated since 2026-07-28.

use serde::Deserialize;

use crate::content::nested_meta;
use crate::encode::{Fields, NotificationBody, Object, ResultBody, encode_fields};
use crate::json::{JsonObject, or_default};
use crate::meta::ResultMeta;
use crate::method::Method;

/// A directory or file.
///
/// Since: 2024-11-05. Page: client/roots.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Root {
    /// Where it is: a `file://` URI.
    pub uri: String,
    /// The name to show.
    pub name: Option<String>,
    /// What travels beside it. Since: 2025-06-18.
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
    pub meta: JsonObject,
}

/// Result of `roots/list`.
///
/// Since: 2024-11-05; an answer to an input request since 2026-07-28. Page: client/roots.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ListRootsResult {
    /// The roots.
    pub roots: Vec<Root>,
    /// What travels beside the result. Until: 2025-11-25.
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
    pub meta: ResultMeta,
}

/// Says that the roots have changed.
///
/// Since: 2024-11-05. Until: 2025-11-25. Page: client/roots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct RootsListChanged {}

impl Root {
    /// Creates a root from a `file://` URI.
    #[must_use]
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), name: None, meta: JsonObject::new() }
    }

    /// Sets the name to show.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}

impl ListRootsResult {
    /// Creates a result.
    #[must_use]
    pub fn new(roots: Vec<Root>) -> Self {
        Self { roots, meta: ResultMeta::default() }
    }
}

impl Fields for Root {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("uri", &self.uri);
        object.optional("name", &self.name);
        nested_meta(object, &self.meta);
    }
}

impl Fields for ListRootsResult {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("roots", &self.roots);
    }
}

impl Fields for RootsListChanged {
    fn fields(&self, _: &mut Object<'_, '_>) {}
}

encode_fields!(Root, ListRootsResult);

impl ResultBody for ListRootsResult {
    fn meta(&self) -> &ResultMeta {
        &self.meta
    }
}

impl NotificationBody for RootsListChanged {
    const METHOD: Method = Method::RootsListChanged;
}
