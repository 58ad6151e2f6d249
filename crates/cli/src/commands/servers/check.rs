//! `foreread servers check`.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use mcp_proto::{Era, ErrorCode, Implementation};
use mcp_stdio::Framing;
use mcp_stdio::client::{CallOptions, ClientError};
use review_tool::printable;
use serde::Serialize;

use crate::folders::Folders;
use crate::servers::connect::{at_once, connect};
use crate::servers::failure::Failure;
use crate::servers::{Entry, Servers, quoted};
use crate::{exit, json_text, logger, terminal};

/// What was asked for.
pub(super) struct Asked<'a> {
    pub(super) names: &'a [String],
    pub(super) json: bool,
    pub(super) timeout: Option<Duration>,
}

/// What one server came to.
#[derive(Debug, Serialize)]
struct Checked {
    name: String,
    ok: bool,
    #[serde(flatten)]
    found: Option<Found>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stderr: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Found {
    /// What the server calls itself.
    server: Option<Named>,
    revision: &'static str,
    era: &'static str,
    framing: &'static str,
    tools: usize,
    prompts: usize,
    resources: usize,
    resource_templates: usize,
    /// From the start of the process to the end of the session's opening.
    start_ms: u128,
}

#[derive(Debug, Serialize)]
struct Named {
    name: String,
    version: String,
}

/// Starts servers and says what each offers.
pub(super) fn run(
    servers: &Servers,
    folders: &Folders,
    folder: &Path,
    asked: &Asked<'_>,
) -> anyhow::Result<u8> {
    logger::install();
    let mut skipped = Vec::new();
    let mut entries = Vec::new();
    if asked.names.is_empty() {
        for entry in servers.all() {
            let may_run = servers.standing(entry).may_run();
            if may_run { entries.push(entry.clone()) } else { skipped.push(entry.name.clone()) }
        }
    }
    for name in asked.names {
        entries.push(servers.get_trusted(name)?.clone());
    }
    let entries: Vec<Entry> =
        entries.into_iter().map(|entry| entry.within(asked.timeout)).collect();
    let checked = at_once(&entries, |entry| check(entry, folders, folder));

    let text = if asked.json {
        let text = serde_json::to_string(&Document { servers: &checked, untrusted: &skipped });
        json_text::indented(&text.context("cannot write the result")?) + "\n"
    } else {
        checked.iter().map(as_text).collect()
    };
    terminal::print(&text).context("cannot write to stdout")?;
    for name in &skipped {
        let name = quoted(name);
        terminal::say(&format!("{name} is not trusted; see `foreread servers trust {name}`"));
    }
    Ok(if checked.iter().all(|checked| checked.ok) { exit::DONE } else { exit::INCOMPLETE })
}

#[derive(Serialize)]
struct Document<'c> {
    servers: &'c [Checked],
    untrusted: &'c [String],
}

fn check(entry: &Entry, folders: &Folders, folder: &Path) -> Checked {
    let name = entry.name.clone();
    match find(entry, folders, folder) {
        Ok(found) => {
            Checked { name, ok: true, found: Some(found), error: None, stderr: Vec::new() }
        }
        Err(error) => {
            let failure = error.downcast_ref::<Failure>();
            let stderr = failure.map(|failure| failure.last_words.clone()).unwrap_or_default();
            let error = failure.map_or_else(
                || format!("{error:#}"),
                |failure| match &failure.advice {
                    Some(advice) => format!("{}; {advice}", failure.problem),
                    None => failure.problem.clone(),
                },
            );
            Checked { name, ok: false, found: None, error: Some(error), stderr }
        }
    }
}

fn find(entry: &Entry, folders: &Folders, folder: &Path) -> anyhow::Result<Found> {
    let started = Instant::now();
    let connected = connect(entry, folders, folder)?;
    let start_ms = started.elapsed().as_millis();
    let session = &connected.session;
    let options = CallOptions::default();
    let failed = |error| connected.failure(error);
    let templates = match session.resource_templates(&options) {
        // There is no capability for templates: who has resources may well not know of them.
        Err(ClientError::Answered { error, .. }) if error.code == ErrorCode::MethodNotFound => 0,
        templates => templates.map_err(failed)?.len(),
    };
    let agreement = session.agreement();
    Ok(Found {
        tools: session.tools(&options).map_err(failed)?.len(),
        prompts: session.prompts(&options).map_err(failed)?.len(),
        resources: session.resources(&options).map_err(failed)?.len(),
        resource_templates: templates,
        server: agreement
            .server
            .map(|server: Implementation| Named { name: server.name, version: server.version }),
        revision: agreement.revision.as_str(),
        era: match agreement.revision.era() {
            Era::Handshake => "legacy",
            Era::PerRequest => "modern",
        },
        framing: match agreement.framing {
            Framing::ContentLength => "content-length",
            Framing::Line | Framing::Auto => "line",
        },
        start_ms,
    })
}

fn as_text(checked: &Checked) -> String {
    let name = quoted(&checked.name);
    let Some(found) = &checked.found else {
        let error = checked.error.as_deref().unwrap_or_default();
        let mut text = format!("{name}: FAILED: {}\n", printable(error));
        for line in &checked.stderr {
            text.push_str(&format!("  | {}\n", printable(line)));
        }
        return text;
    };
    let is = match &found.server {
        Some(server) => format!(" ({} {})", printable(&server.name), printable(&server.version)),
        None => String::new(),
    };
    format!(
        "{name}: ok{is}: {}, {}, {}, {}; revision {}, framing {}, started in {} ms\n",
        counted(found.tools, "tool"),
        counted(found.prompts, "prompt"),
        counted(found.resources, "resource"),
        counted(found.resource_templates, "template"),
        found.revision,
        found.framing,
        found.start_ms
    )
}

fn counted(count: usize, what: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {what}{end}")
}
