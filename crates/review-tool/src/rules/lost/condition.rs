//! Conditions that let more through than before, and blocks that no longer leave.

use super::{Lost, expression, is_exit, mentions, names, quote, removed};
use crate::finding::Severity;
use crate::language::Language;
use crate::rules::Hit;
use crate::rules::edit::{Difference, tokens};
use crate::rules::introduced::old_line_of;
use crate::view::FileView;

expression!(
    TESTS,
    r"^\s*(\}?\s*(else\s+)?if|elif|elsif|while|unless|until|guard|return|when)\b|^\s*(let|const|var|val|bool|auto|my)?\s*\w*(ok|allowed|valid|can\w+|may\w+|is\w+|has\w+)\s*:?="
);
expression!(
    SENSITIVE,
    r"(?i)auth|permi|admin|owner|allow|deny|forbid|role|access|valid|verif|secure|token|csrf|signature|trusted|locked|banned|active"
);

/// The check of `condition-loosened`.
pub(in crate::rules) fn loosened(view: &FileView) -> Vec<Hit> {
    let Some(lost) = Lost::of(view) else { return Vec::new() };
    let language = view.language();
    let mut hits = Vec::new();
    for (_, line, difference) in lost.edits.iter().flat_map(|edit| edit.differences(language)) {
        let Some(text) = view.new_side().line(line) else { continue };
        if !(TESTS.is_match(text) || is_tail_of_test(&lost, line, text)) || text.contains("assert")
        {
            continue;
        }
        let Some(what) = loosening(&difference, leaves(&lost, line)) else { continue };
        let sensitive = SENSITIVE.is_match(text)
            || what.dropped.as_ref().is_some_and(|operand| SENSITIVE.is_match(&operand.join(" ")));
        let message = match &what.dropped {
            Some(operand) if sensitive && still_known(&lost, operand, line) => format!(
                "The condition no longer asks for {}, so more gets through than before.",
                quote(&operand.join(" "))
            ),
            Some(_) => continue,
            None => format!(
                "{} became {}, so one part of the condition is enough where both were needed.",
                what.from, what.to
            ),
        };
        let hit = Hit::added(line).message(message);
        hits.push(if sensitive { hit.severity(Severity::High) } else { hit });
    }
    hits
}

/// The tail expression of a function of Rust or Ruby that is a condition.
fn is_tail_of_test(lost: &Lost<'_>, line: u32, text: &str) -> bool {
    if !matches!(lost.view.language(), Some(Language::Rust | Language::Ruby)) {
        return false;
    }
    let joined = text.contains("&&") || text.contains("||");
    let next = lost.view.new_side().line(line.saturating_add(1));
    let is_tail = next.is_some_and(|next| matches!(next.trim(), "}" | "end"));
    joined && is_tail && !text.trim_end().ends_with(';')
}

/// How a condition became wider.
struct Loosening<'v> {
    dropped: Option<Vec<&'v str>>,
    from: &'v str,
    to: &'v str,
}

fn loosening<'v>(difference: &Difference<'v>, leaves: bool) -> Option<Loosening<'v>> {
    const ALL: &[&str] = &["&&", "and"];
    const ANY: &[&str] = &["||", "or"];
    // A test that leaves the function lets more through where it asks for more.
    let (narrow, wide) = if leaves { (ANY, ALL) } else { (ALL, ANY) };
    let Difference { gone, came, .. } = difference;
    if let ([from], [to]) = (gone.as_slice(), came.as_slice()) {
        return (narrow.contains(from) && wide.contains(to)).then_some(Loosening {
            dropped: None,
            from,
            to,
        });
    }
    if !came.is_empty() || gone.len() < 2 {
        return None;
    }
    let operand = difference.deletions().find_map(|gone| {
        let operand = if narrow.contains(gone.first()?) {
            &gone[1..]
        } else if narrow.contains(gone.last()?) {
            &gone[..gone.len() - 1]
        } else {
            return None;
        };
        let count = |wanted: &str| operand.iter().filter(|token| **token == wanted).count();
        let is_whole =
            count("(") == count(")") && !operand.iter().any(|token| wide.contains(token));
        is_whole.then(|| operand.to_vec())
    });
    operand.map(|operand| Loosening { dropped: Some(operand), from: "", to: "" })
}

/// Whether the first name of a dropped operand means something in the file yet, and comes nowhere else.
fn still_known(lost: &Lost<'_>, operand: &[&str], line: u32) -> bool {
    let text = operand.join(" ");
    let names = names(lost.view.language(), &text);
    let moves = |name: &str| lost.came().any(|(at, text)| at != line && mentions(text, name));
    names
        .first()
        .is_some_and(|name| lost.new_text().any(|text| mentions(text, name)) && !moves(name))
}

/// Whether the test that opens on a line of the new side leaves its function or loop.
fn leaves(lost: &Lost<'_>, line: u32) -> bool {
    let new = lost.view.new_side();
    let text = new.line(line).unwrap_or_default();
    if !mentions(text, "if") && !mentions(text, "unless") {
        return false;
    }
    let inline = text.rsplit_once([')', '{', ':']).map_or("", |(_, rest)| rest);
    if is_exit(inline) {
        return true;
    }
    let language = lost.view.language();
    let code = (line.saturating_add(1)..line.saturating_add(6))
        .filter_map(|at| new.line(at))
        .filter(|text| !tokens(language, text).is_empty() && text.trim() != "{");
    code.take(3).take_while(|text| !text.trim().starts_with('}')).any(is_exit)
}

expression!(
    CONDITION,
    r"^\s*(\}?\s*(else\s+)?if|elif|elsif|unless|case|when|catch|except|rescue)\b"
);

/// The check of `exit-removed`: a failed check that no longer leaves.
pub(in crate::rules) fn exits(view: &FileView) -> Vec<Hit> {
    let Some(lost) = Lost::of(view) else { return Vec::new() };
    let language = view.language();
    let mut hits = Vec::new();
    for edit in &lost.edits {
        if let [(line, text)] = edit.old.as_slice()
            && edit.new.is_empty()
            && is_plain_exit(language, text)
            && ends_check(&lost, *line, true)
            && comes_to_stay(&lost, *line)
        {
            let message = format!(
                "{} goes, so after this check the function runs on into what the check keeps out.",
                quote(text)
            );
            hits.push(removed(*line, message));
        }
        for (old, new, difference) in edit.differences(language) {
            let Difference { before, gone, came, after } = &difference;
            let bare = before.is_empty() && came.is_empty() && gone.as_slice() == ["return"];
            if bare
                && after.len() > 2
                && ends_check(&lost, old, false)
                && !matches!(language, Some(Language::Rust | Language::Ruby))
            {
                let message = "Without return the function runs on into what this check keeps out.";
                hits.push(Hit::added(new).message(message));
            }
        }
    }
    hits
}

/// Whether the code around is left as it was, but for the exit: a function that is rebuilt leaves in
/// other places.
fn comes_to_stay(lost: &Lost<'_>, line: u32) -> bool {
    const NEAR: u32 = 15;
    let Some(before) =
        old_line_of(line.saturating_sub(1), lost.view.new_side(), lost.view.old_side())
    else {
        return false;
    };
    let near = before.saturating_sub(NEAR)..=before.saturating_add(NEAR);
    lost.came_in(&near).next().is_none()
}

fn is_plain_exit(language: Option<Language>, text: &str) -> bool {
    const WORDS: &[&str] = &["return", "exit", "die", "throw", "raise", "abort", "halt"];
    let code = tokens(language, text);
    code.first().is_some_and(|word| WORDS.contains(word)) && code.len() <= 12
}

/// Whether a line of the old side ends the block of a check that stays, with more code behind the block,
/// and, where `with_more` says so, other statements before it.
fn ends_check(lost: &Lost<'_>, line: u32, with_more: bool) -> bool {
    let text = lost.view.old_side();
    let language = lost.view.language();
    let depth = |text: &str| text.len() - text.trim_start().len();
    let Some(own) = text.line(line).map(depth) else { return false };
    let mut before = (1..line).rev().take(8).filter_map(|at| Some((at, text.line(at)?)));
    let outer = before.find(|(_, text)| !text.trim().is_empty() && depth(text) < own);
    let Some((at, head)) = outer else { return false };
    let after = (line.saturating_add(1)..line.saturating_add(12)).filter_map(|at| text.line(at));
    let mut after = after.filter(|text| !tokens(language, text).is_empty());
    let Some(next) = after.next() else { return false };
    // Without brackets the line behind the block is itself the code that is no longer kept out.
    let behind = if language == Some(Language::Python) { Some(next) } else { after.next() };
    let more = behind.is_some_and(|text| {
        text.trim().len() > 2 && !is_branch(text) && depth(text) == depth(head)
    });
    CONDITION.is_match(head)
        && !lost.goes(at)
        && (!with_more || at.saturating_add(1) < line)
        && depth(next) < own
        && !is_branch(next)
        && more
}

fn is_branch(text: &str) -> bool {
    let text = text.trim_start_matches(['}', ' ', '\t']);
    ["else", "elif", "elsif", "catch", "finally", "except", "rescue"]
        .iter()
        .any(|word| text.starts_with(word))
}

expression!(CASE, r"^\s*(case\b.*|default\s*):");

/// The check of `switch-break-removed`.
pub(in crate::rules) fn breaks(view: &FileView) -> Vec<Hit> {
    let Some(lost) = Lost::of(view) else { return Vec::new() };
    let mut hits = Vec::new();
    for edit in lost.edits.iter().filter(|edit| edit.new.is_empty()) {
        let [(line, text)] = edit.old.as_slice() else { continue };
        let before = (1..*line).rev().filter_map(|at| view.old_side().line(at));
        let mut before = before.filter(|text| !text.trim().is_empty());
        let falls = before.next().is_some_and(|text| {
            // Behind a block, each branch of which may leave, the break may never have been reached.
            !is_exit(text) && !CASE.is_match(text) && text.trim() != "}"
        });
        if tokens(view.language(), text) == ["break", ";"]
            && falls
            && lost.next_staying(*line).is_some_and(|next| CASE.is_match(next))
        {
            hits.push(Hit::removed(*line));
        }
    }
    hits
}

/// The check of `comparison-loosened`: comparisons of JavaScript and PHP that convert their sides.
pub(in crate::rules) fn comparisons(view: &FileView) -> Vec<Hit> {
    let Some(lost) = Lost::of(view) else { return Vec::new() };
    let mut hits = Vec::new();
    for (_, line, difference) in
        lost.edits.iter().flat_map(|edit| edit.differences(view.language()))
    {
        let Difference { before, gone, came, after } = &difference;
        let nothing = |token: Option<&&str>| {
            token.is_some_and(|of| matches!(*of, "null" | "undefined" | "NULL"))
        };
        let around = nothing(before.last()) || nothing(after.first()) || before.contains(&"typeof");
        let message = match (gone.as_slice(), came.as_slice()) {
            (["===" | "!=="], [to @ ("==" | "!=")]) if !around => format!(
                "{to} converts its sides before it compares: 0, '' and null may count as equal."
            ),
            (["??"], ["||"]) => {
                "|| takes the default for 0, '' and false as well, where ?? took it for a \
                                 missing value alone."
                    .to_owned()
            }
            ([",", "true"], [])
                if before
                    .iter()
                    .any(|token| matches!(*token, "in_array" | "array_search" | "array_keys")) =>
            {
                "Without its last argument the search converts values before it compares them."
                    .to_owned()
            }
            _ => continue,
        };
        hits.push(Hit::added(line).message(message));
    }
    hits
}
