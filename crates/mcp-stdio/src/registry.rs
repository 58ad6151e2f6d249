//! The handlers of a server: sorted by name, and fixed once the server is built.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use mcp_proto::{
    Capability, Implementation, Method, Revision, ServerCapabilities, Tool as ToolDefinition, Wire,
};

use crate::error::BuildError;
use crate::tool::Tool;

/// Everything a server offers.
pub(crate) struct Registry {
    pub(crate) info: Implementation,
    pub(crate) instructions: Option<String>,
    pub(crate) capabilities: ServerCapabilities,
    /// Sorted by name, like `tools`.
    pub(crate) tool_definitions: Vec<ToolDefinition>,
    pub(crate) tools: Vec<ToolEntry>,
    wires: [Wire; Revision::ALL.len()],
}

/// What a builder has collected so far.
pub(crate) struct Parts {
    pub(crate) info: Implementation,
    pub(crate) instructions: Option<String>,
    pub(crate) logging: bool,
    pub(crate) tools: Vec<Box<dyn Tool>>,
}

pub(crate) struct ToolEntry {
    pub(crate) handler: Box<dyn Tool>,
    pub(crate) pace: Pace,
}

impl Registry {
    /// Sorts the handlers and derives the capabilities from them.
    pub(crate) fn new(parts: Parts) -> Result<Self, BuildError> {
        let mut tools: Vec<_> =
            parts.tools.into_iter().map(|tool| (tool.definition(), tool)).collect();
        tools.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
        let (tool_definitions, tools): (Vec<_>, Vec<_>) = tools.into_iter().unzip();
        let tools =
            tools.into_iter().map(|handler| ToolEntry { handler, pace: Pace::default() }).collect();
        for definition in &tool_definitions {
            check_name(&definition.name)?;
            if !definition.input_schema.is_object() {
                return Err(BuildError::InputSchema(definition.name.clone()));
            }
        }
        if let Some(name) = twice(&tool_definitions, |definition| &definition.name) {
            return Err(BuildError::Duplicate { what: "tool", name });
        }
        let mut capabilities = ServerCapabilities::default();
        if !tool_definitions.is_empty() {
            capabilities = capabilities.with_tools(false);
        }
        if parts.logging {
            capabilities = capabilities.with_logging();
        }
        let wires = Revision::ALL.map(|revision| Wire::new(revision).with_server_info(&parts.info));
        Ok(Self {
            info: parts.info,
            instructions: parts.instructions,
            capabilities,
            tool_definitions,
            tools,
            wires,
        })
    }

    pub(crate) fn wire(&self, revision: Revision) -> &Wire {
        &self.wires[revision as usize]
    }

    /// Returns where the tool of that name stands.
    pub(crate) fn tool(&self, name: &str) -> Option<usize> {
        self.tool_definitions.binary_search_by(|tool| tool.name.as_str().cmp(name)).ok()
    }

    /// Says whether a handler or a setting stands behind `method`.
    pub(crate) fn serves(&self, method: Method) -> bool {
        match method.spec().capability {
            None => matches!(method, Method::Discover | Method::Initialize | Method::Ping),
            Some(Capability::Tools) => self.capabilities.tools.is_some(),
            Some(Capability::Logging) => self.capabilities.logging.is_some(),
            Some(_) => false,
        }
    }
}

/// Returns a name that two neighbours of a sorted list share.
fn twice<T>(sorted: &[T], name: impl Fn(&T) -> &String) -> Option<String> {
    sorted
        .windows(2)
        .find(|pair| name(&pair[0]) == name(&pair[1]))
        .map(|pair| name(&pair[0]).clone())
}

/// Checks a tool's name against the alphabet that every client accepts.
fn check_name(name: &str) -> Result<(), BuildError> {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    if (1..=128).contains(&name.len()) && name.bytes().all(legal) {
        return Ok(());
    }
    Err(BuildError::ToolName(name.to_owned()))
}

/// How long a handler took the last time, which tells how to run it the next time.
///
/// A handler that has never run counts as long.
#[derive(Debug)]
pub(crate) struct Pace(AtomicU32);

/// Up to this time in microseconds, ready answers may wait for the call to end.
const BRIEF: u32 = 20;

/// From this time in microseconds on, waking another thread first costs little in comparison.
const LONG: u32 = 200;

impl Default for Pace {
    fn default() -> Self {
        Self(AtomicU32::new(u32::MAX))
    }
}

impl Pace {
    pub(crate) fn note(&self, duration: Duration) {
        let micros = u32::try_from(duration.as_micros()).unwrap_or(u32::MAX);
        self.0.store(micros, Ordering::Relaxed);
    }

    pub(crate) fn is_brief(&self) -> bool {
        self.0.load(Ordering::Relaxed) <= BRIEF
    }

    pub(crate) fn is_long(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= LONG
    }
}
