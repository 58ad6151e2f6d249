//! Protocol scripts: what is sent, what is waited for.
//!
//! A script opens with its purpose behind `#`, then headers, then steps, one on a line:
//!
//! ```text
//! # A review of what is staged.
//! revisions: all                    or handshake, stateless, or revisions by name
//! vectors: DV-05 DV-16              dispatch vectors of the protocol checklist that it covers
//! framing: line                     where only one framing makes sense; else both are run
//! opening: none                     where the script itself opens the session
//! repo: staged                      a folder of `data/`: `base` is committed, `staged` is staged
//!
//! --> {"id":2,"method":"ping"}      a message; `jsonrpc` is added, and `_meta` where the era wants it
//! --> line {"id":3}                 a frame of exactly this text
//! --> raw "\xff\n" * 3              exactly these bytes, that many times; for line framing
//! <-- id 2                          the response with that id; `none` for one without a usable id
//! <-- method notifications/message  the next notification of that method
//! <-- progress "p"                  a report of progress for that token
//! <-- progress "p" all              every report for that token, once its call was answered
//! <-- batch                         an array of responses
//! <-- request roots/list            the next request of the server's of that method
//! --> reply {"roots":[]}            the result that it gets
//! run review --json                 another process of the program, run to its end in the repository
//! barrier                           a request and its answer; whatever came before was dealt with
//! eof                               the end of the input, then of the process
//! ```
//!
//! In a message `$revision` is the revision of the run and `$repo` the repository's folder. A string
//! `@data/x` stands for the content of that file, and `@generated/10x20.diff` for a patch that adds 10
//! files of 20 lines.

use std::path::Path;

use serde_json::{Map, Value};

use super::repo::Repo;
use super::tests_folder;

/// Every revision, the oldest first.
pub(crate) const REVISIONS: [&str; 5] =
    ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", STATELESS];

/// The revision whose requests each carry their own metadata.
pub(crate) const STATELESS: &str = "2026-07-28";

/// A parsed script.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) purpose: String,
    pub(crate) revisions: Vec<&'static str>,
    pub(crate) vectors: Vec<String>,
    pub(crate) framings: Vec<Framing>,
    pub(crate) has_opening: bool,
    pub(crate) repo: Option<String>,
    pub(crate) steps: Vec<Step>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    Line,
    ContentLength,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    Send(Map<String, Value>),
    Line(String),
    Raw { bytes: Vec<u8>, times: usize, shown: String },
    Response(Value),
    ResponseWithoutId,
    Notification(String),
    Progress { token: Value, all: bool },
    Batch,
    Asked(String),
    Reply(Value),
    Run(Vec<String>),
    Barrier,
    Eof,
}

impl Script {
    pub(crate) fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        Self::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let purpose = text.lines().next().and_then(|line| line.strip_prefix("# "));
        let mut script = Self {
            purpose: purpose.ok_or("the first line gives the purpose behind `# `")?.to_owned(),
            revisions: Vec::new(),
            vectors: Vec::new(),
            framings: vec![Framing::Line, Framing::ContentLength],
            has_opening: true,
            repo: None,
            steps: Vec::new(),
        };
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let step = step(line).map_err(|error| format!("{line}: {error}"))?;
            match (step, line.split_once(": ")) {
                (Some(step), _) => script.steps.push(step),
                (None, Some((name, value))) if script.steps.is_empty() => {
                    script.header(name, value).map_err(|error| format!("{line}: {error}"))?;
                }
                _ => return Err(format!("{line}: neither a header nor a step")),
            }
        }
        if script.steps.last() != Some(&Step::Eof) && !script.steps.contains(&Step::Eof) {
            script.steps.push(Step::Eof);
        }
        if script.revisions.is_empty() {
            return Err("no `revisions:`".to_owned());
        }
        let is_raw = |step: &Step| matches!(step, Step::Raw { .. });
        if script.steps.iter().any(is_raw) && script.framings != [Framing::Line] {
            return Err("raw bytes need `framing: line`".to_owned());
        }
        Ok(script)
    }

    fn header(&mut self, name: &str, value: &str) -> Result<(), String> {
        match (name, value) {
            ("revisions", "all") => self.revisions = REVISIONS.to_vec(),
            ("revisions", "handshake") => self.revisions = REVISIONS[..4].to_vec(),
            ("revisions", "stateless") => self.revisions = vec![STATELESS],
            ("revisions", names) => {
                for name in names.split(' ') {
                    let known = REVISIONS.into_iter().find(|known| *known == name);
                    self.revisions.push(known.ok_or_else(|| format!("no revision {name}"))?);
                }
            }
            ("vectors", names) => self.vectors = names.split(' ').map(str::to_owned).collect(),
            ("framing", "line") => self.framings = vec![Framing::Line],
            ("framing", "content-length") => self.framings = vec![Framing::ContentLength],
            ("opening", "none") => self.has_opening = false,
            ("repo", name) => self.repo = Some(name.to_owned()),
            _ => return Err("no such header".to_owned()),
        }
        Ok(())
    }
}

/// Reads a step; `None` where the line is none.
fn step(line: &str) -> Result<Option<Step>, String> {
    let value = |text: &str| serde_json::from_str::<Value>(text).map_err(|error| error.to_string());
    Ok(Some(match line {
        "barrier" => Step::Barrier,
        "eof" => Step::Eof,
        "<-- batch" => Step::Batch,
        "<-- id none" => Step::ResponseWithoutId,
        _ => {
            if let Some(id) = line.strip_prefix("<-- id ") {
                Step::Response(value(id)?)
            } else if let Some(method) = line.strip_prefix("<-- method ") {
                Step::Notification(method.to_owned())
            } else if let Some(token) = line.strip_prefix("<-- progress ") {
                let (token, all) =
                    token.strip_suffix(" all").map_or((token, false), |token| (token, true));
                Step::Progress { token: value(token)?, all }
            } else if let Some(method) = line.strip_prefix("<-- request ") {
                Step::Asked(method.to_owned())
            } else if let Some(result) = line.strip_prefix("--> reply ") {
                Step::Reply(value(result)?)
            } else if let Some(arguments) = line.strip_prefix("run ") {
                Step::Run(arguments.split(' ').map(str::to_owned).collect())
            } else if let Some(text) = line.strip_prefix("--> line ") {
                Step::Line(text.to_owned())
            } else if let Some(text) = line.strip_prefix("--> raw ") {
                raw(text)?
            } else if let Some(text) = line.strip_prefix("--> ") {
                match value(text)? {
                    Value::Object(message) => Step::Send(message),
                    _ => return Err("a message is an object; see `--> line`".to_owned()),
                }
            } else {
                return Ok(None);
            }
        }
    }))
}

/// Reads `"bytes" * times`. Bytes are escaped as `\n`, `\r`, `\"`, `\\` and `\xff`.
fn raw(text: &str) -> Result<Step, String> {
    let end = text.rfind('"').filter(|&end| end > 0 && text.starts_with('"'));
    let end = end.ok_or("bytes stand in quotes")?;
    let times = match &text[end + 1..] {
        "" => 1,
        rest => rest
            .strip_prefix(" * ")
            .and_then(|times| times.parse().ok())
            .ok_or("after the bytes comes `* NUMBER` or nothing")?,
    };
    let mut bytes = Vec::new();
    let mut rest = text[1..end].bytes();
    while let Some(byte) = rest.next() {
        let byte = match (byte == b'\\').then(|| rest.next()) {
            None => byte,
            Some(Some(b'n')) => b'\n',
            Some(Some(b'r')) => b'\r',
            Some(Some(same @ (b'"' | b'\\'))) => same,
            Some(Some(b'x')) => {
                let digits: Vec<u8> = rest.by_ref().take(2).collect();
                let digits = String::from_utf8_lossy(&digits).into_owned();
                u8::from_str_radix(&digits, 16).map_err(|error| format!("\\x{digits}: {error}"))?
            }
            Some(other) => return Err(format!("unknown escape {other:?}")),
        };
        bytes.push(byte);
    }
    Ok(Step::Raw { bytes, times, shown: text.to_owned() })
}

/// Puts what they stand for in the place of `$…` and `@…`.
pub(crate) fn fill(value: &mut Value, revision: &str, repo: &Repo) {
    match value {
        Value::String(text) => {
            if let Some(name) = text.strip_prefix("@data/") {
                *text = std::fs::read_to_string(tests_folder().join("data").join(name)).unwrap();
            } else if let Some(size) = text.strip_prefix("@generated/") {
                *text = generated(size);
            } else {
                *text = fill_text(text, revision, repo);
            }
        }
        Value::Array(members) => members.iter_mut().for_each(|value| fill(value, revision, repo)),
        Value::Object(members) => {
            *members = std::mem::take(members)
                .into_iter()
                .map(|(name, mut value)| {
                    fill(&mut value, revision, repo);
                    (name, value)
                })
                .collect();
        }
        _ => {}
    }
}

pub(crate) fn fill_text(text: &str, revision: &str, repo: &Repo) -> String {
    text.replace("$revision", revision).replace("$repo", &repo.path().display().to_string())
}

/// A patch of `FILESxLINES.diff`, its code plain and without a fault.
fn generated(size: &str) -> String {
    let size = size.strip_suffix(".diff").and_then(|size| size.split_once('x'));
    let (files, lines) = size.expect("@generated/FILESxLINES.diff");
    let (files, lines): (usize, usize) = (files.parse().unwrap(), lines.parse().unwrap());
    let mut patch = String::new();
    for file in 0..files {
        let name = format!("b/generated/{file:05}.py");
        patch.push_str(&format!("--- /dev/null\n+++ {name}\n@@ -0,0 +1,{lines} @@\n"));
        for line in 0..lines {
            patch.push_str(&format!(
                "+value_{line} = [{file}, {line}, max({line}, len(str({file})))]\n"
            ));
        }
    }
    patch
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_that_says_nothing_of_use_is_refused() {
        for (text, want) in [
            ("", "purpose"),
            ("# x\n--> {\"id\":1}", "no `revisions:`"),
            ("# x\nrevisions: 1999-01-01", "no revision"),
            ("# x\nrevisions: all\nnonsense", "neither"),
            ("# x\nrevisions: all\n<-- id x", "expected"),
            ("# x\nrevisions: all\n--> [1]", "a message is an object"),
            ("# x\nrevisions: all\n--> raw \"a\"", "framing: line"),
            ("# x\nrevisions: all\nbarrier\nframing: line", "neither"),
        ] {
            let error = Script::parse(text).unwrap_err();
            assert!(error.contains(want), "{text:?}: {error}");
        }
    }

    #[test]
    fn raw_bytes_are_read_with_their_escapes() {
        let step = raw(r#""a\n\xff\\\"" * 3"#).unwrap();
        let Step::Raw { bytes, times, .. } = step else { panic!("{step:?}") };
        assert_eq!((bytes.as_slice(), times), (&b"a\n\xff\\\""[..], 3));
    }
}
