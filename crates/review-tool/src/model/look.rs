//! The embedded tools: reading, searching and listing the files of the reviewed state, and nothing else.
//!
//! A path is looked up among the listed files, so nothing outside the repository can be named.

use std::sync::OnceLock;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Redacted, ToolOutcome, ToolSpec, Toolbox};
use crate::control::Control;
use crate::printable;
use crate::repo::{Listed, Place, Repo, RepoError};
use crate::secret::redact;

/// A file of more bytes is neither read nor searched.
const MAX_FILE: u64 = 2 << 20;
/// The most lines of one reading.
const MAX_LINES: usize = 400;
/// The most paths of one listing.
const MAX_PATHS: usize = 500;
/// The most hits of one search.
const MAX_HITS: usize = 100;
/// The most files that one search looks into.
const MAX_SEARCHED: usize = 5_000;
/// The most bytes that one search looks at.
const MAX_SEARCHED_BYTES: usize = 64 << 20;
/// A shown line is cut after this many characters.
const MAX_LINE_CHARS: usize = 400;

/// The files of one state of a repository.
pub(crate) struct Files<'r> {
    repo: &'r (dyn Repo + Sync),
    place: Place,
    listed: OnceLock<Result<Vec<Listed>, String>>,
}

impl<'r> Files<'r> {
    pub(crate) fn new(repo: &'r (dyn Repo + Sync), place: Place) -> Self {
        Self { repo, place, listed: OnceLock::new() }
    }

    fn listed(&self, control: &dyn Control) -> Result<&[Listed], String> {
        let listed = self.listed.get_or_init(|| {
            let listed = self.repo.list(&self.place, control);
            listed.map_err(|error: RepoError| format!("the files cannot be listed: {error}"))
        });
        listed.as_deref().map_err(Clone::clone)
    }

    /// The files below a folder, or the one file of that name; all for an empty path.
    fn below(&self, path: &str, control: &dyn Control) -> Result<Vec<&Listed>, String> {
        let path = path.trim_start_matches("./").trim_matches('/');
        let folder = format!("{path}/");
        let listed = self.listed(control)?;
        let found = listed.iter().filter(|one| {
            let name = one.path.display();
            path.is_empty() || path == "." || name == path || name.starts_with(&folder)
        });
        Ok(found.collect())
    }

    fn text(&self, file: &Listed, control: &dyn Control) -> Result<String, String> {
        let mut content = None;
        match &file.id {
            Some(id) => {
                let ids = std::slice::from_ref(id);
                let mut take = |_: usize, found: Option<Vec<u8>>| {
                    content = found;
                    true
                };
                let read = self.repo.contents(ids, MAX_FILE, control, &mut take);
                read.map_err(|error| format!("the file cannot be read: {error}"))?;
            }
            None => content = self.repo.work_file(&file.path, MAX_FILE),
        }
        let content = content.ok_or("the file is larger than 2 MiB, or not a regular one")?;
        if content.iter().take(8000).any(|byte| *byte == 0) {
            return Err("the file is not text".to_owned());
        }
        // Masked as a whole, before any part of it is taken.
        Ok(redact(&String::from_utf8_lossy(&content)).into_owned())
    }

    fn read(&self, arguments: &Value, control: &dyn Control) -> Result<String, String> {
        let path = text_of(arguments, "path")?.ok_or("name a file by `path`")?;
        let wanted = path.trim_start_matches("./");
        let listed = self.listed(control)?;
        let file = listed.iter().find(|one| one.path.display() == wanted);
        let file = file
            .ok_or_else(|| format!("the repository has no file {path:?}; list_files names them"))?;
        let text = self.text(file, control)?;
        let lines: Vec<&str> = text.lines().collect();
        let first = number_of(arguments, "first_line")?.unwrap_or(1).max(1);
        let last = number_of(arguments, "last_line")?.unwrap_or(usize::MAX);
        let last = last.min(first.saturating_add(MAX_LINES - 1)).min(lines.len());
        let mut out = format!("lines {first} to {last} of {}\n", lines.len());
        for (number, line) in lines.iter().enumerate().take(last).skip(first - 1) {
            out.push_str(&format!("{:>6}|{}\n", number + 1, cut(line)));
        }
        Ok(out)
    }

    fn search(&self, arguments: &Value, control: &dyn Control) -> Result<String, String> {
        let wanted = text_of(arguments, "text")?.filter(|text| !text.trim().is_empty());
        let wanted = wanted.ok_or("name what to look for by `text`")?;
        let files = self.below(text_of(arguments, "path")?.unwrap_or_default(), control)?;
        let (mut out, mut hits, mut bytes, mut left_out) = (String::new(), 0, 0, 0);
        for (at, file) in files.iter().enumerate() {
            if control.cancelled() {
                return Err("cancelled".to_owned());
            }
            if at >= MAX_SEARCHED || bytes >= MAX_SEARCHED_BYTES || hits >= MAX_HITS {
                left_out = files.len() - at;
                break;
            }
            let Ok(text) = self.text(file, control) else { continue };
            bytes += text.len();
            if memchr::memmem::find(text.as_bytes(), wanted.as_bytes()).is_none() {
                continue;
            }
            let name = file.path.display();
            for (number, line) in text.lines().enumerate().filter(|(_, line)| line.contains(wanted))
            {
                hits += 1;
                if hits > MAX_HITS {
                    break;
                }
                out.push_str(&format!("{}:{}: {}\n", printable(&name), number + 1, cut(line)));
            }
        }
        if hits == 0 {
            out.push_str("no line holds it\n");
        }
        if left_out > 0 || hits > MAX_HITS {
            out.push_str("there may be more; narrow the search by `path`\n");
        }
        Ok(out)
    }

    fn list(&self, arguments: &Value, control: &dyn Control) -> Result<String, String> {
        let files = self.below(text_of(arguments, "path")?.unwrap_or_default(), control)?;
        let mut out = String::new();
        for file in files.iter().take(MAX_PATHS) {
            out.push_str(&printable(&file.path.display()));
            out.push('\n');
        }
        match files.len() {
            0 => out.push_str("no such file or folder\n"),
            count if count > MAX_PATHS => {
                out.push_str(&format!("and {} more; name a folder by `path`\n", count - MAX_PATHS));
            }
            _ => {}
        }
        Ok(out)
    }
}

impl Toolbox for Files<'_> {
    fn specs(&self) -> Vec<ToolSpec> {
        let spec = |name: &str, about: &str, members: Value, required: Value| ToolSpec {
            name: name.to_owned(),
            description: Redacted::new(about),
            schema: json!({
                "type": "object", "properties": members, "required": required,
                "additionalProperties": false,
            }),
        };
        let path =
            json!({"type": "string", "description": "relative to the root of the repository"});
        let number = json!({"type": "integer"});
        vec![
            spec(
                "list_files",
                "Lists the files of the repository, or those below a folder.",
                json!({"path": path}),
                json!([]),
            ),
            spec(
                "read_file",
                "Reads a file of the repository as the change leaves it, with the numbers of its lines; \
                 at most 400 lines at a time.",
                json!({"path": path, "first_line": number, "last_line": number}),
                json!(["path"]),
            ),
            spec(
                "search",
                "Finds the lines that hold a text, letter by letter, in all files or those below a path.",
                json!({"text": {"type": "string"}, "path": path}),
                json!(["text"]),
            ),
        ]
    }

    fn call(
        &self,
        name: &str,
        arguments: &Value,
        _: Duration,
        control: &dyn Control,
    ) -> ToolOutcome {
        let outcome = match name {
            "list_files" => self.list(arguments, control),
            "read_file" => self.read(arguments, control),
            "search" => self.search(arguments, control),
            _ => Err("there is no such tool".to_owned()),
        };
        outcome.map_or_else(ToolOutcome::failed, ToolOutcome::of)
    }
}

fn text_of<'v>(arguments: &'v Value, name: &str) -> Result<Option<&'v str>, String> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{name}` is not a text")),
    }
}

fn number_of(arguments: &Value, name: &str) -> Result<Option<usize>, String> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
            number.map(Some).ok_or_else(|| format!("`{name}` is not a line number"))
        }
    }
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => format!("{}…", printable(&line[..end])),
        None => printable(line).into_owned(),
    }
}
