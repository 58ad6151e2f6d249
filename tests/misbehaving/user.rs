//! What a user asks of each server, and what the program answers, word for word.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tempfile::TempDir;

use crate::server::Behaviour;
use crate::traces::{MARKER, marked};

/// Far more than any step needs, even on a busy machine; reached only by a hang.
const PATIENCE: Duration = Duration::from_secs(120);

/// What of a case matters here; what must come of it stands in the snapshots.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) server: Behaviour,
    #[serde(default)]
    timeout_ms: Option<u64>,
    /// How many calls at once it takes for an answer; the program makes one.
    #[serde(default)]
    parallel: usize,
}

pub(crate) fn all() -> Vec<Case> {
    let text = include_str!("../../crates/mcp-stdio/tests/misbehaving/cases.json");
    let mut cases: Vec<Case> = serde_json::from_str(text).unwrap();
    // However a server takes the probe, its user sees none of it; one case of that is enough here.
    let probed =
        |case: &Case| case.name.starts_with("probe-") && case.name != "probe-not-initialized";
    cases.retain(|case| case.parallel == 0 && !probed(case));
    cases
}

pub(crate) fn run(case: &Case) {
    let home = TempDir::new().unwrap();
    let marker = format!("{}-user-{}", case.name, std::process::id());
    configure(home.path(), &[&case.name], &marker);
    let mut call = vec!["call", "bad", "echo", "{}"];
    let timeout = case.timeout_ms.map(|ms| format!("{ms}ms"));
    if let Some(timeout) = &timeout {
        call.extend(["--timeout", timeout]);
    }
    let mut text = String::new();
    for words in [&["tools", "bad"][..], &call] {
        text.push_str(&answer(home.path(), words));
        // The program has ended, and with it everything that the server has started.
        assert_eq!(marked(&marker), [""; 0], "processes are left");
    }
    let text = normalized(&text);
    assert!(text.lines().all(|line| !line.contains(char::is_control)), "{text:?}");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots/misbehaving");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(case.name.as_str(), text));
}

/// Names servers in the settings, the first one as `bad`.
pub(crate) fn configure(home: &Path, names: &[&str], marker: &str) {
    let folder = home.join("config/foreread");
    std::fs::create_dir_all(&folder).unwrap();
    let mut text = String::new();
    for (number, name) in names.iter().enumerate() {
        let key = if number == 0 { "bad".to_owned() } else { format!("bad{number}") };
        // A JSON string is a TOML string.
        text += &format!(
            "[servers.{key}]\ncommand = {}\nargs = [\"serve\", {}]\nmemory_limit = \"128MiB\"\n\
             env.{MARKER} = {}\n",
            json!(std::env::current_exe().unwrap()),
            json!(name),
            json!(marker),
        );
    }
    std::fs::write(folder.join("config.toml"), text).unwrap();
}

/// The program, with the settings below that home.
pub(crate) fn program(home: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foreread"));
    command
        .args(words)
        .env_clear()
        .env("HOME", home)
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("XDG_STATE_HOME", home.join("state"))
        .current_dir(home)
        .stdin(Stdio::null());
    command
}

/// Runs the program; its exit code and both streams.
fn answer(home: &Path, words: &[&str]) -> String {
    let mut program = program(home, words);
    let mut child = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let stdout = read(child.stdout.take().unwrap());
    let stderr = read(child.stderr.take().unwrap());
    let wait = |stream: std::sync::mpsc::Receiver<String>| {
        stream.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{words:?} does not end"))
    };
    let (stdout, stderr) = (wait(stdout), wait(stderr));
    let code = child.wait().unwrap().code();
    let shown = |name: &str, text: &str| match text {
        "" => String::new(),
        text => format!("--- {name}\n{text}"),
    };
    format!(
        "$ foreread {}\nexit: {}\n{}{}\n",
        words.join(" "),
        code.map_or_else(|| "none".to_owned(), |code| code.to_string()),
        shown("stdout", &stdout),
        shown("stderr", &stderr),
    )
}

fn read(mut stream: impl Read + Send + 'static) -> std::sync::mpsc::Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        drop(stream.read_to_end(&mut bytes));
        drop(sender.send(String::from_utf8_lossy(&bytes).into_owned()));
    });
    receiver
}

/// Takes out what differs from run to run, and all but the ends of long lists.
fn normalized(text: &str) -> String {
    let program = std::env::current_exe().unwrap().display().to_string();
    let text = text.replace(&program, "[server]");
    let lines: Vec<String> = text.lines().map(figures).collect();
    if lines.len() < 100 {
        return lines.join("\n");
    }
    let (first, last) = (lines[..6].join("\n"), lines[lines.len() - 6..].join("\n"));
    format!("{first}\n[{} lines]\n{last}", lines.len() - 12)
}

/// Replaces the figures in front of a unit.
fn figures(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let measured = |at: usize| {
        let is_number = words[at].starts_with(|c: char| c.is_ascii_digit());
        let unit = words
            .get(at + 1)
            .is_some_and(|unit| ["s", "MiB"].contains(&unit.trim_end_matches([';', ',', ':'])));
        is_number && unit
    };
    let kept = (0..words.len()).map(|at| if measured(at) { "[n]" } else { words[at] });
    kept.collect::<Vec<_>>().join(" ")
}
