//! Copies in which one name was not changed.
//!
//! An added line, or a block of up to [`MAX_LINES`], is compared with the one right above it. Where both
//! have the same shape, each word above becomes a word below. A word that becomes another in some places
//! and stays in one was most likely forgotten there.

use std::collections::HashSet;

use super::Hit;
use super::edit::{edits, tokens};
use crate::finding::Side;
use crate::language::Language;
use crate::view::FileView;

/// Blocks of more lines than this are not compared.
const MAX_LINES: u32 = 6;
/// Lines with fewer tokens say too little.
const MIN_TOKENS: usize = 6;
const MAX_TOKENS: usize = 200;

/// The check of `copied-name-unchanged`.
pub(super) fn check(view: &FileView) -> Vec<Hit> {
    let Some(language) = view.language().filter(|language| language.is_code()) else {
        return Vec::new();
    };
    if matches!(language, Language::Sql | Language::Dockerfile) {
        return Vec::new();
    }
    let new = view.side(Side::New);
    // Lines that only move to another depth were written before.
    let came: HashSet<u32> =
        edits(view).iter().flat_map(|edit| &edit.new).map(|(line, _)| *line).collect();
    let mut hits: Vec<Hit> = Vec::new();
    for &line in new.changed() {
        for height in 1..=MAX_LINES {
            // The last line of the copy decides, so that each pair of blocks is met once.
            let (Some(first), Some(above)) =
                (line.checked_sub(height - 1), line.checked_sub(2 * height - 1))
            else {
                break;
            };
            let blocks = (block(view, first, height), block(view, above, height));
            let (Some(copy), Some(model)) = blocks else { continue };
            if let Some((at, kept, became)) = forgotten(&model, &copy, height)
                && came.contains(&at)
                && !hits.iter().any(|hit| hit.line == at)
            {
                hits.push(Hit::added(at).message(format!(
                    "This copies what stands above it with {became} for {kept}, but one {kept} is left."
                )));
                break;
            }
        }
    }
    hits
}

/// A token with the number of its line.
type Placed<'v> = (u32, &'v str);

/// The tokens of `height` lines from `first` on; `None` where a line is missing or holds nothing.
fn block(view: &FileView, first: u32, height: u32) -> Option<Vec<Placed<'_>>> {
    let mut out = Vec::new();
    for line in first..first.checked_add(height)? {
        let found = tokens(view.language(), view.new_side().line(line)?);
        if found.is_empty() {
            return None;
        }
        out.extend(found.into_iter().map(|token| (line, token)));
    }
    (out.len() >= MIN_TOKENS && out.len() <= MAX_TOKENS).then_some(out)
}

/// The line on which a word of the model was left in the copy, with that word and what it became
/// elsewhere.
fn forgotten(
    model: &[Placed<'_>],
    copy: &[Placed<'_>],
    height: u32,
) -> Option<(u32, String, String)> {
    if model.len() != copy.len() {
        return None;
    }
    let pairs: Vec<(usize, u32, String, String)> = words_of_pairs(model, copy)?;
    let changed: Vec<&(usize, u32, String, String)> =
        pairs.iter().filter(|(_, _, from, to)| from != to).collect();
    let first = changed.first()?;
    // One word becomes one other, or two of a kind: more is another statement.
    let mut images: Vec<(&str, &str)> =
        changed.iter().map(|(_, _, a, b)| (a.as_str(), b.as_str())).collect();
    images.sort_unstable();
    images.dedup();
    if images.len() > 2 || images.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return None;
    }
    for (from, to) in &images {
        let became = changed.iter().filter(|(_, _, a, _)| a == from).count();
        let mut stays = pairs.iter().filter(|(_, _, a, b)| a == from && b == from);
        let (Some(left), None) = (stays.next(), stays.next()) else { continue };
        let is_member = left.0 > 0 && is_access(copy[left.0 - 1].1);
        let enough = if height == 1 { became >= 1 && is_member } else { became >= 2 };
        if enough && !is_trivial(from) && left.0 > first.0 {
            return Some((left.1, (*from).to_owned(), (*to).to_owned()));
        }
    }
    (height == 1).then(|| axis_left(&pairs, copy))?
}

/// The words of tokens that stand in the same places: index and line of the token, word above, word
/// below. `None` where the shapes differ.
fn words_of_pairs(
    model: &[Placed<'_>],
    copy: &[Placed<'_>],
) -> Option<Vec<(usize, u32, String, String)>> {
    let mut out = Vec::new();
    for (at, ((_, above), (line, below))) in model.iter().zip(copy).enumerate() {
        let names = (is_word(above), is_word(below));
        match names {
            (true, true) => {
                let (a, b) = (words(above), words(below));
                if a.len() == b.len() {
                    out.extend(a.into_iter().zip(b).map(|(a, b)| (at, *line, a, b)));
                } else {
                    out.push((at, *line, above.to_lowercase(), below.to_lowercase()));
                }
            }
            (false, false) if above == below => {}
            _ => return None,
        }
    }
    Some(out)
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '"' | '\'' | '`'))
}

/// Splits a name at `_`, at capitals and at digits: `startDate2` is `start`, `date`, `2`.
fn words(token: &str) -> Vec<String> {
    if token.starts_with(['"', '\'', '`']) {
        return vec![token.to_owned()];
    }
    let mut out: Vec<String> = Vec::new();
    let mut before = '_';
    for c in token.chars() {
        let starts = c.is_uppercase() && !before.is_uppercase()
            || c.is_ascii_digit() != before.is_ascii_digit();
        if c != '_' {
            match out.last_mut() {
                Some(word) if !starts && before != '_' => word.extend(c.to_lowercase()),
                _ => out.push(c.to_lowercase().collect()),
            }
        }
        before = c;
    }
    out
}

/// What stands before the name of a member.
fn is_access(token: &str) -> bool {
    matches!(token, "." | "->" | "?." | "::" | "[")
}

/// Words that are repeated for other reasons.
fn is_trivial(word: &str) -> bool {
    matches!(
        word,
        "0" | "1"
            | "this"
            | "self"
            | "if"
            | "else"
            | "return"
            | "new"
            | "null"
            | "true"
            | "false"
            | "and"
            | "or"
            | "not"
            | "let"
            | "const"
            | "var"
            | "int"
            | "get"
            | "set"
            | "is"
            | "has"
            | "to"
            | "of"
            | "from"
            | "in"
            | "type"
            | "class"
            | "static"
            | "public"
            | "private"
            | "final"
            | "def"
            | "fn"
            | "func"
            | "function"
    )
}

const ACROSS: &[&str] =
    &["x", "left", "right", "width", "w", "col", "cols", "column", "columns", "dx", "lng", "lon"];
const DOWN: &[&str] =
    &["y", "top", "bottom", "height", "h", "row", "rows", "line", "lines", "dy", "lat"];

/// The one member that keeps its axis where at least two other words change theirs.
fn axis_left(
    pairs: &[(usize, u32, String, String)],
    copy: &[Placed<'_>],
) -> Option<(u32, String, String)> {
    let turns = |from: &[&str], to: &[&str]| {
        let count = |(_, _, a, b): &&(usize, u32, String, String)| {
            from.contains(&a.as_str()) && to.contains(&b.as_str())
        };
        pairs.iter().filter(count).count()
    };
    let (own, other) = if turns(ACROSS, DOWN) >= 2 {
        (ACROSS, "the other axis")
    } else if turns(DOWN, ACROSS) >= 2 {
        (DOWN, "the other axis")
    } else {
        return None;
    };
    let mut left = pairs.iter().filter(|(at, _, a, b)| {
        a == b && own.contains(&a.as_str()) && *at > 0 && is_access(copy[at - 1].1)
    });
    let (Some(found), None) = (left.next(), left.next()) else { return None };
    Some((found.1, found.2.clone(), other.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(model: &str, copy: &str) -> Option<(u32, String, String)> {
        let place = |first: u32, text: &'static str| -> Vec<Placed<'static>> {
            let lines = (first..).zip(text.lines());
            lines
                .flat_map(|(line, text)| {
                    tokens(Some(Language::JavaScript), text)
                        .into_iter()
                        .map(move |token| (line, token))
                })
                .collect()
        };
        let height = u32::try_from(model.lines().count()).unwrap();
        let model = place(1, Box::leak(model.to_owned().into_boxed_str()));
        let copy = place(height + 1, Box::leak(copy.to_owned().into_boxed_str()));
        forgotten(&model, &copy, height)
    }

    #[test]
    fn a_word_that_stays_in_one_place_is_found() {
        assert_eq!(
            found("this.start = other.start;", "this.end = other.start;"),
            Some((2, "start".to_owned(), "end".to_owned()))
        );
        assert!(found("w = box.right - box.left;", "h = box.bottom - box.left;").is_some());
        assert!(
            found(
                "if (old.name !== neu.name) {\n  changes.name = neu.name;",
                "if (old.mail !== neu.mail) {\n  changes.mail = neu.name;"
            )
            .is_some()
        );
    }

    #[test]
    fn a_copy_that_is_right_and_a_value_that_goes_on_are_silent() {
        for (model, copy) in [
            ("this.start = other.start;", "this.end = other.end;"),
            ("path = resolve(path);", "real = realpath(path);"),
            ("const a = users[0].name;", "const b = users[1].name;"),
            ("w = box.right - box.left;", "h = box.bottom - box.top;"),
            ("a.label = x.name + 1;", "a.title = x.name + 1;"),
        ] {
            assert_eq!(found(model, copy), None, "{copy}");
        }
    }
}
