//! What a resource holds, on its own or inside a content block.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

use crate::content::{Annotations, nested_meta};
use crate::encode::{Fields, Object, encode_fields};
use crate::json::{JsonObject, or_default};

/// The contents of a resource, or of a part of one.
///
/// Since: 2024-11-05. Page: server/resources.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ResourceContents {
    /// What was read: a URI.
    pub uri: String,
    /// The media type.
    pub mime_type: Option<String>,
    /// The text or bytes.
    pub body: ResourceBody,
    /// What travels beside it. Since: 2025-06-18.
    pub meta: JsonObject,
}

/// Text or bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResourceBody {
    /// Text.
    Text(String),
    /// Bytes in base64.
    Blob(String),
}

/// A resource with its contents, as a content block.
///
/// Since: 2024-11-05. Page: server/tools.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EmbeddedResource {
    /// The contents.
    pub resource: ResourceContents,
    /// Hints. Found beside the resource or, as some servers write them, inside it.
    pub annotations: Option<Annotations>,
    /// What travels beside the block. Since: 2025-06-18.
    pub meta: JsonObject,
}

impl ResourceContents {
    /// Creates contents from text.
    #[must_use]
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            mime_type: None,
            body: ResourceBody::Text(text.into()),
            meta: JsonObject::new(),
        }
    }

    /// Creates contents from bytes in base64.
    #[must_use]
    pub fn blob(uri: impl Into<String>, base64: impl Into<String>) -> Self {
        Self { body: ResourceBody::Blob(base64.into()), ..Self::text(uri, "") }
    }

    /// Sets the media type.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// Sets what travels beside it.
    #[must_use]
    pub fn meta(mut self, meta: JsonObject) -> Self {
        self.meta = meta;
        self
    }
}

impl EmbeddedResource {
    /// Embeds contents.
    #[must_use]
    pub const fn new(resource: ResourceContents) -> Self {
        Self { resource, annotations: None, meta: JsonObject::new() }
    }
}

/// Contents as they may arrive: with hints that belong beside them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContentsShape {
    uri: String,
    mime_type: Option<String>,
    text: Option<String>,
    blob: Option<String>,
    annotations: Option<Annotations>,
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
    meta: JsonObject,
}

impl ContentsShape {
    fn split(self) -> Result<(ResourceContents, Option<Annotations>), &'static str> {
        let body = match (self.text, self.blob) {
            (Some(text), None) => ResourceBody::Text(text),
            (None, Some(blob)) => ResourceBody::Blob(blob),
            (Some(_), Some(_)) => return Err("resource contents with both `text` and `blob`"),
            (None, None) => return Err("resource contents without `text` or `blob`"),
        };
        let contents =
            ResourceContents { uri: self.uri, mime_type: self.mime_type, body, meta: self.meta };
        Ok((contents, self.annotations))
    }
}

impl<'de> Deserialize<'de> for ResourceContents {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let shape = ContentsShape::deserialize(deserializer)?;
        shape.split().map(|(contents, _)| contents).map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for EmbeddedResource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Shape {
            resource: ContentsShape,
            annotations: Option<Annotations>,
            #[serde(rename = "_meta", default, deserialize_with = "or_default")]
            meta: JsonObject,
        }

        let shape = Shape::deserialize(deserializer)?;
        let (resource, inner) = shape.resource.split().map_err(D::Error::custom)?;
        Ok(Self { resource, annotations: shape.annotations.or(inner), meta: shape.meta })
    }
}

impl Fields for ResourceContents {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("uri", &self.uri);
        object.optional("mimeType", &self.mime_type);
        match &self.body {
            ResourceBody::Text(text) => object.field("text", text),
            ResourceBody::Blob(blob) => object.field("blob", blob),
        }
        nested_meta(object, &self.meta);
    }
}

impl Fields for EmbeddedResource {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("type", "resource");
        object.field("resource", &self.resource);
        object.optional("annotations", &self.annotations);
        nested_meta(object, &self.meta);
    }
}

encode_fields!(ResourceContents, EmbeddedResource);
