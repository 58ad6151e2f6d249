//! What is said in sampling: the blocks of prompts and tools, and the use of tools itself.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

use crate::content::{
    Content, MediaContent, TextContent, encode_audio, media, nested_meta, tagged,
};
use crate::encode::{Encode, Fields, Object, Writer, encode_fields};
use crate::json::{self, JsonObject, RawJson, or_default};
use crate::revision::Revision;
use crate::tool::structured;

/// One block, or several since 2025-11-25.
#[derive(Clone, Debug, PartialEq)]
pub enum SamplingBlocks {
    /// One block.
    One(SamplingContent),
    /// A list of blocks.
    Many(Vec<SamplingContent>),
}

/// One block of a sampling message.
///
/// Since: 2024-11-05. Page: client/sampling.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SamplingContent {
    /// Text.
    Text(TextContent),
    /// An image.
    Image(MediaContent),
    /// A recording. Since: 2025-03-26; becomes text before.
    Audio(MediaContent),
    /// A tool that the model wants to use. Since: 2025-11-25.
    ToolUse(ToolUseContent),
    /// What the tool said. Since: 2025-11-25.
    ToolResult(ToolResultContent),
    /// A block of a type that no revision defines, `type` included. Sent as it came.
    Other(RawJson),
}

/// A tool that the model wants to use.
///
/// Since: 2025-11-25. Page: client/sampling.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ToolUseContent {
    /// Names this use.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments: an object.
    #[serde(deserialize_with = "json::required_object")]
    pub input: RawJson,
    /// What travels beside the block.
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
    pub meta: JsonObject,
}

/// What a tool said.
///
/// Since: 2025-11-25. Page: client/sampling.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolResultContent {
    /// The use that this answers.
    pub tool_use_id: String,
    /// What it says.
    pub content: Vec<Content>,
    /// The result as data; `null` is kept apart from absence.
    #[serde(default, deserialize_with = "json::present")]
    pub structured_content: Option<RawJson>,
    /// Whether the tool failed. Absent: it did not.
    pub is_error: Option<bool>,
    /// What travels beside the block.
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
    pub meta: JsonObject,
}

impl SamplingBlocks {
    /// Returns the blocks, one or more.
    #[must_use]
    pub fn as_slice(&self) -> &[SamplingContent] {
        match self {
            Self::One(block) => std::slice::from_ref(block),
            Self::Many(blocks) => blocks,
        }
    }
}

impl From<SamplingContent> for SamplingBlocks {
    fn from(block: SamplingContent) -> Self {
        Self::One(block)
    }
}

impl From<Vec<SamplingContent>> for SamplingBlocks {
    fn from(blocks: Vec<SamplingContent>) -> Self {
        Self::Many(blocks)
    }
}

impl From<&str> for SamplingBlocks {
    fn from(text: &str) -> Self {
        Self::One(SamplingContent::text(text))
    }
}

impl SamplingContent {
    /// Creates a text block.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
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

impl ToolUseContent {
    /// Creates a use of a tool; `input` must be an object.
    #[must_use]
    pub fn new(id: impl Into<String>, name: impl Into<String>, input: RawJson) -> Self {
        Self { id: id.into(), name: name.into(), input, meta: JsonObject::new() }
    }
}

impl ToolResultContent {
    /// Creates the answer to a use of a tool.
    #[must_use]
    pub fn new(tool_use_id: impl Into<String>, content: Vec<Content>) -> Self {
        Self {
            tool_use_id: tool_use_id.into(),
            content,
            structured_content: None,
            is_error: None,
            meta: JsonObject::new(),
        }
    }
}

impl<'de> Deserialize<'de> for SamplingBlocks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        let blocks = if raw.get().starts_with('[') {
            raw.decode().map(Self::Many)
        } else {
            raw.decode().map(Self::One)
        };
        blocks.map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for SamplingContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (tag, raw) = tagged(deserializer)?;
        match tag.as_str() {
            "text" => raw.decode().map(Self::Text),
            "image" => raw.decode().map(Self::Image),
            "audio" => raw.decode().map(Self::Audio),
            "tool_use" => raw.decode().map(Self::ToolUse),
            "tool_result" => raw.decode().map(Self::ToolResult),
            _ => return Ok(Self::Other(raw)),
        }
        .map_err(D::Error::custom)
    }
}

impl Encode for SamplingBlocks {
    fn encode(&self, out: &mut Writer<'_>) {
        match self {
            Self::One(block) => block.encode(out),
            Self::Many(blocks) if out.revision() >= Revision::V2025_11_25 => out.array(blocks),
            Self::Many(blocks) => match blocks.as_slice() {
                [block] => block.encode(out),
                _ => out.refuse("a sampling message with several blocks"),
            },
        }
    }
}

impl Encode for SamplingContent {
    fn encode(&self, out: &mut Writer<'_>) {
        let tools = out.revision() >= Revision::V2025_11_25;
        match self {
            Self::Text(text) => text.encode(out),
            Self::Image(image) => media(out, "image", image),
            Self::Audio(audio) => encode_audio(out, audio),
            Self::ToolUse(_) | Self::ToolResult(_) if !tools => {
                out.refuse("a sampling message with tool use");
            }
            Self::ToolUse(tool_use) => tool_use.encode(out),
            Self::ToolResult(result) => result.encode(out),
            Self::Other(raw) => raw.encode(out),
        }
    }
}

impl Fields for ToolUseContent {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("type", "tool_use");
        object.field("id", &self.id);
        object.field("name", &self.name);
        if self.input.is_object() {
            object.field("input", &self.input);
        } else {
            object.refuse("tool input that is not an object");
        }
        nested_meta(object, &self.meta);
    }
}

impl Fields for ToolResultContent {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("type", "tool_result");
        object.field("toolUseId", &self.tool_use_id);
        object.field("content", &self.content);
        structured(object, &self.structured_content);
        object.optional("isError", &self.is_error);
        nested_meta(object, &self.meta);
    }
}

encode_fields!(ToolUseContent, ToolResultContent);
