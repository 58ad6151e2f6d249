//! Sampling: what a server asks of the client's model. Deprecated since 2026-07-28.

use serde::Deserialize;

use crate::content::{Role, nested_meta};
use crate::encode::{Encode, Fields, Object, ResultBody, Writer, encode_fields};
use crate::json::{JsonObject, or_default};
use crate::meta::ResultMeta;
use crate::revision::{Era, Revision};
use crate::task::TaskRequest;
use crate::tool::Tool;

mod content;

pub use content::{SamplingBlocks, SamplingContent, ToolResultContent, ToolUseContent};

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
    #[serde(default, deserialize_with = "or_default")]
    pub stop_sequences: Vec<String>,
    /// Whatever the provider understands.
    pub metadata: Option<JsonObject>,
    /// Tools for the model to use. Since: 2025-11-25.
    #[serde(default, deserialize_with = "or_default")]
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
    #[serde(default, deserialize_with = "or_default")]
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
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
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
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
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

encode_fields!(CreateMessageParams, ModelPreferences, ModelHint, ToolChoice, SamplingMessage,);

impl ResultBody for CreateMessageResult {
    fn meta(&self) -> &ResultMeta {
        &self.meta
    }
}
