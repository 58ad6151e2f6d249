//! Where changes come from: the port to a repository.

use std::ffi::OsString;

use crate::control::Control;
use crate::diff::{Problem, RepoPath};
use crate::request::Scope;

pub mod git;

/// A change as read from a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// The diff, in git's format with prefixes `a/` and `b/`.
    pub diff: Vec<u8>,
    /// The object name of the old side, where it has one.
    pub base: Option<String>,
    /// The object name of the new side, where it has one.
    pub head: Option<String>,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// A file of a commit or tree, as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stored {
    /// There is none.
    Absent,
    /// Something of that name is there, and is no file to be read: why.
    Unusable(String),
    /// Its content.
    Content(Vec<u8>),
}

impl Stored {
    /// The content as text; `None` where there is no such file.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn text(self) -> Result<Option<String>, String> {
        match self {
            Self::Absent => Ok(None),
            Self::Unusable(why) => Err(why),
            Self::Content(bytes) => match String::from_utf8(bytes) {
                Ok(text) => Ok(Some(text)),
                Err(_) => Err("it is not UTF-8".to_owned()),
            },
        }
    }
}

/// Why a repository did not answer.
#[derive(Debug, thiserror::Error)]
pub enum RepoError {
    /// There is no repository where one was named.
    #[error("{place} is not inside a git repository; name one by `repo`, or give a diff")]
    NotARepository {
        /// The folder that was opened.
        place: String,
    },
    /// The settings of the repository make another folder its work tree.
    #[error(
        "the repository of {place} names {root} as its work tree (core.worktree), so what is read would \
         not be its own files; unset core.worktree, or name both by GIT_DIR and GIT_WORK_TREE"
    )]
    Redirected {
        /// The folder that was opened.
        place: String,
        /// The work tree that its settings name.
        root: String,
    },
    /// The repository belongs to another user, and git refuses it.
    #[error(
        "{place} belongs to another user, so git does not read it; if you trust what is in it, run: git \
         config --global --add safe.directory {place}"
    )]
    Untrusted {
        /// The folder that git names.
        place: String,
    },
    /// A revision that the repository does not have.
    #[error(
        "unknown revision {revision:?}: git finds no commit or tree of that name (paths are given apart \
         from revisions)"
    )]
    UnknownRevision {
        /// The text that was given.
        revision: String,
    },
    /// Two revisions without a common ancestor, where one is needed.
    #[error("{left} and {right} have no common ancestor, so {left}...{right} has no base")]
    NoMergeBase {
        /// The revision on the left.
        left: String,
        /// The revision on the right.
        right: String,
    },
    /// The scope needs a work tree and the repository is bare.
    #[error("the repository is bare, so nothing is {what}; name revisions or a commit")]
    Bare {
        /// What was asked for.
        what: &'static str,
    },
    /// git cannot be started.
    #[error("cannot start git: {source}; install git or put it on PATH")]
    Spawn {
        /// What the system said.
        source: std::io::Error,
    },
    /// git failed.
    #[error("git {command} failed ({status}): {message}")]
    Git {
        /// The subcommand.
        command: String,
        /// Its exit status.
        status: String,
        /// The last lines it wrote on stderr.
        message: String,
    },
    /// git wrote more than the limit.
    #[error("git {command} wrote more than {limit} bytes; review fewer paths at a time")]
    TooLarge {
        /// The subcommand.
        command: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// git did not end in time.
    #[error("git {command} did not end within {seconds} s")]
    Timeout {
        /// The subcommand.
        command: String,
        /// The limit in seconds.
        seconds: u64,
    },
    /// git answered something that it never should.
    #[error("git {command} answered in an unknown form")]
    Answer {
        /// The subcommand.
        command: String,
    },
    /// The caller cancelled.
    #[error("cancelled")]
    Cancelled,
    /// There is no repository at all, only a diff.
    #[error("there is no repository to read {what} from")]
    NoRepository {
        /// What was asked for.
        what: &'static str,
    },
}

impl RepoError {
    /// Whether the caller asked for something that does not exist, rather than the work failing.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        // git's words for paths that it does not take.
        let names_paths = |message: &str| {
            ["pathspec", "is outside repository"].iter().any(|words| message.contains(words))
        };
        matches!(self, Self::Git { message, .. } if names_paths(message))
            || matches!(
                self,
                Self::NotARepository { .. }
                    | Self::Redirected { .. }
                    | Self::UnknownRevision { .. }
                    | Self::NoMergeBase { .. }
                    | Self::Bare { .. }
                    | Self::NoRepository { .. }
            )
    }
}

/// Which state of a repository's files is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The files of a commit or tree, by its object name.
    Tree(String),
    /// The files of the index.
    Index,
    /// The files of the work tree that git tracks or would add.
    WorkTree,
}

/// A regular file of a [`Place`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its path.
    pub path: RepoPath,
    /// The object name of its content; `None` where that stands in the work tree.
    pub id: Option<String>,
}

/// Which files of a [`Place`] are searched for.
#[derive(Debug, Clone, Copy)]
pub struct Sought<'s> {
    /// Words of ASCII letters, digits and `_`; a file matters that holds one of them whole.
    pub words: &'s [String],
    /// Which files may matter: pathspecs of git, from the root. Without any, nothing is found.
    pub places: &'s [String],
}

/// A file that a search found, with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its path.
    pub path: RepoPath,
    /// Its whole content.
    pub content: Vec<u8>,
}

/// Takes the content of one requested object: its place in the request, and `None` where the
/// repository lacks it or it is too large. Returns whether to go on.
pub type ContentSink<'s> = dyn FnMut(usize, Option<Vec<u8>>) -> bool + 's;

/// A repository as a review needs it. Reads only; writes nothing anywhere.
pub trait Repo {
    /// Names the repository among others of the user's: the folder that its work trees share. `None`
    /// where there is none.
    fn identity(&self) -> Option<String> {
        None
    }

    /// Reads the change of a scope other than [`Scope::Patch`], narrowed to `paths`.
    ///
    /// # Errors
    /// Any [`RepoError`]; a part that could not be read is a problem in the [`Change`] instead.
    fn change(
        &self,
        scope: &Scope,
        paths: &[OsString],
        control: &dyn Control,
    ) -> Result<Change, RepoError>;

    /// Reads the contents of objects and hands them over in the order of `ids`, each at most `limit`
    /// bytes.
    ///
    /// # Errors
    /// Any [`RepoError`] that ends the reading early.
    fn contents(
        &self,
        ids: &[String],
        limit: u64,
        control: &dyn Control,
        sink: &mut ContentSink<'_>,
    ) -> Result<(), RepoError>;

    /// The diff of the given files with their content taken for text, whatever attributes say; with
    /// `moved`, of one file by the paths it had and has, as a move.
    ///
    /// # Errors
    /// Any [`RepoError`].
    fn change_as_text(
        &self,
        scope: &Scope,
        paths: &[RepoPath],
        moved: bool,
        control: &dyn Control,
    ) -> Result<Change, RepoError>;

    /// Reads a file of the work tree: `None` unless it is a regular file below the root, reached
    /// without a symbolic link, of at most `limit` bytes.
    fn work_file(&self, path: &RepoPath, limit: u64) -> Option<Vec<u8>>;

    /// What the author says that the change from `base` to `head` is for: the messages of its commits, the
    /// newest first. Empty where there are none.
    ///
    /// # Errors
    /// Any [`RepoError`].
    fn purpose(&self, base: &str, head: &str, control: &dyn Control) -> Result<String, RepoError> {
        let _ = (base, head, control);
        Ok(String::new())
    }

    /// Reads a regular file of a commit or tree by its path from the root; of HEAD, where none is named.
    ///
    /// # Errors
    /// Any [`RepoError`].
    fn file_at(
        &self,
        tree: Option<&str>,
        path: &RepoPath,
        limit: u64,
        control: &dyn Control,
    ) -> Result<Stored, RepoError> {
        let _ = (tree, path, limit, control);
        Ok(Stored::Absent)
    }

    /// Lists the regular files of a place, each once, in git's order.
    ///
    /// # Errors
    /// Any [`RepoError`]; a repository that lists none says so.
    fn list(&self, place: &Place, control: &dyn Control) -> Result<Vec<Listed>, RepoError> {
        let _ = (place, control);
        Err(RepoError::NoRepository { what: "files" })
    }

    /// Finds files of a place by what they hold, in git's order: a bounded number of them, none too
    /// large. A repository that cannot be searched has none.
    ///
    /// # Errors
    /// Any [`RepoError`].
    fn search(
        &self,
        place: &Place,
        sought: Sought<'_>,
        control: &dyn Control,
    ) -> Result<Vec<Found>, RepoError> {
        let _ = (place, sought, control);
        Ok(Vec::new())
    }
}

/// The repository for a scope, as it was `opened`. A diff alone needs none, unless the caller `named` one.
///
/// # Errors
/// Why it was not opened, where it is needed.
pub fn for_scope(
    opened: Result<Box<dyn Repo + Sync>, RepoError>,
    scope: &Scope,
    named: bool,
) -> Result<Box<dyn Repo + Sync>, RepoError> {
    match opened {
        Err(_) if matches!(scope, Scope::Patch(_)) && !named => Ok(Box::new(NoRepo)),
        opened => opened,
    }
}

/// The lack of a repository: a diff alone is reviewed.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoRepo;

impl Repo for NoRepo {
    fn change(&self, _: &Scope, _: &[OsString], _: &dyn Control) -> Result<Change, RepoError> {
        Err(RepoError::NoRepository { what: "a change" })
    }

    fn contents(
        &self,
        ids: &[String],
        _: u64,
        _: &dyn Control,
        sink: &mut ContentSink<'_>,
    ) -> Result<(), RepoError> {
        for at in 0..ids.len() {
            if !sink(at, None) {
                break;
            }
        }
        Ok(())
    }

    fn change_as_text(
        &self,
        _: &Scope,
        _: &[RepoPath],
        _: bool,
        _: &dyn Control,
    ) -> Result<Change, RepoError> {
        Err(RepoError::NoRepository { what: "a change" })
    }

    fn work_file(&self, _: &RepoPath, _: u64) -> Option<Vec<u8>> {
        None
    }
}
