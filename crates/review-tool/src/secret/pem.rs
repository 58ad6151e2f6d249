//! Private keys in armour: PEM, OpenSSH, PGP, PuTTY.

use std::ops::Range;

/// The longest key looked for, in bytes after its first line.
const LONGEST: usize = 64 << 10;

/// The most lines of a key that are not base64.
const HEADERS: usize = 8;

/// The least base64 of a real key; what is shorter stands in documentation.
const LEAST: usize = 64;

/// The body of the key whose armour holds `keyword`, from its first line of base64 to its last.
///
/// `keyword` is `PRIVATE KEY` with its closing dashes. A body may be written over lines of a file, of
/// a diff (`+`, `-` before each), of a comment, or in one string with `\n` between. Where the first
/// line is missing, the key is told by the last.
pub(super) fn block(text: &str, keyword: Range<usize>) -> Option<Range<usize>> {
    let line_start = text[..keyword.start].rfind('\n').map_or(0, |at| at + 1);
    let armour =
        &text[super::ceil(text, line_start.max(keyword.start.saturating_sub(48)))..keyword.start];
    if text[keyword.clone()].eq_ignore_ascii_case("Private-Lines:") {
        // PuTTY: the number of lines, then the lines.
        let number = text[keyword.end..].find('\n').map_or(text.len(), |at| keyword.end + at);
        return body(text, number, LEAST / 2);
    }
    if armour.rfind("END ") > armour.rfind("BEGIN ") {
        return before(text, line_start);
    }
    if !armour.contains("BEGIN ") {
        return None;
    }
    body(text, keyword.end, LEAST)
}

/// The base64 that follows `from`, up to the closing armour.
fn body(text: &str, from: usize, least: usize) -> Option<Range<usize>> {
    let limit = super::floor(text, from + LONGEST);
    let rest = &text[from..limit];
    let end = rest.find("-----").unwrap_or(rest.len());
    let mut range: Option<Range<usize>> = None;
    let (mut amount, mut others) = (0, 0);
    for (start, line) in lines(&rest[..end]) {
        let Some(inner) = base64(line) else {
            // Headers and blank lines stand before the body; anything else after it ends it.
            others += usize::from(!line.trim().is_empty());
            if others > HEADERS || range.is_some() && end == rest.len() {
                break;
            }
            continue;
        };
        amount += inner.len();
        let found = from + start + inner.start..from + start + inner.end;
        range = Some(range.map_or(found.clone(), |range| range.start..found.end));
    }
    let range = range.filter(|_| amount >= least)?;
    let body: String =
        text[range.clone()].chars().filter(char::is_ascii_alphanumeric).take(400).collect();
    (super::placeholder::entropy(&body) >= 4.0 && !text[range.clone()].contains("EXAMPLE"))
        .then_some(range)
}

/// The lines of base64 right before the last line of a key.
fn before(text: &str, end: usize) -> Option<Range<usize>> {
    let from = super::ceil(text, end.saturating_sub(LONGEST));
    let mut start = None;
    let mut to = end;
    let mut whole: Vec<(usize, &str)> = lines(&text[from..end]).collect();
    while let Some((at, line)) = whole.pop() {
        if line.trim_matches(['+', '-', ' ']).is_empty() && start.is_none() {
            continue;
        }
        let Some(inner) = base64(line).filter(|_| !line.contains("-----")) else { break };
        if start.is_none() {
            to = from + at + inner.end;
        }
        start = Some(from + at + inner.start);
    }
    start.filter(|start| to - start >= LEAST).map(|start| start..to)
}

/// The lines of `text` with the offset of each; a written `\n` ends a line as a real one does.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').flat_map(move |line| {
        let base = at;
        at += line.len();
        let mut inner = 0;
        line.split("\\n").map(move |part| {
            let start = base + inner;
            inner += part.len() + 2;
            (start, part)
        })
    })
}

/// Where the base64 of a line stands, if the line is hardly anything else.
fn base64(line: &str) -> Option<Range<usize>> {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let skip = |byte: u8| b" \t\r\n\"'`,;+-*#/>|\\".contains(&byte);
    let bytes = line.as_bytes();
    let start = bytes.iter().position(|&byte| !skip(byte) || byte == b'/')?;
    let len =
        bytes[start..].iter().position(|&byte| !is_base64(byte)).unwrap_or(bytes.len() - start);
    let rest_is_layout =
        bytes[start + len..].iter().all(|&byte| skip(byte) || b"\\n)".contains(&byte));
    (len >= 4 && rest_is_layout).then(|| start..start + len)
}
