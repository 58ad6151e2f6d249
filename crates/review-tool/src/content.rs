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
