//! Content blocks: what tools, prompts and sampling say.
//!
//! The set is open: a block of an unknown type is kept as it came. A block that a revision does
//! not have is replaced by the nearest one it has, so that nothing is lost without a trace.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

use crate::encode::{Encode, Fields, Object, Writer, encode_fields};
use crate::json::{JsonObject, RawJson, or_default};
use crate::resource::{EmbeddedResource, Resource, ResourceContents};
use crate::revision::Revision;

/// Who speaks, or for whom something is meant.
///
/// Since: 2024-11-05.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The human.
    User,
    /// The model.
    Assistant,
}

/// Hints on how to use a resource or a content block.
///
/// Since: 2024-11-05. Page: server/resources.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Annotations {
    /// For whom it is meant; empty when nothing is said. Unknown roles are left out.
    #[serde(default, deserialize_with = "known_roles")]
    pub audience: Vec<Role>,
    /// How important it is, from 0 (optional) to 1 (required).
    pub priority: Option<f64>,
    /// When it last changed: ISO 8601. Since: 2025-06-18.
    pub last_modified: Option<String>,
}

impl Annotations {
    /// Adds to the audience.
    #[must_use]
    pub fn audience(mut self, role: Role) -> Self {
        self.audience.push(role);
        self
    }

    /// Sets the importance, brought into 0 to 1.
    #[must_use]
    pub fn priority(mut self, priority: f64) -> Self {
        self.priority = Some(priority.clamp(0.0, 1.0));
        self
    }

    /// Sets the time of the last change: ISO 8601.
    #[must_use]
    pub fn last_modified(mut self, time: impl Into<String>) -> Self {
        self.last_modified = Some(time.into());
        self
    }
}

/// One block of a tool's result or a prompt's message.
///
/// Since: 2024-11-05. Page: server/tools.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Content {
    /// Text.
    Text(TextContent),
    /// An image.
    Image(MediaContent),
    /// A recording. Since: 2025-03-26; becomes text before.
    Audio(MediaContent),
    /// A resource that can be read. Since: 2025-06-18; becomes text before.
    ResourceLink(Resource),
    /// A resource with its contents.
    Resource(EmbeddedResource),
    /// A block of a type that no revision defines, `type` included. Sent as it came.
    Other(RawJson),
}

/// Text.
///
/// Since: 2024-11-05.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct TextContent {
    /// The text.
    pub text: String,
    /// Hints.
    pub annotations: Option<Annotations>,
    /// What travels beside the block. Since: 2025-06-18.
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
    pub meta: JsonObject,
}

/// An image or a recording.
///
/// Since: 2024-11-05.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MediaContent {
    /// The bytes in base64.
    pub data: String,
    /// The media type of the bytes.
    pub mime_type: String,
    /// Hints.
    pub annotations: Option<Annotations>,
    /// What travels beside the block. Since: 2025-06-18.
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
    pub meta: JsonObject,
}

impl Content {
    /// Creates a text block.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// Creates an image block from base64.
    #[must_use]
    pub fn image(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self::Image(MediaContent::new(data, mime_type))
    }

    /// Creates an audio block from base64.
    #[must_use]
    pub fn audio(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self::Audio(MediaContent::new(data, mime_type))
    }

    /// Creates a link to a resource.
    #[must_use]
    pub const fn link(resource: Resource) -> Self {
        Self::ResourceLink(resource)
    }

    /// Creates a block that embeds a resource.
    #[must_use]
    pub const fn resource(contents: ResourceContents) -> Self {
        Self::Resource(EmbeddedResource::new(contents))
    }

    /// Adds hints. A block of an unknown type stays as it is.
    #[must_use]
    pub fn annotated(mut self, annotations: Annotations) -> Self {
        match &mut self {
            Self::Text(text) => text.annotations = Some(annotations),
            Self::Image(media) | Self::Audio(media) => media.annotations = Some(annotations),
            Self::ResourceLink(resource) => resource.annotations = Some(annotations),
            Self::Resource(resource) => resource.annotations = Some(annotations),
            Self::Other(_) => {}
        }
        self
    }

    /// Returns the text of a text block.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(&text.text),
            _ => None,
        }
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl TextContent {
    /// Creates text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), annotations: None, meta: JsonObject::new() }
    }
}

impl MediaContent {
    /// Creates an image or a recording from base64.
    #[must_use]
    pub fn new(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self {
            data: data.into(),
            mime_type: mime_type.into(),
            annotations: None,
            meta: JsonObject::new(),
        }
    }
}

fn known_roles<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Role>, D::Error> {
    let roles: Vec<RawJson> = or_default(deserializer)?;
    Ok(roles.iter().filter_map(|role| role.decode().ok()).collect())
}

/// Reads the `type` of a block and keeps the whole block beside it.
pub(crate) fn tagged<'de, D>(deserializer: D) -> Result<(String, RawJson), D::Error>
where
    D: Deserializer<'de>,
{
    #[derive(Deserialize)]
    struct Tag {
        r#type: String,
    }

    let raw = RawJson::deserialize(deserializer)?;
    if let Some(tag) = leading_tag(raw.get()) {
        return Ok((tag.to_owned(), raw));
    }
    let tag: Tag = raw.decode().map_err(D::Error::custom)?;
    Ok((tag.r#type, raw))
}

/// Finds the `type` where it is the first member, as most write it, so that a long block need not be read
/// through once more.
fn leading_tag(block: &str) -> Option<&str> {
    let first = block.strip_prefix('{')?.trim_start().strip_prefix("\"type\"")?;
    let value = first.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let (tag, rest) = value.split_once(['"', '\\'])?;
    rest.trim_start().starts_with([',', '}']).then_some(tag)
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (tag, raw) = tagged(deserializer)?;
        match tag.as_str() {
            "text" => raw.decode().map(Self::Text),
            "image" => raw.decode().map(Self::Image),
            "audio" => raw.decode().map(Self::Audio),
            "resource_link" => raw.decode().map(Self::ResourceLink),
            "resource" => raw.decode().map(Self::Resource),
            _ => return Ok(Self::Other(raw)),
        }
        .map_err(D::Error::custom)
    }
}

impl Encode for Content {
    fn encode(&self, out: &mut Writer<'_>) {
        match self {
            Self::Text(text) => text.encode(out),
            Self::Image(image) => media(out, "image", image),
            Self::Audio(audio) => encode_audio(out, audio),
            Self::ResourceLink(resource) if out.revision() < Revision::V2025_06_18 => {
                let text = format!("{}: {}", resource.name, resource.uri);
                let annotations = resource.annotations.clone();
                TextContent { annotations, ..TextContent::new(text) }.encode(out);
            }
            Self::ResourceLink(resource) => out.object(|object| {
                object.field("type", "resource_link");
                resource.fields(object);
            }),
            Self::Resource(resource) => resource.encode(out),
            Self::Other(raw) => raw.encode(out),
        }
    }
}

pub(crate) fn media(out: &mut Writer<'_>, tag: &str, media: &MediaContent) {
    out.object(|object| {
        object.field("type", tag);
        object.field("data", &media.data);
        object.field("mimeType", &media.mime_type);
        object.optional("annotations", &media.annotations);
        nested_meta(object, &media.meta);
    });
}

/// Writes a recording, or says that there is one where the revision has no such block.
pub(crate) fn encode_audio(out: &mut Writer<'_>, audio: &MediaContent) {
    if out.revision() >= Revision::V2025_03_26 {
        return media(out, "audio", audio);
    }
    let text = format!("[audio of type {} left out]", audio.mime_type);
    let annotations = audio.annotations.clone();
    TextContent { annotations, ..TextContent::new(text) }.encode(out);
}

/// Writes the `_meta` of anything inside a message.
pub(crate) fn nested_meta(object: &mut Object<'_, '_>, meta: &JsonObject) {
    if !meta.is_empty() {
        object.since(Revision::V2025_06_18, |object| object.field("_meta", meta));
    }
}

impl Fields for TextContent {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("type", "text");
        object.field("text", &self.text);
        object.optional("annotations", &self.annotations);
        nested_meta(object, &self.meta);
    }
}

impl Fields for Annotations {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.list("audience", &self.audience);
        object.optional("priority", &self.priority.map(|priority| priority.clamp(0.0, 1.0)));
        object.since(Revision::V2025_06_18, |object| {
            object.optional("lastModified", &self.last_modified);
        });
    }
}

impl Encode for Role {
    fn encode(&self, out: &mut Writer<'_>) {
        out.string(match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        });
    }
}

encode_fields!(TextContent, Annotations);
