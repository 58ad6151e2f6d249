//! A change as a model is shown it: lines with their numbers, credentials masked, and around each hunk
//! the rest of the functions that it changes.
//!
//! Both the prompt and the check of an answer work on this, so what a model can point at is exactly
//! what it has seen.

use std::borrow::Cow;

use crate::diff::{FileChange, LineKind, Status};
use crate::finding::Side;
use crate::language::Language;
use crate::printable;
use crate::secret::redact;
use crate::source::{Fragment, SideText};
use crate::view::FileView;

mod context;

/// A line of more characters is cut where it is shown.
const MAX_LINE_CHARS: usize = 2000;

/// Every file of a change, in the order of the diff.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// The files.
    pub files: Vec<File>,
}

impl Change {
    /// Numbers files as the diff alone shows them, without functions around.
    #[must_use]
    pub fn of(files: &[&FileChange<'_>]) -> Self {
        let one = |file: &&FileChange<'_>| {
            let (old, new, _) = crate::diff::apply::sides(file, None);
            File::of_sides(file, &old, &new)
        };
        Self { files: files.iter().map(one).collect() }
    }

    /// How many lines were added or removed.
    #[must_use]
    pub fn changed_lines(&self) -> usize {
        let hunks = self.files.iter().flat_map(|file| &file.hunks);
        hunks.flat_map(|hunk| &hunk.lines).filter(|line| line.is_changed()).count()
    }
}

/// One changed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// The path by which findings name the file.
    pub path: String,
    /// The path before the change, where it was another one.
    pub old_path: Option<String>,
    /// What happened to the file.
    pub status: Status,
    /// The language, by the path.
    pub language: Option<Language>,
    /// The hunks, ascending.
    pub hunks: Vec<Hunk>,
}

/// A run of neighbouring changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hunk {
    /// Lines of the new side before the hunk, out of the functions that it changes.
    pub before: Vec<Line>,
    /// The lines of the diff; only these can be pointed at.
    pub lines: Vec<Line>,
    /// Lines of the new side after the hunk, out of the functions that it changes.
    pub after: Vec<Line>,
}

/// One line with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// On which sides it stands.
    pub kind: LineKind,
    /// Its number on the old side.
    pub old: Option<u32>,
    /// Its number on the new side.
    pub new: Option<u32>,
    /// The text without its line end, credentials masked.
    pub text: String,
}

impl Line {
    /// Whether the change added or removed the line.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.kind != LineKind::Context
    }

    /// The text as it is shown: what could hide stands as escapes, a very long line is cut.
    #[must_use]
    pub fn shown(&self) -> Cow<'_, str> {
        match self.text.char_indices().nth(MAX_LINE_CHARS) {
            Some((end, _)) => Cow::Owned(format!("{} …(cut)", printable(&self.text[..end]))),
            None => printable(&self.text),
        }
    }

    /// Whether [`Line::shown`] leaves some of the line out.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.text.len() > MAX_LINE_CHARS && self.text.char_indices().nth(MAX_LINE_CHARS).is_some()
    }

    /// The line's number on one side.
    #[must_use]
    pub fn number(&self, side: Side) -> Option<u32> {
        match side {
            Side::Old => self.old,
            Side::New => self.new,
        }
    }
}

impl File {
    /// Numbers a file whose sides are known as `view` has them, with the functions around its hunks.
    #[must_use]
    pub fn of_view(change: &FileChange<'_>, view: &FileView) -> Self {
        let mut file = Self::of_sides(change, view.old_side(), view.new_side());
        context::add(&mut file, view);
        file
    }

    fn of_sides(change: &FileChange<'_>, old: &SideText, new: &SideText) -> Self {
        let (old, new) = (Masked::of(old), Masked::of(new));
        let hunks = change.hunks().iter().map(|hunk| {
            let from =
                |start: u32, len: u32| if len == 0 { start.saturating_add(1) } else { start };
            let mut next_old = from(hunk.old_start, hunk.old_len);
            let mut next_new = from(hunk.new_start, hunk.new_len);
            let lines = hunk.lines.iter().map(|line| {
                let (on_old, on_new) = match line.kind {
                    LineKind::Context => (true, true),
                    LineKind::Added => (false, true),
                    LineKind::Removed => (true, false),
                    LineKind::OtherParent => (false, false),
                };
                let raw = String::from_utf8_lossy(line.text);
                let raw = raw.strip_suffix('\r').unwrap_or(&raw);
                let masked = [(on_new, &new, next_new), (on_old, &old, next_old)]
                    .into_iter()
                    .filter(|(on, ..)| *on)
                    .filter_map(|(_, side, number)| side.line(number))
                    .find(|text| *text != raw);
                let text = masked.map_or_else(|| redact(raw).into_owned(), str::to_owned);
                let numbered = Line {
                    kind: line.kind,
                    old: on_old.then_some(next_old),
                    new: on_new.then_some(next_new),
                    text,
                };
                next_old = next_old.saturating_add(u32::from(on_old));
                next_new = next_new.saturating_add(u32::from(on_new));
                numbered
            });
            Hunk { lines: lines.collect(), ..Hunk::default() }
        });
        let path = change.path().into_owned();
        let old_path = change.old_path.as_ref().map(|path| path.display().into_owned());
        Self {
            old_path: old_path.filter(|old| *old != path),
            path,
            status: change.status,
            language: change.language(),
            hunks: hunks.collect(),
        }
    }

    /// The path as it is shown: on one line, credentials masked.
    #[must_use]
    pub fn shown_path(&self) -> String {
        printable(&redact(&self.path)).into_owned()
    }

    /// The lines of the diff.
    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        self.hunks.iter().flat_map(|hunk| &hunk.lines)
    }
}

/// A side with its credentials masked as whole texts, since one may span lines.
struct Masked(Vec<Fragment>);

impl Masked {
    fn of(side: &SideText) -> Self {
        let mask =
            |part: &Fragment| Fragment::new(part.first_line(), redact(part.text()).into_owned());
        Self(side.fragments().iter().map(mask).collect())
    }

    fn line(&self, number: u32) -> Option<&str> {
        let at = self.0.partition_point(|part| part.first_line() <= number);
        self.0.get(at.checked_sub(1)?)?.line(number)
    }
}
