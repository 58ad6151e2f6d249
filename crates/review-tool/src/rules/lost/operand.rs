//! Arguments, wrappers and marks of a statement that go: sanitisers, limits, handlers of failures.

use super::{Expression, Lost, expression, guard, mentions, quote, removed};
use crate::finding::Side;
use crate::language::Language;
use crate::rules::Hit;
use crate::rules::edit::{Difference, tokens};
use crate::view::FileView;

expression!(
    CLEANS,
    r"(?i)^(\w*(escape|sanitiz|sanitis|purif|encode_?(html|uri)|encodeuri|htmlspecialchars|htmlentities|strip_?tags|bleach|quote(?:meta|_?arg)?$|shellescape|escapeshell\w*|basename|secure_filename|base_?name|realpath|canonical|filepath_base|intval|parseint|clean|whitelist|allowlist|hash_equals|compare_?digest|constanttimecompare|timingsafeequal|permit)\w*|base|h|int|number)$"
);
expression!(
    LIMITS,
    r"(?i)^(\w*timeout\w*|deadline|max_?(bytes|size|length|body|retries|depth|redirects|connections|content_length)\w*|\w*limit|\w*limit_?reader|take)$"
);

/// The check of `sanitizer-removed`.
pub(in crate::rules) fn sanitizers(view: &FileView) -> Vec<Hit> {
    let Some(lost) = Lost::of(view) else { return Vec::new() };
    let mut hits = Vec::new();
    for (_, line, difference) in
        lost.edits.iter().flat_map(|edit| edit.differences(view.language()))
    {
        let Some(wrapper) = unwrapped(&difference).filter(|name| CLEANS.is_match(name)) else {
            continue;
        };
        let others = lost.came().any(|(at, text)| at != line && cleans(view, text));
        if others || view.new_side().line(line).is_some_and(|text| cleans(view, text)) {
            continue;
        }
        let message = format!(
            "The value is used as it comes: {} no longer stands before it.",
            quote(wrapper)
        );
        hits.push(Hit::added(line).message(message));
    }
    hits
}

fn cleans(view: &FileView, text: &str) -> bool {
    let words: &Expression = &CLEANS;
    tokens(view.language(), text).iter().any(|token| token.len() > 2 && words.is_match(token))
}

/// The function that goes from around a value that stays: `f(x)` becomes `x`.
fn unwrapped<'v>(difference: &Difference<'v>) -> Option<&'v str> {
    let Difference { gone, came, after, .. } = difference;
    let open = gone.iter().position(|token| *token == "(")?;
    let name = *gone.get(open.checked_sub(1)?)?;
    let is_path = gone[..open].iter().enumerate().all(|(at, token)| {
        if at % 2 == 0 { is_name(token) } else { matches!(*token, "." | "::" | "->") }
    });
    let inner = &gone[open + 1..];
    // The common end may have taken the closing brackets, and the common start the name of the value.
    let stays = if came.is_empty() {
        !inner.is_empty() && after.first() == Some(&")") || !after.is_empty() && inner.is_empty()
    } else {
        inner.starts_with(came)
    };
    (is_path && stays).then_some(name)
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$' || c == '@' || c == '\\')
}

/// The check of `limit-removed`.
pub(in crate::rules) fn limits(view: &FileView) -> Vec<Hit> {
    let Some(lost) = Lost::of(view) else { return Vec::new() };
    if lost.came().any(|(_, line)| {
        let words: &Expression = &LIMITS;
        tokens(view.language(), line).iter().any(|token| words.is_match(token))
    }) {
        return Vec::new();
    }
    let told = |name: &str| {
        format!(
            "{} goes, so nothing ends this when the other side is slow or sends without end.",
            quote(name)
        )
    };
    let mut hits = Vec::new();
    for edit in &lost.edits {
        if let [(line, text)] = edit.old.as_slice()
            && edit.new.is_empty()
        {
            let code = tokens(view.language(), text);
            let is_entry = matches!(code.get(1), Some(&(":" | "=" | "=>")))
                && matches!(code.last(), Some(&("," | ")"))) | (code.len() <= 4);
            if let Some(name) = code.first().filter(|name| is_entry && LIMITS.is_match(name)) {
                hits.push(removed(*line, told(name)));
            }
        }
        for (_, line, difference) in edit.differences(view.language()) {
            let wrapper = unwrapped(&difference).filter(|name| LIMITS.is_match(name));
            if let Some(name) = wrapper.or_else(|| dropped_argument(&difference)) {
                hits.push(Hit::added(line).message(told(name)));
            }
        }
    }
    hits
}

/// The name of an argument that goes from a list that stays.
fn dropped_argument<'v>(difference: &Difference<'v>) -> Option<&'v str> {
    let Difference { gone, came, .. } = difference;
    let is_part =
        gone.first() == Some(&",") || gone.last() == Some(&",") || gone.first() == Some(&".");
    if !came.is_empty() || !is_part {
        return None;
    }
    let named = gone
        .windows(2)
        .find(|pair| matches!(pair[1], "=" | ":" | "=>" | "(") && LIMITS.is_match(pair[0]));
    named.map(|pair| pair[0])
}

/// The check of `error-check-removed`.
pub(in crate::rules) fn failures(view: &FileView) -> Vec<Hit> {
    let Some(lost) = Lost::of(view) else { return Vec::new() };
    let language = view.language();
    let mut hits = guard::failures(&lost);
    for edit in &lost.edits {
        if let (Some((old_line, old)), [(line, new)]) = (edit.old.first(), edit.new.as_slice()) {
            let call = tokens(language, new);
            if drops_test(language, old, &call) && lost.function(Side::Old, *old_line).is_some() {
                let message = "The call stays, but nothing looks at whether it failed any more.";
                hits.push(Hit::added(*line).message(message));
            }
        }
        for (_, line, difference) in edit.differences(language) {
            let message = match dropped_handler(language, &difference) {
                Some(what) => format!("{what} goes, so a failure here is not noticed any more."),
                None => continue,
            };
            if lost.came().any(|(_, text)| text.contains("catch") || mentions(text, "try")) {
                continue;
            }
            hits.push(Hit::added(line).message(message));
        }
    }
    hits
}

/// Whether `old` tests the outcome of the very call that `call` makes without a test.
fn drops_test(language: Option<Language>, old: &str, call: &[&str]) -> bool {
    let before = tokens(language, old);
    if before.first() != Some(&"if") || language == Some(Language::Rust) {
        return false;
    }
    let call = match call {
        ["_", "=", rest @ ..] | ["_", ",", "_", "=", rest @ ..] | ["(", "void", ")", rest @ ..] => {
            rest
        }
        call => call,
    };
    let call = call.strip_suffix(&[";"]).unwrap_or(call);
    const WORDS: &[&str] = &["if", "while", "for", "switch", "return", "else", "until", "elif"];
    let is_call = call.len() >= 3
        && call.last() == Some(&")")
        && is_name(call[0])
        && !WORDS.contains(&call[0]);
    is_call && before.windows(call.len()).any(|part| part == call)
}

/// What handled the failure of a statement and goes from it.
fn dropped_handler(
    language: Option<Language>,
    difference: &Difference<'_>,
) -> Option<&'static str> {
    let Difference { before, gone, came, after } = difference;
    if !came.is_empty() {
        return None;
    }
    let ends = matches!(after.as_slice(), [] | [";"]);
    match gone.as_slice() {
        [".", "catch", "(", .., ")"] if ends => Some("The handler of the rejection"),
        ["?"] if ends && language == Some(Language::Rust) && !before.contains(&"=") => {
            Some("The ?")
        }
        ["!"] if language == Some(Language::Ruby) && saves(before) => {
            Some("The ! that raises where nothing was saved")
        }
        [",", "check", "=", "True"] if language == Some(Language::Python) => Some("check=True"),
        _ => None,
    }
}

fn saves(before: &[&str]) -> bool {
    const WRITES: &[&str] = &["save", "create", "update", "destroy", "update_attributes", "insert"];
    let is_plain =
        !before.iter().any(|token| matches!(*token, "if" | "unless" | "=" | "return" | "&&"));
    is_plain && before.last().is_some_and(|name| WRITES.contains(name))
}

expression!(
    PROTECTIONS,
    r#"(?i)^["']?(secure|http_?only|verify(_?ssl|_?peer|_?certificate|_?hostname|_?signature|_?exp)?|ssl_?verify\w*|check_?hostname|validate\w*|strict(_?mode|_?transport\w*)?|csrf\w*|enable_?csrf|encrypt(ed|ion)?(_?at_?rest)?|storage_?encrypted|auto_?escape|escape(_?html)?|sanitize\w*|require_?(auth|https|ssl|tls)\w*|force_?ssl|ssl_?redirect|use_?(ssl|tls)|authenticat\w+|authoriz\w+|audit(_?log\w*)?|reject_?unauthorized|same_?site|integrity|signed|session_?cookie_?secure|csrf_?cookie_?secure|secure_?ssl_?redirect|deletion_?protection|prevent_?destroy|enable_?key_?rotation|disallow_?doctype|no_?sniff|content_?security_?policy|hsts\w*|x_?frame_?options|(block|ignore|restrict)_?public_?(acls?|policy|buckets)|confirm_?email|two_?factor|mfa_?\w*)["']?$"#
);

/// The check of `protection-switched-off`.
pub(in crate::rules) fn protections(view: &FileView) -> Vec<Hit> {
    const ON: &[&str] =
        &["true", "True", "TRUE", "1", "on", "yes", "enabled", "\"true\"", "'true'", "required"];
    const OFF: &[&str] = &[
        "false",
        "False",
        "FALSE",
        "0",
        "off",
        "no",
        "None",
        "null",
        "disabled",
        "none",
        "\"false\"",
        "'false'",
        "\"none\"",
        "'none'",
    ];
    let Some(lost) = Lost::of_settings(view) else { return Vec::new() };
    let mut hits = Vec::new();
    for (_, line, difference) in
        lost.edits.iter().flat_map(|edit| edit.differences(view.language()))
    {
        let Difference { before, gone, came, .. } = &difference;
        let [.., key, ":" | "=" | "=>" | "(" | ","] = before.as_slice() else { continue };
        let ([from], [to]) = (gone.as_slice(), came.as_slice()) else { continue };
        if ON.contains(from) && OFF.contains(to) && PROTECTIONS.is_match(key) {
            let message = format!("{} was on and is now {to}.", key.trim_matches(['"', '\'']));
            hits.push(Hit::added(line).message(message));
        }
    }
    hits
}
