//! The format of the quality cases, and a repository that holds the files of one.
//!
//! A file of cases is plain text. `== name | category` opens a change with a planted fault, `== name
//! twin` the same change done rightly, `== name silent` one that is right and has no counterpart.
//! `@ path` opens a file; its lines follow as a diff shows them, ` `, `-` or `+` before each. `>` marks an
//! added and `<` a removed line at which a finding is right. A file without a mark is not changed and
//! stands in the repository. The mark `¦` is taken out: it joins the halves of a credential.

use std::ffi::OsString;

use review_tool::control::Control;
use review_tool::diff::RepoPath;
use review_tool::finding::{Category, Side};
use review_tool::repo::{Change, ContentSink, Found, Place, Repo, RepoError, Sought};
use review_tool::request::Scope;

/// What a case asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A finding at one of the marked lines.
    Planted(Category),
    /// Silence, for the rightly done twin of the planted case of that name.
    Twin,
    /// Silence.
    Control,
}

/// One line of a file, with whether a finding at it is right.
struct Line {
    on_old: bool,
    on_new: bool,
    marked: bool,
    text: String,
}

/// One file of a case.
pub(crate) struct File {
    pub(crate) path: String,
    lines: Vec<Line>,
}

/// One change, and what is to be said of it.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) files: Vec<File>,
}

impl File {
    fn text(&self, side: Side) -> String {
        let on = |line: &&Line| if side == Side::Old { line.on_old } else { line.on_new };
        self.lines.iter().filter(on).map(|line| format!("{}\n", line.text)).collect()
    }

    fn is_changed(&self) -> bool {
        self.lines.iter().any(|line| line.on_old != line.on_new)
    }

    fn has(&self, side: Side) -> bool {
        let on = |line: &Line| if side == Side::Old { line.on_old } else { line.on_new };
        self.lines.iter().any(on)
    }

    /// The marked lines with their side and number.
    fn marks(&self) -> Vec<(Side, u32)> {
        let (mut old, mut new) = (0, 0);
        let mut out = Vec::new();
        for line in &self.lines {
            old += u32::from(line.on_old);
            new += u32::from(line.on_new);
            if line.marked {
                out.push(if line.on_old { (Side::Old, old) } else { (Side::New, new) });
            }
        }
        out
    }

    fn diff(&self, id: usize) -> String {
        let path = &self.path;
        let count = |side| self.text(side).lines().count();
        let (old, new) = (count(Side::Old), count(Side::New));
        let mut out = format!("diff --git a/{path} b/{path}\n");
        match (self.has(Side::Old), self.has(Side::New)) {
            (false, _) => out.push_str("new file mode 100644\n"),
            (_, false) => out.push_str("deleted file mode 100644\n"),
            _ => {}
        }
        let name = |side, prefix: &str| match self.has(side) {
            true => format!("{prefix}/{path}"),
            false => "/dev/null".to_owned(),
        };
        let object = |side| if self.has(side) { id + 1 } else { 0 };
        let new_object = if self.has(Side::New) { "f".repeat(40) } else { "0".repeat(40) };
        out.push_str(&format!("index {:040x}..{new_object}\n", object(Side::Old)));
        out.push_str(&format!("--- {}\n+++ {}\n", name(Side::Old, "a"), name(Side::New, "b")));
        let start = |count: usize| usize::from(count > 0);
        out.push_str(&format!("@@ -{},{old} +{},{new} @@\n", start(old), start(new)));
        for line in &self.lines {
            let mark = match (line.on_old, line.on_new) {
                (true, true) => ' ',
                (true, false) => '-',
                _ => '+',
            };
            out.push_str(&format!("{mark}{}\n", line.text));
        }
        out
    }
}

impl Case {
    /// Whether a finding stands at a marked line: on it, or at most `NEAR` lines away on its side.
    pub(crate) fn is_marked(&self, path: &str, side: Side, line: u32) -> bool {
        const NEAR: u32 = 1;
        self.files.iter().filter(|file| file.path == path).any(|file| {
            file.marks().iter().any(|&(on, at)| on == side && at.abs_diff(line) <= NEAR)
        })
    }
}

/// Reads a file of cases.
///
/// # Panics
/// At a line that the format does not know.
pub(crate) fn read(name: &str, text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let place = format!("{name}:{}", at + 1);
        if let Some(head) = line.strip_prefix("== ") {
            cases.push(opened(head, &place));
            continue;
        }
        let Some(case) = cases.last_mut() else {
            assert!(line.is_empty() || line.starts_with('#'), "{place}: text before any case");
            continue;
        };
        if let Some(path) = line.strip_prefix("@ ") {
            case.files.push(File { path: path.to_owned(), lines: Vec::new() });
            continue;
        }
        let Some(file) = case.files.last_mut() else {
            assert!(line.is_empty(), "{place}: a line before any file");
            continue;
        };
        let (on_old, on_new, marked) = match line.as_bytes().first() {
            None | Some(b' ') => (true, true, false),
            Some(b'-') => (true, false, false),
            Some(b'+') => (false, true, false),
            Some(b'<') => (true, false, true),
            Some(b'>') => (false, true, true),
            _ => panic!("{place}: no mark of a diff: {line:?}"),
        };
        let text = line.get(1..).unwrap_or_default().replace('¦', "");
        file.lines.push(Line { on_old, on_new, marked, text });
    }
    for case in &mut cases {
        finish(case, name);
    }
    cases
}

fn opened(head: &str, place: &str) -> Case {
    let (name, kind) = if let Some((name, category)) = head.split_once(" | ") {
        let quoted = serde_json::Value::String(category.to_owned());
        let category = serde_json::from_value(quoted).unwrap_or_else(|e| panic!("{place}: {e}"));
        (name, Kind::Planted(category))
    } else if let Some(name) = head.strip_suffix(" twin") {
        (name, Kind::Twin)
    } else if let Some(name) = head.strip_suffix(" silent") {
        (name, Kind::Control)
    } else {
        panic!("{place}: a case is planted (name | category), twin or silent: {head:?}");
    };
    Case { name: name.to_owned(), kind, files: Vec::new() }
}

/// Takes the empty lines between cases off the files and checks the whole.
fn finish(case: &mut Case, of: &str) {
    for file in &mut case.files {
        let is_blank = |line: &Line| line.on_old && line.on_new && line.text.is_empty();
        while file.lines.last().is_some_and(is_blank) {
            file.lines.pop();
        }
    }
    let name = &case.name;
    assert!(case.files.iter().any(File::is_changed), "{of}: {name} changes nothing");
    let marks: usize = case.files.iter().map(|file| file.marks().len()).sum();
    let planted = matches!(case.kind, Kind::Planted(_));
    assert_eq!(marks > 0, planted, "{of}: {name} ({:?}) has {marks} marked lines", case.kind);
}

impl Repo for Case {
    fn change(&self, _: &Scope, _: &[OsString], _: &dyn Control) -> Result<Change, RepoError> {
        let changed = self.files.iter().enumerate().filter(|(_, file)| file.is_changed());
        let diff: String = changed.map(|(at, file)| file.diff(at)).collect();
        Ok(Change { diff: diff.into_bytes(), ..Change::default() })
    }

    fn contents(
        &self,
        ids: &[String],
        _: u64,
        _: &dyn Control,
        sink: &mut ContentSink<'_>,
    ) -> Result<(), RepoError> {
        for (at, id) in ids.iter().enumerate() {
            let place = usize::from_str_radix(id, 16).ok().and_then(|id| id.checked_sub(1));
            let file = place.and_then(|place| self.files.get(place));
            if !sink(at, file.map(|file| file.text(Side::Old).into_bytes())) {
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
        Ok(Change::default())
    }

    /// Every file of the case: which of them matter is for the rules to see, as it is in a repository
    /// where each holds the word.
    fn search(&self, _: &Place, _: Sought<'_>, _: &dyn Control) -> Result<Vec<Found>, RepoError> {
        let files = self.files.iter().filter(|file| file.has(Side::New));
        let found = files.map(|file| Found {
            path: RepoPath::new(file.path.as_bytes()),
            content: file.text(Side::New).into_bytes(),
        });
        Ok(found.collect())
    }

    fn work_file(&self, path: &RepoPath, _: u64) -> Option<Vec<u8>> {
        let file = self.files.iter().find(|file| file.path.as_bytes() == path.as_bytes())?;
        file.has(Side::New).then(|| file.text(Side::New).into_bytes())
    }
}
