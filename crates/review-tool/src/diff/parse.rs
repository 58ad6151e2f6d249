//! Reads the text of a diff: git's own format, plain `diff -u`, and combined diffs.
//!
//! Inside a hunk only the counts of its header decide where it ends, so no text of the change can pose
//! as a header; outside, nothing but the known header lines is read. Whatever does not fit is a
//! [`Problem`] and marks its file as damaged; the rest is still read. Never fails, never panics.

use super::path::{is_name, prefixes, read, read_pair, read_whole, strip};
use super::{Body, ChangeSet, FileChange, Hunk, Line, LineKind, Problem, RepoPath, Status};

/// Reads a diff. Files come in the order of the text; problems say what was left out.
#[must_use]
pub fn parse(text: &[u8]) -> (ChangeSet<'_>, Vec<Problem>) {
    let mut parser = Parser { rest: text, files: Vec::new(), current: None, problems: Vec::new() };
    parser.run();
    (ChangeSet { files: parser.files }, parser.problems)
}

/// The header lines of one file as they come in.
#[derive(Default)]
struct Header {
    /// The paths of the `diff --git` line, prefixes included, where it is not ambiguous.
    pair: Option<(Vec<u8>, Vec<u8>)>,
    /// The path of a line that names one without prefix: `diff --cc`, `Submodule`.
    known_path: Option<Vec<u8>>,
    /// The paths of the `---` and `+++` lines; the outer `None` means that there was no such line.
    marked: (Option<Vec<u8>>, Option<Vec<u8>>),
    /// The paths of `rename` or `copy` lines, which have no prefix.
    moved: (Option<Vec<u8>>, Option<Vec<u8>>),
    status: Option<Status>,
    old_mode: Option<u32>,
    new_mode: Option<u32>,
    old_id: Option<String>,
    new_id: Option<String>,
    parents: usize,
    binary: bool,
    git: bool,
    damaged: bool,
}

struct Parser<'d> {
    rest: &'d [u8],
    files: Vec<FileChange<'d>>,
    current: Option<(Header, Vec<Hunk<'d>>)>,
    problems: Vec<Problem>,
}

impl<'d> Parser<'d> {
    fn run(&mut self) {
        while let Some((line, after)) = next_line(self.rest) {
            let text = line.strip_suffix(b"\r").unwrap_or(line);
            if text.starts_with(b"@@") && self.current.is_some() {
                self.rest = after;
                self.hunk(text);
                continue;
            }
            self.outside(text, after);
        }
        self.finish();
    }

    /// One line outside every hunk.
    fn outside(&mut self, text: &'d [u8], after: &'d [u8]) {
        let here = self.rest;
        self.rest = after;
        if let Some(paths) = text.strip_prefix(b"diff --git ") {
            self.start(Header {
                git: true,
                parents: 1,
                pair: read_pair(paths),
                ..Header::default()
            });
        } else if let Some(path) =
            text.strip_prefix(b"diff --cc ").or_else(|| text.strip_prefix(b"diff --combined "))
        {
            let known_path = Some(read_whole(path));
            self.start(Header { git: true, parents: 2, known_path, ..Header::default() });
        } else if let Some(path) = text.strip_prefix(b"* Unmerged path ") {
            self.finish();
            self.problems.push(Problem::of_file(
                RepoPath::new(read_whole(path)).display(),
                "the path is unmerged, so it has no one content to review: resolve the conflict first",
            ));
        } else if let Some(path) = text.strip_prefix(b"Submodule ").and_then(submodule) {
            self.start(Header::of_submodule(path));
            self.finish();
        } else if let Some(message) = self.unreadable(text, after) {
            self.problems.push(Problem::general(message));
        } else if text.starts_with(b"--- ") && self.starts_plain_file(after) {
            self.start(Header { parents: 1, ..Header::default() });
            self.header_line(text);
        } else if self.current.is_some() {
            self.header_line(text);
        }
        debug_assert!(self.rest.len() < here.len());
    }

    /// What is wrong with a line that belongs to a change which cannot be read: a hunk without the header
    /// of a file, or another format of diff.
    fn unreadable(&self, text: &[u8], after: &[u8]) -> Option<&'static str> {
        if self.current.is_none() && (text.starts_with(b"@@ -") || text.starts_with(b"+++ ")) {
            return Some("a hunk has no header that names its file; it was not reviewed");
        }
        if text.starts_with(b"***************") {
            return Some("a change is a context diff; it was not reviewed: make a unified one");
        }
        let is_command = text.first().is_some_and(u8::is_ascii_digit)
            && text.iter().all(|byte| byte.is_ascii_digit() || b",acd".contains(byte))
            && text.iter().filter(|byte| byte.is_ascii_alphabetic()).count() == 1
            && (after.starts_with(b"< ") || after.starts_with(b"> "));
        is_command.then_some(
            "a change is a plain diff without context; it was not reviewed: make a unified one",
        )
    }

    /// Whether a `---` line opens a file of its own: it is not the header line that git's own header
    /// still expects, and a `+++` line follows.
    fn starts_plain_file(&self, after: &[u8]) -> bool {
        let expected = self.current.as_ref().is_some_and(|(header, hunks)| {
            header.git && header.marked.0.is_none() && hunks.is_empty()
        });
        !expected && after.starts_with(b"+++ ")
    }

    fn header_line(&mut self, text: &[u8]) {
        let Some((header, hunks)) = &mut self.current else { return };
        if hunks.is_empty() {
            header.read(text);
        } else if !matches!(text, [b'+' | b'-' | b' ', ..]) || text == b"-- " {
            // What follows a blank line or prose is the head of the next commit or mail, until a file's
            // header comes: every program that applies diffs reads it so.
            self.finish();
        } else {
            header.damaged = true;
            let name = header.name();
            self.problems.push(Problem::of_file(
                name,
                "the diff has lines beyond the count of their hunk header; they were not reviewed",
            ));
            self.skip_stray_lines();
        }
    }

    /// Passes over lines that belong to no hunk, so that one message serves for all of them.
    fn skip_stray_lines(&mut self) {
        while self.rest.first().is_some_and(|byte| b"+- ".contains(byte))
            && !self.rest.starts_with(b"--- ")
        {
            self.rest = next_line(self.rest).map_or(&[], |(_, after)| after);
        }
    }

    fn start(&mut self, header: Header) {
        self.finish();
        self.current = Some((header, Vec::new()));
    }

    fn finish(&mut self) {
        let Some((header, hunks)) = self.current.take() else { return };
        let contradiction = header.contradiction().or_else(|| header.cut_short(&hunks));
        match header.into_change(hunks) {
            Ok(mut change) => {
                if let Some(message) = contradiction {
                    change.damaged = true;
                    self.problems.push(Problem::of_file(change.path(), message));
                }
                self.files.push(change);
            }
            Err(message) => self.problems.push(Problem::general(message)),
        }
    }

    /// Reads the hunk that `line` opens, up to the counts that it states.
    fn hunk(&mut self, line: &[u8]) {
        let Some((header, hunks)) = &mut self.current else { return };
        let Some((parents, ranges)) = read_ranges(line) else {
            self.damage("a hunk header cannot be read; its lines were not reviewed");
            return self.skip_stray_lines();
        };
        header.parents = parents;
        let ((old_start, old_len), (new_start, new_len)) = (ranges[0], ranges[parents]);
        if hunks.last().is_some_and(|last| {
            new_start < last.new_start.saturating_add(last.new_len)
                || (parents == 1 && old_start < last.old_start.saturating_add(last.old_len))
        }) {
            self.damage("a hunk stands before the one above it; it was not reviewed");
            return self.skip_stray_lines();
        }
        let mut left: Vec<u32> = ranges.iter().map(|&(_, len)| len).collect();
        let mut lines: Vec<Line<'d>> = Vec::new();
        let mut cut = false;
        while left.iter().any(|&left| left > 0) {
            let Some((text, after)) = next_line(self.rest) else {
                cut = true;
                break;
            };
            if text.starts_with(b"\\") {
                self.rest = after;
                no_newline(&mut lines);
                continue;
            }
            let Some((kind, text)) = classify(text, parents, &mut left) else {
                cut = true;
                break;
            };
            self.rest = after;
            lines.push(Line { kind, text, newline: true });
        }
        if self.rest.starts_with(b"\\ ") {
            self.rest = next_line(self.rest).map_or(&[], |(_, after)| after);
            no_newline(&mut lines);
        }
        let mut hunk = Hunk { old_start, old_len, new_start, new_len, lines };
        if cut {
            // The counts now say what is there, so that line numbers and fragments agree.
            hunk.old_len = old_len - left[0];
            hunk.new_len = new_len - left[parents];
        }
        hunks.push(hunk);
        if cut {
            self.damage("a hunk is cut short; the lines that it lacks were not reviewed");
        }
    }

    fn damage(&mut self, message: &str) {
        if let Some((header, _)) = &mut self.current {
            header.damaged = true;
            self.problems.push(Problem::of_file(header.name(), message));
        }
    }
}

/// The path of a line by which git tells, under some settings, that a submodule changed: the path, two
/// abbreviated names of commits, and perhaps a remark.
fn submodule(text: &[u8]) -> Option<&[u8]> {
    let ranges = memchr::memchr_iter(b' ', text).map(|at| (&text[..at], &text[at + 1..]));
    let mut found = ranges.filter(|(_, range)| {
        let end = range.iter().position(|byte| b": ".contains(byte)).unwrap_or(range.len());
        let is_hex = |id: &[u8]| id.len() >= 4 && id.iter().all(u8::is_ascii_hexdigit);
        let names = memchr::memchr(b'.', &range[..end]).map(|at| range[..end].split_at(at));
        names.is_some_and(|(old, new)| {
            let new = new.strip_prefix(b"...").or_else(|| new.strip_prefix(b".."));
            is_hex(old) && new.is_some_and(is_hex)
        })
    });
    found.next().map(|(path, _)| path)
}

/// Marks the lines that end the file without a line feed: the last, or, where a removed line stands
/// before an added one, each in its turn as git writes the mark behind each.
fn no_newline(lines: &mut [Line<'_>]) {
    if let Some(line) = lines.last_mut() {
        line.newline = false;
    }
}

/// Tells the sides of one hunk line and counts it; `None` if it cannot belong to the hunk.
fn classify<'d>(text: &'d [u8], parents: usize, left: &mut [u32]) -> Option<(LineKind, &'d [u8])> {
    // Some tools, and git itself by a setting, write an empty context line without its space.
    let (signs, content) = if text.is_empty() || text == b"\r" {
        (&b"                "[..parents.min(16)], text)
    } else {
        text.split_at_checked(parents)?
    };
    if signs.len() != parents || !signs.iter().all(|sign| b" +-".contains(sign)) {
        return None;
    }
    let gone = signs.contains(&b'-');
    if gone && signs.contains(&b'+') {
        return None;
    }
    let stands = |sign: u8| if gone { sign == b'-' } else { sign == b' ' };
    let counted = |left: &[u32], at: usize| left[at] > 0;
    for (at, &sign) in signs.iter().enumerate() {
        if stands(sign) && !counted(left, at) {
            return None;
        }
    }
    if !gone && !counted(left, parents) {
        return None;
    }
    for (at, &sign) in signs.iter().enumerate() {
        left[at] -= u32::from(stands(sign));
    }
    left[parents] -= u32::from(!gone);
    let kind = match (gone, signs[0]) {
        (true, b'-') => LineKind::Removed,
        (true, _) => LineKind::OtherParent,
        (false, _) if signs.contains(&b'+') => LineKind::Added,
        (false, _) => LineKind::Context,
    };
    Some((kind, content))
}

/// The start and length of each side, the new one last; with the number of parents.
fn read_ranges(line: &[u8]) -> Option<(usize, Vec<(u32, u32)>)> {
    let signs = line.iter().take_while(|&&byte| byte == b'@').count();
    let parents = signs.checked_sub(1).filter(|parents| (1..=16).contains(parents))?;
    let text = std::str::from_utf8(&line[signs..]).ok().or_else(|| {
        // The heading behind the ranges is a line of the file, in whatever encoding.
        let end = line[signs..].windows(2).position(|two| two == b"@@")?;
        std::str::from_utf8(&line[signs..signs + end]).ok()
    })?;
    let mut words = text.strip_prefix(' ')?.split(' ');
    let mut ranges = Vec::with_capacity(parents + 1);
    for at in 0..=parents {
        let sign = if at == parents { '+' } else { '-' };
        let word = words.next()?.strip_prefix(sign)?;
        let (start, len) = word.split_once(',').unwrap_or((word, "1"));
        let number = |text: &str| -> Option<u32> {
            text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
        };
        let (start, len) = (number(start)?, number(len)?);
        // Line 0 exists only as the place before the first line.
        if (start == 0 && len > 0) || start.checked_add(len).is_none() {
            return None;
        }
        ranges.push((start, len));
    }
    words.next()?.bytes().take(signs).all(|byte| byte == b'@').then_some((parents, ranges))
}

impl Header {
    /// The header of a submodule whose diff tells no more than that it changed.
    fn of_submodule(path: &[u8]) -> Self {
        let mode = Some(super::GITLINK);
        let known_path = Some(path.to_vec());
        Self { known_path, old_mode: mode, new_mode: mode, ..Self::default() }
    }

    /// Reads one extended header line; any other line is not the diff's to explain.
    fn read(&mut self, text: &[u8]) {
        let path = |rest: &[u8]| read(rest);
        let mode =
            |rest: &[u8]| u32::from_str_radix(std::str::from_utf8(rest).ok()?.trim(), 8).ok();
        let after = |prefix: &str| text.strip_prefix(prefix.as_bytes());
        if let Some(rest) = after("--- ") {
            self.marked.0 = path(rest);
        } else if let Some(rest) = after("+++ ") {
            self.marked.1 = path(rest);
        } else if let Some(rest) = after("old mode ") {
            self.old_mode = mode(rest);
        } else if let Some(rest) = after("new mode ") {
            self.new_mode = mode(rest);
        } else if let Some(rest) = after("mode ") {
            // Combined: the old modes, one a parent, then the new one.
            if let Some(at) = rest.windows(2).position(|two| two == b"..") {
                self.old_mode = rest[..at].split(|&byte| byte == b',').next().and_then(mode);
                self.new_mode = mode(&rest[at + 2..]);
            }
        } else if let Some(rest) = after("new file mode ") {
            self.status = Some(Status::Added);
            self.new_mode = mode(rest);
        } else if let Some(rest) = after("deleted file mode ") {
            self.status = Some(Status::Deleted);
            self.old_mode = rest.split(|&byte| byte == b',').next().and_then(mode);
        } else if let Some(rest) = after("rename from ") {
            self.status = Some(Status::Renamed);
            self.moved.0 = path(rest);
        } else if let Some(rest) = after("rename to ") {
            self.moved.1 = path(rest);
        } else if let Some(rest) = after("copy from ") {
            self.status = Some(Status::Copied);
            self.moved.0 = path(rest);
        } else if let Some(rest) = after("copy to ") {
            self.moved.1 = path(rest);
        } else if let Some(rest) = after("index ") {
            self.read_index(rest);
        } else if after("Binary files ").is_some_and(|rest| rest.ends_with(b" differ"))
            || after("GIT binary patch").is_some()
        {
            self.binary = true;
        }
    }

    fn read_index(&mut self, rest: &[u8]) {
        let Ok(text) = std::str::from_utf8(rest) else { return };
        let (ids, mode) =
            text.split_once(' ').map_or((text, None), |(ids, mode)| (ids, Some(mode)));
        let Some((old, new)) = ids.split_once("..") else { return };
        let old = old.split(',').next().unwrap_or_default();
        let hex = |id: &str| {
            let ok = id.len() >= 4 && id.len() <= 64 && id.bytes().all(|b| b.is_ascii_hexdigit());
            ok.then(|| id.to_ascii_lowercase())
        };
        (self.old_id, self.new_id) = (hex(old), hex(new));
        if let Some(mode) = mode.and_then(|mode| u32::from_str_radix(mode.trim(), 8).ok()) {
            (self.old_mode, self.new_mode) = (Some(mode), Some(mode));
        }
    }

    /// A name for messages before the header is complete.
    fn name(&self) -> String {
        let (old, new) = self.paths();
        new.or(old).map_or_else(|| "(unnamed file)".to_owned(), |path| path.display().into_owned())
    }

    /// What is wrong where the header lines name different files. Programs that apply such a diff
    /// disagree on the file, so it may not be the one that was reviewed.
    fn contradiction(&self) -> Option<&'static str> {
        const MESSAGE: &str = "the header names different files, so what it changes cannot be told";
        if let (Some(from), Some(to)) = (&self.moved.0, &self.moved.1) {
            let (old, new) = self.real_marks();
            let same = |marked: Option<&[u8]>, moved: &[u8]| {
                marked.is_none_or(|marked| is_name(marked, moved))
            };
            return (!same(old, from) || !same(new, to)).then_some(MESSAGE);
        }
        match self.marked_paths() {
            // `diff -u x.orig x` is fine; a name that turns code into something else is not.
            (Some(old), Some(new)) if old != new => {
                let old = old.language();
                (old.is_some() && old != new.language()).then_some(MESSAGE)
            }
            _ => None,
        }
    }

    /// What is wrong where the header promises hunks and none came.
    fn cut_short(&self, hunks: &[Hunk<'_>]) -> Option<&'static str> {
        /// The names of the empty content, by SHA-1 and by SHA-256.
        const EMPTY: [&str; 2] = [
            "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
            "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
        ];
        if !hunks.is_empty() || self.binary || self.damaged {
            return None;
        }
        let is_empty = |id: &str| {
            id.bytes().all(|byte| byte == b'0') || EMPTY.iter().any(|empty| empty.starts_with(id))
        };
        let has_marks = self.marked.0.is_some() || self.marked.1.is_some();
        let differs = match (&self.old_id, &self.new_id) {
            (Some(old), Some(new)) => old != new && !(is_empty(old) && is_empty(new)),
            _ => false,
        };
        (has_marks || differs)
            .then_some("the diff ends before the hunks of the file; its lines were not reviewed")
    }

    /// The paths of the `---` and `+++` lines as they stand; `None` for content that is not there.
    fn real_marks(&self) -> (Option<&[u8]>, Option<&[u8]>) {
        fn real(path: Option<&[u8]>) -> Option<&[u8]> {
            path.filter(|path| *path != b"/dev/null")
        }
        (real(self.marked.0.as_deref()), real(self.marked.1.as_deref()))
    }

    /// The paths of the `---` and `+++` lines without prefixes.
    fn marked_paths(&self) -> (Option<RepoPath>, Option<RepoPath>) {
        let (old, new) = self.real_marks();
        let (before, after) = match &self.pair {
            Some((old, new)) => prefixes(Some(old), Some(new), true),
            None => prefixes(old, new, self.git),
        };
        (old.map(|path| strip(path, before)), new.map(|path| strip(path, after)))
    }

    fn paths(&self) -> (Option<RepoPath>, Option<RepoPath>) {
        if let Some(path) = &self.known_path {
            let path = Some(RepoPath::new(path.clone()));
            return (path.clone(), path);
        }
        if let (Some(from), Some(to)) = &self.moved {
            return (Some(RepoPath::new(from.clone())), Some(RepoPath::new(to.clone())));
        }
        if self.marked.0.is_some() && self.marked.1.is_some() {
            return self.marked_paths();
        }
        match &self.pair {
            Some((old, new)) => {
                let (before, after) = prefixes(Some(old), Some(new), true);
                (Some(strip(old, before)), Some(strip(new, after)))
            }
            None => (None, None),
        }
    }

    fn into_change(self, hunks: Vec<Hunk<'_>>) -> Result<FileChange<'_>, &'static str> {
        let (mut old_path, mut new_path) = self.paths();
        let status = self.status.unwrap_or(match (&old_path, &new_path) {
            (None, Some(_)) => Status::Added,
            (Some(_), None) => Status::Deleted,
            _ => Status::Modified,
        });
        match status {
            Status::Added => old_path = None,
            Status::Deleted => new_path = None,
            Status::Modified | Status::Renamed | Status::Copied => {}
        }
        if old_path.is_none() && new_path.is_none() {
            return Err("the diff has a file whose name cannot be read; it was not reviewed");
        }
        let body = match (self.binary, hunks.is_empty()) {
            (true, true) => Body::Binary,
            (false, true) => Body::Empty,
            // git never writes both; other programs apply the hunks.
            (_, false) => Body::Text(hunks),
        };
        Ok(FileChange {
            status,
            old_path,
            new_path,
            old_mode: self.old_mode,
            new_mode: self.new_mode,
            old_id: self.old_id,
            new_id: self.new_id,
            parents: self.parents.max(1),
            body,
            damaged: self.damaged,
        })
    }
}

/// The next line without its line feed, and what follows; `None` at the end.
fn next_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    if text.is_empty() {
        return None;
    }
    Some(match memchr::memchr(b'\n', text) {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, &[]),
    })
}
