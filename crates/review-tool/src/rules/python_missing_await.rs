//! Coroutines of Python that are called as a statement, so that they never run.

use std::collections::HashSet;

use super::scans::{Code, Spot};

/// Finds calls of coroutines that the same file defines, and of well-known ones.
pub(super) fn scan(code: &Code<'_, '_>) -> Vec<Spot> {
    let mut coroutines = HashSet::new();
    let mut plain = HashSet::new();
    for function in code.root.descendants().filter(|node| node.is(&["function_definition"])) {
        let Some(name) = function.field("name") else { continue };
        let is_async = function.children().next().is_some_and(|first| first.text() == "async");
        let decorated = function.parent().filter(|outer| outer.is(&["decorated_definition"]));
        let is_bare = decorated.is_none_or(|outer| {
            outer.named_children().filter(|node| node.is(&["decorator"])).all(|decorator| {
                matches!(decorator.text(), "@staticmethod" | "@classmethod" | "@override")
            })
        });
        let yields = function.descendants().any(|node| node.is(&["yield"]));
        if is_async && is_bare && !yields {
            coroutines.insert(name.text());
        } else {
            plain.insert(name.text());
        }
    }
    let mut out = Vec::new();
    for statement in code.touched_nodes(&["expression_statement"]) {
        let Some(call) = statement.named_children().next().filter(|node| node.is(&["call"])) else {
            continue;
        };
        let Some(function) = call.field("function") else { continue };
        let text = function.text();
        let name = match text.rsplit_once('.') {
            None => text,
            Some(("self" | "cls", name)) => name,
            Some(("asyncio", "sleep" | "wait" | "wait_for" | "open_connection" | "to_thread")) => {
                out.push(Spot::at(&call).named(text));
                continue;
            }
            Some(_) => continue,
        };
        if coroutines.contains(name) && !plain.contains(name) {
            out.push(Spot::at(&call).named(text));
        }
    }
    out
}
