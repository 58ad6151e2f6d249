//! Everything a server offers, fixed once it is built.
//!
//! The capabilities follow from the handlers, so what is advertised works and nothing else is.

use std::sync::OnceLock;

use mcp_proto::{
    CacheHint, Capability, Implementation, JsonObject, Method, Prompt as PromptDefinition, RawJson,
    Resource as ResourceDefinition, ResourceTemplate as TemplateDefinition, Revision,
    ServerCapabilities, TASKS_EXTENSION, Tool as ToolDefinition, Wire,
};

use crate::catalog::{Catalog, Pace};
use crate::completion::Complete;
use crate::error::BuildError;
use crate::notifier::{Change, Notifier};
use crate::prompt::Prompt;
use crate::resource::{Resource, ResourceTemplate};
use crate::seal::Seal;
use crate::task::Tasks;
use crate::template::{Template, TemplateMatch};
use crate::tool::Tool;

/// What a builder has collected so far.
pub(crate) struct Parts {
    pub(crate) info: Implementation,
    pub(crate) instructions: Option<String>,
    pub(crate) logging: bool,
    pub(crate) announced: Announced,
    pub(crate) tools: Vec<Box<dyn Tool>>,
    pub(crate) resources: Vec<Box<dyn Resource>>,
    pub(crate) templates: Vec<Box<dyn ResourceTemplate>>,
    pub(crate) prompts: Vec<Box<dyn Prompt>>,
    pub(crate) completion: Option<Box<dyn Complete>>,
    pub(crate) state_key: Option<Vec<u8>>,
    pub(crate) tasks: bool,
    pub(crate) list_cache: CacheHint,
}

/// The changes that a server tells its clients of.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Announced {
    pub(crate) tools: bool,
    pub(crate) prompts: bool,
    pub(crate) resources: bool,
    pub(crate) resource_updates: bool,
}

pub(crate) struct Registry {
    pub(crate) info: Implementation,
    pub(crate) instructions: Option<String>,
    pub(crate) capabilities: ServerCapabilities,
    pub(crate) announced: Announced,
    pub(crate) tools: Catalog<ToolDefinition, dyn Tool>,
    pub(crate) resources: Catalog<ResourceDefinition, dyn Resource>,
    pub(crate) templates: Catalog<TemplateDefinition, dyn ResourceTemplate>,
    pub(crate) prompts: Catalog<PromptDefinition, dyn Prompt>,
    pub(crate) completion: Option<Box<dyn Complete>>,
    pub(crate) notifier: Notifier,
    pub(crate) tasks: Option<Tasks>,
    /// How long clients may keep lists, and what the server says of itself.
    pub(crate) list_cache: CacheHint,
    /// How long listing resources and completing took, as these run handlers too.
    pub(crate) list_pace: Pace,
    pub(crate) completion_pace: Pace,
    /// The compiled templates, in the order of `templates`.
    patterns: Vec<Template>,
    state_key: Option<Vec<u8>>,
    seal: OnceLock<Seal>,
    wires: [Wire; Revision::ALL.len()],
}

/// The handler behind a URI.
pub(crate) enum ResourceHandler {
    Single(usize),
    Template(usize, TemplateMatch),
}

impl Registry {
    /// Sorts the handlers and derives the capabilities from them.
    pub(crate) fn new(parts: Parts) -> Result<Self, BuildError> {
        let tools = Catalog::new("tool", parts.tools, Tool::definition, |tool| &tool.name)?;
        for definition in tools.definitions() {
            check_tool(definition)?;
        }
        let resources =
            Catalog::new("resource", parts.resources, Resource::definition, |resource| {
                &resource.uri
            })?;
        let templates = Catalog::new(
            "resource template",
            parts.templates,
            ResourceTemplate::definition,
            |template| &template.uri_template,
        )?;
        let patterns = templates
            .definitions()
            .iter()
            .map(|template| Template::parse(&template.uri_template))
            .collect::<Result<_, _>>()?;
        let prompts =
            Catalog::new("prompt", parts.prompts, Prompt::definition, |prompt| &prompt.name)?;
        let mut registry = Self {
            wires: Revision::ALL.map(|revision| Wire::new(revision).with_server_info(&parts.info)),
            info: parts.info,
            instructions: parts.instructions,
            capabilities: ServerCapabilities::default(),
            announced: parts.announced,
            tools,
            resources,
            templates,
            prompts,
            completion: parts.completion,
            notifier: Notifier::default(),
            tasks: parts.tasks.then(Tasks::default),
            list_cache: parts.list_cache,
            list_pace: Pace::default(),
            completion_pace: Pace::default(),
            patterns,
            state_key: parts.state_key,
            seal: OnceLock::new(),
        };
        registry.advertise(parts.logging);
        Ok(registry)
    }

    fn advertise(&mut self, logging: bool) {
        let has_resources = !self.resources.is_empty() || !self.templates.is_empty();
        let announced = &mut self.announced;
        announced.tools &= !self.tools.is_empty();
        announced.prompts &= !self.prompts.is_empty();
        announced.resources &= has_resources;
        announced.resource_updates &= has_resources;
        let mut capabilities = ServerCapabilities::default();
        if !self.tools.is_empty() {
            capabilities = capabilities.with_tools(announced.tools);
        }
        if !self.prompts.is_empty() {
            capabilities = capabilities.with_prompts(announced.prompts);
        }
        if has_resources {
            capabilities =
                capabilities.with_resources(announced.resource_updates, announced.resources);
        }
        if self.completion.is_some() {
            capabilities = capabilities.with_completions();
        }
        if logging {
            capabilities = capabilities.with_logging();
        }
        if self.tasks.is_some() {
            capabilities = capabilities.with_extension(TASKS_EXTENSION, &JsonObject::new());
        }
        self.capabilities = capabilities;
    }

    /// Returns the wire form of a revision.
    pub(crate) fn wire(&self, revision: Revision) -> &Wire {
        &self.wires[revision as usize]
    }

    /// Returns what seals the states of requests, made when the first state is.
    pub(crate) fn seal(&self) -> Result<&Seal, getrandom::Error> {
        if let Some(seal) = self.seal.get() {
            return Ok(seal);
        }
        let seal = match &self.state_key {
            Some(key) => Seal::new(key),
            None => {
                let mut key = [0; 32];
                getrandom::fill(&mut key)?;
                Seal::new(&key)
            }
        };
        Ok(self.seal.get_or_init(|| seal))
    }

    /// Returns the handler of a URI; a single resource goes before any template.
    pub(crate) fn resource(&self, uri: &str) -> Option<ResourceHandler> {
        if let Some(index) = self.resources.find(uri) {
            let is_available = self.resources.entries()[index].handler.is_available();
            return is_available.then_some(ResourceHandler::Single(index));
        }
        let mut patterns = self.patterns.iter().enumerate();
        patterns.find_map(|(index, pattern)| {
            pattern.matches(uri).map(|matched| ResourceHandler::Template(index, matched))
        })
    }

    /// Says whether there is something to read under a URI.
    pub(crate) fn has_resource(&self, uri: &str) -> bool {
        match self.resource(uri) {
            None => false,
            Some(ResourceHandler::Single(_)) => true,
            Some(ResourceHandler::Template(index, matched)) => {
                self.templates.entries()[index].handler.exists(&matched)
            }
        }
    }

    /// Says whether a handler or a setting stands behind `method`.
    pub(crate) fn serves(&self, method: Method, revision: Revision) -> bool {
        match method.spec().capability {
            None if method == Method::ListenSubscriptions => self.announces_anything(),
            None => matches!(method, Method::Discover | Method::Initialize | Method::Ping),
            Some(Capability::Tools) => self.capabilities.tools.is_some(),
            Some(Capability::Resources) => self.capabilities.resources.is_some(),
            Some(Capability::ResourceSubscriptions) => self.announced.resource_updates,
            Some(Capability::Prompts) => self.capabilities.prompts.is_some(),
            Some(Capability::Completions) => self.completion.is_some(),
            Some(Capability::Logging) => self.capabilities.logging.is_some(),
            Some(Capability::Tasks | Capability::TaskCancel) => {
                self.tasks.is_some() && method.is_tasks_extension(revision)
            }
            Some(
                Capability::TaskList
                | Capability::Roots
                | Capability::Sampling
                | Capability::Elicitation,
            ) => false,
        }
    }

    /// Says whether clients are told of changes of that kind.
    pub(crate) fn announces(&self, change: &Change) -> bool {
        match change {
            Change::Tools => self.announced.tools,
            Change::Prompts => self.announced.prompts,
            Change::Resources => self.announced.resources,
            Change::Resource(_) => self.announced.resource_updates,
            Change::Task(_) => self.tasks.is_some(),
        }
    }

    fn announces_anything(&self) -> bool {
        let Announced { tools, prompts, resources, resource_updates } = self.announced;
        tools || prompts || resources || resource_updates || self.tasks.is_some()
    }
}

/// Checks what every client demands of a tool.
fn check_tool(tool: &ToolDefinition) -> Result<(), BuildError> {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    if !(1..=128).contains(&tool.name.len()) || !tool.name.bytes().all(legal) {
        return Err(BuildError::ToolName(tool.name.clone()));
    }
    if !describes_an_object(&tool.input_schema) {
        return Err(BuildError::InputSchema(tool.name.clone()));
    }
    Ok(())
}

fn describes_an_object(schema: &RawJson) -> bool {
    let root = schema.decode::<serde_json::Map<String, serde_json::Value>>();
    root.is_ok_and(|root| root.get("type").is_some_and(|kind| kind == "object"))
}
