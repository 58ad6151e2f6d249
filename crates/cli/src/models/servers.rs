//! The tools of the servers that may run, for the length of one review.

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;
use std::time::Duration;

use mcp_proto::{CallToolResult, Content, ResourceBody};
use mcp_stdio::client::{CallOptions, CancelToken};
use review_tool::control::Control;
use review_tool::model::{Redacted, ToolOutcome, ToolSpec, Toolbox};
use review_tool::printable;
use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::folders::Folders;
use crate::servers::connect::{Connected, connect};
use crate::servers::trust::Standing;
use crate::servers::{Entry, Servers};
use crate::terminal;

/// The longest name of a tool that providers take.
const MAX_NAME: usize = 64;
/// So much of a server's description of a tool is shown.
const MAX_DESCRIPTION: usize = 1000;
/// How long a server may take to list its tools.
const LISTING: Duration = Duration::from_secs(20);
/// How often a wait looks for cancellation.
const POLL: Duration = Duration::from_millis(10);

/// The tools of running servers. The servers end with this value.
pub(crate) struct ServerTools<'e> {
    servers: Vec<Connected<'e>>,
    specs: Vec<ToolSpec>,
    /// By the name that the model sees: the server, and the tool as it calls it.
    routes: BTreeMap<String, (usize, String)>,
}

impl<'e> ServerTools<'e> {
    /// Starts every server that may run, at once, and reads what it offers. One that does not start is
    /// left out with a warning: it grounds a review, and is none.
    pub(crate) fn start(servers: &'e Servers, folders: &Folders, root: &Path) -> Self {
        let may_run =
            |entry: &&Entry| matches!(servers.standing(entry), Standing::Own | Standing::Trusted);
        let entries: Vec<&Entry> = servers.all().filter(may_run).collect();
        let started: Vec<_> = thread::scope(|scope| {
            let start = |entry: &'e Entry| scope.spawn(move || connect(entry, folders, root));
            let threads: Vec<_> = entries.into_iter().map(start).collect();
            threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
        });
        let mut tools = Self { servers: Vec::new(), specs: Vec::new(), routes: BTreeMap::new() };
        for result in started {
            match result {
                Ok(server) => tools.add(server),
                Err(error) => warn(&format!("a server is left out of the review: {error:#}")),
            }
        }
        tools
    }

    fn add(&mut self, server: Connected<'e>) {
        let listed = server.session.tools(&CallOptions::default().timeout(LISTING));
        let listed = match listed {
            Ok(listed) => listed,
            Err(error) => {
                let name = &server.entry.name;
                warn(&format!("server {name} is left out of the review: {error}"));
                return;
            }
        };
        let at = self.servers.len();
        for tool in listed.iter() {
            // A change that talks the model into a call must not get anything done by it.
            let annotations = tool.annotations.as_ref();
            let is_read_only = annotations.and_then(|all| all.read_only_hint);
            let destroys = annotations.and_then(|all| all.destructive_hint) == Some(true);
            if is_read_only == Some(false) || (destroys && is_read_only != Some(true)) {
                continue;
            }
            let schema = serde_json::from_str(tool.input_schema.get());
            let Ok(schema @ Value::Object(_)) = schema else { continue };
            let name = name(&server.entry.name, &tool.name);
            let about = tool.description.as_deref().unwrap_or_default();
            let about: String = about.chars().take(MAX_DESCRIPTION).collect();
            let description = Redacted::new(&about);
            if self.routes.insert(name.clone(), (at, tool.name.to_string())).is_none() {
                self.specs.push(ToolSpec { name, description, schema });
            }
        }
        self.servers.push(server);
    }
}

impl Toolbox for ServerTools<'_> {
    fn specs(&self) -> Vec<ToolSpec> {
        self.specs.clone()
    }

    fn call(
        &self,
        name: &str,
        arguments: &Value,
        time: Duration,
        control: &dyn Control,
    ) -> ToolOutcome {
        let Some((at, tool)) = self.routes.get(name) else {
            return ToolOutcome::failed("there is no such tool");
        };
        let Ok(arguments) = serde_json::value::to_raw_value(arguments) else {
            return ToolOutcome::failed("the arguments have no JSON form");
        };
        let (session, token) = (&self.servers[*at].session, CancelToken::new());
        let result = thread::scope(|scope| {
            let options = || CallOptions::default().timeout(time).cancel(&token);
            let arguments: &RawValue = &arguments;
            let call = scope.spawn(move || session.call_tool(tool, Some(arguments), &options()));
            while !call.is_finished() {
                if control.cancelled() {
                    token.cancel();
                }
                thread::sleep(POLL);
            }
            call.join()
        });
        match result {
            Ok(Ok(result)) => ToolOutcome { failed: result.failed(), text: text(&result) },
            Ok(Err(error)) => ToolOutcome::failed(error.to_string()),
            Err(_) => ToolOutcome::failed("the call ended without a result"),
        }
    }
}

fn warn(problem: &str) {
    let line: Vec<&str> = problem.split_whitespace().collect();
    terminal::say(&format!("warning: {}", printable(&line.join(" "))));
}

/// `server__tool` in the letters that providers take. What is too long is cut, and told apart by a hash.
fn name(server: &str, tool: &str) -> String {
    let whole = format!("{server}__{tool}");
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let plain: String = whole.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    if plain.len() <= MAX_NAME && plain == whole {
        return plain;
    }
    let digest = Sha256::digest(whole.as_bytes());
    let mark: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let kept: String = plain.chars().take(MAX_NAME - mark.len() - 1).collect();
    format!("{kept}_{mark}")
}

/// The text of a result; what is none is named by its kind.
fn text(result: &CallToolResult) -> String {
    let mut parts: Vec<String> = Vec::new();
    for content in &result.content {
        parts.push(match content {
            Content::Text(text) => text.text.to_string(),
            Content::Resource(resource) => match &resource.resource.body {
                ResourceBody::Text(text) => text.to_string(),
                _ => "(a resource that is not text)".to_owned(),
            },
            Content::ResourceLink(link) => format!("(a link to {})", link.uri),
            _ => "(content that is not text)".to_owned(),
        });
    }
    if parts.is_empty()
        && let Some(data) = &result.structured_content
    {
        parts.push(data.get().to_owned());
    }
    parts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_providers_take_and_stay_apart() {
        assert_eq!(name("docs", "find"), "docs__find");
        let odd = name("my docs", "find.page");
        assert!(odd.starts_with("my_docs__find_page_") && odd.len() <= MAX_NAME, "{odd}");
        assert_ne!(odd, name("my.docs", "find page"));
        let (long, other) = (name(&"s".repeat(80), "a"), name(&"s".repeat(80), "b"));
        assert!(long.len() == MAX_NAME && other.len() == MAX_NAME && long != other);
    }
}
