//! Finds a member of a large object without decoding the others.
//!
//! A large value is skipped by looking for its end alone, several times faster than by a parser, which
//! checks what has been checked already: the text comes from a [`RawValue`], so it is JSON.

use std::ops::Range;

use serde_json::value::RawValue;

/// From this many bytes on, a search pays for itself.
const LARGE: usize = 4096;

/// Whether the value is an object that [`find`] searches faster than a parser.
pub(crate) fn is_large(value: &RawValue) -> bool {
    value.get().len() >= LARGE && value.get().starts_with('{')
}

/// Returns where the value of the object's first member of that name stands.
pub(crate) fn find(object: &RawValue, name: &str) -> Option<Range<usize>> {
    let text = object.get();
    let mut at = 1;
    loop {
        at += text.get(at..)?.find('"')?;
        let key = at..string_end(text, at)?;
        let value =
            key.end + text.get(key.end..)?.find(|c: char| c != ':' && !c.is_whitespace())?;
        let end = value_end(text, value)?;
        if is_name(text.get(key)?, name) {
            return Some(value..end);
        }
        at = end;
    }
}

/// Whether a string, quotes included, is that name.
fn is_name(key: &str, name: &str) -> bool {
    match key.contains('\\') {
        // Any letter may be written as an escape.
        true => serde_json::from_str::<String>(key).is_ok_and(|key| key == name),
        false => key.get(1..key.len() - 1) == Some(name),
    }
}

/// Where the string that opens at `start` has ended.
fn string_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// Where the value that opens at `start` has ended.
fn value_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = start;
    loop {
        match bytes.get(at)? {
            b'"' => at = string_end(text, at)?,
            b'{' | b'[' => {
                depth += 1;
                at += 1;
                continue;
            }
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                at += 1;
            }
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => {
                at += 1;
                continue;
            }
            _ => {
                let ends =
                    |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r');
                at += bytes[at..].iter().position(ends)?;
            }
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn padded(object: &str) -> Box<RawValue> {
        let pad =
            format!(r#"{{"pad":"{}\"\\","n":[1,{{"a":-2.5e3}},true],"#, "x\\n{]}".repeat(LARGE));
        let text = object.replacen('{', &pad, 1);
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn finds_what_a_parser_finds() {
        for (object, want) in [
            (r#"{"a":{"b":[{}]}}"#, Some(r#"{"b":[{}]}"#)),
            (r#"{ "a" : 12 }"#, Some("12")),
            (r#"{"a":"\\\""}"#, Some(r#""\\\"""#)),
            (r#"{"\u0061":null}"#, Some("null")),
            (r#"{"b":{"a":1},"a":2,"a":3}"#, Some("2")),
            (r#"{"b":{"a":1},"c":"a"}"#, None),
        ] {
            let object = padded(object);
            assert!(is_large(&object));
            let found = find(&object, "a").map(|span| &object.get()[span]);
            assert_eq!(found, want, "{object}");
        }
    }

    #[test]
    fn leaves_small_and_other_values_to_the_parser() {
        let raw = |text: String| serde_json::from_str::<Box<RawValue>>(&text).unwrap();
        for text in
            [r#"{"a":1}"#.to_owned(), format!("[{}1]", "1,".repeat(LARGE)), "1".repeat(LARGE)]
        {
            assert!(!is_large(&raw(text)));
        }
    }
}
