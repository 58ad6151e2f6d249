//! JSON text of others, set for reading: no token changed, nothing in it that steers a terminal.

use review_tool::push_json;

/// Indents a JSON text and escapes what must not be printed raw. Numbers, keys and their order stay as they
/// came. The text must be valid JSON.
pub(crate) fn indented(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if in_string {
            push_json(&mut out, c);
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        match c {
            ' ' | '\t' | '\r' | '\n' => {}
            '{' | '[' => {
                out.push(c);
                while chars.peek().is_some_and(|next| next.is_ascii_whitespace()) {
                    chars.next();
                }
                if let Some(end) = chars.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(end);
                } else {
                    depth += 1;
                    new_line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                new_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => {
                in_string = c == '"';
                push_json(&mut out, c);
            }
        }
    }
    out
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use review_tool::printable;
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_text_is_set_for_reading_and_says_the_same() {
        let text = r#"{"a":[1.0,12345678901234567890123,{}],"b":{"c":"x\"{,:é"},"d":[ ],"e":true}"#;
        let want = concat!(
            "{\n  \"a\": [\n    1.0,\n    12345678901234567890123,\n    {}\n  ],\n",
            "  \"b\": {\n    \"c\": \"x\\\"{,:é\"\n  },\n  \"d\": [],\n  \"e\": true\n}"
        );
        assert_eq!(indented(text), want);
        assert_eq!(indented("\"\u{9b}\u{202e}\\\\\""), "\"\\u009b\\u202e\\\\\"");
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map(any::<String>(), inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn whatever_it_says_it_says_the_same(value in value()) {
            let indented = indented(&value.to_string());
            prop_assert_eq!(&serde_json::from_str::<Value>(&indented).expect("JSON"), &value);
            for line in indented.lines() {
                prop_assert_eq!(printable(line), line);
            }
        }
    }
}
