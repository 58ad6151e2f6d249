//! The tokens of one line, by a form that holds for every language.

use crate::language::Language;

/// Splits a line into names, numbers, quoted texts and operators. Comments and white space are left out.
pub(in crate::rules) fn tokens(language: Option<Language>, line: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        if is_comment(language, rest) {
            break;
        }
        let length = match first {
            '/' if rest.starts_with("/*") => {
                rest = rest.find("*/").map_or("", |end| &rest[end + 2..]).trim_start();
                continue;
            }
            '\'' if language == Some(Language::Rust) && !is_character(rest) => 1,
            '"' | '\'' | '`' => quoted(rest, first),
            c if is_name(c) => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
            _ => operator(rest),
        };
        let (token, after) = rest.split_at(length.clamp(first.len_utf8(), rest.len()));
        out.push(token);
        rest = after.trim_start();
    }
    out
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_comment(language: Option<Language>, rest: &str) -> bool {
    match language {
        Some(
            Language::Python
            | Language::Ruby
            | Language::Bash
            | Language::Yaml
            | Language::Toml
            | Language::Dockerfile,
        ) => rest.starts_with('#'),
        Some(Language::Php) => {
            rest.starts_with("//") || rest.starts_with('#') && !rest.starts_with("#[")
        }
        Some(Language::Hcl) => rest.starts_with("//") || rest.starts_with('#'),
        Some(Language::Sql) => rest.starts_with("--"),
        Some(_) => rest.starts_with("//") || rest.starts_with("* ") || rest == "*",
        None => false,
    }
}

/// Whether a quote opens a character of Rust rather than the name of a lifetime.
fn is_character(rest: &str) -> bool {
    let mut after = rest.chars().skip(1);
    after.next() == Some('\\') || after.next() == Some('\'')
}

/// The length of a text in quotes, or of the quote alone where the line does not close it.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == quote {
            return at + 1;
        }
    }
    1
}

/// The length of an operator: the longest known, or one character.
fn operator(rest: &str) -> usize {
    const LONG: &[&str] = &[
        "===", "!==", "<=>", ">>>", "...", "**=", "??=", "&&=", "||=", "==", "!=", "<=", ">=",
        "&&", "||", "??", "?.", "->", "=>", "::", ":=", "+=", "-=", "*=", "/=", "<<", ">>", "++",
        "--", "..", "<-",
    ];
    LONG.iter().find(|known| rest.starts_with(**known)).map_or(1, |known| known.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_is_split_and_its_comment_dropped() {
        let of = |language, line| tokens(Some(language), line);
        assert_eq!(
            of(Language::JavaScript, "  if (a?.b !== 'x // y') // why"),
            ["if", "(", "a", "?.", "b", "!==", "'x // y'", ")"]
        );
        assert_eq!(of(Language::Python, "x = 1  # why"), ["x", "=", "1"]);
        assert_eq!(of(Language::Rust, "fn a<'t>(x: &'t str)").len(), 14);
        assert_eq!(of(Language::C, "a /* b */ c"), ["a", "c"]);
    }

    proptest! {
        #[test]
        fn tokens_are_parts_of_their_line_in_order(line in "\\PC{0,60}") {
            let mut rest = line.as_str();
            for token in tokens(Some(Language::Go), &line) {
                prop_assert!(!token.is_empty());
                let at = rest.find(token);
                prop_assert!(at.is_some());
                rest = &rest[at.unwrap_or(0) + token.len()..];
            }
        }
    }
}
