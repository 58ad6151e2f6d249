//! Who may do something: checks by annotation, by middleware and by call that go.

use super::{Expression, Lost, expression, guard, quote, removed};
use crate::rules::Hit;
use crate::rules::edit::{Difference, Edit, tokens};
use crate::view::FileView;

expression!(
    WORDS,
    r"(?i)auth(?:[^o]|or[^s]|$)|permission|log(?:ged)?_?in_?required|require_?(?:log|sign|admin|role|user|scope|owner)|\bsecured\b|rolesallowed|guards?\b|protect|csrf|xsrf|antiforgery|jwt|token_required|admin|user_passes_test|ensure_?(?:log|admin|owner)|verif(?:y|ied)|\bacl\b|policy|throttle|rate_?limit|is_?owner|staff_member|isgranted"
);
expression!(
    OPENS,
    r"(?i)allow_?any|allow_?anonymous|permit_?all|anonymous|csrf_exempt|\bpublic\b|skip_before"
);
expression!(
    ROUTES,
    r"(?i)\b(get|post|put|delete|patch|all|use|route|router|app|path|handle|handlefunc|group)\b"
);
expression!(
    CHECK_CALL,
    r"(?i)^\$?(?:this|self|@)?(?:->|\.|::)?(?:\w+(?:->|\.|::))*(?:authori[sz]e\w*|authenticate\w*|require_?(?:auth|log|sign|admin|role|perm|user|owner|csrf|scope)\w*|ensure_?(?:auth|log|admin|owner|perm|can|role|access)\w*|check_?(?:perm|access|auth|role|owner|csrf|token|signature|origin)\w*|verify_?(?:csrf|token|signature|auth|access|owner|jwt|origin|password)\w*|assert_?(?:perm|can|auth|access|owner|admin)\w*|abort_if|abort_unless|deny_?(?:access|unless|anonymous)\w*|before_action|before_filter|prepend_before_action|protect_from_forgery|add_middleware|enforce\w*|use(?:authentication|authorization|guard)\w*)\b"
);

/// The check of `access-check-removed`.
pub(in crate::rules) fn check(view: &FileView) -> Vec<Hit> {
    let Some(lost) = Lost::of(view) else { return Vec::new() };
    let mut hits = guard::access(&lost);
    let checks_otherwise =
        |line: &str| WORDS.is_match(line) && !OPENS.is_match(line) && !is_import(line);
    // What moves, be it to the class, to a list or into another check, comes somewhere.
    if lost.came().any(|(_, line)| checks_otherwise(line) && !is_route_without(line, &lost)) {
        return hits;
    }
    for edit in &lost.edits {
        for &(line, text) in &edit.old {
            let annotation =
                is_annotation(text) && WORDS.is_match(text) && decorated_stays(&lost, line);
            let call =
                is_check_call(view, text) && edit_has_no_check(edit) && function_stays(&lost, line);
            if annotation || call {
                hits.push(told(line, text));
            }
        }
        for (_, new, difference) in edit.differences(view.language()) {
            if let Some(name) = dropped_middleware(&difference) {
                let message = format!(
                    "The route no longer goes through {}, so anybody may call it.",
                    quote(name)
                );
                hits.push(Hit::added(new).message(message));
            }
        }
    }
    hits
}

fn told(line: u32, text: &str) -> Hit {
    let what = quote(text.trim_end_matches(';'));
    removed(
        line,
        format!("{what} goes, so who may do this is no longer checked, while it is still done."),
    )
}

fn is_import(line: &str) -> bool {
    let line = line.trim_start();
    ["import ", "from ", "use ", "using ", "require", "#include", "//", "#", "*"]
        .iter()
        .any(|word| line.starts_with(word))
        && !line.starts_with("#[")
}

/// Whether a line that comes is a route that lost its check itself.
fn is_route_without(line: &str, lost: &Lost<'_>) -> bool {
    let edit = lost.edits.iter().find(|edit| edit.new.iter().any(|(_, text)| *text == line));
    edit.is_some_and(|edit| {
        edit.differences(lost.view.language())
            .iter()
            .any(|(_, _, difference)| dropped_middleware(difference).is_some())
    })
}

/// `@Secured`, `#[IsGranted]`, `[Authorize]`: a line that is an annotation alone.
fn is_annotation(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('@') && !text.starts_with("@media")
        || text.starts_with("#[") && text.ends_with(']')
        || text.starts_with('[') && text.ends_with(']') && text[1..].starts_with(char::is_uppercase)
}

/// Whether the next line that stays carries on what was annotated: a head or a further annotation.
fn decorated_stays(lost: &Lost<'_>, line: u32) -> bool {
    let next = lost.next_staying(line);
    let is_head = next.is_some_and(|next| {
        is_annotation(next) || next.contains('(') || next.contains("class ") || next.contains("fn ")
    });
    let old = lost.view.old_side();
    let mut between = (line.saturating_add(1)..line.saturating_add(8)).map_while(|at| {
        let text = old.line(at)?;
        Some((at, text)).filter(|(at, text)| lost.goes(*at) || text.trim().is_empty())
    });
    // Nothing but annotations may go with it.
    is_head && between.all(|(_, text)| text.trim().is_empty() || is_annotation(text))
}

/// A statement that is nothing but a call of a check.
fn is_check_call(view: &FileView, text: &str) -> bool {
    let code = text.trim();
    let is_bare = code.contains("before_") || code.starts_with("protect_from_forgery");
    if !CHECK_CALL.is_match(code)
        || code.contains(" = ")
        || code.ends_with('{')
        || !(is_bare || code.contains('('))
    {
        return false;
    }
    let words = tokens(view.language(), code);
    let is_filter = code.contains("before_") || code.contains("add_middleware");
    let closes = matches!(words.last(), Some(&(")" | ";" | "?"))) || code.ends_with(')');
    // A list of filters may set up anything; what it names decides.
    if is_filter {
        WORDS.is_match(code)
    } else {
        closes || code.starts_with("protect_from_forgery")
    }
}

fn edit_has_no_check(edit: &Edit<'_>) -> bool {
    let words: &Expression = &WORDS;
    !edit.new.iter().any(|(_, text)| words.is_match(text))
}

/// Whether the function or class around the call goes on.
fn function_stays(lost: &Lost<'_>, line: u32) -> bool {
    lost.next_staying(line).is_some_and(|next| next.trim().len() > 1)
}

/// The check that a route loses from its list of handlers.
fn dropped_middleware<'v>(difference: &Difference<'v>) -> Option<&'v str> {
    let Difference { before, gone, came, after } = difference;
    let is_list = gone.first() == Some(&",") || gone.last() == Some(&",");
    let is_route = before.iter().take(6).any(|token| ROUTES.is_match(token));
    if !came.is_empty() || !is_list || !is_route || after.is_empty() {
        return None;
    }
    gone.iter().copied().find(|token| WORDS.is_match(token))
}
