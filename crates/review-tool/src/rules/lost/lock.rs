//! Locks, transactions and waits that go while what they guard stays.

use super::{Expression, Function, Lost, expression, mentions};
use crate::finding::Side;
use crate::language::Language;
use crate::rules::Hit;
use crate::rules::edit::Difference;
use crate::view::FileView;

expression!(
    LOCK,
    r"\bwith\s+[\w.]*([lL]ock|[mM]utex|[sS]em)\w*(\(\))?\s*(:|as\b)|\.(lock|Lock|RLock|acquire|lockInterruptibly|writeLock|readLock)\(|\bsynchronized\b|\block\s*\(\s*[\w.]+\s*\)|\b(lock_guard|scoped_lock|unique_lock|shared_lock)\b|\b(pthread_(mutex|rwlock|spin)_\w*lock|mutex_lock\w*|spin_lock\w*|EnterCriticalSection|AcquireSRWLock\w*|flock)\s*\(|\.synchronize\b|\bMonitor\.(Enter|enter)\b|\.WaitAsync\(|\.runExclusive\("
);
expression!(
    GUARDS_OTHERWISE,
    r"(?i)lock|atomic|concurrent|interlocked|synchroni|mutex|semaphore|volatile|channel|queue|immutable|thread_?local|compare_?exchange|\bchan\b|copyonwrite|^\s*(async )?with\s+[\w.]+(\(\))?\s*:"
);
expression!(
    TRANSACTION,
    r"\btransaction\.atomic\b|@[Tt]ransactional\b|\.transaction\s*(\(|do\b|\{)|::transaction\s*(\(|do\b)|\bTransactionScope\b|\.(begin|Begin|BeginTx|BeginTransaction|beginTransaction|begin_nested|transact)\s*\(|\bdb_transaction\b"
);
expression!(
    WRITES,
    r"(?i)[.>](save|insert|update|delete|create|exec\w*|add|destroy|remove|persist|put|debit|credit|decrement|increment)\w*!?(\s|\(|$)"
);

/// The check of `lock-removed`.
pub(in crate::rules) fn locks(view: &FileView) -> Vec<Hit> {
    taken_away(view, &LOCK, |lost, after| {
        let other_form = |line: &str| {
            LOCK.is_match(line) || line.contains("tomic") || line.contains("oncurrent")
        };
        // Where the file still locks elsewhere, what was locked here is shared.
        lost.new_has(&LOCK)
            && !lost.came_in(&after.lines).any(|line| GUARDS_OTHERWISE.is_match(line))
            && !lost.came().any(|(_, line)| other_form(line))
    })
}

/// The check of `transaction-removed`.
pub(in crate::rules) fn transactions(view: &FileView) -> Vec<Hit> {
    taken_away(view, &TRANSACTION, |lost, after| {
        let writes = after.text().lines().filter(|line| WRITES.is_match(line)).count();
        writes > 1 && !lost.came().any(|(_, line)| TRANSACTION.is_match(line))
    })
}

/// One hit for each function that loses every line of a kind while its other lines stay.
fn taken_away(
    view: &FileView,
    kind: &Expression,
    is_missed: impl Fn(&Lost<'_>, &Function<'_>) -> bool,
) -> Vec<Hit> {
    let Some(lost) = Lost::of(view) else { return Vec::new() };
    let mut hits = Vec::new();
    let mut seen: Vec<u32> = Vec::new();
    for edit in &lost.edits {
        for &(line, text) in &edit.old {
            if !kind.is_match(text) || text.contains("import ") || text.contains("#include") {
                continue;
            }
            let Some(after) = lost.function_after(line) else { continue };
            if kind.is_match(after.text()) || seen.contains(after.lines.start()) {
                continue;
            }
            if stays_behind(&lost, line) && is_missed(&lost, &after) {
                seen.push(*after.lines.start());
                // Where the word of a head goes, the head that stays is the place.
                let head = edit.new.first().filter(|_| text.contains("synchronized"));
                hits.push(head.map_or_else(|| Hit::removed(line), |(line, _)| Hit::added(*line)));
            }
        }
    }
    hits
}

/// Whether code behind the line, in its function, stays.
fn stays_behind(lost: &Lost<'_>, line: u32) -> bool {
    let Some(before) = lost.function(Side::Old, line) else { return false };
    let old = lost.view.old_side();
    let mut rest = (line.saturating_add(1)..=*before.lines.end()).filter_map(|at| {
        let text = old.line(at)?;
        (!lost.goes(at)).then_some(text)
    });
    rest.any(|text| text.contains(['=', '(', '+', '-']) && text.trim().len() > 4)
}

/// From so many waits on, a whole file stops being asynchronous.
const MANY: usize = 3;

expression!(
    USES_TOGETHER,
    r"\b(all|gather|allSettled|race|WhenAll|WhenAny|then|create_task|ensure_future|join)\b"
);

/// The check of `await-removed`.
pub(in crate::rules) fn waits(view: &FileView) -> Vec<Hit> {
    let Some(lost) = Lost::of(view) else { return Vec::new() };
    let language = view.language();
    let all = lost.edits.iter().flat_map(|edit| edit.differences(language));
    let waits: Vec<_> = all.filter(|(_, _, of)| loses_wait(of)).collect();
    if waits.len() >= MANY {
        return Vec::new();
    }
    let mut hits = Vec::new();
    for (_, line, difference) in waits {
        let Some(after) = lost.function(Side::New, line) else { continue };
        let Some(callee) = callee(&difference) else { continue };
        let used_later = bound(&difference).is_some_and(|name| {
            after.text().lines().any(|line| {
                mentions(line, name) && (line.contains("await") || USES_TOGETHER.is_match(line))
            })
        });
        if !is_async(language, after.text())
            || used_later
            || turned_synchronous(&lost, callee)
            || is_synchronous(&lost, callee)
            || difference.before.contains(&"return")
        {
            continue;
        }
        let message = format!(
            "{callee} is no longer waited for: what follows runs before it is done, and its failure is lost."
        );
        hits.push(Hit::added(line).message(message));
    }
    hits
}

fn loses_wait(difference: &Difference<'_>) -> bool {
    let Difference { gone, came, .. } = difference;
    came.is_empty() && matches!(gone.as_slice(), ["await"] | [".", "await"])
}

fn is_async(language: Option<Language>, function: &str) -> bool {
    let head: String = function.chars().take(400).collect();
    let head = head.split(['{', ':']).next().unwrap_or_default();
    mentions(head, "async") || language == Some(Language::Rust) && function.contains(".await")
}

/// The name of what was waited for: the last name before its arguments.
fn callee<'v>(difference: &Difference<'v>) -> Option<&'v str> {
    let tokens = if difference.gone.len() == 1 { &difference.after } else { &difference.before };
    let open = tokens.iter().position(|token| *token == "(")?;
    let name = *tokens.get(open.checked_sub(1)?)?;
    is_name(name).then_some(name)
}

/// The name that the value of the call gets.
fn bound<'v>(difference: &Difference<'v>) -> Option<&'v str> {
    let before = &difference.before;
    let equals = before.iter().position(|token| *token == "=")?;
    before[..equals].iter().rev().copied().find(|token| is_name(token))
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Whether the file defines the function, and not as one that is waited for.
fn is_synchronous(lost: &Lost<'_>, callee: &str) -> bool {
    const WAITED: &[&str] = &["async", "Promise", "Task", "Future", "Awaitable", "Coroutine"];
    const NONE: &[&str] = &["await", ".", ";", "=", "return", "new "];
    let head = format!("{callee}(");
    let mut definitions = lost.new_text().flat_map(str::lines).filter(|line| {
        let Some((before, after)) = line.split_once(&head) else { return false };
        (line.trim_end().ends_with(['{', ':']) || before.contains("function "))
            && !NONE.iter().any(|word| before.contains(word))
            && !["if ", "while ", "for ", "switch "].iter().any(|word| before.contains(word))
            && !after.is_empty()
    });
    definitions.next().is_some_and(|line| !WAITED.iter().any(|word| line.contains(word)))
}

/// Whether the change makes the function itself one that needs no wait.
fn turned_synchronous(lost: &Lost<'_>, callee: &str) -> bool {
    const DEFINES: &[&str] = &["def ", "function", "fn ", "Task", "=>"];
    let defines =
        |line: &str| mentions(line, callee) && DEFINES.iter().any(|word| line.contains(word));
    lost.edits.iter().any(|edit| {
        edit.old.iter().any(|(_, line)| line.contains("async") && defines(line))
            && edit.new.iter().any(|(_, line)| !line.contains("async") && mentions(line, callee))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_of_every_language_are_known() {
        for line in [
            "with self._lock:",
            "async with lock:",
            "c.mu.Lock()",
            "public synchronized void a() {",
            "lock (_gate)",
            "std::lock_guard<std::mutex> guard(mutex_);",
            "pthread_mutex_lock(&q->lock);",
            "@mutex.synchronize do",
        ] {
            assert!(LOCK.is_match(line), "{line}");
        }
        for line in ["unlock(x)", "block(x)", "with open(lockfile) as f:", "clock ( now )"] {
            assert!(!LOCK.is_match(line), "{line}");
        }
    }
}
