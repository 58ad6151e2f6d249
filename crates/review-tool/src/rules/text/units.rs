//! Cuts a text into statements, instructions or lines.

use super::{Cut, cut};
use crate::language::Language;

/// A unit of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::rules) struct Unit {
    /// The first line, counted from 0 at the start of the text.
    pub(in crate::rules) first: u32,
    /// The last line.
    pub(in crate::rules) last: u32,
    /// The text without comments, on one line.
    pub(in crate::rules) text: String,
}

/// The units of `text` in order. Cost is linear in the text.
pub(in crate::rules) fn units(language: Option<Language>, text: &str) -> Vec<Unit> {
    match cut(language) {
        Cut::Statements => statements(text),
        Cut::Instructions => instructions(text),
        Cut::Lines => lines(language, text),
    }
}

fn number(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

/// Lines without their comments; what a comment fills is left out.
fn lines(language: Option<Language>, text: &str) -> Vec<Unit> {
    let numbered = text.lines().enumerate();
    let units = numbered.map(|(at, line)| {
        let code = without_comment(language, line);
        Unit { first: number(at), last: number(at), text: code.trim_end().to_owned() }
    });
    units.filter(|unit| !unit.text.trim().is_empty()).collect()
}

fn without_comment(language: Option<Language>, line: &str) -> &str {
    let slashes = match language {
        Some(Language::Hcl | Language::JavaScript | Language::Json) => true,
        None => line.trim_start().starts_with("//"),
        Some(_) => false,
    };
    let mut quote = None;
    let mut before = ' ';
    let mut characters = line.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c && before != '\\' => quote = None,
            (None, '#') if before.is_whitespace() => return &line[..at],
            (None, '/') if slashes && characters.peek().is_some_and(|(_, next)| *next == '/') => {
                return &line[..at];
            }
            _ => {}
        }
        before = c;
    }
    line
}

/// Instructions with their continuation lines joined, comment lines left out.
fn instructions(text: &str) -> Vec<Unit> {
    let mut out: Vec<Unit> = Vec::new();
    let mut open: Option<Unit> = None;
    let mut heredoc: Option<String> = None;
    for (at, line) in text.lines().enumerate() {
        let at = number(at);
        if let (Some(end), Some(unit)) = (&heredoc, out.last_mut()) {
            unit.last = at;
            if line.trim() == end {
                heredoc = None;
            } else {
                unit.text.push_str("; ");
                unit.text.push_str(line.trim());
            }
            continue;
        }
        let code = line.trim();
        if code.starts_with('#') || code.is_empty() {
            continue;
        }
        let (code, goes_on) = match code.strip_suffix('\\') {
            Some(code) => (code.trim_end(), true),
            None => (code, false),
        };
        match &mut open {
            Some(unit) => {
                unit.last = at;
                unit.text.push(' ');
                unit.text.push_str(code);
            }
            None => open = Some(Unit { first: at, last: at, text: code.to_owned() }),
        }
        if !goes_on && let Some(unit) = open.take() {
            heredoc = heredoc_end(&unit.text);
            out.push(unit);
        }
    }
    out.extend(open);
    out
}

/// The word that ends the text that an instruction takes from the lines below it.
fn heredoc_end(instruction: &str) -> Option<String> {
    let (_, after) = instruction.split_once("<<")?;
    let word = after.trim_start_matches('-').trim_start_matches(['"', '\'']);
    let word: String = word.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!word.is_empty() && after.starts_with(['-', '"', '\'', 'E', 'e', 'S', 's'])).then_some(word)
}

/// What a character of SQL is part of.
enum Within {
    Code,
    LineComment,
    BlockComment,
    Quote(char),
    Dollar(String),
}

/// Statements up to `;` or a line `GO`, without comments, quoted texts emptied, white space as one blank.
fn statements(text: &str) -> Vec<Unit> {
    let mut out = Vec::new();
    let mut unit = Builder::default();
    let mut within = Within::Code;
    for (at, line) in text.lines().enumerate() {
        let at = number(at);
        if matches!(within, Within::Code) && line.trim().eq_ignore_ascii_case("go") {
            out.extend(unit.finish());
            continue;
        }
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            let after = &rest[c.len_utf8()..];
            rest = match &within {
                Within::Code => match c {
                    '-' if after.starts_with('-') => {
                        within = Within::LineComment;
                        after
                    }
                    '/' if after.starts_with('*') => {
                        within = Within::BlockComment;
                        &after[1..]
                    }
                    '\'' => {
                        unit.push(c, at);
                        within = Within::Quote(c);
                        after
                    }
                    '$' => match dollar_tag(rest) {
                        Some(tag) => {
                            let after = &rest[tag.len()..];
                            unit.push('$', at);
                            within = Within::Dollar(tag.to_owned());
                            after
                        }
                        None => {
                            unit.push(c, at);
                            after
                        }
                    },
                    ';' => {
                        out.extend(unit.finish());
                        after
                    }
                    _ => {
                        unit.push(c, at);
                        after
                    }
                },
                Within::LineComment => after,
                Within::BlockComment => match rest.strip_prefix("*/") {
                    Some(after) => {
                        within = Within::Code;
                        after
                    }
                    None => after,
                },
                Within::Quote(quote) => {
                    let quote = *quote;
                    if c == quote && !after.starts_with(quote) {
                        unit.push(c, at);
                        within = Within::Code;
                        after
                    } else if c == quote || c == '\\' {
                        after.get(after.chars().next().map_or(0, char::len_utf8)..).unwrap_or("")
                    } else {
                        after
                    }
                }
                Within::Dollar(tag) => match rest.strip_prefix(tag.as_str()) {
                    Some(after) => {
                        unit.push('$', at);
                        within = Within::Code;
                        after
                    }
                    None => after,
                },
            };
        }
        if matches!(within, Within::LineComment) {
            within = Within::Code;
        }
        unit.push(' ', at);
    }
    out.extend(unit.finish());
    out
}

/// The tag that opens a text in dollar quotes: `$$`, `$body$`.
fn dollar_tag(text: &str) -> Option<&str> {
    let end = text[1..].find(|c: char| !(c.is_alphanumeric() || c == '_'))? + 1;
    let tag = text.get(..=end)?;
    (tag.ends_with('$') && !tag[1..].starts_with(|c: char| c.is_ascii_digit())).then_some(tag)
}

/// A statement in the making.
#[derive(Default)]
struct Builder {
    lines: Option<(u32, u32)>,
    text: String,
}

impl Builder {
    fn push(&mut self, c: char, line: u32) {
        if c.is_whitespace() {
            if !self.text.is_empty() && !self.text.ends_with(' ') {
                self.text.push(' ');
            }
            return;
        }
        self.lines = Some((self.lines.map_or(line, |(first, _)| first), line));
        self.text.push(c);
    }

    fn finish(&mut self) -> Option<Unit> {
        let text = std::mem::take(&mut self.text).trim_end().to_owned();
        let (first, last) = self.lines.take()?;
        Some(Unit { first, last, text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut_up(language: Language, text: &str) -> Vec<(u32, u32, String)> {
        let units = units(Some(language), text).into_iter();
        units.map(|unit| (unit.first, unit.last, unit.text)).collect()
    }

    #[test]
    fn statements_end_at_semicolons_outside_quotes_and_comments() {
        let text = "-- a; b\nSELECT 'x;y', \"z\"\n  FROM t; /* ; */ DROP TABLE u;\nDO $$ BEGIN x; END $$;\nGO\nselect 1";
        let want = [
            (1, 2, "SELECT '', \"z\" FROM t"),
            (2, 2, "DROP TABLE u"),
            (3, 3, "DO $$"),
            (5, 5, "select 1"),
        ];
        assert_eq!(cut_up(Language::Sql, text), want.map(|(a, b, c)| (a, b, c.to_owned())));
    }

    #[test]
    fn instructions_go_on_over_lines() {
        let text =
            "# syntax\nFROM a:1\nRUN x && \\\n  # why\n  y\nCOPY <<EOF /a\nUSER root\nEOF\nUSER b";
        let want = [
            (1, 1, "FROM a:1"),
            (2, 4, "RUN x && y"),
            (5, 7, "COPY <<EOF /a; USER root"),
            (8, 8, "USER b"),
        ];
        assert_eq!(cut_up(Language::Dockerfile, text), want.map(|(a, b, c)| (a, b, c.to_owned())));
    }

    #[test]
    fn lines_lose_their_comments() {
        let text = "a: \"#x\" # y\n# z\n\nb#c\n";
        let want = [(0, 0, "a: \"#x\""), (3, 3, "b#c")];
        assert_eq!(cut_up(Language::Yaml, text), want.map(|(a, b, c)| (a, b, c.to_owned())));
    }

    proptest! {
        #[test]
        fn any_text_is_cut_into_ascending_units(text in "[-a;'$/*#\\\\\n <E\"ä]{0,200}") {
            for &language in Language::ALL {
                let units = units(Some(language), &text);
                prop_assert!(units.iter().all(|unit| unit.first <= unit.last));
                prop_assert!(units.is_sorted_by(|a, b| a.last <= b.last));
            }
        }
    }
}
