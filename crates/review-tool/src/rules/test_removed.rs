//! Tests that a change takes out of a file that stays.

use std::collections::{HashMap, HashSet};

use super::Hit;
use super::test_case::{TestCase, test_cases};
use crate::finding::Side;
use crate::view::FileView;

/// From this many on, a file is being rebuilt, and one finding says so.
const MANY: usize = 4;

/// The check of `test-removed`.
pub(super) fn check(view: &FileView) -> Vec<Hit> {
    let new_side = view.new_side();
    let gone = new_side.fragments().iter().all(|part| part.text().trim().is_empty());
    if view.old_path().is_none() || gone || view.old_side().changed().is_empty() {
        return Vec::new();
    }
    let old = test_cases(view, Side::Old);
    if old.is_empty() {
        return Vec::new();
    }
    let new = test_cases(view, Side::New);
    let mut left: HashMap<&str, usize> = HashMap::new();
    for case in &new {
        *left.entry(&case.name).or_default() += 1;
    }
    let changed: Vec<&TestCase> = new
        .iter()
        .filter(|case| new_side.first_changed_in(&(case.line..=case.last)).is_some())
        .collect();
    let mut added: HashSet<&str> =
        new_side.changed_lines().map(|(_, line)| line.trim()).filter(|line| tells(line)).collect();
    // The lines of a test that has a new name count as added, though only its head may be.
    let known: HashSet<&str> = old.iter().map(|case| case.name.as_str()).collect();
    let fresh_names: HashSet<String> = new
        .iter()
        .filter(|case| !known.contains(case.name.as_str()))
        .map(|case| plain_name(&case.name))
        .collect();
    let fresh = new.iter().filter(|case| !known.contains(case.name.as_str()));
    added
        .extend(fresh.flat_map(|case| case.text.lines()).map(str::trim).filter(|line| tells(line)));
    let removed: Vec<&TestCase> = old
        .iter()
        .filter(|case| match left.get_mut(case.name.as_str()) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => view.old_side().is_changed(case.line),
        })
        .filter(|case| !fresh_names.contains(&plain_name(&case.name)))
        .filter(|case| !view.change().adds(&case.name))
        .filter(|case| !lives_on(case, &added, &changed) && !lost_its_subject(case, view))
        .collect();
    let hit = |case: &TestCase, more: usize| {
        let name = case.name.trim_matches(['"', '\'', '`', '(', ')']);
        let name: String = name.chars().take(60).collect();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let line_end = Some(case.last).filter(|last| *last > case.line);
        let message = format!(
            "The test {name}{more} goes, while the file stays; nothing checks what it checked."
        );
        Hit { line_end, ..Hit::removed(case.line) }.message(message)
    };
    match removed.as_slice() {
        [first, rest @ ..] if removed.len() >= MANY => vec![hit(first, rest.len())],
        removed => removed.iter().map(|case| hit(case, 0)).collect(),
    }
}

/// The name as it would be in another style: `testFindsAll`, `finds_all` and `TestFindsAll` are one.
fn plain_name(name: &str) -> String {
    let name: String =
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let bare = name.trim_start_matches("test").trim_end_matches("test");
    if bare.is_empty() { name } else { bare.to_owned() }
}

/// Whether a line is more than brackets and keywords.
fn tells(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).count() >= 6
}

/// Whether the test goes on under another name or as part of another: half of its lines come back, or a
/// test that the change touches calls all that it called.
fn lives_on(case: &TestCase, added: &HashSet<&str>, changed: &[&TestCase]) -> bool {
    let lines: Vec<&str> =
        case.text.lines().skip(1).map(str::trim).filter(|line| tells(line)).collect();
    let back = lines.iter().filter(|line| added.contains(*line)).count();
    let calls = calls(&case.text);
    !lines.is_empty() && back * 2 >= lines.len()
        || !calls.is_empty()
            && changed.iter().any(|other| {
                let theirs = self::calls(&other.text);
                calls.iter().all(|call| theirs.contains(call))
            })
}

/// Whether the change takes out a function that the test calls.
fn lost_its_subject(case: &TestCase, view: &FileView) -> bool {
    let text = |side: Side| view.side(side).fragments().iter().map(crate::source::Fragment::text);
    calls(&case.text).iter().any(|call| {
        call.len() >= 4 && view.change().takes_away(call)
            || ["fn", "def", "func", "function"].iter().any(|keyword| {
                text(Side::Old).any(|text| defines(text, keyword, call))
                    && !text(Side::New).any(|text| defines(text, keyword, call))
                    && !defines(&case.text, keyword, call)
            })
    })
}

fn defines(text: &str, keyword: &str, name: &str) -> bool {
    let definition = format!("{keyword} {name}");
    text.match_indices(&definition).any(|(at, _)| {
        let next = text[at + definition.len()..].bytes().next();
        next.is_none_or(|byte| !byte.is_ascii_alphanumeric() && byte != b'_')
    })
}

/// The names that are called in `text`, but for those of the test itself and of test libraries.
fn calls(text: &str) -> HashSet<&str> {
    const LIBRARY: &[&str] = &[
        "expect",
        "it",
        "test",
        "describe",
        "function",
        "if",
        "for",
        "while",
        "switch",
        "return",
        "func",
        "toBe",
        "toEqual",
        "toStrictEqual",
        "Run",
        "Errorf",
        "Fatalf",
        "Error",
        "Fatal",
        "unwrap",
        "Equal",
        "NoError",
        "True",
        "False",
        "Nil",
        "raises",
        "isEqualTo",
        "toContain",
        "toThrow",
        "vec",
        "format",
        "len",
        "str",
        "int",
        "list",
        "print",
        "to_string",
        "to_owned",
        "into",
        "clone",
        "iter",
        "collect",
    ];
    let body = text.split_once(['{', ':', '\n']).map_or(text, |(_, body)| body);
    let mut names = HashSet::new();
    for (at, _) in body.match_indices('(') {
        let start = body[..at]
            .rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .map_or(0, |before| before + body[before..].chars().next().map_or(1, char::len_utf8));
        let name = &body[start..at];
        let plain = !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit());
        if plain
            && !LIBRARY.contains(&name)
            && !name.starts_with("assert")
            && !name.starts_with("test")
        {
            names.insert(name);
        }
    }
    names
}
