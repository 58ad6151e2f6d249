//! Files of the work tree: the untracked ones as part of a change, and context for a diff file.
//!
//! Nothing here follows a symbolic link or opens anything but a regular file.

#![expect(clippy::disallowed_methods, reason = "the git port reads the work tree")]

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::DIFF_ARGUMENTS;
use super::run::{Runner, path_of};
use crate::content::{self, Kind};
use crate::control::Control;
use crate::diff::{Problem, RepoPath};
use crate::repo::{Change, RepoError};

/// An untracked file beyond this many bytes is named and not reviewed.
const MAX_UNTRACKED: u64 = 64 << 20;

/// Adds every untracked file that is not ignored to the change, as git would show it once staged.
pub(super) fn append_untracked(
    runner: &Runner,
    root: &Path,
    paths: &[OsString],
    change: &mut Change,
    control: &dyn Control,
) -> Result<(), RepoError> {
    let list = ["ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--"];
    let mut arguments: Vec<OsString> = list.iter().map(Into::into).collect();
    // `git diff` takes exclusions alone from the whole tree, `ls-files` from the folder it runs in.
    let excludes = |path: &OsString| {
        let path = path.to_string_lossy();
        [":!", ":^", ":(exclude"].iter().any(|sign| path.starts_with(sign))
    };
    if paths.iter().all(excludes) {
        arguments.push(":/".into());
    }
    arguments.extend(paths.iter().cloned());
    let (listed, problems) = runner.stream(&arguments, &[], control)?;
    change.problems.extend(problems);
    let names = || listed.split(|&byte| byte == 0).filter(|name| !name.is_empty());
    let at_root = runner.within(root);
    let encoded = encoded(&at_root, &names().collect::<Vec<_>>(), control)?;
    for name in names() {
        if control.cancelled() {
            return Err(RepoError::Cancelled);
        }
        let path = RepoPath::new(name.strip_suffix(b"/").unwrap_or(name));
        let shown = path.display().into_owned();
        let place = root.join(path_of(path.as_bytes()));
        match untracked(&place) {
            Ok(Entry::File { .. }) if encoded.contains(name) => {
                append_encoded(&at_root, name, change, control)?;
            }
            Ok(entry) => append(&mut change.diff, &path, &entry),
            Err(reason) => change.problems.push(Problem::of_file(
                shown,
                format!("the untracked file was not reviewed: {reason}"),
            )),
        }
    }
    Ok(())
}

/// Those of `names` that git stores in another encoding than the work tree has them in.
fn encoded(
    at_root: &Runner,
    names: &[&[u8]],
    control: &dyn Control,
) -> Result<HashSet<Vec<u8>>, RepoError> {
    if names.is_empty() {
        return Ok(HashSet::new());
    }
    let mut input = names.join(&0);
    input.push(0);
    let command = ["check-attr", "-z", "--stdin", "working-tree-encoding"];
    let answer = at_root.answer(&command, input, control)?;
    let mut fields = answer.split(|&byte| byte == 0);
    let mut found = HashSet::new();
    while let (Some(name), Some(_), Some(value)) = (fields.next(), fields.next(), fields.next()) {
        if !matches!(value, b"unspecified" | b"unset" | b"set") {
            found.insert(name.to_vec());
        }
    }
    Ok(found)
}

/// Adds an untracked file as git itself compares it with nothing, in the encoding that git stores.
fn append_encoded(
    at_root: &Runner,
    name: &[u8],
    change: &mut Change,
    control: &dyn Control,
) -> Result<(), RepoError> {
    let mut arguments: Vec<OsString> = DIFF_ARGUMENTS.iter().map(Into::into).collect();
    arguments.extend(["--text", "--no-index", "--", "/dev/null"].map(Into::into));
    arguments.push(path_of(name).into_os_string());
    let filters = at_root.filter_drivers()?;
    // 1 is how git says that there is a difference.
    let (diff, problems) = at_root.stream_to(&[0, 1], &arguments, &filters, control)?;
    change.diff.extend_from_slice(&diff);
    let shown = RepoPath::new(name).display().into_owned();
    change.problems.extend(
        problems.into_iter().map(|problem| Problem::of_file(shown.as_str(), problem.message)),
    );
    Ok(())
}

/// Whether `root` is the work tree in which `git_dir` was found: its `.git` is that folder, or a file
/// that names it.
pub(super) fn holds(root: &Path, git_dir: &Path) -> bool {
    /// Longer than any path that a system takes.
    const LONGEST: u64 = 1 << 16;
    let entry = root.join(".git");
    let Ok(found) = fs::metadata(&entry) else { return false };
    let named = if found.is_dir() {
        Some(entry)
    } else {
        let text = read_bounded(&entry, LONGEST).ok();
        text.and_then(|text| {
            let name = text.strip_prefix(b"gitdir: ")?.trim_ascii_end();
            Some(root.join(path_of(name)))
        })
    };
    let real = named.and_then(|named| named.canonicalize().ok());
    real.is_some() && real == git_dir.canonicalize().ok()
}

enum Entry {
    File { mode: &'static str, content: Vec<u8> },
    Link,
    Repository,
}

fn untracked(place: &Path) -> Result<Entry, String> {
    let found = fs::symlink_metadata(place).map_err(|error| error.to_string())?;
    if found.is_symlink() {
        return Ok(Entry::Link);
    }
    // git names a folder only where it is a repository of its own.
    if found.is_dir() {
        return Ok(Entry::Repository);
    }
    if !found.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    if found.len() > MAX_UNTRACKED {
        return Err(format!("it is larger than {MAX_UNTRACKED} bytes"));
    }
    let content = read_bounded(place, MAX_UNTRACKED).map_err(|error| error.to_string())?;
    Ok(Entry::File { mode: mode_of(&found), content })
}

#[cfg(unix)]
fn mode_of(found: &fs::Metadata) -> &'static str {
    use std::os::unix::fs::PermissionsExt;
    if found.permissions().mode() & 0o100 == 0 { "100644" } else { "100755" }
}

#[cfg(not(unix))]
fn mode_of(_: &fs::Metadata) -> &'static str {
    "100644"
}

fn read_bounded(place: &Path, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut content = Vec::new();
    fs::File::open(place)?.take(limit.saturating_add(1)).read_to_end(&mut content)?;
    if content.len() as u64 > limit {
        return Err(std::io::Error::other("it grew while it was read"));
    }
    Ok(content)
}

/// Writes a file as the diff that adds it.
fn append(diff: &mut Vec<u8>, path: &RepoPath, entry: &Entry) {
    let (old, new) = (path.in_diff("a/"), path.in_diff("b/"));
    let mode = match entry {
        Entry::File { mode, .. } => mode,
        Entry::Link => "120000",
        Entry::Repository => "160000",
    };
    let mut line = |parts: &[&[u8]]| {
        parts.iter().for_each(|part| diff.extend_from_slice(part));
        diff.push(b'\n');
    };
    line(&[b"diff --git ", &old, b" ", &new]);
    line(&[b"new file mode ", mode.as_bytes()]);
    let Entry::File { content, .. } = entry else { return };
    if content.is_empty() {
        return;
    }
    if content::kind(path.language(), content) != Kind::Text {
        return line(&[b"Binary files /dev/null and ", &new, b" differ"]);
    }
    line(&[b"--- /dev/null"]);
    line(&[b"+++ ", &new]);
    let count =
        memchr::memchr_iter(b'\n', content).count() + usize::from(!content.ends_with(b"\n"));
    line(&[format!("@@ -0,0 +1,{count} @@").as_bytes()]);
    for text in content.strip_suffix(b"\n").unwrap_or(content).split(|&byte| byte == b'\n') {
        line(&[b"+", text]);
    }
    if !content.ends_with(b"\n") {
        line(&[b"\\ No newline at end of file"]);
    }
}

/// Reads a regular file below `root`, at most `limit` bytes; `None` where any part of the path is a
/// symbolic link, leaves the root, or is not what it should be.
pub(super) fn read_regular(root: &Path, path: &RepoPath, limit: u64) -> Option<Vec<u8>> {
    if !path.is_inside() {
        return None;
    }
    let mut place: PathBuf = root.to_path_buf();
    let relative = path_of(path.as_bytes());
    let mut names = relative.components().peekable();
    while let Some(name) = names.next() {
        place.push(name);
        let found = fs::symlink_metadata(&place).ok()?;
        let expected = if names.peek().is_some() { found.is_dir() } else { found.is_file() };
        if !expected {
            return None;
        }
    }
    (fs::metadata(&place).ok()?.len() <= limit).then(|| read_bounded(&place, limit).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::{Body, Status, parse};

    fn added(name: &[u8], content: &[u8]) -> Vec<u8> {
        let mut diff = Vec::new();
        let entry = Entry::File { mode: "100644", content: content.to_vec() };
        append(&mut diff, &RepoPath::new(name), &entry);
        diff
    }

    #[test]
    fn an_untracked_file_reads_back_as_an_added_one() {
        for name in [&b"a"[..], b"a b", b"q\"\\\n\t", b"caf\xe9", "ü".as_bytes()] {
            for content in [&b""[..], b"x", b"x\n", b"x\r\n\ny", b"\n", b"++ b/x\n@@ -1 +1 @@\n"] {
                let diff = added(name, content);
                let (set, problems) = parse(&diff);
                assert!(problems.is_empty(), "{problems:?}");
                let file = &set.files[0];
                assert_eq!(file.status, Status::Added);
                assert_eq!(file.new_path.as_ref().map(RepoPath::as_bytes), Some(name));
                let (_, new, _) = crate::diff::apply::sides(file, None);
                let text = new.fragments().first().map(|part| part.text().as_bytes());
                assert_eq!(text.unwrap_or_default(), content);
            }
        }
    }

    #[test]
    fn a_zero_byte_makes_an_untracked_file_binary_unless_it_is_code() {
        for (name, content, binary) in [
            (&b"x"[..], &b"a\0b"[..], true),
            (b"x.py", b"a\0b", false),
            (b"x.py", b"\xff\xfea\0", true),
        ] {
            let diff = added(name, content);
            assert_eq!(parse(&diff).0.files[0].body == Body::Binary, binary);
        }
    }
}
