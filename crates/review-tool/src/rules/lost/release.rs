//! What was closed, released or unsubscribed and no longer is.

use super::{Function, Lost, expression, is_exit, mentions, names, quote, removed};
use crate::finding::Side;
use crate::rules::Hit;
use crate::rules::edit::{Difference, tokens};
use crate::view::FileView;

expression!(
    RELEASE,
    r"\b(closeQuietly|close|Close|dispose|Dispose|release|Release|RUnlock|unlock|Unlock|kfree|g_free|free|fclose|closedir|pclose|munmap|freeaddrinfo|join|removeEventListener|removeListener|clearInterval|clearTimeout|unsubscribe|cancel|Cancel|disconnect|destroy|shutdown|stop|Stop|terminate|pthread_mutex_unlock|mutex_unlock|spin_unlock|rollback|Rollback|curl_easy_cleanup|curl_close|SSL_free|va_end|abort|terminate|unobserve|revokeObjectURL)\s*!?\s*\(|\bdelete(\[\])?\s+\w+;|\bcancel\(\)|\btrap\s"
);
expression!(
    TAKES_CARE,
    r"(?i)\b(with|using|try|defer|finally|ensure|unique_ptr|shared_ptr|make_unique|jthread|scoped\w*|guard\w*|autoclose|addCleanup|t\.Cleanup|on_exit|atexit|context|signal|goto|drop|take)\b|\(\s*\w+\s*\)\s*\{$"
);

/// How what is released was taken, by a word of the release.
const TAKEN: &[(&str, &[&str])] = &[
    ("removeEventListener", &["addEventListener"]),
    ("removeListener", &["addListener", ".on("]),
    ("clearInterval", &["setInterval"]),
    ("clearTimeout", &["setTimeout"]),
    ("unsubscribe", &["subscribe("]),
    ("unobserve", &["observe("]),
    ("disconnect", &["connect(", "observe(", "Observer("]),
    ("revokeObjectURL", &["createObjectURL"]),
    ("unlock", &["lock("]),
    ("Unlock", &["Lock("]),
    ("RUnlock", &["RLock("]),
    ("pthread_mutex_unlock", &["pthread_mutex_lock("]),
    ("mutex_unlock", &["mutex_lock("]),
    ("spin_unlock", &["spin_lock"]),
    ("release", &["acquire", "retain", "= "]),
    ("join", &["hread", "Process("]),
    ("trap", &["mktemp"]),
];

/// The check of `release-removed`.
pub(in crate::rules) fn check(view: &FileView) -> Vec<Hit> {
    let Some(lost) = Lost::of(view) else { return Vec::new() };
    let mut hits = Vec::new();
    for edit in &lost.edits {
        for &(line, text) in &edit.old {
            if edit.new.iter().any(|(_, new)| RELEASE.is_match(new) || TAKES_CARE.is_match(new)) {
                continue;
            }
            if let Some((subject, verb)) = released(view, text)
                && is_statement(text)
                && is_missed(&lost, line, &subject, verb)
            {
                let message = format!(
                    "{} goes, while what it released is still taken, so nothing gives it back.",
                    quote(text.trim().trim_end_matches(';'))
                );
                hits.push(removed(line, message));
            }
        }
        for (old, new, difference) in edit.differences(view.language()) {
            if loses_scope(&difference) && lost.function(Side::Old, old).is_some() {
                let message = "Without its scope nothing closes it, neither at the end nor when an exception leaves.";
                hits.push(Hit::added(new).message(message));
            }
        }
    }
    hits
}

/// `using var x = …` of C# that becomes `var x = …`.
fn loses_scope(difference: &Difference<'_>) -> bool {
    let Difference { before, gone, came, .. } = difference;
    before.is_empty()
        && came.is_empty()
        && matches!(gone.as_slice(), ["using"] | ["await", "using"])
}

/// A line that does nothing but release.
fn is_statement(text: &str) -> bool {
    let text = text.trim().trim_start_matches("} ");
    !text.contains(" = ")
        && !text.starts_with("if ")
        && !text.starts_with("//")
        && !text.starts_with('#')
        && !["def ", "fn ", "func ", "function ", "void "].iter().any(|word| text.starts_with(word))
        && !text.ends_with('{')
}

/// What a line releases, and by which word.
fn released<'v>(view: &FileView, text: &'v str) -> Option<(String, &'v str)> {
    let found = RELEASE.0.as_ref()?.find(text.as_bytes())?;
    let verb = text.get(found.range())?;
    let word_end = verb.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(verb.len());
    let verb = &verb[..word_end];
    let before = text[..found.start()].trim_end_matches(['.', '>', '-', ':', '?', '!']);
    let receiver: String = before
        .chars()
        .rev()
        .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '@' | '>' | '-'))
        .collect();
    let receiver: String = receiver.chars().rev().collect();
    let receiver = receiver.trim_start_matches(['-', '>', '.']);
    let is_method = before.len() < found.start() && !receiver.is_empty();
    let is_plain =
        matches!(receiver, "window" | "document" | "os" | "self" | "this" | "syscall" | "unix");
    if verb == "trap" {
        return Some((String::new(), verb));
    }
    if is_method && !is_plain {
        return Some((receiver.to_owned(), verb));
    }
    let rest = text[found.end()..].trim_start_matches('&');
    let rest = if verb == "delete" { &text[found.start() + 6..] } else { rest };
    let names = names(view.language(), rest);
    let subject = names.last().filter(|_| verb.contains("EventListener")).or(names.first());
    subject.map(|name| ((*name).to_owned(), verb))
}

/// Whether the thing is still taken in what stays, and nothing else gives it back.
fn is_missed(lost: &Lost<'_>, line: u32, subject: &str, verb: &str) -> bool {
    let script = verb == "trap";
    let Some(after) = lost.function_after(line).or_else(|| whole(lost).filter(|_| script)) else {
        return false;
    };
    let last = subject.rsplit(['.', '>', '@', '$']).next().unwrap_or(subject);
    if lost
        .came_in(&after.lines)
        .any(|line| RELEASE.is_match(line) || TAKES_CARE.is_match(line) || mentions(line, last))
    {
        return false;
    }
    let is_field = subject.len() > last.len();
    let taken = TAKEN.iter().find(|(word, _)| *word == verb);
    let is_taken = |text: &str| match taken {
        Some((_, words)) => words.iter().any(|word| text.contains(word)),
        None => text.lines().any(|line| assigns(lost, line, last)),
    };
    let still_taken = is_taken(after.text()) || is_field && lost.new_text().any(is_taken);
    if !still_taken {
        return false;
    }
    // Where another release of the same thing stays, this one stood on a way out.
    let releases = |line: &&str| RELEASE.is_match(line) && (script || mentions(line, last));
    let others = after.text().lines().filter(releases).count();
    let returned = after.text().lines().any(|line| {
        line.trim_start().starts_with("return") && mentions(line, last) && !line.contains('(')
    });
    match others {
        0 => !returned,
        _ => leaves_next(lost, line) && !returned,
    }
}

/// The whole new side of a script, which needs no function.
fn whole<'v>(lost: &Lost<'v>) -> Option<Function<'v>> {
    let (base, tree) = lost.view.trees(Side::New).next()?;
    let node = tree.root();
    let (first, last) = node.lines();
    Some(Function { lines: base.saturating_add(first)..=base.saturating_add(last), node })
}

/// Whether a line gives `name` a value.
fn assigns(lost: &Lost<'_>, line: &str, name: &str) -> bool {
    let code = tokens(lost.view.language(), line);
    let assigned = code.iter().position(|token| matches!(*token, "=" | ":="));
    assigned.is_some_and(|at| code[..at].contains(&name) && code.get(at + 1) != Some(&"NULL"))
        || line.trim_start().starts_with("std::thread") && mentions(line, name)
}

/// Whether the next line of code leaves the function.
fn leaves_next(lost: &Lost<'_>, line: u32) -> bool {
    lost.next_staying(line)
        .is_some_and(|next| is_exit(next) && !next.trim_start().starts_with("goto"))
}
