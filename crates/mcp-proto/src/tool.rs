//! Tools: what a server lets a model do.
//!
//! Schemas are kept as text, so that the order of their members survives.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::value::RawValue;

use crate::content::{Content, nested_meta};
use crate::encode::{Encode, Fields, Object, RawText, ResultBody, Writer, encode_fields};
use crate::error::RpcError;
use crate::icon::Icon;
use crate::input_required::{InputResponses, RequestState};
use crate::json::{self, JsonObject, RawJson, or_default};
use crate::member;
use crate::meta::ResultMeta;
use crate::page::{CacheScope, Cursor, ttl_ms};
use crate::params::{decode_params, invalid_params};
use crate::revision::Revision;
use crate::task::TaskRequest;

/// Something a model can call.
///
/// Since: 2024-11-05. Page: server/tools.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Tool {
    /// Its name: 1 to 128 of `A-Z a-z 0-9 _ - .`, unique in the server.
    pub name: String,
    /// The name to show. Since: 2025-06-18; within `annotations` in 2025-03-26.
    pub title: Option<String>,
    /// What it does, for the model.
    pub description: Option<String>,
    /// The JSON Schema of its arguments, with `"type": "object"` at the root.
    #[serde(deserialize_with = "json::required_object")]
    pub input_schema: RawJson,
    /// The JSON Schema of its structured result. Since: 2025-06-18; only with `"type": "object"`
    /// at the root before 2026-07-28.
    #[serde(default, deserialize_with = "json::optional_object")]
    pub output_schema: Option<RawJson>,
    /// Hints on its effects. Since: 2025-03-26.
    pub annotations: Option<ToolAnnotations>,
    /// Icons. Since: 2025-11-25.
    #[serde(default, deserialize_with = "or_default")]
    pub icons: Vec<Icon>,
    /// How it may run as a task. Only: 2025-11-25.
    pub execution: Option<ToolExecution>,
    /// What travels beside it. Since: 2025-06-18.
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
    pub meta: JsonObject,
}

/// Hints on a tool's effects. Never to be trusted more than the server.
///
/// Since: 2025-03-26. Page: server/tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolAnnotations {
    /// The name to show.
    pub title: Option<String>,
    /// Whether it changes nothing. Absent: it may.
    pub read_only_hint: Option<bool>,
    /// Whether its changes may destroy something. Absent: they may.
    pub destructive_hint: Option<bool>,
    /// Whether repeating a call changes nothing more. Absent: it may.
    pub idempotent_hint: Option<bool>,
    /// Whether it reaches an open world. Absent: it does.
    pub open_world_hint: Option<bool>,
}

/// How a tool may run as a task.
///
/// Only: 2025-11-25. Page: basic/utilities/tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolExecution {
    /// Whether calls may or must become tasks. Absent: they must not.
    #[serde(default, deserialize_with = "json::known")]
    pub task_support: Option<TaskSupport>,
}

/// Whether calls of a tool may or must become tasks.
///
/// Only: 2025-11-25. Page: basic/utilities/tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskSupport {
    /// They must not.
    Forbidden,
    /// They may.
    Optional,
    /// They must.
    Required,
}

/// Parameters of `tools/call`. Borrows from the message it was decoded from.
///
/// Since: 2024-11-05. Page: server/tools.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallToolParams<'a> {
    /// The tool.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// The arguments as JSON text, always an object. Absent means `{}`; `null` is refused.
    #[serde(borrow, default, deserialize_with = "arguments")]
    pub arguments: Option<&'a str>,
    /// Asks for a task. Only: 2025-11-25.
    pub task: Option<TaskRequest>,
    /// Answers to what the last attempt asked for. Since: 2026-07-28.
    pub input_responses: Option<InputResponses>,
    /// The state that the last attempt returned. Since: 2026-07-28.
    pub request_state: Option<RequestState>,
}

/// Result of `tools/call`.
///
/// Since: 2024-11-05. Page: server/tools.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallToolResult {
    /// What the tool says. Absent counts as empty.
    #[serde(default, deserialize_with = "or_default")]
    pub content: Vec<Content>,
    /// The result as data; `null` is kept apart from absence. Since: 2025-06-18; only objects
    /// before 2026-07-28.
    #[serde(default, deserialize_with = "json::present")]
    pub structured_content: Option<RawJson>,
    /// Whether the tool failed. Absent: it did not.
    pub is_error: Option<bool>,
    /// What travels beside the result.
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
    pub meta: ResultMeta,
}

/// Result of `tools/list`.
///
/// Since: 2024-11-05. Page: server/tools.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListToolsResult<'a> {
    /// The tools of this page.
    pub tools: Cow<'a, [Tool]>,
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

impl Tool {
    /// Creates a tool. The schema's root must have `"type": "object"`.
    #[must_use]
    pub fn new(name: impl Into<String>, input_schema: RawJson) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            input_schema,
            output_schema: None,
            annotations: None,
            icons: Vec::new(),
            execution: None,
            meta: JsonObject::new(),
        }
    }

    /// Sets the name to show.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Says what the tool does, for the model.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the schema of the structured result.
    #[must_use]
    pub fn output_schema(mut self, schema: RawJson) -> Self {
        self.output_schema = Some(schema);
        self
    }

    /// Adds hints on the tool's effects.
    #[must_use]
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.annotations = Some(annotations);
        self
    }

    /// Adds an icon.
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icons.push(icon);
        self
    }

    /// Says whether calls may or must become tasks.
    #[must_use]
    pub const fn task_support(mut self, support: TaskSupport) -> Self {
        self.execution = Some(ToolExecution { task_support: Some(support) });
        self
    }

    /// Sets what travels beside the tool.
    #[must_use]
    pub fn meta(mut self, meta: JsonObject) -> Self {
        self.meta = meta;
        self
    }

    /// Returns the name to show: the title, the hinted title, or the name.
    #[must_use]
    pub fn display_name(&self) -> &str {
        let hinted = self.annotations.as_ref().and_then(|hints| hints.title.as_deref());
        self.title.as_deref().or(hinted).unwrap_or(&self.name)
    }
}

impl ToolAnnotations {
    /// Says that the tool changes nothing.
    #[must_use]
    pub fn read_only() -> Self {
        Self { read_only_hint: Some(true), ..Self::default() }
    }

    /// Says whether the tool's changes may destroy something.
    #[must_use]
    pub const fn destructive(mut self, destructive: bool) -> Self {
        self.destructive_hint = Some(destructive);
        self
    }

    /// Says whether repeating a call changes nothing more.
    #[must_use]
    pub const fn idempotent(mut self, idempotent: bool) -> Self {
        self.idempotent_hint = Some(idempotent);
        self
    }

    /// Says whether the tool reaches an open world.
    #[must_use]
    pub const fn open_world(mut self, open_world: bool) -> Self {
        self.open_world_hint = Some(open_world);
        self
    }
}

impl<'a> CallToolParams<'a> {
    /// Calls a tool without arguments.
    #[must_use]
    pub fn new(name: impl Into<Cow<'a, str>>) -> Self {
        Self {
            name: name.into(),
            arguments: None,
            task: None,
            input_responses: None,
            request_state: None,
        }
    }

    /// Sets the arguments: an object.
    #[must_use]
    pub fn arguments(mut self, arguments: &'a RawValue) -> Self {
        self.arguments = Some(arguments.get());
        self
    }

    /// Returns the arguments as text, `{}` when there are none.
    #[must_use]
    pub fn arguments_json(&self) -> &'a str {
        self.arguments.unwrap_or("{}")
    }

    /// Decodes the parameters, as [`decode_params`] does, but passes over large arguments without parsing
    /// them: whoever they are for does.
    ///
    /// # Errors
    /// Gives "invalid params" with what is missing or mistyped.
    pub fn from_params(params: Option<&'a RawValue>) -> Result<Self, RpcError> {
        let large = params.filter(|params| member::is_large(params));
        let arguments = large.and_then(|params| member::find(params, "arguments"));
        let (Some(params), Some(span)) = (params, arguments) else { return decode_params(params) };
        let (text, arguments) = (params.get(), params.get().get(span.clone()));
        let Some(arguments) = arguments.filter(|text| text.starts_with('{')) else {
            return decode_params(Some(params));
        };
        // The rest is decoded as it stands, so that its faults are those of small parameters.
        let rest = format!("{}{{}}{}", &text[..span.start], &text[span.end..]);
        let rest: CallToolParams<'_> =
            serde_json::from_str(&rest).map_err(|error| invalid_params("params", &error))?;
        Ok(Self {
            name: Cow::Owned(rest.name.into_owned()),
            arguments: Some(arguments),
            task: rest.task,
            input_responses: rest.input_responses,
            request_state: rest.request_state,
        })
    }
}

impl CallToolResult {
    /// Creates a result from blocks.
    #[must_use]
    pub fn new(content: Vec<Content>) -> Self {
        Self { content, ..Self::default() }
    }

    /// Creates a result from one text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(vec![Content::text(text)])
    }

    /// Creates a failure that the model can read and act on.
    #[must_use]
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: Some(true), ..Self::text(text) }
    }

    /// Creates a result from data, with the same JSON as text for clients that read only text.
    #[must_use]
    pub fn structured(data: RawJson) -> Self {
        let text = data.get().to_owned();
        Self { structured_content: Some(data), ..Self::text(text) }
    }

    /// Sets the data, leaving the blocks alone.
    #[must_use]
    pub fn with_structured(mut self, data: RawJson) -> Self {
        self.structured_content = Some(data);
        self
    }

    /// Adds a block.
    #[must_use]
    pub fn with_content(mut self, content: Content) -> Self {
        self.content.push(content);
        self
    }

    /// Reports whether the tool failed.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.is_error == Some(true)
    }
}

impl<'a> ListToolsResult<'a> {
    /// Creates a page, the last one unless a cursor is set.
    #[must_use]
    pub fn new(tools: impl Into<Cow<'a, [Tool]>>) -> Self {
        Self { tools: tools.into(), ..Self::default() }
    }
}

fn arguments<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de str>, D::Error> {
    let raw = <&RawValue>::deserialize(deserializer)?.get();
    if raw.starts_with('{') {
        Ok(Some(raw))
    } else {
        Err(D::Error::custom("`arguments` must be an object"))
    }
}

/// Reports whether a schema says that it describes objects.
fn describes_objects(schema: &RawJson) -> bool {
    #[derive(Deserialize)]
    struct Root {
        r#type: RawJson,
    }

    schema.decode::<Root>().is_ok_and(|root| root.r#type.get() == "\"object\"")
}

impl Fields for Tool {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("name", &self.name);
        object.since(Revision::V2025_06_18, |object| object.optional("title", &self.title));
        object.optional("description", &self.description);
        if describes_objects(&self.input_schema) {
            object.field("inputSchema", &self.input_schema);
        } else {
            object.refuse("an input schema without \"type\": \"object\"");
        }
        object.since(Revision::V2025_06_18, |object| {
            let any_root = object.revision() >= Revision::V2026_07_28;
            if let Some(schema) = &self.output_schema
                && (any_root || describes_objects(schema))
            {
                object.field("outputSchema", schema);
            }
        });
        object.since(Revision::V2025_06_18, |object| {
            object.optional("annotations", &self.annotations);
        });
        object.only(Revision::V2025_03_26, |object| match (&self.annotations, &self.title) {
            // The title's only place in that revision.
            (hints, Some(title)) if hints.as_ref().is_none_or(|hints| hints.title.is_none()) => {
                let hints = hints.clone().unwrap_or_default();
                let hints = ToolAnnotations { title: Some(title.clone()), ..hints };
                object.field("annotations", &hints);
            }
            (hints, _) => object.optional("annotations", hints),
        });
        object.since(Revision::V2025_11_25, |object| object.list("icons", &self.icons));
        object.only(Revision::V2025_11_25, |object| object.optional("execution", &self.execution));
        nested_meta(object, &self.meta);
    }
}

impl Fields for ToolAnnotations {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.optional("title", &self.title);
        object.optional("readOnlyHint", &self.read_only_hint);
        object.optional("destructiveHint", &self.destructive_hint);
        object.optional("idempotentHint", &self.idempotent_hint);
        object.optional("openWorldHint", &self.open_world_hint);
    }
}

impl Fields for ToolExecution {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.optional("taskSupport", &self.task_support);
    }
}

impl Encode for TaskSupport {
    fn encode(&self, out: &mut Writer<'_>) {
        out.string(match self {
            Self::Forbidden => "forbidden",
            Self::Optional => "optional",
            Self::Required => "required",
        });
    }
}

impl Fields for CallToolParams<'_> {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("name", self.name.as_ref());
        match self.arguments {
            Some(arguments) if !arguments.starts_with('{') => {
                object.refuse("arguments that are not an object");
            }
            arguments => object.optional("arguments", &arguments.map(RawText)),
        }
        object.only(Revision::V2025_11_25, |object| object.optional("task", &self.task));
        object.since(Revision::V2026_07_28, |object| {
            object.optional("inputResponses", &self.input_responses);
            object.optional("requestState", &self.request_state);
        });
    }
}

impl Fields for CallToolResult {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("content", &self.content);
        object.since(Revision::V2025_06_18, |object| {
            structured(object, &self.structured_content);
        });
        object.optional("isError", &self.is_error);
    }
}

/// Writes structured content where the revision can carry it.
pub(crate) fn structured(object: &mut Object<'_, '_>, data: &Option<RawJson>) {
    if let Some(data) = data
        && (data.is_object() || object.revision() >= Revision::V2026_07_28)
    {
        object.field("structuredContent", data);
    }
}

impl Fields for ListToolsResult<'_> {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("tools", self.tools.as_ref());
        object.optional("nextCursor", &self.next_cursor);
    }
}

encode_fields!(Tool, ToolAnnotations, ToolExecution);

crate::page::paged_result!(ListToolsResult);

impl ResultBody for CallToolResult {
    fn meta(&self) -> &ResultMeta {
        &self.meta
    }
}
