//! `foreread call`.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use mcp_proto::{CallToolResult, Content, Progress, ResourceBody, ResourceContents, Wire};
use mcp_stdio::client::{CallOptions, ClientError};
use review_tool::control::{self, Control};
use review_tool::nearest::nearest;
use review_tool::printable;
use serde_json::value::RawValue;

use crate::args::CallArgs;
use crate::exit::Usage;
use crate::folders::Folders;
use crate::servers::connect::{Connected, LONGEST_CALL, connect};
use crate::servers::output;
use crate::servers::{Servers, quoted};
use crate::table::shortened;
use crate::{exit, json_text, logger, progress, terminal};

/// Arguments beyond this many bytes are refused.
const MAX_ARGUMENTS: u64 = 64 << 20;

/// A problem with a result may quote all of it; no more characters than this are shown.
const LONGEST_PROBLEM: usize = 300;

/// Calls the tool, prints its result and returns the exit code.
pub(crate) fn run(args: &CallArgs) -> anyhow::Result<u8> {
    logger::install_quiet();
    let arguments = arguments(&args.arguments)?;
    let folders = Folders::from_environment();
    let folder = args.repo.clone().unwrap_or_else(|| PathBuf::from("."));
    let servers = Servers::load(&folders, &folder)?;
    let entry = servers.get_trusted(&args.server)?;

    let shown = progress::Terminal::new(args.quiet);
    let message = format!("starting {}", entry.name);
    shown.progress(control::Progress { done: 0, total: None, message });
    let connected = connect(entry, &folders, &folder)?;
    let on_progress = |report: &Progress| shown.progress(step(report));
    let mut options = CallOptions::default().on_progress(&on_progress);
    options = match args.timeout {
        Some(timeout) => options.timeout(timeout),
        None => options.extended_to(LONGEST_CALL),
    };
    let result = connected.session.call_tool(&args.tool, Some(&arguments), &options);
    drop(shown);
    let result = match result {
        Ok(result) => result,
        Err(error) => return Err(refused(&connected, &args.tool, error)),
    };
    if result.failed() {
        known(&connected, &args.tool)?;
    }
    if let Some(problem) = broken_promise(&connected, &args.tool, &result) {
        terminal::say(&format!("warning: the result of {:?} {}", args.tool, printable(&problem)));
    }
    let text = if args.json { as_json(&connected, &result)? } else { as_text(&result) };
    // The server is gone before anybody can act on its result.
    drop(connected);
    terminal::print(&text).context("cannot write to stdout")?;
    Ok(if result.failed() { exit::FINDINGS } else { exit::DONE })
}

/// Reads the arguments from where they are and checks that they are one object.
fn arguments(given: &str) -> anyhow::Result<Box<RawValue>> {
    let text = if given == "-" {
        read(std::io::stdin().lock()).context("cannot read the arguments from stdin")?
    } else if let Some(path) = given.strip_prefix('@') {
        let path = Path::new(path);
        let failed = || format!("cannot read the arguments in {}", path.display());
        let file =
            std::fs::File::open(path).map_err(|error| Usage(format!("{}: {error}", failed())))?;
        read(file).with_context(failed)?
    } else {
        given.to_owned()
    };
    let wrong = |problem: String| {
        Usage(format!(
            "the arguments must be a JSON object, like '{{\"key\": \"value\"}}': {problem}"
        ))
    };
    let value: Box<RawValue> =
        serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    if !value.get().starts_with('{') {
        return Err(wrong("this is another value".to_owned()).into());
    }
    Ok(value)
}

fn read(from: impl Read) -> anyhow::Result<String> {
    let mut text = String::new();
    from.take(MAX_ARGUMENTS + 1).read_to_string(&mut text)?;
    anyhow::ensure!(text.len() as u64 <= MAX_ARGUMENTS, "more than {MAX_ARGUMENTS} bytes");
    Ok(text)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float saturates, and a bar has no use for fractions"
)]
fn step(report: &Progress) -> control::Progress {
    control::Progress {
        done: report.progress as u64,
        total: report.total.map(|total| total as u64),
        message: report.message.clone().unwrap_or_default(),
    }
}

/// What went wrong, as the user needs it.
fn refused(connected: &Connected<'_>, tool: &str, error: ClientError) -> anyhow::Error {
    if matches!(error, ClientError::Answered { .. })
        && let Err(usage) = known(connected, tool)
    {
        return usage.into();
    }
    connected.failure(error).into()
}

/// What is wrong with structured data by the schema of its tool.
fn broken_promise(
    connected: &Connected<'_>,
    tool: &str,
    result: &CallToolResult,
) -> Option<String> {
    result.structured_content.as_ref()?;
    let tools = connected.session.tools(&CallOptions::default()).ok()?;
    let tool = tools.iter().find(|known| known.name == tool)?;
    output::problem(tool, result).map(|problem| shortened(&problem, LONGEST_PROBLEM))
}

/// Tells a tool that the server does not have from a call that failed: servers answer both alike.
fn known(connected: &Connected<'_>, tool: &str) -> Result<(), Usage> {
    let Ok(tools) = connected.session.tools(&CallOptions::default()) else { return Ok(()) };
    if tools.is_empty() || tools.iter().any(|known| known.name == tool) {
        return Ok(());
    }
    let server = &connected.entry.name;
    let near = nearest(tool, tools.iter().map(|tool| tool.name.as_str()));
    let hint = near.map_or_else(
        || format!("`foreread tools {}` lists those it has", quoted(server)),
        |near| format!("did you mean {near:?}?"),
    );
    Err(Usage(format!("server {server:?} has no tool {tool:?}; {hint}")))
}

fn as_json(connected: &Connected<'_>, result: &CallToolResult) -> anyhow::Result<String> {
    let wire = Wire::new(connected.session.agreement().revision);
    let mut bytes = Vec::new();
    wire.result_value(&mut bytes, result).context("cannot write the result")?;
    let text = String::from_utf8(bytes).context("cannot write the result")?;
    Ok(json_text::indented(&text) + "\n")
}

/// The result for a person: texts as they are, but for what steers a terminal; what is no text is named.
fn as_text(result: &CallToolResult) -> String {
    let mut text = String::new();
    for content in &result.content {
        match content {
            Content::Text(block) => put(&mut text, &block.text),
            Content::Image(media) => put(&mut text, &named("image", &media.mime_type, &media.data)),
            Content::Audio(media) => put(&mut text, &named("audio", &media.mime_type, &media.data)),
            Content::ResourceLink(link) => put(&mut text, &format!("[{}]", link.uri)),
            Content::Resource(embedded) => put(&mut text, &resource(&embedded.resource)),
            Content::Other(raw) => put(&mut text, raw.get()),
            _ => {}
        }
    }
    if result.content.is_empty()
        && let Some(data) = &result.structured_content
    {
        put(&mut text, data.get());
    }
    text
}

fn put(text: &mut String, block: &str) {
    for line in block.lines() {
        text.push_str(&printable(line));
        text.push('\n');
    }
}

fn named(what: &str, mime_type: &str, base64: &str) -> String {
    format!("[{what}: {mime_type}, {} bytes; --json shows it]", base64.len() / 4 * 3)
}

fn resource(resource: &ResourceContents) -> String {
    match &resource.body {
        ResourceBody::Text(body) => format!("[{}]\n{body}", resource.uri),
        ResourceBody::Blob(base64) => {
            let mime_type = resource.mime_type.as_deref().unwrap_or("application/octet-stream");
            format!("[{}]\n{}", resource.uri, named("data", mime_type, base64))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_object_is_taken_for_arguments() {
        assert_eq!(arguments(" {\"a\": 1.0} ").expect("an object").get(), "{\"a\": 1.0}");
        for wrong in ["", "[]", "{", "{} {}", "null", "@/no/such/file"] {
            arguments(wrong).expect_err(wrong);
        }
    }

    #[test]
    fn a_result_steers_no_terminal() {
        let result = CallToolResult::new(vec![
            Content::text("a\n\u{1b}]0;x\u{7}\r\nb\u{9b}"),
            Content::image("AAAA", "image/png\u{1b}"),
        ]);
        let text = as_text(&result);
        assert_eq!(
            text,
            "a\n\\u{1b}]0;x\\u{7}\nb\\u{9b}\n[image: image/png\\u{1b}, 3 bytes; --json shows it]\n"
        );
    }
}
