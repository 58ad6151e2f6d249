//! Loops that count to the length itself and index with it.

use super::lost::expression;
use super::scans::{Code, Spot};
use crate::syntax::Node;

expression!(
    LENGTH,
    r"(\.|->)(length|Length|Count|len|count|size|num\w*)$|\.(size|length|count|Count|len)\(\)$|^(len|count|sizeof|strlen|ARRAY_SIZE|std::size)\s*\(.*\)$|^\w*(_len|_count|_size|_length)$|^[A-Z0-9_]*(SIZE|COUNT|LENGTH|LEN|CAPACITY)$|^(n|len|size|count|length)$"
);
expression!(STARTS_AT_0, r"\b(\w+)\s*:?=\s*0\b");

const LOOPS: &[&str] = &["for_statement", "while_statement"];

/// The scan of `off-by-one-loop`.
pub(super) fn scan(code: &Code<'_, '_>) -> Vec<Spot> {
    let mut out = Vec::new();
    for node in code.touched_nodes(LOOPS) {
        if let Some((condition, bound)) = runs_over(&node) {
            out.push(Spot::at(&condition).named(&bound));
        }
    }
    out
}

/// The condition and the bound of a loop that ends one round too late.
fn runs_over<'t>(node: &Node<'t>) -> Option<(Node<'t>, String)> {
    let clause = node.named_children().find(|child| child.is(&["for_clause"]));
    let holder = clause.as_ref().unwrap_or(node);
    let mut condition = holder.field("condition")?;
    while let Some(inner) =
        condition.field("value").or_else(|| condition.named_children().next()).filter(|_| {
            condition.is(&["parenthesized_expression", "condition_clause", "expression_statement"])
        })
    {
        condition = inner;
    }
    if !condition.is(&["binary_expression"]) {
        return None;
    }
    let operator = condition.field("operator")?;
    let (index, bound) = (condition.field("left")?, condition.field("right")?);
    let index = index.text();
    let is_name = index.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
    if operator.text() != "<=" || !is_name || !LENGTH.is_match(bound.text()) {
        return None;
    }
    if node.is(&["for_statement"]) && !starts_at_0(holder, index) {
        return None;
    }
    let body = node.field("body")?;
    let body = body.text();
    let indexes = [
        format!("[{index}]"),
        format!(".get({index})"),
        format!("charAt({index})"),
        format!(".at({index})"),
    ];
    let used = indexes.iter().any(|way| body.contains(way.as_str()));
    // A test of the index in the loop takes care of the last round.
    let squeezed: String = body.split_whitespace().collect();
    let tested = ["<", "==", "!=", ">=", "==="]
        .iter()
        .any(|test| squeezed.contains(&format!("({index}{test}")))
        || squeezed.contains(&format!("{index}-1]"))
        || squeezed.contains(&format!("{index}=="))
        || squeezed.contains(&format!("{index}<"));
    (used && !tested).then(|| (condition.clone(), bound.text().to_owned()))
}

fn starts_at_0(holder: &Node<'_>, index: &str) -> bool {
    let start = ["initializer", "init"].iter().find_map(|name| holder.field(name));
    let text = start
        .map_or_else(|| holder.text().split(';').next().unwrap_or_default(), |node| node.text());
    let name = index.trim_start_matches('$');
    STARTS_AT_0.is_match(text) && super::lost::mentions(text, name)
}
