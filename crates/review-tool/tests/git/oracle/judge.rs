//! What git says of a change: counts by `--numstat`, entries by `--raw`, lines by marks and by blame.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use super::super::fixture::Fixture;
use super::{Changed, Lines};

/// Arguments by which `git diff` means the same under every setting.
const PLAIN: &[&str] = &[
    "-c",
    "diff.suppressBlankEmpty=false",
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--find-renames",
    "--ignore-submodules=dirty",
    "--submodule=short",
    "-O/dev/null",
];

/// The form that [`marked`] reads.
const MARKS: &[&str] = &[
    "--text",
    "--unified=3",
    "--inter-hunk-context=0",
    "--output-indicator-new=N",
    "--output-indicator-old=O",
    "--output-indicator-context=C",
];

/// At most this many files of one change are blamed, since each takes a run of git.
const MOST_BLAMED: usize = 40;

pub(crate) struct Judge<'r> {
    repo: &'r Fixture,
    empty: OnceCell<String>,
}

/// One entry of `--raw -z`.
struct Entry {
    modes: (u32, u32),
    from: Option<Vec<u8>>,
}

impl<'r> Judge<'r> {
    pub(crate) fn new(repo: &'r Fixture) -> Self {
        Self { repo, empty: OnceCell::new() }
    }

    pub(crate) fn empty_tree(&self) -> &str {
        self.empty.get_or_init(|| self.line(&["hash-object", "-t", "tree", "/dev/null"]))
    }

    fn line(&self, arguments: &[&str]) -> String {
        String::from_utf8(self.bytes(arguments)).unwrap().trim_end().to_owned()
    }

    fn bytes(&self, arguments: &[&str]) -> Vec<u8> {
        let output = self.repo.try_git(arguments);
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
        output.stdout
    }

    fn diff(&self, options: &[&str], sides: &[&str]) -> Vec<u8> {
        self.bytes(&[PLAIN, options, sides, &["--"]].concat())
    }

    /// The diff as git writes it with more options and the settings of the repository.
    pub(crate) fn text(&self, options: &[&str], sides: &[&str]) -> Vec<u8> {
        let head = [
            "diff",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--find-renames",
            "--ignore-submodules=dirty",
            "--submodule=short",
        ];
        self.bytes(&[&head, options, &["-O/dev/null"], sides, &["--"]].concat())
    }

    /// The changed lines, where attributes alone make nothing binary.
    pub(crate) fn counted(&self, sides: &[&str]) -> Changed {
        let entries = entries(&self.diff(&["--raw", "-z"], sides));
        let plain = counts(&self.diff(&["--numstat", "-z"], sides));
        let shown = marked(&self.diff(MARKS, sides));
        assert_eq!(entries.len(), plain.len());
        // An entry that changes its kind has two parts in a diff and one everywhere else.
        let mut shown = shown.into_iter();
        let mut changed = Changed::new();
        for ((path, entry), (same, plain)) in entries.into_iter().zip(plain) {
            assert_eq!(path, same);
            let is_kind_change =
                |(old, new): (u32, u32)| old != 0 && new != 0 && (old ^ new) & 0o170_000 != 0;
            let parts = if is_kind_change(entry.modes) { 2 } else { 1 };
            let (mut added, mut removed) = (Vec::new(), Vec::new());
            for (old, new) in shown.by_ref().take(parts) {
                removed.extend(old);
                added.extend(new);
            }
            if let Some(count) = plain {
                assert_eq!(count, (added.len(), removed.len()), "git with itself");
            }
            let binary = plain.is_none()
                && is_binary_name(&path)
                && !(added.is_empty() && removed.is_empty());
            // A link beside binary content still is one line.
            let is_file = |mode: u32| mode & 0o170_000 == 0o100_000;
            if binary && (is_file(entry.modes.0) || !is_kind_change(entry.modes)) {
                removed.clear();
            }
            if binary && (is_file(entry.modes.1) || !is_kind_change(entry.modes)) {
                added.clear();
            }
            changed.insert(
                path,
                Lines { from: entry.from, binary, added, removed, modes: entry.modes },
            );
        }
        assert!(shown.next().is_none(), "more in the diff than entries");
        changed
    }

    /// The last commits of the first line of `HEAD`, each after its parent, at most `most`.
    pub(crate) fn commits(&self, most: usize) -> Vec<[String; 2]> {
        let range = format!("--max-count={most}");
        let text = self.line(&["log", "--first-parent", "--format=%P %H", &range, "HEAD"]);
        let pairs = text.lines().filter_map(|line| {
            let mut names = line.split(' ');
            Some([names.next()?.to_owned(), names.next_back()?.to_owned()])
        });
        pairs.filter(|[parent, _]| !parent.is_empty()).collect()
    }

    /// The untracked files, each as git shows it once it is staged.
    pub(crate) fn untracked(&self) -> Changed {
        let list = self.bytes(&["ls-files", "-z", "--others", "--exclude-standard"]);
        let index = self.repo.path().join("../index-of-the-untracked");
        let with_index = |arguments: &[OsString]| {
            let output = self.repo.git_with(&[("GIT_INDEX_FILE", index.as_os_str())], arguments);
            assert!(output.status.success(), "{output:?}");
            output.stdout
        };
        with_index(&["read-tree".into(), "--empty".into()]);
        for name in list.split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
            let spec = [b":(top,literal)", name].concat();
            with_index(&[
                "-c".into(),
                "core.safecrlf=false".into(),
                "add".into(),
                "--".into(),
                OsString::from_vec(spec),
            ]);
        }
        let diff = |options: &[&str]| {
            let fixed = [PLAIN, &["--cached", "--no-renames"], options, &[self.empty_tree(), "--"]]
                .concat();
            with_index(&fixed.iter().map(OsString::from).collect::<Vec<_>>())
        };
        let entries = entries(&diff(&["--raw", "-z"]));
        let shown = marked(&diff(MARKS));
        std::fs::remove_file(&index).unwrap();
        assert_eq!(entries.len(), shown.len());
        let mut changed = Changed::new();
        for ((path, entry), (_, added)) in entries.into_iter().zip(shown) {
            // What names another place, or another repository, has no lines to review.
            let is_file = entry.modes.1 & 0o170_000 == 0o100_000;
            let binary = is_file && is_binary_name(&path);
            let has_lines = is_file && !binary;
            let added = if has_lines { added } else { Vec::new() };
            let lines = Lines { binary, added, modes: entry.modes, ..Lines::default() };
            changed.insert(path, lines);
        }
        changed
    }

    /// Holds the added lines to what `git blame` says of a commit that makes just this change.
    pub(crate) fn blames(&self, ours: &Changed, sides: &[&str], what: &str) {
        let [old, new] = sides else { return };
        let commit = |tree: &str, parent: &[&str]| {
            let tree = self.line(&["rev-parse", &format!("{tree}^{{tree}}")]);
            self.line(&[&["commit-tree", "-m", "x", &tree], parent].concat())
        };
        let base = commit(old, &[]);
        let head = commit(new, &["-p", &base]);
        for (path, lines) in ours.iter().filter(|(_, lines)| !lines.binary).take(MOST_BLAMED) {
            // Where an entry is new, blame looks for the file that it came from by itself.
            let is_file = |mode: u32| mode & 0o170_000 == 0o100_000;
            if lines.from.is_some() || !is_file(lines.modes.0) || !is_file(lines.modes.1) {
                continue;
            }
            let mut arguments: Vec<OsString> =
                ["blame", "--porcelain", &format!("{base}..{head}"), "--"]
                    .iter()
                    .map(Into::into)
                    .collect();
            arguments.push(OsString::from_vec(path.clone()));
            let output = self.repo.git_with(&[], &arguments);
            assert!(output.status.success(), "{what}: {output:?}");
            let blamed = blamed(&output.stdout, &head);
            if lines.added == blamed {
                continue;
            }
            // Where lines repeat, git aligns them otherwise without context, which is how blame looks, and by
            // another algorithm. Then its diff of that kind must say what blame says.
            let mut arguments: Vec<OsString> =
                [PLAIN, MARKS].concat().iter().map(Into::into).collect();
            arguments.extend(["-U0", "--diff-algorithm=myers", &base, &head, "--"].map(Into::into));
            arguments.push(OsString::from_vec([b":(top,literal)", &path[..]].concat()));
            let plain = marked(&self.repo.git_with(&[], &arguments).stdout);
            let shown = String::from_utf8_lossy(path);
            assert_eq!(plain[0].1, blamed, "{what}: blame of {shown:?}, not {:?}", lines.added);
        }
    }
}

/// Whether a file of that name holds what no line is made of, in the repositories of these tests.
fn is_binary_name(path: &[u8]) -> bool {
    let endings = [".bin", ".dfa", ".png"];
    endings.iter().any(|ending| path.ends_with(ending.as_bytes()))
}

/// The lines that a porcelain blame gives to one commit.
fn blamed(text: &[u8], commit: &str) -> Vec<u32> {
    let mut lines = Vec::new();
    for line in text.split(|&byte| byte == b'\n') {
        if let Some(rest) = line.strip_prefix(commit.as_bytes()) {
            let rest = std::str::from_utf8(rest).unwrap();
            lines.push(rest.split(' ').nth(2).unwrap().parse().unwrap());
        }
    }
    lines
}

fn fields(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == 0).filter(|field| !field.is_empty())
}

fn entries(text: &[u8]) -> Vec<(Vec<u8>, Entry)> {
    let mut fields = fields(text);
    let mut out = Vec::new();
    while let Some(head) = fields.next() {
        let head = std::str::from_utf8(head).unwrap();
        let mut words = head.trim_start_matches(':').split(' ');
        let mut mode = || u32::from_str_radix(words.next().unwrap(), 8).unwrap();
        let modes = (mode(), mode());
        let status = words.nth(2).unwrap();
        let first = fields.next().unwrap().to_vec();
        if status.starts_with(['R', 'C']) {
            let path = fields.next().unwrap().to_vec();
            out.push((path, Entry { modes, from: Some(first) }));
        } else {
            out.push((first, Entry { modes, from: None }));
        }
    }
    out
}

/// The added and removed lines of a file; `None` for binary content.
type Count = Option<(usize, usize)>;

/// The path and the count of each file of `--numstat -z`.
fn counts(text: &[u8]) -> Vec<(Vec<u8>, Count)> {
    let mut fields = fields(text);
    let mut out = Vec::new();
    while let Some(field) = fields.next() {
        let mut parts = field.splitn(3, |&byte| byte == b'\t');
        let mut number = || std::str::from_utf8(parts.next().unwrap()).unwrap().parse().ok();
        let count = number().zip(number());
        let mut path = parts.next().unwrap().to_vec();
        if path.is_empty() {
            fields.next();
            path = fields.next().unwrap().to_vec();
        }
        out.push((path, count));
    }
    out
}

/// The removed and added lines of each part of a diff whose lines are marked by `N`, `O` and `C`, which no
/// header begins with.
fn marked(text: &[u8]) -> Vec<(Vec<u32>, Vec<u32>)> {
    let mut out: Vec<(Vec<u32>, Vec<u32>)> = Vec::new();
    let (mut old, mut new) = (0, 0);
    for line in text.split(|&byte| byte == b'\n') {
        match line.first() {
            Some(b'd') if line.starts_with(b"diff --git ") => out.push(Default::default()),
            Some(b'@') => {
                let ranges = String::from_utf8_lossy(line);
                let mut starts = ranges.split(' ').skip(1).map(|range| {
                    let (start, len) = range[1..].split_once(',').unwrap_or((&range[1..], "1"));
                    // An empty side names the line before it.
                    start.parse::<u32>().unwrap() + u32::from(len == "0")
                });
                (old, new) = (starts.next().unwrap(), starts.next().unwrap());
            }
            Some(b'C') => (old, new) = (old + 1, new + 1),
            Some(b'O') => {
                out.last_mut().unwrap().0.push(old);
                old += 1;
            }
            Some(b'N') => {
                out.last_mut().unwrap().1.push(new);
                new += 1;
            }
            _ => {}
        }
    }
    out
}
