//! Errors of Go that are lost: overwritten before anything reads them, or checked after their value is used.

use super::scans::{Code, Spot};
use super::trace::items;
use crate::syntax::Node;

/// Finds errors that nothing reads before the next assignment to the same name.
pub(super) fn overwritten(code: &Code<'_, '_>) -> Vec<Spot> {
    let mut out = Vec::new();
    for list in code.touched_nodes(&["statement_list"]) {
        let statements = items(&list);
        for (at, statement) in statements.iter().enumerate() {
            let Some(error) = assigned_error(statement) else { continue };
            for later in &statements[at + 1..] {
                let overwrites = assigned_error(later).is_some_and(|name| name == error);
                let right = later.field("right");
                let reads = match right {
                    Some(right) if overwrites => mentions(&right, error),
                    _ => mentions(later, error),
                };
                if reads
                    || !overwrites
                        && later.is(&["labeled_statement", "if_statement"])
                        && has_jump(later)
                {
                    break;
                }
                if overwrites {
                    out.push(Spot::at(statement).named(error).with(later));
                    break;
                }
            }
        }
    }
    out
}

/// Finds values that are used between the call that gave them and the check of its error.
pub(super) fn used_before_check(code: &Code<'_, '_>) -> Vec<Spot> {
    let mut out = Vec::new();
    for list in code.touched_nodes(&["statement_list"]) {
        let statements = items(&list);
        for pair in statements.windows(2) {
            let [first, second] = pair else { continue };
            let Some(error) = assigned_error(first) else { continue };
            let Some(left) = first.field("left") else { continue };
            let names = items(&left);
            let Some(value) = names.first().filter(|name| name.is(&["identifier"])) else {
                continue;
            };
            if names.len() != 2 || value.text() == "_" || mentions(second, error) {
                continue;
            }
            let used = (second.is(&["defer_statement", "expression_statement"])
                || second.text().contains(".Body"))
                && !second.text().contains(&format!("{} != nil", value.text()))
                && second.descendants().any(|node| {
                    node.is(&["selector_expression"])
                        && node.field("operand").is_some_and(|of| {
                            of.text() == value.text()
                                || of.text() == format!("{}.Body", value.text())
                        })
                });
            let checked_later = statements
                .iter()
                .skip_while(|node| node.range().start <= second.range().start)
                .take(2)
                .any(|node| {
                    node.is(&["if_statement"])
                        && node
                            .field("condition")
                            .is_some_and(|test| test.text().contains(&format!("{error} != nil")))
                        && node.field("initializer").is_none()
                });
            if used && checked_later {
                out.push(Spot::at(second).named(value.text()).with(first));
            }
        }
    }
    out
}

/// The name of the error that a statement assigns as its last value, from a call.
fn assigned_error<'t>(statement: &Node<'t>) -> Option<&'t str> {
    if !statement.is(&["short_var_declaration", "assignment_statement"]) {
        return None;
    }
    if statement.field("operator").is_some_and(|operator| operator.text() != "=") {
        return None;
    }
    let right = items(&statement.field("right")?);
    if right.len() != 1 || !right[0].is(&["call_expression"]) {
        return None;
    }
    let function = right[0].field("function")?.text();
    if matches!(function, "errors.New" | "fmt.Errorf" | "append" | "errors.Join") {
        return None;
    }
    let name = items(&statement.field("left")?).pop().filter(|name| name.is(&["identifier"]))?;
    let text = name.text();
    (text == "err" || text.ends_with("Err")).then_some(text)
}

fn mentions(node: &Node<'_>, name: &str) -> bool {
    node.descendants().any(|node| node.is(&["identifier"]) && node.text() == name)
}

/// Whether control may leave from here.
fn has_jump(node: &Node<'_>) -> bool {
    node.descendants().any(|node| node.is(&["goto_statement"]))
}
