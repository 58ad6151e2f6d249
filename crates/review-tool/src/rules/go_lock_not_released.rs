//! Mutexes of Go that stay locked: never unlocked in the function, or left locked by an early return.

use super::scans::{Code, Spot};
use super::trace::items;
use crate::syntax::Node;

/// Finds both.
pub(super) fn scan(code: &Code<'_, '_>) -> Vec<Spot> {
    let mut out = Vec::new();
    for list in code.touched_nodes(&["statement_list"]) {
        let statements = items(&list);
        for (at, statement) in statements.iter().enumerate() {
            let Some((of, unlock)) = locked(statement) else { continue };
            let Some(function) = statement.ancestors().find(|outer| {
                outer.is(&["function_declaration", "method_declaration", "func_literal"])
            }) else {
                continue;
            };
            let name = function.field("name");
            let name = name.map(|name| name.text().to_ascii_lowercase()).unwrap_or_default();
            if ["lock", "acquire", "begin", "enter"].iter().any(|word| name.contains(word)) {
                continue;
            }
            let call = format!("{of}.{unlock}");
            if !function.text().contains(&call) {
                // Handed on by name, as to a cleanup.
                let handed_on = function.text().contains(&format!(".{unlock}"))
                    || unlocked_elsewhere(code, &function, of, unlock);
                if !handed_on {
                    let spot = Spot::at(statement).named(of);
                    out.push(match statements.get(at + 1) {
                        Some(next) => Spot { last: next.lines().0, ..spot },
                        None => spot,
                    });
                }
                continue;
            }
            if statements[at + 1..].first().is_some_and(|next| next.text().contains(&call))
                || function
                    .descendants()
                    .any(|node| node.is(&["defer_statement"]) && node.text().contains(&call))
            {
                continue;
            }
            for later in &statements[at + 1..] {
                if later.text().contains(&call) {
                    break;
                }
                if let Some(exit) = exit(later) {
                    let lock = Spot::at(statement).with(&exit);
                    out.push(Spot { at: exit.lines().0, ..lock }.named(of));
                    break;
                }
            }
        }
    }
    out
}

/// Whether another function of the file unlocks the mutex without having locked it, as the second half
/// of a pair does.
fn unlocked_elsewhere(code: &Code<'_, '_>, function: &Node<'_>, of: &str, unlock: &str) -> bool {
    let Some((_, field)) = of.rsplit_once('.') else { return false };
    let (unlocks, locks) =
        (format!(".{field}.{unlock}()"), format!(".{field}.{}()", unlock.replace("Unl", "L")));
    code.root.children().any(|other| {
        let text = other.text();
        other.is(&["function_declaration", "method_declaration"])
            && other.range() != function.range()
            && text.find(&unlocks).is_some_and(|at| !text[..at].contains(&locks))
    })
}

/// The mutex that a statement locks, and the method that unlocks it.
fn locked<'t>(statement: &Node<'t>) -> Option<(&'t str, &'static str)> {
    if !statement.is(&["expression_statement"]) {
        return None;
    }
    let text = statement.text();
    text.strip_suffix(".Lock()")
        .map(|of| (of, "Unlock"))
        .or_else(|| text.strip_suffix(".RLock()").map(|of| (of, "RUnlock")))
}

/// The first return within a statement, outside of function literals.
fn exit<'t>(statement: &Node<'t>) -> Option<Node<'t>> {
    let mut stack = vec![statement.clone()];
    while let Some(node) = stack.pop() {
        if node.is(&["return_statement"]) {
            return Some(node);
        }
        if !node.is(&["func_literal"]) {
            let at = stack.len();
            stack.extend(node.children());
            stack[at..].reverse();
        }
    }
    None
}
