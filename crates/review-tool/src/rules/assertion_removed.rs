//! Assertions that a change takes out of a test that stays.

use std::collections::HashMap;

use super::Hit;
use super::test_case::{TestCase, test_cases};
use crate::finding::Side;
use crate::language::Language;
use crate::view::FileView;

/// The check of `assertion-removed`: one hit for each test, at the first assertion gone.
pub(super) fn check(view: &FileView) -> Vec<Hit> {
    if view.old_path().is_none() || view.old_side().changed().is_empty() {
        return Vec::new();
    }
    let old = test_cases(view, Side::Old);
    let new = if old.is_empty() { Vec::new() } else { test_cases(view, Side::New) };
    let mut by_name: HashMap<&str, Vec<&TestCase>> = HashMap::new();
    for case in &new {
        by_name.entry(&case.name).or_default().push(case);
    }
    let mut hits = Vec::new();
    for case in &old {
        // Of two tests with one name nothing says which is which.
        let Some([after]) = by_name.get(case.name.as_str()).map(Vec::as_slice) else { continue };
        if old.iter().filter(|other| other.name == case.name).count() == 1 {
            hits.extend(compare(view, case, after));
        }
    }
    hits
}

fn compare(view: &FileView, before: &TestCase, after: &TestCase) -> Option<Hit> {
    let mut left: Vec<&str> = after.assertions.iter().map(|(_, text)| text.as_str()).collect();
    let mut gone = Vec::new();
    for (line, text) in &before.assertions {
        match left.iter().position(|other| other == text) {
            Some(at) => {
                left.swap_remove(at);
            }
            None if lost_its_call(view, *line, &after.text) => {}
            None => gone.push((*line, text.as_str())),
        }
    }
    // An assertion that came says that the test was rewritten, and its reader will judge.
    let rewritten = !left.is_empty()
        || grown(view, after)
        || code_lines(view).any(|(line, text)| {
            (after.line..=after.last).contains(&line) && checks_otherwise(text)
        });
    let added: String = code_lines(view).flat_map(|(_, text)| text.split_whitespace()).collect();
    let moved = |text: &str| added.contains(text.trim_end_matches([';', ',']));
    if rewritten || gone.is_empty() || gone.iter().any(|(_, text)| moved(text)) {
        return None;
    }
    let line = gone.iter().map(|(line, _)| *line).find_map(|line| removed_at(view, line))?;
    let what = match (gone.len(), after.assertions.is_empty()) {
        (_, true) => "no assertion is left".to_owned(),
        (1, _) => "an assertion is taken out".to_owned(),
        (many, _) => format!("{many} assertions are taken out"),
    };
    let name: String =
        before.name.trim_matches(['"', '\'', '`', '(', ')']).chars().take(60).collect();
    let message = format!("In the test {name} {what}, while the test goes on as before.");
    Some(Hit::removed(line).message(message))
}

/// How many lines above an assertion the call may stand whose error it checks.
const CALL_ABOVE: u32 = 3;

/// Whether an assertion of Go only says that a call worked, and goes together with that call.
fn lost_its_call(view: &FileView, line: u32, after: &str) -> bool {
    if view.language() != Some(Language::Go) {
        return false;
    }
    let old = view.old_side();
    let above = (line.saturating_sub(CALL_ABOVE)..line).rev();
    let lines = above.take_while(|&line| old.is_changed(line)).filter_map(|line| old.line(line));
    lines.into_iter().find_map(called).is_some_and(|call| !after.contains(call))
}

/// The function whose error a line keeps, up to its opening bracket: `os.Open(`.
fn called(line: &str) -> Option<&str> {
    let (names, value) = line.split_once(":=").or_else(|| line.split_once(" = "))?;
    let keeps = names.trim().trim_start_matches("if ").rsplit(',').next()?.trim();
    let end = value.find('(').filter(|_| keeps.to_ascii_lowercase().ends_with("err"))?;
    Some(value[..=end].trim_start())
}

/// From so many new lines on, a test is another one than before.
const REWRITTEN: usize = 8;

/// Whether the change writes much of the test anew, so that its checks may have another form.
fn grown(view: &FileView, after: &TestCase) -> bool {
    let within = |line: &u32| (after.line..=after.last).contains(line);
    code_lines(view).filter(|(line, text)| within(line) && !text.trim().is_empty()).count()
        >= REWRITTEN
}

/// The line to report for an assertion of `line`: that of the condition before it, where it goes too.
fn removed_at(view: &FileView, line: u32) -> Option<u32> {
    let old = view.old_side();
    let condition = line.checked_sub(1).filter(|&before| {
        old.is_changed(before)
            && old.line(before).is_some_and(|text| {
                let text = text.trim_start();
                text.starts_with("if ") || text.starts_with("} else if ")
            })
    });
    condition.or_else(|| old.is_changed(line).then_some(line))
}

/// The added lines that are no comment.
fn code_lines(view: &FileView) -> impl Iterator<Item = (u32, &str)> {
    let comment = |text: &str| ["//", "#", "*", "/*"].iter().any(|mark| text.starts_with(mark));
    view.new_side().changed_lines().filter(move |(_, text)| !comment(text.trim_start()))
}

/// Whether a line of code checks something in a way that is no assertion by its form.
fn checks_otherwise(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let line = line.trim();
    [
        "assert", "expect", "check", "verify", "should", "snapshot", "compare", "match", "ensure",
        "require", "want",
    ]
    .iter()
    .any(|word| line.contains(word))
        || line.starts_with("for ")
        || line.contains(".each")
        || line.contains("foreach")
}
