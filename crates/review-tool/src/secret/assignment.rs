//! Values of no known kind, told by the name they are assigned to and by their randomness.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::placeholder::{entropy, is_example_password, is_placeholder};

/// From the end of the keyword: the rest of the name, the operator, and the value in group `quoted` or
/// `bare`.
static ASSIGNMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    super::compile(
        r#"(?x-u)^
        (?<tail>[\w.-]*) ["'`]? \]? \)? \s*
        (?: :\s*[&]?(?:'\w+\s+)?[A-Za-z][\w<>\[\]?|\x20.]{0,40}\s*(?:=) | =>|:=|->|=|:|, )
        \s* (?:[rbuf@$L]{0,2}) (?:
            "(?<dq>[^"\s]{8,500})" | '(?<sq>[^'\s]{8,500})' | `(?<bq>[^`\s]{8,500})`
            | (?<bare>[A-Za-z0-9+/=_~!@%^&*-]{16,500}) \s* (?:\r?$|\x20\#)
        )"#,
    )
    .ok()
});

/// Parts of a name that say it is not a credential, though a word of it looks like one.
const OTHER_NAMES: &[&str] = &[
    "public",
    "hash",
    "digest",
    "checksum",
    "sha1",
    "sha2",
    "sha5",
    "md5",
    "integrity",
    "fingerprint",
    "uuid",
    "path",
    "url",
    "uri",
    "endpoint",
    "header",
    "field",
    "label",
    "prefix",
    "suffix",
    "pattern",
    "regex",
    "format",
    "placeholder",
    "nonce",
    "cursor",
    "pagetoken",
    "page_token",
    "nexttoken",
    "next_token",
    "tokeniz",
    "tokenis",
    "_name",
    "-name",
    "filename",
    "keyname",
    "_type",
    "tokentype",
    "_id",
    "-id",
    "keyid",
    "tokenid",
    "secretid",
    "message",
    "error",
    "title",
    "text",
    "hint",
    "description",
    "cipher",
    "address",
    "contract",
    "mint",
    "pubkey",
    "signature",
    "etag",
    "commit",
    "revision",
    "version",
    "sitekey",
    "site_key",
    "selector",
    "class",
    "algorithm",
    "curve",
    "continuation",
    "expected",
    "input",
    "output",
    "sealed",
    "encrypted",
    "csrf_cookie",
    "image",
    "policy",
    "issuer",
    "audience",
    "scope",
    "duration",
    "expir",
    "ttl",
    "count",
    "length",
    "rule",
    "validat",
    "cache",
    "query",
    "event",
    "test",
];

/// The value that the name around `keyword` is given, if it is random enough to be a credential.
pub(super) fn value(text: &str, keyword: Range<usize>) -> Option<Range<usize>> {
    let line = super::line_around(text, &keyword);
    let rest = &text[keyword.end..line.end];
    let captures = ASSIGNMENT.as_ref()?.captures(rest.as_bytes())?;
    let tail = rest.get(captures.name("tail")?.range())?;
    let head_start = text[line.start..keyword.start]
        .rfind(|c: char| !(c.is_ascii_alphanumeric() || "_-.$".contains(c)))
        .map_or(line.start, |at| line.start + at + 1);
    let head_start = super::ceil(text, head_start);
    let name = text[head_start..keyword.end + tail.len()].to_ascii_lowercase();
    if name.len() > 80 || OTHER_NAMES.iter().any(|other| name.contains(other)) {
        return None;
    }
    // A word that merely begins like the keyword, as `tokens` or `secretary`, names no single value.
    let next = tail.bytes().next();
    if next.is_some_and(|byte| byte.is_ascii_lowercase() && !text[keyword.clone()].ends_with('_'))
        && text.as_bytes()[keyword.end - 1].is_ascii_lowercase()
    {
        return None;
    }
    let is_password = ["passw", "pwd", "passphrase"].iter().any(|word| name.contains(word));
    let quoted = ["dq", "sq", "bq"].iter().find_map(|group| captures.name(group));
    let found = quoted.or_else(|| captures.name("bare"))?;
    let value = rest.get(found.range())?;
    let random =
        is_random(value) && !is_placeholder(value) && (quoted.is_some() || value.len() >= 20);
    let chosen =
        quoted.is_some() && is_password && is_chosen_password(value) && !is_example_password(value);
    ((random || chosen) && !is_other_literal(value))
        .then(|| keyword.end + found.start()..keyword.end + found.end())
}

/// Whether characters follow one another as a generator puts them and no writer does.
fn is_random(value: &str) -> bool {
    let bytes = value.as_bytes();
    let class = |byte: u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let marks = bytes.iter().filter(|&&byte| class(byte) == 3).count();
    let turns = bytes.windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count();
    let hex = bytes.iter().all(u8::is_ascii_hexdigit);
    let least = if hex { 3.0 } else { 3.3 };
    bytes.len() >= 16
        && (!hex || bytes.len() >= 24)
        && digits >= 2
        && digits < bytes.len() - 2
        && marks * 5 <= bytes.len()
        && (hex || turns * 10 >= bytes.len() * 3)
        && entropy(value) >= least
}

/// Whether a person would choose this as a password rather than as a word or an identifier.
fn is_chosen_password(value: &str) -> bool {
    let has = |class: fn(&u8) -> bool| usize::from(value.as_bytes().iter().any(class));
    let kinds = has(u8::is_ascii_lowercase)
        + has(u8::is_ascii_uppercase)
        + has(u8::is_ascii_digit)
        + has(|byte| b"!@#%^&*?+=~".contains(byte));
    let plain =
        value.bytes().all(|byte| byte.is_ascii_graphic() && !b"/\\(){}[]<>;:.,|".contains(&byte));
    (8..=64).contains(&value.len())
        && plain
        && kinds >= 3
        && has(u8::is_ascii_digit) == 1
        && entropy(value) >= 2.5
}

/// Whether the literal is of a form that is not secret: a UUID, a path, a URL, data, a hash with its
/// algorithm, a version, a date, a member of a program.
fn is_other_literal(value: &str) -> bool {
    let uuid = value.len() == 36
        && value.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        });
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| value.starts_with(prefix));
    uuid || starts(&[
        "/",
        "./",
        "../",
        "http",
        "data:",
        "sha1",
        "sha256",
        "sha384",
        "sha512",
        "md5",
        "$2",
        "$argon",
        "pbkdf2",
        "arn:",
        "ssh-",
        "urn:",
        "git@",
        "0x",
        "pk_",
        "file:",
        "iVBOR",
        "R0lGOD",
        "/9j/",
        "AAAAB3",
        "MII",
        "LS0tLS1CRUdJTi",
        "@",
        "#",
        "--",
        "enc:",
        "ENC[",
        "vault:",
        "op:",
        "ref:",
    ]) || value.contains("://")
        || value.contains("\\")
        || value.contains("::")
        || value.contains("=>")
        || is_identifier(value)
}

/// Whether the value reads as words joined by marks, each of letters or of digits alone.
fn is_identifier(value: &str) -> bool {
    let mut words = value.split(['-', '_', '.', '/', ':']).peekable();
    let joined = value.contains(['-', '_', '.', '/', ':']);
    joined
        && words.all(|word| {
            let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
            letters.bytes().all(|byte| byte.is_ascii_lowercase())
                || letters.bytes().all(|byte| byte.is_ascii_uppercase())
                || letters.len() > 1 && letters.as_bytes()[1..].iter().all(u8::is_ascii_lowercase)
        })
}
