//! Sampling: what a server asks of the client's model. Deprecated since 2026-07-28.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

use crate::content::{
    Content, MediaContent, Role, TextContent, encode_audio, media, nested_meta, tagged,
};
use crate::encode::{Encode, Fields, Object, ResultBody, Writer, encode_fields};
use crate::json::{self, JsonObject, RawJson};
use crate::meta::ResultMeta;
use crate::revision::{Era, Revision};
use crate::task::TaskRequest;
use crate::tool::{Tool, structured};

/// Parameters of `sampling/createMessage`.
///
/// Since: 2024-11-05; inside a result since 2026-07-28. Page: client/sampling.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreateMessageParams {
    /// The conversation so far.
    pub messages: Vec<SamplingMessage>,
    /// The greatest number of tokens to sample.
    pub max_tokens: u64,
    /// Which model to choose.
    pub model_preferences: Option<ModelPreferences>,
    /// The system prompt to use.
    pub system_prompt: Option<String>,
    /// Whose context to include. Values but `none` are deprecated since 2026-07-28.
    pub include_context: Option<IncludeContext>,
    /// The sampling temperature.
    pub temperature: Option<f64>,
    /// Texts that end the sampling.
    #[serde(default)]
    pub stop_sequences: Vec<String>,
    /// Whatever the provider understands.
    pub metadata: Option<JsonObject>,
    /// Tools for the model to use. Since: 2025-11-25.
    #[serde(default)]
    pub tools: Vec<Tool>,
    /// Whether the model must use them. Since: 2025-11-25.
    pub tool_choice: Option<ToolChoice>,
    /// Asks for a task. Only: 2025-11-25.
    pub task: Option<TaskRequest>,
}

/// Whose context to include in the prompt.
///
/// Since: 2024-11-05. Page: client/sampling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum IncludeContext {
    /// None.
    None,
    /// That of the asking server.
    ThisServer,
    /// That of all servers.
    AllServers,
}

/// Which model to choose; the client decides.
///
/// Since: 2024-11-05. Page: client/sampling.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelPreferences {
    /// Names of models or families, best first.
    #[serde(default)]
    pub hints: Vec<ModelHint>,
    /// How much cost matters, from 0 to 1.
    pub cost_priority: Option<f64>,
    /// How much speed matters, from 0 to 1.
    pub speed_priority: Option<f64>,
    /// How much ability matters, from 0 to 1.
    pub intelligence_priority: Option<f64>,
}

/// A model or family of models.
///
/// Since: 2024-11-05. Page: client/sampling.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct ModelHint {
    /// Part of the model's name.
    pub name: Option<String>,
}

/// Whether the model must use tools.
///
/// Since: 2025-11-25. Page: client/sampling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct ToolChoice {
    /// Absent means that the model decides.
    pub mode: Option<ToolChoiceMode>,
}

/// Whether the model must use tools.
///
/// Since: 2025-11-25. Page: client/sampling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolChoiceMode {
    /// The model decides.
    Auto,
    /// It must use at least one.
    Required,
    /// It must use none.
    None,
}

/// One message of the conversation.
///
/// Since: 2024-11-05. Page: client/sampling.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct SamplingMessage {
    /// Who speaks.
    pub role: Role,
    /// What they say.
    pub content: SamplingBlocks,
    /// What travels beside the message. Since: 2025-11-25.
    #[serde(rename = "_meta", default)]
    pub meta: JsonObject,
}

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
    #[serde(rename = "_meta", default)]
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
    #[serde(rename = "_meta", default)]
    pub meta: JsonObject,
}

/// Result of `sampling/createMessage`.
///
/// Since: 2024-11-05. Page: client/sampling.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreateMessageResult {
    /// Who speaks.
    pub role: Role,
    /// What they say.
    pub content: SamplingBlocks,
    /// The model that was used.
    pub model: String,
    /// Why it stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or anything else.
    pub stop_reason: Option<String>,
    /// What travels beside the result.
    #[serde(rename = "_meta", default)]
    pub meta: ResultMeta,
}

impl CreateMessageParams {
    /// Asks for a message.
    #[must_use]
    pub fn new(messages: Vec<SamplingMessage>, max_tokens: u64) -> Self {
        Self {
            messages,
            max_tokens,
            model_preferences: None,
            system_prompt: None,
            include_context: None,
            temperature: None,
            stop_sequences: Vec::new(),
            metadata: None,
            tools: Vec::new(),
            tool_choice: None,
            task: None,
        }
    }

    /// Sets the system prompt.
    #[must_use]
    pub fn system_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.system_prompt = Some(prompt.into());
        self
    }

    /// Says which model to choose.
    #[must_use]
    pub fn model_preferences(mut self, preferences: ModelPreferences) -> Self {
        self.model_preferences = Some(preferences);
        self
    }

    /// Gives the model tools.
    #[must_use]
    pub fn tools(mut self, tools: Vec<Tool>, choice: Option<ToolChoiceMode>) -> Self {
        self.tools = tools;
        self.tool_choice = choice.map(|mode| ToolChoice { mode: Some(mode) });
        self
    }

    /// Reports whether the client must have declared tools in sampling.
    #[must_use]
    pub fn uses_tools(&self) -> bool {
        !self.tools.is_empty() || self.tool_choice.is_some()
    }
}

impl SamplingMessage {
    /// Creates a message of the user.
    #[must_use]
    pub fn user(content: impl Into<SamplingBlocks>) -> Self {
        Self { role: Role::User, content: content.into(), meta: JsonObject::new() }
    }

    /// Creates a message of the model.
    #[must_use]
    pub fn assistant(content: impl Into<SamplingBlocks>) -> Self {
        Self { role: Role::Assistant, content: content.into(), meta: JsonObject::new() }
    }
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

impl CreateMessageResult {
    /// Creates a message of the model.
    #[must_use]
    pub fn new(content: impl Into<SamplingBlocks>, model: impl Into<String>) -> Self {
        Self {
            role: Role::Assistant,
            content: content.into(),
            model: model.into(),
            stop_reason: None,
            meta: ResultMeta::default(),
        }
    }

    /// Says why the model stopped.
    #[must_use]
    pub fn stop_reason(mut self, reason: impl Into<String>) -> Self {
        self.stop_reason = Some(reason.into());
        self
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

impl Fields for CreateMessageParams {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("messages", &self.messages);
        object.field("maxTokens", &self.max_tokens);
        object.optional("modelPreferences", &self.model_preferences);
        object.optional("systemPrompt", &self.system_prompt);
        object.optional("includeContext", &self.include_context);
        object.optional("temperature", &self.temperature);
        object.list("stopSequences", &self.stop_sequences);
        object.optional("metadata", &self.metadata);
        object.until(Revision::V2025_06_18, |object| {
            if self.uses_tools() {
                // Without its tools the model would be asked something else.
                object.refuse("sampling with tools");
            }
        });
        object.since(Revision::V2025_11_25, |object| {
            object.list("tools", &self.tools);
            object.optional("toolChoice", &self.tool_choice);
        });
        object.only(Revision::V2025_11_25, |object| object.optional("task", &self.task));
    }
}

impl Encode for IncludeContext {
    fn encode(&self, out: &mut Writer<'_>) {
        out.string(match self {
            Self::None => "none",
            Self::ThisServer => "thisServer",
            Self::AllServers => "allServers",
        });
    }
}

impl Fields for ModelPreferences {
    fn fields(&self, object: &mut Object<'_, '_>) {
        let unit = |priority: Option<f64>| priority.map(|priority| priority.clamp(0.0, 1.0));
        object.list("hints", &self.hints);
        object.optional("costPriority", &unit(self.cost_priority));
        object.optional("speedPriority", &unit(self.speed_priority));
        object.optional("intelligencePriority", &unit(self.intelligence_priority));
    }
}

impl Fields for ModelHint {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.optional("name", &self.name);
    }
}

impl Fields for ToolChoice {
    fn fields(&self, object: &mut Object<'_, '_>) {
        if let Some(mode) = self.mode {
            let mode = match mode {
                ToolChoiceMode::Auto => "auto",
                ToolChoiceMode::Required => "required",
                ToolChoiceMode::None => "none",
            };
            object.field("mode", mode);
        }
    }
}

impl Fields for SamplingMessage {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("role", &self.role);
        object.field("content", &self.content);
        object.since(Revision::V2025_11_25, |object| nested_meta(object, &self.meta));
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

impl Fields for CreateMessageResult {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("role", &self.role);
        object.field("content", &self.content);
        object.field("model", &self.model);
        object.optional("stopReason", &self.stop_reason);
    }
}

/// As an answer to an input request, where no envelope writes `_meta`.
impl Encode for CreateMessageResult {
    fn encode(&self, out: &mut Writer<'_>) {
        out.object(|object| {
            self.fields(object);
            if object.revision().era() == Era::PerRequest {
                object.nested_unless_empty("_meta", |object| self.meta.write(object, None));
            }
        });
    }
}

encode_fields!(
    CreateMessageParams,
    ModelPreferences,
    ModelHint,
    ToolChoice,
    SamplingMessage,
    ToolUseContent,
    ToolResultContent,
);

impl ResultBody for CreateMessageResult {
    fn meta(&self) -> &ResultMeta {
        &self.meta
    }
}
