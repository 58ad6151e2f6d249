//! What a content is, whatever git or its attributes call it.

use crate::language::Language;

/// git looks for a zero byte in this much of a content; so does this.
pub(crate) const PROBE: usize = 8000;

/// What a content is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Text, to be reviewed.
    Text,
    /// Code in UTF-16, which is not read.
    Utf16,
    /// Neither text nor code.
    Binary,
}

/// Tells what a content is by its first [`PROBE`] bytes. A file in a language that the reviewer reads is
/// text whatever it holds: one zero byte in a comment must not keep code from review.
pub(crate) fn kind(language: Option<Language>, content: &[u8]) -> Kind {
    let probe = &content[..content.len().min(PROBE)];
    match (language, probe) {
        (Some(_), [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) => Kind::Utf16,
        (None, probe) if probe.contains(&0) => Kind::Binary,
        _ => Kind::Text,
    }
}

/// Whether a content begins like text in units of two or four bytes: with their mark, or with two
/// characters that leave the other bytes zero.
pub(crate) fn is_wide(content: &[u8]) -> bool {
    match content {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, 0, 0xfe, 0xff, ..] => true,
        [a, b, c, d, ..] => matches!(
            (a, b, c, d),
            (1.., 0, 1.., 0) | (0, 1.., 0, 1..) | (1.., 0, 0, 0) | (0, 0, 0, 1..)
        ),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_text_is_told_by_how_it_begins() {
        let units = "ab".encode_utf16();
        let little: Vec<u8> = units.clone().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = units.clone().flat_map(u16::to_be_bytes).collect();
        let four: Vec<u8> = units.flat_map(|unit| u32::from(unit).to_be_bytes()).collect();
        for text in [&little, &big, &four] {
            assert!(is_wide(text), "{text:?}");
        }
        assert!(is_wide(b"\xff\xfe") && is_wide(b"\xfe\xffa"));
        for other in [&b""[..], b"a\0", b"# \0\n", b"\x89PNG", b"\0\0\0\0", b"abcd", b"a\0bc"] {
            assert!(!is_wide(other), "{other:?}");
        }
    }
}
