//! What a user is told when a server does not do what it should: what happened, its last words, the way
//! out.

use std::error::Error;
use std::fmt;

use mcp_stdio::client::{ClientError, Ended};
use review_tool::printable;

use super::{Entry, quoted};
use crate::table::shortened;

/// How many characters are shown of what happened: a server's own message may be of any length.
const LONGEST_PROBLEM: usize = 2000;

/// A server that failed.
#[derive(Debug)]
pub(crate) struct Failure {
    server: String,
    /// What happened, in one line.
    pub(crate) problem: String,
    /// What it wrote to standard error last.
    pub(crate) last_words: Vec<String>,
    /// The way out.
    pub(crate) advice: Option<String>,
}

impl Failure {
    /// A request failed; `stray` is what the server wrote that is no message.
    pub(crate) fn new(
        entry: &Entry,
        error: ClientError,
        last_words: Vec<String>,
        stray: Option<String>,
    ) -> Self {
        let advice = match &error {
            ClientError::TimedOut { .. } if stray.is_some() => stray.map(|stray| {
                format!("it wrote what is no message, which is one line of JSON: {stray}")
            }),
            ClientError::TimedOut { .. } => Some(format!(
                "give it more time with --timeout, or with servers.{}.call_timeout",
                entry.name
            )),
            ClientError::Ended(ended) => memory_advice(entry, ended),
            ClientError::NotOffered(_) => Some(check_advice(entry)),
            _ => None,
        };
        Self::with(entry, error, last_words, advice)
    }

    /// It could not be started, or did not get as far as a session.
    pub(crate) fn starting(entry: &Entry, error: ClientError, last_words: Vec<String>) -> Self {
        let advice = match &error {
            ClientError::TimedOut { .. } => Some(format!(
                "give it more time with servers.{}.start_timeout, or try its command by hand: {}",
                entry.name,
                entry.command_line()
            )),
            ClientError::Ended(ended) if memory_advice(entry, ended).is_some() => {
                memory_advice(entry, ended)
            }
            ClientError::Ended(_) | ClientError::Broken { .. } | ClientError::Answered { .. } => {
                Some(format!("try its command by hand: {}", entry.command_line()))
            }
            ClientError::Launch(_) => Some(format!("it is named in {}", entry.source)),
            _ => None,
        };
        Self::with(entry, error, last_words, advice)
    }

    fn with(
        entry: &Entry,
        error: ClientError,
        last_words: Vec<String>,
        advice: Option<String>,
    ) -> Self {
        let (error, said) = without_words(error);
        let mut problem = error.to_string();
        let mut source = error.source();
        while let Some(error) = source {
            problem = format!("{problem}: {error}");
            source = error.source();
        }
        let problem = shortened(&problem, LONGEST_PROBLEM);
        let last_words = if said.is_empty() { last_words } else { said };
        Self { server: entry.name.clone(), problem, last_words, advice }
    }
}

fn memory_advice(entry: &Entry, ended: &Ended) -> Option<String> {
    let for_memory = ended.reason.as_ref().is_some_and(|reason| reason.contains("memory"));
    for_memory.then(|| format!("allow it more with servers.{}.memory_limit", entry.name))
}

fn check_advice(entry: &Entry) -> String {
    format!("see what it offers with `foreread servers check {}`", quoted(&entry.name))
}

/// Takes the server's words out of an error, which shows them in a line.
fn without_words(mut error: ClientError) -> (ClientError, Vec<String>) {
    let said = match &mut error {
        ClientError::Ended(Ended { stderr, .. })
        | ClientError::Broken { ended: Ended { stderr, .. }, .. }
        | ClientError::GaveUp { last: Ended { stderr, .. }, .. } => std::mem::take(stderr),
        _ => Vec::new(),
    };
    (error, said)
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A server's words could pose as further lines of this message.
        write!(f, "server {:?}: {}", self.server, printable(&self.problem))?;
        if !self.last_words.is_empty() {
            f.write_str("\nit said last on its standard error:")?;
        }
        for line in &self.last_words {
            write!(f, "\n  | {}", printable(line))?;
        }
        if let Some(advice) = &self.advice {
            write!(f, "\nhint: {}", printable(advice))?;
        }
        Ok(())
    }
}

impl Error for Failure {}
