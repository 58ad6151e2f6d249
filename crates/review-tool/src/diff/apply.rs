//! From hunks and the old content to both sides of a file.
//!
//! The new content is made of the old one and the hunks, never read from the work tree: what is
//! reviewed is then exactly what the diff says, whatever filters, links or races stand on disk.

use super::{FileChange, Hunk, LineKind};
use crate::source::{Fragment, SideText};

/// The hunks do not fit the content they are said to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the hunk at line {line} does not fit the file")]
pub struct Mismatch {
    /// Where the first hunk that does not fit begins, on the side that was given.
    pub line: u32,
}

/// Which way hunks are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the old content to the new.
    Forward,
    /// From the new content to the old.
    Reverse,
}

/// Applies hunks to the content of one side and returns the other.
///
/// # Errors
/// [`Mismatch`] where a line that both sides share, or that is to be taken out, is not there.
pub fn apply(content: &[u8], hunks: &[Hunk<'_>], way: Direction) -> Result<Vec<u8>, Mismatch> {
    let (gone, come) = match way {
        Direction::Forward => (LineKind::Removed, LineKind::Added),
        Direction::Reverse => (LineKind::Added, LineKind::Removed),
    };
    let mut out = Vec::with_capacity(content.len());
    let mut rest = content;
    let mut next = 1_u32;
    for hunk in hunks {
        let (start, len) = match way {
            Direction::Forward => (hunk.old_start, hunk.old_len),
            Direction::Reverse => (hunk.new_start, hunk.new_len),
        };
        let mismatch = Mismatch { line: start };
        // An empty range names the line before it.
        let start = if len == 0 { start.saturating_add(1) } else { start };
        let skip = start.checked_sub(next).ok_or(mismatch)?;
        for _ in 0..skip {
            let (line, after) = split_line(rest);
            if line.is_empty() {
                return Err(mismatch);
            }
            out.extend_from_slice(line);
            rest = after;
        }
        next = start;
        for line in &hunk.lines {
            if line.kind == come {
                out.extend_from_slice(line.text);
                out.extend_from_slice(if line.newline { b"\n" } else { b"" });
                continue;
            }
            if line.kind != gone && line.kind != LineKind::Context {
                return Err(mismatch);
            }
            let (found, after) = split_line(rest);
            let text = found.strip_suffix(b"\n").unwrap_or(found);
            if found.is_empty() || text != line.text || (text.len() < found.len()) != line.newline {
                return Err(mismatch);
            }
            if line.kind == LineKind::Context {
                out.extend_from_slice(found);
            }
            rest = after;
            next = next.saturating_add(1);
        }
    }
    out.extend_from_slice(rest);
    Ok(out)
}

fn split_line(text: &[u8]) -> (&[u8], &[u8]) {
    let end = memchr::memchr(b'\n', text).map_or(text.len(), |at| at + 1);
    text.split_at(end)
}

/// The numbers of the lines that stand on one side alone, and the gaps where only the other has lines.
struct Marks {
    changed: Vec<u32>,
    gaps: Vec<u32>,
}

fn marks(hunks: &[Hunk<'_>], own: LineKind) -> Marks {
    let mut marks = Marks { changed: Vec::new(), gaps: Vec::new() };
    for hunk in hunks {
        let (start, len) = match own {
            LineKind::Added => (hunk.new_start, hunk.new_len),
            _ => (hunk.old_start, hunk.old_len),
        };
        let mut next = if len == 0 { start.saturating_add(1) } else { start };
        for line in &hunk.lines {
            if line.kind == own {
                marks.changed.push(next);
            } else if line.kind != LineKind::Context {
                let gap = next.saturating_sub(1);
                if marks.gaps.last() != Some(&gap) {
                    marks.gaps.push(gap);
                }
                continue;
            }
            next = next.saturating_add(1);
        }
    }
    marks
}

/// One side made of the hunks alone, a fragment each.
fn from_hunks(hunks: &[Hunk<'_>], own: LineKind) -> SideText {
    let fragments = hunks
        .iter()
        .map(|hunk| {
            let start = if own == LineKind::Added { hunk.new_start } else { hunk.old_start };
            let mut text = Vec::new();
            for line in hunk.lines.iter().filter(|l| l.kind == own || l.kind == LineKind::Context) {
                text.extend_from_slice(line.text);
                text.extend_from_slice(if line.newline { b"\n" } else { b"" });
            }
            Fragment::from_bytes(start, &text)
        })
        .filter(|fragment| fragment.line_count() > 0)
        .collect();
    let marks = marks(hunks, own);
    SideText::partial(fragments, marks.changed, marks.gaps)
}

/// Both sides of a file: whole where `old` is the content before the change and the hunks fit it, else
/// as far as the hunks show them. An added or deleted file is known from its hunks alone.
///
/// # Errors
/// With the sides as the hunks show them, the [`Mismatch`] that kept `old` from being used.
pub fn sides(
    change: &FileChange<'_>,
    old: Option<&[u8]>,
) -> (SideText, SideText, Option<Mismatch>) {
    let hunks = change.hunks();
    if change.parents == 1 && !change.damaged {
        let old = match (old, change.old_path.is_none()) {
            (_, true) => Some(&b""[..]),
            (old, false) => old,
        };
        if let Some(old) = old {
            return match apply(old, hunks, Direction::Forward) {
                Ok(new) => {
                    let (before, after) =
                        (marks(hunks, LineKind::Removed), marks(hunks, LineKind::Added));
                    (
                        SideText::whole(old, before.changed, before.gaps),
                        SideText::whole(&new, after.changed, after.gaps),
                        None,
                    )
                }
                Err(mismatch) => (
                    from_hunks(hunks, LineKind::Removed),
                    from_hunks(hunks, LineKind::Added),
                    Some(mismatch),
                ),
            };
        }
        if change.new_path.is_none()
            && let Ok(old) = apply(b"", hunks, Direction::Reverse)
        {
            let before = marks(hunks, LineKind::Removed);
            return (
                SideText::whole(&old, before.changed, before.gaps),
                SideText::whole(b"", Vec::new(), vec![0]),
                None,
            );
        }
    }
    (from_hunks(hunks, LineKind::Removed), from_hunks(hunks, LineKind::Added), None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::parse;

    const DIFF: &[u8] = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -2,3 +2,3 @@\n b\n-c\n+C\n d\n@@ -6 +5,0 @@\n-f\n";

    #[test]
    fn hunks_apply_both_ways() {
        let (set, problems) = parse(DIFF);
        assert!(problems.is_empty());
        let hunks = set.files[0].hunks();
        let (old, new) = (b"a\nb\nc\nd\ne\nf\ng", b"a\nb\nC\nd\ne\ng");
        assert_eq!(apply(old, hunks, Direction::Forward).unwrap(), new);
        assert_eq!(apply(new, hunks, Direction::Reverse).unwrap(), old);
    }

    #[test]
    fn hunks_that_do_not_fit_are_refused_and_the_diff_still_shows() {
        let (set, _) = parse(DIFF);
        let file = &set.files[0];
        let (old, new, mismatch) = sides(file, Some(b"a\nb\nX\nd\ne\nf\n"));
        assert_eq!(mismatch, Some(Mismatch { line: 2 }));
        assert_eq!(new.changed_lines().collect::<Vec<_>>(), [(3, "C")]);
        assert_eq!(old.changed_lines().collect::<Vec<_>>(), [(3, "c"), (6, "f")]);
        assert!(!new.is_complete());
    }

    #[test]
    fn sides_of_a_whole_file_know_lines_and_gaps() {
        let (set, _) = parse(DIFF);
        let (old, new, mismatch) = sides(&set.files[0], Some(b"a\nb\nc\nd\ne\nf\ng\n"));
        assert_eq!((mismatch, new.is_complete()), (None, true));
        assert_eq!((new.changed(), old.changed()), (&[3][..], &[3, 6][..]));
        assert_eq!(new.first_gap_in(&(5..=6)), Some(5));
        assert_eq!(new.line(6), Some("g"));
    }

    #[test]
    fn a_missing_last_line_feed_is_kept() {
        let diff = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n";
        let (set, _) = parse(diff);
        let hunks = set.files[0].hunks();
        assert_eq!(apply(b"a", hunks, Direction::Forward).unwrap(), b"b\n");
        assert!(apply(b"a\n", hunks, Direction::Forward).is_err());
        assert_eq!(apply(b"b\n", hunks, Direction::Reverse).unwrap(), b"a");
    }
}
