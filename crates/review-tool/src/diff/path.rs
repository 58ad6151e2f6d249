//! Paths as git writes them in a diff.

use std::borrow::Cow;

use crate::language::Language;

/// A path inside a repository: bytes, `/` between names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Vec<u8>);

impl RepoPath {
    /// Wraps the bytes of a path.
    #[must_use]
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// The bytes as git stores them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path as text: as it is where it is UTF-8, else quoted as git quotes it, so that two
    /// different paths never read the same.
    #[must_use]
    pub fn display(&self) -> Cow<'_, str> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(quote(&self.0)),
        }
    }

    /// The path behind `prefix` as a diff writes it: in quotes where it could be misread.
    #[must_use]
    pub fn in_diff(&self, prefix: &str) -> Vec<u8> {
        let plain = |byte: &u8| (0x21..=0x7e).contains(byte) && !matches!(byte, b'"' | b'\\');
        let bytes = [prefix.as_bytes(), &self.0].concat();
        if self.0.iter().all(plain) { bytes } else { quote(&bytes).into_bytes() }
    }

    /// The language that the path tells; what is not UTF-8 in it does not count.
    #[must_use]
    pub fn language(&self) -> Option<Language> {
        Language::of_path(&String::from_utf8_lossy(&self.0))
    }

    /// Whether the path stays below the root it is joined to: not empty, not absolute, with no empty,
    /// `.` or `..` name and nothing inside a `.git` folder.
    #[must_use]
    pub fn is_inside(&self) -> bool {
        !self.0.is_empty()
            && !self.0.contains(&0)
            && self.0.split(|&byte| byte == b'/').all(|name| {
                !name.is_empty()
                    && name != b"."
                    && name != b".."
                    && !name.eq_ignore_ascii_case(b".git")
                    && (cfg!(unix) || !name.iter().any(|byte| matches!(byte, b'\\' | b':')))
            })
    }
}

/// Writes bytes as a C string in double quotes, as git does with `core.quotePath`.
fn quote(bytes: &[u8]) -> String {
    let mut out = String::from('"');
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            0x20..=0x7e => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out.push('"');
    out
}

/// Reads a C string in double quotes from the start of `text`; returns its bytes and what follows.
/// `None` if it does not start with a quote, does not end, or has an unknown escape.
pub(super) fn unquote(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = text.strip_prefix(b"\"")?;
    let mut out = Vec::new();
    loop {
        let (&byte, after) = rest.split_first()?;
        rest = after;
        match byte {
            b'"' => return Some((out, rest)),
            b'\\' => {
                let (&escape, after) = rest.split_first()?;
                rest = after;
                out.push(match escape {
                    b'a' => 7,
                    b'b' => 8,
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'v' => 11,
                    b'f' => 12,
                    b'r' => b'\r',
                    b'"' | b'\\' => escape,
                    b'0'..=b'3' => {
                        let (&[second, third], after) = rest.split_first_chunk::<2>()?;
                        rest = after;
                        let digit = |d: u8| (b'0'..=b'7').contains(&d).then(|| d - b'0');
                        (escape - b'0') * 64 + digit(second)? * 8 + digit(third)?
                    }
                    _ => return None,
                });
            }
            _ => out.push(byte),
        }
    }
}

/// Reads a path that is all of `text`, quoted or not.
pub(super) fn read_whole(text: &[u8]) -> Vec<u8> {
    unquote(text).map_or_else(|| text.to_vec(), |(path, _)| path)
}

/// Reads one path from a `---`, `+++`, `rename` or `copy` line: quoted, or up to a tab, after which
/// `diff -u` writes a time and git nothing.
pub(super) fn read(text: &[u8]) -> Option<Vec<u8>> {
    if text.starts_with(b"\"") {
        return unquote(text).map(|(path, _)| path);
    }
    let end = text.iter().position(|&byte| byte == b'\t').unwrap_or(text.len());
    (end > 0).then(|| text[..end].to_vec())
}

/// Reads both paths of a `diff --git` line, prefixes included.
///
/// The line is ambiguous where an unquoted path has spaces; git itself then relies on both paths being
/// equal behind their prefixes, and so does this. `None` where they are not: the other header lines of
/// such a file name them.
pub(super) fn read_pair(text: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    if text.starts_with(b"\"") {
        let (old, rest) = unquote(text)?;
        let rest = rest.strip_prefix(b" ")?;
        let new = if rest.starts_with(b"\"") { unquote(rest)?.0 } else { rest.to_vec() };
        return Some((old, new));
    }
    if let Some(at) = text.windows(2).position(|two| two == b" \"")
        && let Some((new, b"")) = unquote(&text[at + 1..])
    {
        return Some((text[..at].to_vec(), new));
    }
    let splits = || memchr::memchr_iter(b' ', text).map(|at| (&text[..at], &text[at + 1..]));
    let alike = |(old, new): &(&[u8], &[u8])| {
        old == new || strip_first(old).is_some_and(|name| Some(name) == strip_first(new))
    };
    let (old, new) = splits()
        .find(alike)
        .or_else(|| only(splits().filter(|(old, new)| common_name(old, new) > 0)))
        .or_else(|| only(splits()))?;
    Some((old.to_vec(), new.to_vec()))
}

/// The item of an iterator that has one.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let one = items.next()?;
    items.next().is_none().then_some(one)
}

fn strip_first(path: &[u8]) -> Option<&[u8]> {
    let at = memchr::memchr(b'/', path)?;
    Some(&path[at + 1..])
}

/// The length of the longest end that two paths share, in whole names.
fn common_name(old: &[u8], new: &[u8]) -> usize {
    let same = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let is_start = |path: &[u8], len: usize| {
        path.len().checked_sub(len + 1).is_none_or(|before| path[before] == b'/')
    };
    (1..=same).rev().find(|&len| is_start(old, len) && is_start(new, len)).unwrap_or(0)
}

/// The one-letter prefixes that git puts before a path: `a/`, `b/`, and those of `diff.mnemonicPrefix`.
fn has_prefix(path: &[u8]) -> bool {
    matches!(path, [b'a' | b'b' | b'c' | b'i' | b'o' | b'w' | b'1' | b'2', b'/', _, ..])
}

/// What stands before the two paths of a file: nothing, git's one-letter prefixes, or others.
///
/// git's two differ, and a diff without prefixes names both sides alike. `by_git` tells paths of a `diff --git`
/// line, which are the same but for their prefixes unless other lines name them; elsewhere, as in a comparison of
/// two folders, only the first name is taken for a prefix.
pub(super) fn prefixes<'p>(
    old: Option<&'p [u8]>,
    new: Option<&'p [u8]>,
    by_git: bool,
) -> (&'p [u8], &'p [u8]) {
    let letter = |path: &'p [u8]| if has_prefix(path) { &path[..2] } else { b"" };
    match (old, new) {
        (Some(old), Some(new)) if old == new => (b"", b""),
        (Some(old), Some(new)) if has_prefix(old) && has_prefix(new) && old[0] != new[0] => {
            (&old[..2], &new[..2])
        }
        (Some(old), Some(new)) => {
            let name = common_name(old, new);
            let (before, after) = (&old[..old.len() - name], &new[..new.len() - name]);
            let is_one = |prefix: &[u8]| {
                prefix.len() > 1 && memchr::memchr(b'/', prefix) == Some(prefix.len() - 1)
            };
            if name > 0 && (by_git || is_one(before) && is_one(after)) {
                (before, after)
            } else {
                (b"", b"")
            }
        }
        (Some(path), None) => (letter(path), b""),
        (None, Some(path)) => (b"", letter(path)),
        (None, None) => (b"", b""),
    }
}

/// Takes a prefix off a path that has it.
pub(super) fn strip(path: &[u8], prefix: &[u8]) -> RepoPath {
    RepoPath::new(path.strip_prefix(prefix).unwrap_or(path))
}

/// Whether a path is that of `name`, perhaps behind a prefix of whole names.
pub(super) fn is_name(path: &[u8], name: &[u8]) -> bool {
    path.strip_suffix(name).is_some_and(|prefix| prefix.is_empty() || prefix.ends_with(b"/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_paths_come_back_byte_for_byte() {
        for (text, want) in [
            (&br#""a/tab\there""#[..], Some(&b"a/tab\there"[..])),
            (br#""a/\303\251\"\\\n""#, Some(b"a/\xc3\xa9\"\\\n")),
            (br#""open"#, None),
            (br#""bad \x41""#, None),
            (br#""short \30""#, None),
            (b"plain", None),
        ] {
            assert_eq!(unquote(text).map(|(path, _)| path).as_deref(), want);
        }
    }

    #[test]
    fn a_quoted_path_reads_back_the_same() {
        let bytes: Vec<u8> = (1..=255).collect();
        assert_eq!(unquote(quote(&bytes).as_bytes()), Some((bytes, &b""[..])));
    }

    #[test]
    fn pairs_split_where_both_names_agree() {
        for (text, old, new) in [
            ("a/x b/x", "a/x", "b/x"),
            ("a/x b/y b/x b/y", "a/x b/y", "b/x b/y"),
            ("\"a/q\\\"\" b/plain", "a/q\"", "b/plain"),
            ("a/plain \"b/q\\\"\"", "a/plain", "b/q\""),
            ("x y x y", "x y", "x y"),
            ("a/a b c.bin b/a b c.bin", "a/a b c.bin", "b/a b c.bin"),
            ("a/one b/two", "a/one", "b/two"),
            ("x/y/a b z/a b", "x/y/a b", "z/a b"),
        ] {
            let want = Some((old.as_bytes().to_vec(), new.as_bytes().to_vec()));
            assert_eq!(read_pair(text.as_bytes()), want, "{text}");
        }
    }

    #[test]
    fn prefixes_are_told_from_folders() {
        for (old, new, by_git, want) in [
            (Some("a/x"), Some("b/x"), true, ("a/", "b/")),
            (Some("a/x"), Some("b/y"), true, ("a/", "b/")),
            (Some("a/b/x"), Some("b/b/x"), false, ("a/", "b/")),
            (Some("i/x"), Some("w/x"), false, ("i/", "w/")),
            (Some("src/x"), Some("src/x"), true, ("", "")),
            (Some("a/x"), Some("a/x"), true, ("", "")),
            (Some("old/s/x"), Some("new/s/x"), true, ("old/", "new/")),
            (Some("old/s/x"), Some("new/s/x"), false, ("old/", "new/")),
            (Some("p/q/x"), Some("new/x"), true, ("p/q/", "new/")),
            (Some("p/q/x"), Some("new/x"), false, ("", "")),
            (Some("x"), Some("new/x"), true, ("", "new/")),
            (Some("x"), Some("new/x"), false, ("", "")),
            (Some("a.py"), Some("b.py"), true, ("", "")),
            (Some("x.orig"), Some("x"), false, ("", "")),
            (Some("/tmp/a/x"), Some("/tmp/b/x"), false, ("", "")),
            (None, Some("b/x"), false, ("", "b/")),
            (Some("a/x"), None, false, ("a/", "")),
            (None, Some("x"), false, ("", "")),
            (None, None, false, ("", "")),
        ] {
            let bytes = |path: Option<&'static str>| path.map(str::as_bytes);
            let want = (want.0.as_bytes(), want.1.as_bytes());
            assert_eq!(prefixes(bytes(old), bytes(new), by_git), want, "{old:?} {new:?} {by_git}");
        }
        assert_eq!(strip(b"a/x", b"a/"), RepoPath::new("x"));
        assert_eq!(strip(b"a/x", b"b/"), RepoPath::new("a/x"));
        assert!(is_name(b"x", b"x") && is_name(b"p/q/x", b"x") && is_name(b"p/q/x", b"q/x"));
        assert!(!is_name(b"p/x.py", b"py") && !is_name(b"p", b"p/x"));
    }

    #[test]
    fn paths_that_leave_the_root_are_told() {
        for path in ["../x", "/etc/passwd", "a/../../b", "", "a//b", ".git/config", "a/.GIT/x"] {
            assert!(!RepoPath::new(path).is_inside(), "{path}");
        }
        for path in ["x", "a/b c/..d", ".gitignore", "..."] {
            assert!(RepoPath::new(path).is_inside(), "{path}");
        }
    }
}
