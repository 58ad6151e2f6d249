//! The texts of requests, part by part.

use std::fmt::Write as _;
use std::ops::Range;

use super::Shape;
use super::pack::Bin;
use crate::diff::{LineKind, Status};
use crate::finding::Finding;
use crate::numbered::{Change, File, Line};
use crate::printable;
use crate::secret::redact;

/// More tokens than the fences around a chunk's parts have.
pub(super) const FRAME_TOKENS: u64 = 160;

/// Guidance, and what the author says, are cut after this many characters each.
const MAX_SHARED_CHARS: usize = 8000;

/// What stands before the change in every request.
pub(super) fn shared(shape: &Shape<'_>) -> String {
    let mut out = String::new();
    let parts = [
        ("the project's guidance for reviewers", shape.guidance),
        ("what the author says that the change is for", shape.purpose),
    ];
    for (about, text) in parts {
        if let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) {
            // Masked before it is cut: a credential may lie across the cut.
            let masked = lines_printable(&redact(text));
            let end =
                masked.char_indices().nth(MAX_SHARED_CHARS).map_or(masked.len(), |(at, _)| at);
            out.push_str(&shape.key.fence(about, &masked[..end]));
        }
    }
    out
}

/// A text with every line made printable.
fn lines_printable(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(printable).collect();
    lines.join("\n")
}

/// The change of one request, and what the rules found in it.
pub(super) fn chunk(change: &Change, bin: &Bin, shape: &Shape<'_>) -> String {
    let (mut shown, mut found) = (String::new(), String::new());
    let mut last = None;
    for piece in &bin.pieces {
        let file = &change.files[piece.file];
        if last != Some(piece.file) {
            shown.push_str(&header(file));
            found.push_str(&known(file, shape.found));
            last = Some(piece.file);
        }
        let Some(hunk) = file.hunks.get(piece.hunk) else { continue };
        shown.push_str("@@\n");
        let mut numbers = Numbers::default();
        if piece.before {
            hunk.before.iter().for_each(|line| numbers.write(line, &mut shown));
        }
        hunk.lines[piece.lines.clone()].iter().for_each(|line| numbers.write(line, &mut shown));
        if piece.after {
            hunk.after.iter().for_each(|line| numbers.write(line, &mut shown));
        }
    }
    let mut out = shape.key.fence("the change to review", &shown);
    if !found.is_empty() {
        out.push_str(&shape.key.fence("faults already found, not to be reported again", &found));
    }
    out
}

/// The line that opens a file.
pub(super) fn header(file: &File) -> String {
    let status = match file.status {
        Status::Added => "added",
        Status::Deleted => "deleted",
        Status::Modified => "modified",
        Status::Renamed => "renamed",
        Status::Copied => "copied",
    };
    let mut out = format!("file: {}\nstatus: {status}", file.shown_path());
    if let Some(old) = &file.old_path {
        _ = write!(out, " from {}", printable(&redact(old)));
    }
    out.push('\n');
    out
}

/// The rules' findings in one file.
pub(super) fn known(file: &File, found: &[Finding]) -> String {
    let mut out = String::new();
    for finding in found.iter().filter(|finding| finding.file == file.path) {
        let rule = finding.rule.as_deref().unwrap_or("model");
        let (path, line, side) = (file.shown_path(), finding.line, finding.side);
        _ = writeln!(out, "{path}:{line} ({side}) {rule}: {}", printable(&finding.title));
    }
    out
}

/// The lines of a hunk as they are shown, without functions around.
pub(super) fn lines(lines: &[Line], range: Range<usize>) -> String {
    let mut out = String::from("@@\n");
    let mut numbers = Numbers::default();
    lines[range].iter().for_each(|line| numbers.write(line, &mut out));
    out
}

/// Writes lines, and a mark where numbers of the new side jump.
#[derive(Default)]
struct Numbers {
    last: Option<u32>,
}

impl Numbers {
    fn write(&mut self, line: &Line, out: &mut String) {
        if let Some(new) = line.new {
            if self.last.is_some_and(|last| last.saturating_add(1) < new) {
                out.push_str("…\n");
            }
            self.last = Some(new);
        }
        let (sign, number) = match line.kind {
            LineKind::Context => (' ', line.new),
            LineKind::Added => ('+', line.new),
            LineKind::Removed | LineKind::OtherParent => ('-', line.old),
        };
        match number {
            Some(number) => _ = write!(out, "{sign}{number:>5}|"),
            None => _ = write!(out, "{sign}     |"),
        }
        out.push_str(&line.shown());
        out.push('\n');
    }
}
