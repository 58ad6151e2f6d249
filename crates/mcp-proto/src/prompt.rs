//! Prompts: messages that a server prepares and a user picks.

use std::borrow::Cow;

use serde::Deserialize;

use crate::content::{Content, Role, nested_meta};
use crate::encode::{Fields, Object, ResultBody, encode_fields};
use crate::icon::Icon;
use crate::input_required::{InputResponses, RequestState};
use crate::json::{JsonObject, or_default};
use crate::meta::ResultMeta;
use crate::page::{CacheScope, Cursor, ttl_ms};
use crate::revision::Revision;
use crate::strings::Strings;

/// A prompt that can be filled in.
///
/// Since: 2024-11-05. Page: server/prompts.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Prompt {
    /// Its name.
    pub name: String,
    /// The name to show. Since: 2025-06-18.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// What it can be filled in with.
    #[serde(default, deserialize_with = "or_default")]
    pub arguments: Vec<PromptArgument>,
    /// Icons. Since: 2025-11-25.
    #[serde(default, deserialize_with = "or_default")]
    pub icons: Vec<Icon>,
    /// What travels beside it. Since: 2025-06-18.
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
    pub meta: JsonObject,
}

/// An argument of a prompt.
///
/// Since: 2024-11-05. Page: server/prompts.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// The name to show. Since: 2025-06-18.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Whether it must be given. Absent: it need not.
    pub required: Option<bool>,
}

/// Parameters of `prompts/get`.
///
/// Since: 2024-11-05. Page: server/prompts.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GetPromptParams<'a> {
    /// The prompt.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// The arguments, strings all.
    #[serde(default, deserialize_with = "or_default")]
    pub arguments: Strings,
    /// Answers to what the last attempt asked for. Since: 2026-07-28.
    pub input_responses: Option<InputResponses>,
    /// The state that the last attempt returned. Since: 2026-07-28.
    pub request_state: Option<RequestState>,
}

/// One message of a prompt.
///
/// Since: 2024-11-05. Page: server/prompts.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct PromptMessage {
    /// Who speaks.
    pub role: Role,
    /// What they say.
    pub content: Content,
}

/// Result of `prompts/get`.
///
/// Since: 2024-11-05. Page: server/prompts.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct GetPromptResult {
    /// What the prompt is for.
    pub description: Option<String>,
    /// The messages.
    pub messages: Vec<PromptMessage>,
    /// What travels beside the result.
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
    pub meta: ResultMeta,
}

/// Result of `prompts/list`.
///
/// Since: 2024-11-05. Page: server/prompts.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListPromptsResult<'a> {
    /// The prompts of this page.
    pub prompts: Cow<'a, [Prompt]>,
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

impl Prompt {
    /// Creates a prompt without arguments.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            arguments: Vec::new(),
            icons: Vec::new(),
            meta: JsonObject::new(),
        }
    }

    /// Sets the name to show.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Says what the prompt is for.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Adds an argument.
    #[must_use]
    pub fn argument(mut self, argument: PromptArgument) -> Self {
        self.arguments.push(argument);
        self
    }

    /// Adds an icon.
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icons.push(icon);
        self
    }

    /// Sets what travels beside the prompt.
    #[must_use]
    pub fn meta(mut self, meta: JsonObject) -> Self {
        self.meta = meta;
        self
    }
}

impl PromptArgument {
    /// Creates an argument that need not be given.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), title: None, description: None, required: None }
    }

    /// Creates an argument that must be given.
    #[must_use]
    pub fn required(name: impl Into<String>) -> Self {
        Self { required: Some(true), ..Self::new(name) }
    }

    /// Sets the name to show.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Says what the argument is for.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Reports whether the argument must be given.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.required == Some(true)
    }
}

impl<'a> GetPromptParams<'a> {
    /// Asks for a prompt without arguments.
    #[must_use]
    pub fn new(name: impl Into<Cow<'a, str>>) -> Self {
        Self {
            name: name.into(),
            arguments: Strings::new(),
            input_responses: None,
            request_state: None,
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn argument(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.arguments.insert(name, value);
        self
    }
}

impl PromptMessage {
    /// Creates a message of the user.
    #[must_use]
    pub fn user(content: impl Into<Content>) -> Self {
        Self { role: Role::User, content: content.into() }
    }

    /// Creates a message of the model.
    #[must_use]
    pub fn assistant(content: impl Into<Content>) -> Self {
        Self { role: Role::Assistant, content: content.into() }
    }
}

impl GetPromptResult {
    /// Creates a result.
    #[must_use]
    pub fn new(messages: Vec<PromptMessage>) -> Self {
        Self { messages, ..Self::default() }
    }

    /// Says what the prompt is for.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }
}

impl<'a> ListPromptsResult<'a> {
    /// Creates a page, the last one unless a cursor is set.
    #[must_use]
    pub fn new(prompts: impl Into<Cow<'a, [Prompt]>>) -> Self {
        Self { prompts: prompts.into(), ..Self::default() }
    }
}

impl Fields for Prompt {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("name", &self.name);
        object.since(Revision::V2025_06_18, |object| object.optional("title", &self.title));
        object.optional("description", &self.description);
        object.list("arguments", &self.arguments);
        object.since(Revision::V2025_11_25, |object| object.list("icons", &self.icons));
        nested_meta(object, &self.meta);
    }
}

impl Fields for PromptArgument {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("name", &self.name);
        object.since(Revision::V2025_06_18, |object| object.optional("title", &self.title));
        object.optional("description", &self.description);
        object.optional("required", &self.required);
    }
}

impl Fields for GetPromptParams<'_> {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("name", self.name.as_ref());
        if !self.arguments.is_empty() {
            object.field("arguments", &self.arguments);
        }
        object.since(Revision::V2026_07_28, |object| {
            object.optional("inputResponses", &self.input_responses);
            object.optional("requestState", &self.request_state);
        });
    }
}

impl Fields for PromptMessage {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("role", &self.role);
        object.field("content", &self.content);
    }
}

impl Fields for GetPromptResult {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.optional("description", &self.description);
        object.field("messages", &self.messages);
    }
}

impl Fields for ListPromptsResult<'_> {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("prompts", self.prompts.as_ref());
        object.optional("nextCursor", &self.next_cursor);
    }
}

encode_fields!(Prompt, PromptArgument, PromptMessage);

crate::page::paged_result!(ListPromptsResult);

impl ResultBody for GetPromptResult {
    fn meta(&self) -> &ResultMeta {
        &self.meta
    }
}
