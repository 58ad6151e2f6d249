//! Chains of `if` and `else if` that test the same condition twice.

use super::scans::{Code, Spot};
use crate::syntax::Node;

/// Finds the second test, which is never reached with another answer.
pub(super) fn scan(code: &Code<'_, '_>) -> Vec<Spot> {
    let mut out = Vec::new();
    for chain in code.touched_nodes(&["if_statement", "if_expression"]) {
        let continues =
            chain.parent().is_some_and(|outer| outer.is(&["if_statement", "else_clause"]));
        let is_alternative = chain.parent().is_some_and(|outer| {
            outer.field("alternative").is_some_and(|other| other.range() == chain.range())
        });
        if continues && (is_alternative || chain.is(&["if_expression"])) {
            continue;
        }
        let mut seen: Vec<Node<'_>> = Vec::new();
        for test in conditions(&chain) {
            if is_settled(&test) {
                if seen.iter().any(|earlier| same(earlier, &test)) {
                    out.push(Spot::at(&test));
                } else {
                    seen.push(test);
                }
            }
        }
    }
    out
}

/// The conditions of a chain, in order.
fn conditions<'t>(chain: &Node<'t>) -> Vec<Node<'t>> {
    let mut out = Vec::new();
    let mut next = Some(chain.clone());
    while let Some(link) = next.take() {
        // A statement before the test may change what it finds.
        if link.field("initializer").is_some() {
            break;
        }
        out.extend(link.field("condition"));
        let arms: Vec<Node<'t>> = link.named_children().collect();
        out.extend(
            arms.iter()
                .filter(|arm| arm.is(&["elif_clause"]))
                .filter_map(|arm| arm.field("condition")),
        );
        next = link.field("alternative").and_then(|other| {
            if other.is(&["if_statement"]) {
                return Some(other);
            }
            other
                .named_children()
                .find(|node| other.is(&["else_clause"]) && node.is(&["if_expression"]))
        });
    }
    out
}

/// Whether a second look at the condition must give the same answer.
fn is_settled(test: &Node<'_>) -> bool {
    !test.descendants().any(|node| {
        node.is(&[
            "call",
            "call_expression",
            "await",
            "named_expression",
            "let_condition",
            "macro_invocation",
            "unary_expression",
            "let_chain",
        ]) && !(node.is(&["unary_expression"]) && node.text().starts_with('!'))
    })
}

fn same(a: &Node<'_>, b: &Node<'_>) -> bool {
    a.text().split_whitespace().eq(b.text().split_whitespace())
}
