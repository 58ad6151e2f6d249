//! The client's first root: the repository that is meant where neither the call nor the start of the
//! server names one.
//!
//! Only clients of the handshake revisions are asked; 2026-07-28 has given roots up.

use std::path::PathBuf;

use mcp_proto::{Era, InputRequest, InputRequiredResult, ListRootsResult};
use mcp_stdio::{CallContext, InvalidAnswer, RequestError, ToolError};

use super::Shared;

/// The name of the question.
const KEY: &str = "roots";

/// What asking for the root came to.
pub(super) enum Answer {
    /// The folder; `None` where the client has none, or cannot be asked.
    Root(Option<PathBuf>),
    /// The client has to be asked first.
    Ask(Box<InputRequiredResult>),
}

/// Finds out the client's first root, where the server was started for no repository and the request
/// names none either.
pub(super) fn wanted(
    context: &CallContext,
    shared: &Shared,
    names_none: impl Fn() -> bool,
) -> Result<Answer, RootError> {
    if shared.repo.is_some() || !names_none() {
        return Ok(Answer::Root(None));
    }
    let is_asked =
        context.revision().era() == Era::Handshake && context.client_capabilities().roots.is_some();
    if !is_asked {
        return Ok(Answer::Root(None));
    }
    match context.answer::<ListRootsResult>(KEY)? {
        None => {
            let question = InputRequiredResult::new(KEY, InputRequest::ListRoots);
            Ok(Answer::Ask(Box::new(question)))
        }
        Some(answer) => match answer.roots.first() {
            None => Ok(Answer::Root(None)),
            // Another folder than the client's would be reviewed without a word, so there is none.
            Some(root) => match path(&root.uri) {
                Some(path) => Ok(Answer::Root(Some(path))),
                None => Err(RootError::NoFolder { uri: root.uri.clone() }),
            },
        },
    }
}

/// Why there is no root.
pub(super) enum RootError {
    Answer(InvalidAnswer),
    NoFolder { uri: String },
}

impl From<InvalidAnswer> for RootError {
    fn from(answer: InvalidAnswer) -> Self {
        Self::Answer(answer)
    }
}

impl From<RootError> for ToolError {
    fn from(error: RootError) -> Self {
        match error {
            RootError::Answer(answer) => answer.into(),
            RootError::NoFolder { uri } => Self::new(no_folder(&uri)),
        }
    }
}

impl From<RootError> for RequestError {
    fn from(error: RootError) -> Self {
        match error {
            RootError::Answer(answer) => answer.into(),
            RootError::NoFolder { uri } => Self::invalid(no_folder(&uri)),
        }
    }
}

fn no_folder(uri: &str) -> String {
    format!(
        "the client's first root {uri:?} is no folder of this machine; name the repository by `repo`"
    )
}

/// The path of a `file:` URI of this machine. `None` for any other, and for one that names no single
/// path: without a host or with that of the machine itself, absolute, no query, no fragment.
fn path(uri: &str) -> Option<PathBuf> {
    let (scheme, rest) = uri.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") || rest.contains(['?', '#']) {
        return None;
    }
    let path = match rest.strip_prefix("//") {
        None => rest,
        Some(rest) => {
            let (host, _) = rest.split_at(rest.find('/')?);
            let is_here = host.is_empty() || host.eq_ignore_ascii_case("localhost");
            if !is_here {
                return None;
            }
            &rest[host.len()..]
        }
    };
    if !path.starts_with('/') {
        return None;
    }
    native(&decoded(path)?)
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let high = char::from(rest.next()?).to_digit(16)?;
        let low = char::from(rest.next()?).to_digit(16)?;
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    // No path holds a zero byte; a program that is given one sees a shorter path.
    (!bytes.contains(&0)).then_some(bytes)
}

#[cfg(unix)]
fn native(path: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(path)))
}

#[cfg(not(unix))]
fn native(path: &[u8]) -> Option<PathBuf> {
    // `/C:/folder` is `C:/folder`.
    let path = std::str::from_utf8(path).ok()?;
    Some(PathBuf::from(path.strip_prefix('/').unwrap_or(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_uri_of_a_folder_of_this_machine_is_its_path() {
        for (uri, want) in [
            ("file:///home/a/project", "/home/a/project"),
            ("file://localhost/home/a", "/home/a"),
            ("file:/home/a", "/home/a"),
            ("FILE:///home/a%20b/%C3%A9", "/home/a b/\u{e9}"),
            ("file:///", "/"),
            ("file:///a%25b", "/a%b"),
        ] {
            assert_eq!(path(uri), Some(PathBuf::from(want)), "{uri}");
        }
    }

    #[test]
    fn any_other_uri_is_none() {
        for uri in [
            "",
            "/home/a",
            "https://example.com/a",
            "file://server/share",
            "file://",
            "file:",
            "file:a",
            "file:///a%0",
            "file:///a%zz",
            "file:///a%00b",
            "file:///a?b",
            "file:///a#b",
            "vscode-remote://ssh/home/a",
        ] {
            assert_eq!(path(uri), None, "{uri}");
        }
    }
}
