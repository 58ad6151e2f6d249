//! Folders of this machine as `file:` URIs, and back: what clients and servers tell each other as roots.

use std::path::{Path, PathBuf};

use mcp_stdio::percent_decoded;

/// A folder as a URI.
pub(crate) fn of(path: &Path) -> String {
    let mut uri = "file://".to_owned();
    if cfg!(windows) {
        uri.push('/');
    }
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(char::from(byte));
            }
            b'\\' | b':' if cfg!(windows) => uri.push(if byte == b':' { ':' } else { '/' }),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// The path of a `file:` URI of this machine. `None` for any other, and for one that names no single
/// path: without a host or with that of the machine itself, absolute, no query, no fragment.
pub(crate) fn path(uri: &str) -> Option<PathBuf> {
    let (scheme, rest) = uri.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") || rest.contains(['?', '#']) {
        return None;
    }
    let path = match rest.strip_prefix("//") {
        None => rest,
        Some(rest) => {
            let (host, _) = rest.split_at(rest.find('/')?);
            let is_here = host.is_empty() || host.eq_ignore_ascii_case("localhost");
            if !is_here {
                return None;
            }
            &rest[host.len()..]
        }
    };
    if !path.starts_with('/') {
        return None;
    }
    let bytes = percent_decoded(path)?;
    // No path holds a zero byte; a program that is given one sees a shorter path.
    if bytes.contains(&0) { None } else { native(&bytes) }
}

#[cfg(unix)]
fn native(path: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(path)))
}

#[cfg(not(unix))]
fn native(path: &[u8]) -> Option<PathBuf> {
    // `/C:/folder` is `C:/folder`.
    let path = std::str::from_utf8(path).ok()?;
    Some(PathBuf::from(path.strip_prefix('/').unwrap_or(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_uri_of_a_folder_of_this_machine_is_its_path() {
        for (uri, want) in [
            ("file:///home/a/project", "/home/a/project"),
            ("file://localhost/home/a", "/home/a"),
            ("file:/home/a", "/home/a"),
            ("FILE:///home/a%20b/%C3%A9", "/home/a b/\u{e9}"),
            ("file:///", "/"),
            ("file:///a%25b", "/a%b"),
        ] {
            assert_eq!(path(uri), Some(PathBuf::from(want)), "{uri}");
        }
    }

    #[test]
    fn any_other_uri_is_none() {
        for uri in [
            "",
            "/home/a",
            "https://example.com/a",
            "file://server/share",
            "file://",
            "file:",
            "file:a",
            "file:///a%0",
            "file:///a%zz",
            "file:///a%00b",
            "file:///a?b",
            "file:///a#b",
            "vscode-remote://ssh/home/a",
        ] {
            assert_eq!(path(uri), None, "{uri}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_becomes_a_uri() {
        assert_eq!(of(Path::new("/a b/é%/c-d.e")), "file:///a%20b/%C3%A9%25/c-d.e");
    }
}
