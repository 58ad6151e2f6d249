//! A change as git writes it: files, hunks and lines, borrowed from the diff's own bytes.
//!
//! Content and paths are bytes, since git promises no encoding. Line numbers are 1-based. What
//! could not be read is a [`Problem`], never silently left out.

use std::borrow::Cow;
use std::fmt;

use crate::language::Language;

pub mod apply;
pub mod parse;
mod path;

pub use parse::parse;
pub use path::RepoPath;

/// Everything one diff says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeSet<'d> {
    /// The changed files, in the order of the diff.
    pub files: Vec<FileChange<'d>>,
}

/// What happened to a file as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It did not exist before.
    Added,
    /// It exists no more.
    Deleted,
    /// Its content or mode changed.
    Modified,
    /// It moved, perhaps with changes.
    Renamed,
    /// It was copied from another file, perhaps with changes.
    Copied,
}

/// What the diff shows of a file's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body<'d> {
    /// Nothing: only mode or name changed, or the file is empty.
    Empty,
    /// The hunks, ascending.
    Text(Vec<Hunk<'d>>),
    /// git took the content for binary.
    Binary,
}

/// One file of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange<'d> {
    /// What happened to it.
    pub status: Status,
    /// The path before the change; `None` for an added file.
    pub old_path: Option<RepoPath>,
    /// The path after the change; `None` for a deleted file.
    pub new_path: Option<RepoPath>,
    /// The git file mode before, for example `0o100644`.
    pub old_mode: Option<u32>,
    /// The git file mode after.
    pub new_mode: Option<u32>,
    /// The object name of the content before, as far as the diff tells it.
    pub old_id: Option<String>,
    /// The object name of the content after; git writes zeros for content it has not stored.
    pub new_id: Option<String>,
    /// With how many parents the new content is compared; more than one in a combined diff.
    pub parents: usize,
    /// The content.
    pub body: Body<'d>,
    /// Whether the diff of this file is damaged, so that some of its lines are not known.
    pub damaged: bool,
}

/// The mode bits that tell a symbolic link.
const SYMLINK: u32 = 0o120_000;
/// The mode bits that tell a submodule's commit.
const GITLINK: u32 = 0o160_000;
const TYPE_BITS: u32 = 0o170_000;

impl FileChange<'_> {
    /// The path by which reports name the file: the new one, or the old one of a deleted file.
    #[must_use]
    pub fn path(&self) -> Cow<'_, str> {
        self.new_path
            .as_ref()
            .or(self.old_path.as_ref())
            .map_or(Cow::Borrowed(""), RepoPath::display)
    }

    /// The language of the file, by its path; what is not UTF-8 in the path does not count.
    #[must_use]
    pub fn language(&self) -> Option<Language> {
        self.new_path.as_ref().or(self.old_path.as_ref())?.language()
    }

    /// Whether either side is a symbolic link, whose content is a path and not text to review.
    #[must_use]
    pub fn is_symlink(&self) -> bool {
        self.has_type(SYMLINK)
    }

    /// Whether either side is the commit of a submodule.
    #[must_use]
    pub fn is_submodule(&self) -> bool {
        self.has_type(GITLINK)
    }

    fn has_type(&self, bits: u32) -> bool {
        [self.old_mode, self.new_mode].into_iter().flatten().any(|mode| mode & TYPE_BITS == bits)
    }

    /// The hunks; none for content that is not text.
    #[must_use]
    pub fn hunks(&self) -> &[Hunk<'_>] {
        match &self.body {
            Body::Text(hunks) => hunks,
            Body::Empty | Body::Binary => &[],
        }
    }

    /// How many lines the change adds and removes.
    #[must_use]
    pub fn changed_lines(&self) -> (usize, usize) {
        let count = |kind| {
            self.hunks()
                .iter()
                .flat_map(|hunk| &hunk.lines)
                .filter(|line| line.kind == kind)
                .count()
        };
        (count(LineKind::Added), count(LineKind::Removed))
    }
}

/// A run of neighbouring changes with the lines around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk<'d> {
    /// First line on the old side; with `old_len` 0, the line after which the new ones come.
    pub old_start: u32,
    /// Lines on the old side.
    pub old_len: u32,
    /// First line on the new side; with `new_len` 0, the line after which the old ones stood.
    pub new_start: u32,
    /// Lines on the new side.
    pub new_len: u32,
    /// The lines, in the order of the diff.
    pub lines: Vec<Line<'d>>,
}

/// On which sides a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// On both.
    Context,
    /// On the new side alone. In a combined diff: missing from at least one parent.
    Added,
    /// On the old side alone. In a combined diff: the first parent's.
    Removed,
    /// In a combined diff, a line of another parent that the new side lacks.
    OtherParent,
}

/// One line of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'d> {
    /// On which sides it stands.
    pub kind: LineKind,
    /// The content without the line feed; a carriage return before it stays.
    pub text: &'d [u8],
    /// Whether a line feed follows; false only for the last line of a file.
    pub newline: bool,
}

/// Something that could not be read or reviewed, and what that leaves out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file concerned, where one is.
    pub file: Option<String>,
    /// What went wrong and what it leaves unreviewed.
    pub message: String,
}

impl Problem {
    /// A problem with one file.
    #[must_use]
    pub fn of_file(file: impl Into<String>, message: impl Into<String>) -> Self {
        Self { file: Some(file.into()), message: message.into() }
    }

    /// A problem with the review as a whole.
    #[must_use]
    pub fn general(message: impl Into<String>) -> Self {
        Self { file: None, message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{file}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}
