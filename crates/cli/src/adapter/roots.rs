//! The client's first root: the repository that is meant where neither the call nor the start of the
//! server names one.
//!
//! Only clients of the handshake revisions are asked; 2026-07-28 has given roots up.

use std::path::PathBuf;

use mcp_proto::{Era, InputRequest, InputRequiredResult, ListRootsResult};
use mcp_stdio::{CallContext, InvalidAnswer, RequestError, ToolError};

use super::Shared;
use crate::file_uri;

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
            Some(root) => match file_uri::path(&root.uri) {
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
