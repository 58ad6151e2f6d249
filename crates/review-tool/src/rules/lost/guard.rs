//! Checks that go while the code behind them stays.

use super::{Function, Lost, expression, is_exit, mentions, names, quote, removed, touched_before};
use crate::finding::Severity;
use crate::language::Language;
use crate::rules::Hit;
use crate::rules::edit::tokens;
use crate::syntax::Node;
use crate::view::FileView;

const CHECKS: &[&str] =
    &["if_statement", "if_expression", "if", "unless", "if_modifier", "unless_modifier"];

expression!(
    ACCESS,
    r"(?i)auth(?:[^o]|or[^s]|$)|permi(?:ssion|tted)|\bperms?\b|admin|owner|allowed|forbid|denied|\bdeny|csrf|xsrf|\broles?\b|has_?role|access(?:_|[A-Z]| ?denied)|40[13]\b|log(?:ged)?_?in\b|signature|traversal|__proto__|unauthor|is_?staff|superuser|\bscopes?\b"
);
expression!(
    NOTHING,
    r"(?i)\b(null|nil|none|undefined|nullptr|empty|is_none|is_null|is_empty|isempty|isnull|present|blank)\b|^\(?\s*!|^\(?\s*not\b|^unless\b"
);
expression!(
    BOUND,
    r"(?i)(len|length|size|count|max|limit|cap|capacity|width|height|remaining|index|offset|\bn\b|\bi\b|budget|balance|quota|depth|zero|\b0\b|range|bytes)"
);
expression!(COMPARISON, r"[^-=<>]([<>]=?)[^<>=]|==\s*0\b|!=\s*0\b|===\s*0\b");
expression!(
    FAILURE,
    r"(?i)\berr\w*\s*(!=|==|is|!==)|\berr(or)?\b\s*\)?$|\.is_err\(|\.ok\b|!ok\b|\bfailed\b|\bsuccess|status|exitcode|exit_code|returncode|\$\?|<\s*0\b|==\s*-1|\brc\b|\bret\b"
);
expression!(
    REPLACES,
    r"(?i)\b(if|unless|assert\w*|require\w*|ensure\w*|check\w*|valid\w*|guard\w*|verify\w*|throw|raise|abort|match|switch|when|catch|except|rescue|expect\w*|must\w*|clamp|min|max|case|let else|ok_or\w*|unwrap_or\w*|default|get|getOrDefault|firstOrFail|try|safe\w*|authori[sz]e\w*)\b|\?\.|\?\?|\?$|\?;|\|\||&&| \? "
);

/// What a check keeps out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Access,
    Failure,
    Value,
}

/// The check of `check-removed`: tests of values and bounds.
pub(in crate::rules) fn values(view: &FileView) -> Vec<Hit> {
    Lost::of(view).map(|lost| guards(&lost, Kind::Value)).unwrap_or_default()
}

/// The part of `access-check-removed` that looks at conditions.
pub(super) fn access(lost: &Lost<'_>) -> Vec<Hit> {
    guards(lost, Kind::Access)
}

/// The part of `error-check-removed` that looks at conditions.
pub(super) fn failures(lost: &Lost<'_>) -> Vec<Hit> {
    guards(lost, Kind::Failure)
}

/// A check that leaves the function or the loop.
struct Guard<'v> {
    first: u32,
    last: u32,
    condition: &'v str,
    body: &'v str,
    node: Node<'v>,
}

fn guards(lost: &Lost<'_>, kind: Kind) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (base, node) in touched_before(lost.view, CHECKS) {
        let Some(guard) = guard(base, node) else { continue };
        if kind_of(lost.view.language(), &guard) != Some(kind) || !goes_alone(lost, &guard) {
            continue;
        }
        let Some(after) = lost.function_after(guard.first) else { continue };
        if !is_missed(lost, &guard, &after, kind) {
            continue;
        }
        let condition = quote(guard.condition.trim_matches(['(', ')', ' ']));
        let message = match kind {
            Kind::Access => {
                format!(
                    "Who may do this is no longer checked ({condition}), while it is still done."
                )
            }
            Kind::Failure => {
                format!(
                    "The failure is no longer looked at ({condition}), and what follows goes on."
                )
            }
            Kind::Value => {
                format!(
                    "Nothing checks {condition} any more, while the code behind the check stays."
                )
            }
        };
        let severe = kind == Kind::Value
            && matches!(lost.view.language(), Some(Language::C | Language::Cpp));
        let hit = removed(guard.first, message);
        hits.push(if severe { hit.severity(Severity::High) } else { hit });
    }
    hits
}

/// Reads a check without an alternative whose block ends by leaving.
fn guard<'v>(base: u32, node: Node<'v>) -> Option<Guard<'v>> {
    let condition = node.field("condition")?;
    let body = node.field("consequence").or_else(|| node.field("body"))?;
    let other = node.field("alternative").is_some()
        || node.children().any(|child| child.is(&["else_clause"]));
    let list = body.named_children().find(|child| child.is(&["statement_list"]));
    let statements: Vec<Node<'_>> = if is_block(&body) {
        list.as_ref()
            .unwrap_or(&body)
            .named_children()
            .filter(|child| !child.kind().contains("comment"))
            .collect()
    } else {
        vec![body.clone()]
    };
    let last = statements.last()?;
    if other || statements.len() > 3 || !is_exit(last.text()) {
        return None;
    }
    let (first, end) = node.lines();
    let (first, last) = (base.saturating_add(first), base.saturating_add(end));
    Some(Guard { first, last, condition: condition.text(), body: body.text(), node })
}

fn is_block(node: &Node<'_>) -> bool {
    node.is(&[
        "block",
        "statement_block",
        "compound_statement",
        "then",
        "body_statement",
        "do_group",
    ])
}

fn kind_of(language: Option<Language>, guard: &Guard<'_>) -> Option<Kind> {
    let Guard { condition, body, .. } = guard;
    let condition = condition.trim();
    if ACCESS.is_match(condition) || ACCESS.is_match(body) {
        return Some(Kind::Access);
    }
    if FAILURE.is_match(condition) && language != Some(Language::Rust) {
        return Some(Kind::Failure);
    }
    let compares = COMPARISON.is_match(&format!(" {condition} ")) && BOUND.is_match(condition);
    let negated = guard.node.kind().starts_with("unless");
    (negated || compares || NOTHING.is_match(condition)).then_some(Kind::Value)
}

/// Whether nothing but checks goes here, and nothing comes in their place.
fn goes_alone(lost: &Lost<'_>, guard: &Guard<'_>) -> bool {
    let lines = guard.first..=guard.last;
    let edit = lost.edits.iter().find(|edit| edit.old.iter().any(|(line, _)| *line == guard.first));
    let Some(edit) = edit.filter(|edit| edit.new.is_empty()) else { return false };
    let language = lost.view.language();
    let is_code = |line: &u32| {
        lost.view.old_side().line(*line).is_some_and(|text| !tokens(language, text).is_empty())
    };
    let all_go = lines
        .clone()
        .filter(is_code)
        .all(|line| edit.old.iter().any(|(number, _)| *number == line));
    // A block that goes with more than its checks was not needed any more.
    let others: Vec<&str> =
        edit.old.iter().filter(|(line, _)| !lines.contains(line)).map(|(_, text)| *text).collect();
    let others_check =
        others.is_empty() || others.len() <= 4 && others.iter().any(|text| is_exit(text));
    all_go && others_check && next_statement_stays(lost, guard)
}

/// Whether the code behind the check stands on both sides.
fn next_statement_stays(lost: &Lost<'_>, guard: &Guard<'_>) -> bool {
    let mut node = guard.node.clone();
    while let Some(parent) = node.parent().filter(|parent| parent.is(&["expression_statement"])) {
        node = parent;
    }
    let (own, _) = guard.node.lines();
    let mut next = node.next();
    while let Some(sibling) = next {
        if sibling.is_named() && !sibling.kind().contains("comment") {
            let (first, _) = sibling.lines();
            return !lost.goes(guard.first.saturating_add(first.saturating_sub(own)));
        }
        next = sibling.next();
    }
    false
}

/// Whether what the check kept out is still used, and nothing else keeps it out.
fn is_missed(lost: &Lost<'_>, guard: &Guard<'_>, after: &Function<'_>, kind: Kind) -> bool {
    let subjects = names(lost.view.language(), guard.condition);
    let used = subjects.iter().any(|name| mentions(after.text(), name));
    if !used && kind != Kind::Access {
        return false;
    }
    let replaced = lost.came_in(&after.lines).any(|line| {
        REPLACES.is_match(line)
            || subjects.iter().any(|name| name.len() > 2 && mentions(line, name))
    });
    let condition: String = guard.condition.split_whitespace().collect();
    let all: String = lost.came().flat_map(|(_, line)| line.split_whitespace()).collect();
    let moved = condition.len() > 3 && all.contains(condition.trim_matches(['(', ')']));
    let elsewhere = kind == Kind::Access && lost.came().any(|(_, line)| ACCESS.is_match(line));
    // What nothing in the file knows any more went as a whole.
    let known = subjects.is_empty()
        || subjects.iter().any(|name| lost.new_text().any(|text| mentions(text, name)));
    !replaced && !moved && !elsewhere && known && !checked_again(after, guard)
}

/// Whether the function still tests the same condition elsewhere.
fn checked_again(after: &Function<'_>, guard: &Guard<'_>) -> bool {
    let squeeze = |text: &str| text.split_whitespace().collect::<String>();
    let condition = squeeze(guard.condition);
    // The common test of an error stands many times in one function, each for another call.
    condition.len() > 12 && squeeze(after.text()).contains(&condition)
}
