//! Where a provider's key comes from: a variable, a file, or what a program writes.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use llm_http::Key;

use super::{environment, key_of, read_file, usage};
use crate::settings::providers::{KindName, ProviderSettings};

/// A program that has not written the key by then is stopped.
const TIME: Duration = Duration::from_secs(30);
/// So much of what it writes is read.
const LIMIT: u64 = 16 << 10;

/// Finds the key of a provider; `None` for one that needs none.
pub(super) fn find(name: &str, own: &ProviderSettings) -> anyhow::Result<Option<Key>> {
    let named =
        [own.api_key_env.is_some(), own.api_key_file.is_some(), own.api_key_command.is_some()];
    if named.iter().filter(|named| **named).count() > 1 {
        return Err(usage(format!(
            "provider {name}: name one of api_key_env, api_key_file and api_key_command"
        )));
    }
    if let Some(variable) = &own.api_key_env {
        let value = std::env::var(variable).map_err(|_| {
            usage(format!(
                "provider {name}: the variable {variable} named by api_key_env is not set"
            ))
        })?;
        return key_of(name, value, variable).map(Some);
    }
    if let Some(path) = &own.api_key_file {
        let text = String::from_utf8_lossy(&read_file(name, "api_key_file", path)?).into_owned();
        return key_of(name, text, "api_key_file").map(Some);
    }
    if let Some(command) = &own.api_key_command {
        let text =
            run(command).map_err(|why| usage(format!("provider {name}: api_key_command {why}")))?;
        return key_of(name, text, "what api_key_command writes").map(Some);
    }
    // A vendor's own variable is for the vendor's own endpoint alone.
    if own.base_url.is_some() {
        return Ok(None);
    }
    let variables: &[&str] = match own.kind {
        KindName::Anthropic => &["ANTHROPIC_API_KEY"],
        KindName::OpenAi => &["OPENAI_API_KEY"],
        KindName::Gemini => &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        _ => return Ok(None),
    };
    let found = variables.iter().find_map(|variable| {
        let value = std::env::var(variable).ok().filter(|value| !value.trim().is_empty())?;
        Some((*variable, value))
    });
    match found {
        Some((variable, value)) => key_of(name, value, variable).map(Some),
        None => Err(usage(format!(
            "provider {name} needs a key: set {}, or name api_key_env, api_key_file or api_key_command",
            variables[0]
        ))),
    }
}

/// What a program writes. It gets no input, and its own messages go to stderr: it may ask for a touch.
fn run(command: &[String]) -> Result<String, String> {
    let (program, arguments) = command.split_first().ok_or("is empty")?;
    let path =
        environment::program(program).ok_or_else(|| format!("names no program: {program:?}"))?;
    let mut child = Command::new(path)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot be started: {error}"))?;
    let Some(stdout) = child.stdout.take() else { return Err("has no output".to_owned()) };
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut text = String::new();
        let read = stdout.take(LIMIT).read_to_string(&mut text);
        drop(sender.send(read.map(|_| text)));
    });
    let read = receiver.recv_timeout(TIME);
    if !matches!(read, Ok(Ok(_))) {
        drop(child.kill());
    }
    let status = child.wait().map_err(|error| format!("cannot be waited for: {error}"))?;
    match read {
        Err(_) => Err(format!("wrote nothing within {} s", TIME.as_secs())),
        Ok(Err(_)) => Err("wrote what is no text".to_owned()),
        Ok(Ok(_)) if !status.success() => Err(format!("failed ({status})")),
        Ok(Ok(text)) => Ok(text),
    }
}
