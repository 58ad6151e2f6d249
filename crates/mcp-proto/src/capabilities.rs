//! What a client and a server can do.
//!
//! Both sets are open: members that no revision defines are ignored on receipt. On sending, each
//! revision gets only the members it has.

use serde::Deserialize;

use crate::encode::{Fields, Object, encode_fields};
use crate::json::{JsonObject, RawJson, or_default};
use crate::revision::Revision;

/// The extension that carries tasks since 2026-07-28, named in `extensions`.
pub const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// What a client offers to servers.
///
/// Since: 2024-11-05. Page: basic/lifecycle up to 2025-11-25, basic/versioning after.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ClientCapabilities {
    /// Non-standard features; every value is an object.
    pub experimental: Option<JsonObject>,
    /// Listing of roots. Deprecated since 2026-07-28.
    pub roots: Option<RootsCapability>,
    /// Sampling from a model. Deprecated since 2026-07-28.
    pub sampling: Option<SamplingCapability>,
    /// Asking the user. Since: 2025-06-18.
    pub elicitation: Option<ElicitationCapability>,
    /// Hosting of tasks. Only: 2025-11-25.
    pub tasks: Option<TasksCapability>,
    /// Extension id to settings. Since: 2026-07-28.
    pub extensions: Option<JsonObject>,
}

/// What a server offers to clients.
///
/// Since: 2024-11-05. Page: basic/lifecycle up to 2025-11-25, server/discover after.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ServerCapabilities {
    /// Non-standard features; every value is an object.
    pub experimental: Option<JsonObject>,
    /// Log messages. Deprecated since 2026-07-28.
    pub logging: Option<JsonObject>,
    /// Completion of arguments. Since: 2025-03-26.
    pub completions: Option<JsonObject>,
    /// Prompts.
    pub prompts: Option<ListCapability>,
    /// Resources.
    pub resources: Option<ResourcesCapability>,
    /// Tools.
    pub tools: Option<ListCapability>,
    /// Hosting of tasks. Only: 2025-11-25.
    pub tasks: Option<TasksCapability>,
    /// Extension id to settings. Since: 2026-07-28.
    pub extensions: Option<JsonObject>,
}

/// A list that may announce its changes.
///
/// Since: 2024-11-05.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ListCapability {
    /// Whether changes of the list are announced.
    #[serde(deserialize_with = "or_default")]
    pub list_changed: bool,
}

/// What a server offers about resources.
///
/// Since: 2024-11-05.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ResourcesCapability {
    /// Whether updates of single resources can be subscribed to.
    #[serde(deserialize_with = "or_default")]
    pub subscribe: bool,
    /// Whether changes of the list are announced.
    #[serde(deserialize_with = "or_default")]
    pub list_changed: bool,
}

/// What a client offers about roots.
///
/// Since: 2024-11-05. Deprecated since 2026-07-28, which has no announcement of changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct RootsCapability {
    /// Whether changes of the list are announced. Until: 2025-11-25.
    #[serde(deserialize_with = "or_default")]
    pub list_changed: bool,
}

/// What a client offers about sampling.
///
/// Since: 2024-11-05. Deprecated since 2026-07-28.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct SamplingCapability {
    /// Context from other servers. Since: 2025-11-25.
    pub context: Option<JsonObject>,
    /// Tools for the model to use. Since: 2025-11-25.
    pub tools: Option<JsonObject>,
}

/// How a client can ask the user. With neither mode it means forms.
///
/// Since: 2025-06-18, the modes since 2025-11-25.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ElicitationCapability {
    /// Forms.
    pub form: Option<JsonObject>,
    /// Pages that the user opens.
    pub url: Option<JsonObject>,
}

impl ElicitationCapability {
    /// Offers forms.
    #[must_use]
    pub fn form() -> Self {
        Self { form: Some(JsonObject::new()), url: None }
    }

    /// Offers forms and pages.
    #[must_use]
    pub fn form_and_url() -> Self {
        Self { form: Some(JsonObject::new()), url: Some(JsonObject::new()) }
    }

    /// Offers pages alone.
    #[must_use]
    pub fn url() -> Self {
        Self { form: None, url: Some(JsonObject::new()) }
    }

    /// Reports whether the client shows forms.
    #[must_use]
    pub fn has_form(&self) -> bool {
        self.form.is_some() || self.url.is_none()
    }

    /// Reports whether the client sends the user to pages.
    #[must_use]
    pub fn has_url(&self) -> bool {
        self.url.is_some()
    }
}

/// Which requests a side runs as tasks, and how its tasks can be managed.
///
/// Only: 2025-11-25. Page: basic/utilities/tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "TasksShape")]
#[non_exhaustive]
pub struct TasksCapability {
    /// Whether `tasks/list` works.
    pub list: bool,
    /// Whether `tasks/cancel` works.
    pub cancel: bool,
    /// Whether `tools/call` may become a task; for servers.
    pub call_tool: bool,
    /// Whether `sampling/createMessage` may become a task; for clients.
    pub create_message: bool,
    /// Whether `elicitation/create` may become a task; for clients.
    pub elicit: bool,
}

#[derive(Deserialize)]
struct TasksShape {
    list: Option<RawJson>,
    cancel: Option<RawJson>,
    requests: Option<TaskRequestsShape>,
}

#[derive(Default, Deserialize)]
struct TaskRequestsShape {
    tools: Option<ToolRequestsShape>,
    sampling: Option<SamplingRequestsShape>,
    elicitation: Option<ElicitationRequestsShape>,
}

#[derive(Deserialize)]
struct ToolRequestsShape {
    call: Option<RawJson>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SamplingRequestsShape {
    create_message: Option<RawJson>,
}

#[derive(Deserialize)]
struct ElicitationRequestsShape {
    create: Option<RawJson>,
}

impl From<TasksShape> for TasksCapability {
    fn from(shape: TasksShape) -> Self {
        let requests = shape.requests.unwrap_or_default();
        Self {
            list: shape.list.is_some(),
            cancel: shape.cancel.is_some(),
            call_tool: requests.tools.is_some_and(|tools| tools.call.is_some()),
            create_message: requests.sampling.is_some_and(|s| s.create_message.is_some()),
            elicit: requests.elicitation.is_some_and(|e| e.create.is_some()),
        }
    }
}

impl ClientCapabilities {
    /// Offers roots.
    #[must_use]
    pub fn with_roots(mut self, list_changed: bool) -> Self {
        self.roots = Some(RootsCapability { list_changed });
        self
    }

    /// Offers sampling.
    #[must_use]
    pub fn with_sampling(mut self) -> Self {
        self.sampling.get_or_insert_default();
        self
    }

    /// Offers sampling with tools.
    #[must_use]
    pub fn with_sampling_tools(mut self) -> Self {
        self.sampling.get_or_insert_default().tools = Some(JsonObject::new());
        self
    }

    /// Offers elicitation.
    #[must_use]
    pub fn with_elicitation(mut self, elicitation: ElicitationCapability) -> Self {
        self.elicitation = Some(elicitation);
        self
    }

    /// Offers tasks.
    #[must_use]
    pub fn with_tasks(mut self, tasks: TasksCapability) -> Self {
        self.tasks = Some(tasks);
        self
    }

    /// Offers an extension; `settings` may be empty.
    #[must_use]
    pub fn with_extension(mut self, id: &str, settings: &JsonObject) -> Self {
        add_extension(&mut self.extensions, id, settings);
        self
    }

    /// Reports whether the client declared the extension.
    #[must_use]
    pub fn has_extension(&self, id: &str) -> bool {
        has_extension(self.extensions.as_ref(), id)
    }
}

impl ServerCapabilities {
    /// Offers tools.
    #[must_use]
    pub fn with_tools(mut self, list_changed: bool) -> Self {
        self.tools = Some(ListCapability { list_changed });
        self
    }

    /// Offers prompts.
    #[must_use]
    pub fn with_prompts(mut self, list_changed: bool) -> Self {
        self.prompts = Some(ListCapability { list_changed });
        self
    }

    /// Offers resources.
    #[must_use]
    pub fn with_resources(mut self, subscribe: bool, list_changed: bool) -> Self {
        self.resources = Some(ResourcesCapability { subscribe, list_changed });
        self
    }

    /// Offers completion.
    #[must_use]
    pub fn with_completions(mut self) -> Self {
        self.completions = Some(JsonObject::new());
        self
    }

    /// Offers log messages.
    #[must_use]
    pub fn with_logging(mut self) -> Self {
        self.logging = Some(JsonObject::new());
        self
    }

    /// Offers tasks.
    #[must_use]
    pub fn with_tasks(mut self, tasks: TasksCapability) -> Self {
        self.tasks = Some(tasks);
        self
    }

    /// Offers an extension; `settings` may be empty.
    #[must_use]
    pub fn with_extension(mut self, id: &str, settings: &JsonObject) -> Self {
        add_extension(&mut self.extensions, id, settings);
        self
    }

    /// Reports whether the server declared the extension.
    #[must_use]
    pub fn has_extension(&self, id: &str) -> bool {
        has_extension(self.extensions.as_ref(), id)
    }
}

fn add_extension(extensions: &mut Option<JsonObject>, id: &str, settings: &JsonObject) {
    // An object of raw values always has a JSON form.
    if let Ok(settings) = RawJson::new(settings) {
        extensions.get_or_insert_default().insert(id, settings);
    }
}

fn has_extension(extensions: Option<&JsonObject>, id: &str) -> bool {
    extensions.and_then(|extensions| extensions.get(id)).is_some_and(RawJson::is_object)
}

/// Writes a map whose values must be objects; others have no place there.
fn objects(object: &mut Object<'_, '_>, name: &str, map: &Option<JsonObject>) {
    if let Some(map) = map {
        object.nested(name, |object| {
            for (id, settings) in map.iter().filter(|(_, settings)| settings.is_object()) {
                object.field(id, settings);
            }
        });
    }
}

fn flag(object: &mut Object<'_, '_>, name: &str, on: bool) {
    if on {
        object.field(name, &true);
    }
}

fn present(object: &mut Object<'_, '_>, name: &str, on: bool) {
    if on {
        object.nested(name, |_| {});
    }
}

impl Fields for ClientCapabilities {
    fn fields(&self, object: &mut Object<'_, '_>) {
        objects(object, "experimental", &self.experimental);
        object.optional("roots", &self.roots);
        object.optional("sampling", &self.sampling);
        if let Some(elicitation) = &self.elicitation {
            object.since(Revision::V2025_11_25, |object| object.field("elicitation", elicitation));
            // Before modes existed, elicitation meant forms.
            object.only(Revision::V2025_06_18, |object| {
                present(object, "elicitation", elicitation.has_form());
            });
        }
        if let Some(tasks) = &self.tasks {
            object.only(Revision::V2025_11_25, |object| tasks.of_client(object));
        }
        object.since(Revision::V2026_07_28, |object| {
            objects(object, "extensions", &self.extensions);
        });
    }
}

impl Fields for ServerCapabilities {
    fn fields(&self, object: &mut Object<'_, '_>) {
        objects(object, "experimental", &self.experimental);
        object.optional("logging", &self.logging);
        object.since(Revision::V2025_03_26, |object| {
            object.optional("completions", &self.completions);
        });
        object.optional("prompts", &self.prompts);
        object.optional("resources", &self.resources);
        object.optional("tools", &self.tools);
        if let Some(tasks) = &self.tasks {
            object.only(Revision::V2025_11_25, |object| tasks.of_server(object));
        }
        object.since(Revision::V2026_07_28, |object| {
            objects(object, "extensions", &self.extensions);
        });
    }
}

impl Fields for ListCapability {
    fn fields(&self, object: &mut Object<'_, '_>) {
        flag(object, "listChanged", self.list_changed);
    }
}

impl Fields for ResourcesCapability {
    fn fields(&self, object: &mut Object<'_, '_>) {
        flag(object, "subscribe", self.subscribe);
        flag(object, "listChanged", self.list_changed);
    }
}

impl Fields for RootsCapability {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.until(Revision::V2025_11_25, |object| {
            flag(object, "listChanged", self.list_changed);
        });
    }
}

impl Fields for SamplingCapability {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.since(Revision::V2025_11_25, |object| {
            object.optional("context", &self.context);
            object.optional("tools", &self.tools);
        });
    }
}

impl Fields for ElicitationCapability {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.optional("form", &self.form);
        object.optional("url", &self.url);
    }
}

impl TasksCapability {
    /// Writes what a server can say.
    fn of_server(&self, object: &mut Object<'_, '_>) {
        object.nested("tasks", |object| {
            self.management(object);
            object.nested_unless_empty("requests", |object| {
                object.nested_unless_empty("tools", |object| {
                    present(object, "call", self.call_tool);
                });
            });
        });
    }

    /// Writes what a client can say.
    fn of_client(&self, object: &mut Object<'_, '_>) {
        object.nested("tasks", |object| {
            self.management(object);
            object.nested_unless_empty("requests", |object| {
                object.nested_unless_empty("sampling", |object| {
                    present(object, "createMessage", self.create_message);
                });
                object.nested_unless_empty("elicitation", |object| {
                    present(object, "create", self.elicit);
                });
            });
        });
    }

    fn management(&self, object: &mut Object<'_, '_>) {
        present(object, "list", self.list);
        present(object, "cancel", self.cancel);
    }
}

encode_fields!(
    ClientCapabilities,
    ServerCapabilities,
    ListCapability,
    ResourcesCapability,
    RootsCapability,
    SamplingCapability,
    ElicitationCapability,
);
