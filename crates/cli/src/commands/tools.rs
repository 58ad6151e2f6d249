//! `foreread tools`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use mcp_proto::{Tool, Wire};
use mcp_stdio::client::CallOptions;
use review_tool::printable;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::args::ToolsArgs;
use crate::folders::Folders;
use crate::servers::connect::{at_once, connect};
use crate::servers::{Entry, Servers, quoted};
use crate::{exit, json_text, logger, table, terminal};

/// Lists tools and returns the exit code.
pub(crate) fn run(args: &ToolsArgs) -> anyhow::Result<u8> {
    logger::install_quiet();
    let folders = Folders::from_environment();
    let folder = args.repo.clone().unwrap_or_else(|| PathBuf::from("."));
    let servers = Servers::load(&folders, &folder)?;
    let entries: Vec<Entry> = match &args.server {
        Some(name) => vec![servers.get_trusted(name)?.clone()],
        None => servers.all().filter(|entry| servers.standing(entry).may_run()).cloned().collect(),
    };
    let entries: Vec<Entry> = entries.into_iter().map(|entry| entry.within(args.timeout)).collect();
    let listed = at_once(&entries, |entry| tools(entry, &folders, &folder));
    let lists = entries.iter().zip(&listed);
    let text = if args.json {
        let servers: Vec<_> = lists.map(|(entry, listed)| as_json(entry, listed)).collect();
        let text = serde_json::to_string(&BTreeMap::from([("servers", servers)]));
        json_text::indented(&text.context("cannot write the tools")?) + "\n"
    } else {
        lists.map(|(entry, listed)| as_text(entry, listed, args.server.is_none())).collect()
    };
    terminal::print(&text).context("cannot write to stdout")?;
    let mut code = exit::DONE;
    for listed in listed {
        if let Err(error) = listed {
            code = code.max(exit::report(&error));
        }
    }
    Ok(code)
}

struct Listed {
    tools: Arc<[Tool]>,
    wire: Wire,
}

fn tools(entry: &Entry, folders: &Folders, folder: &Path) -> anyhow::Result<Listed> {
    let connected = connect(entry, folders, folder)?;
    let tools = connected.session.tools(&CallOptions::default());
    let tools = tools.map_err(|error| connected.failure(error))?;
    Ok(Listed { tools, wire: Wire::new(connected.session.agreement().revision) })
}

/// What is printed of one server, its tools as they are.
#[derive(Serialize)]
struct ServerTools<'l> {
    name: &'l str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<Box<RawValue>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

fn as_json<'l>(entry: &'l Entry, listed: &anyhow::Result<Listed>) -> ServerTools<'l> {
    let shown = |listed: &Listed| {
        let raw = listed.tools.iter().filter_map(|tool| {
            let mut bytes = Vec::new();
            listed.wire.value(&mut bytes, tool).ok()?;
            serde_json::from_slice(&bytes).ok()
        });
        raw.collect()
    };
    ServerTools {
        name: &entry.name,
        tools: listed.as_ref().ok().map(shown),
        error: listed.as_ref().err().map(|error| format!("{error:#}")),
    }
}

fn as_text(entry: &Entry, listed: &anyhow::Result<Listed>, named: bool) -> String {
    let Ok(listed) = listed else { return String::new() };
    let rows: Vec<[String; 2]> = listed
        .tools
        .iter()
        .map(|tool| {
            let call = format!("{}({})", tool.name, parameters(tool));
            let what = tool.description.as_deref().unwrap_or_default();
            let what = what.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            [printable(&call).into_owned(), table::shortened(&printable(what), MAX_DESCRIPTION)]
        })
        .collect();
    let list = table::columns(&rows);
    match named {
        true if rows.is_empty() => format!("{}: no tools\n", quoted(&entry.name)),
        true => format!("{}:\n{list}", quoted(&entry.name)),
        false => list,
    }
}

/// How much of a description is listed, in characters.
const MAX_DESCRIPTION: usize = 120;

/// How many parameters are listed.
const MAX_PARAMETERS: usize = 8;

/// The names of a tool's parameters; those that may be left out in brackets.
fn parameters(tool: &Tool) -> String {
    let schema: Value = serde_json::from_str(tool.input_schema.get()).unwrap_or_default();
    let required = |name: &str| {
        let list = schema["required"].as_array();
        list.is_some_and(|list| list.iter().any(|known| known == name))
    };
    let Some(properties) = schema["properties"].as_object() else { return String::new() };
    let names = properties.keys().take(MAX_PARAMETERS);
    let mut names: Vec<String> =
        names.map(|name| if required(name) { name.clone() } else { format!("[{name}]") }).collect();
    if properties.len() > MAX_PARAMETERS {
        names.push("…".to_owned());
    }
    names.join(", ")
}
