//! Text that came from a change, made safe to show on a terminal.

use std::borrow::Cow;

/// Whether a character could move the cursor, colour or reorder what is shown, or hide itself.
pub(crate) fn is_unsafe(c: char) -> bool {
    (c.is_control() && c != '\t')
        || matches!(c,
            // Bidirectional marks, embeddings, overrides and isolates.
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Zero-width characters, line and paragraph separators, byte order mark, tags.
            | '\u{200b}'..='\u{200d}' | '\u{2028}' | '\u{2029}' | '\u{2060}' | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}')
}

/// Replaces unsafe characters of one line by their escapes, as Rust writes them: `\u{1b}`. A tab stays.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_unsafe(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Appends a character of JSON text: an unsafe one as the escapes that JSON has for it, so that the text says
/// the same. Only within strings is such a text still JSON.
pub fn push_json(out: &mut String, c: char) {
    if !is_unsafe(c) {
        out.push(c);
        return;
    }
    for unit in c.encode_utf16(&mut [0; 2]) {
        out.push_str(&format!("\\u{unit:04x}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_comes_through() {
        for (text, want) in [
            ("plain\ttext é 漢", "plain\ttext é 漢"),
            ("\u{1b}[31mred", "\\u{1b}[31mred"),
            ("a\r\nb\u{7}", "a\\r\\nb\\u{7}"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("x\u{202e}y\u{200b}z", "x\\u{202e}y\\u{200b}z"),
        ] {
            assert_eq!(printable(text), want);
        }
    }
}
