//! A promise that nobody waits for: an async function of the same file called as a statement.
//!
//! Reported only inside an async function, where `await` was possible. A call that stood there before
//! the change, with the same text, is not reported.

use std::collections::{HashMap, HashSet};

use super::Hit;
use crate::finding::Side;
use crate::source::SideText;
use crate::syntax::{Node, Tree};
use crate::view::FileView;

/// A call of an async function whose promise is dropped.
struct Floating<'t> {
    line: u32,
    text: &'t str,
    name: &'t str,
}

pub(super) fn check(view: &FileView) -> Vec<Hit> {
    if view.new_side().changed().is_empty() {
        return Vec::new();
    }
    let found = floating(view, Side::New);
    if found.is_empty() {
        return Vec::new();
    }
    let mut before: HashMap<String, usize> = HashMap::new();
    for call in floating(view, Side::Old) {
        *before.entry(tokens(call.text)).or_default() += 1;
    }
    let mut hits = Vec::new();
    for call in found {
        if let Some(left) = before.get_mut(&tokens(call.text))
            && *left > 0
        {
            *left -= 1;
            continue;
        }
        let name = call.name;
        hits.push(Hit::added(call.line).message(format!(
            "{name} is async, and nothing waits for it here: what follows runs before it is done, and its failure is lost."
        )));
    }
    hits
}

fn tokens(text: &str) -> String {
    text.split_whitespace().collect()
}

fn floating(view: &FileView, side: Side) -> Vec<Floating<'_>> {
    let text: &SideText = view.side(side);
    let mut out = Vec::new();
    for (base, tree) in view.trees(side) {
        let names = async_names(tree);
        if names.is_empty() {
            continue;
        }
        // The innermost function around a node: whether it is async.
        let mut stack = vec![(tree.root(), false)];
        while let Some((node, mut in_async)) = stack.pop() {
            let kind = node.kind();
            if is_function(&kind) {
                in_async = is_async(&node);
            }
            let line = base.saturating_add(node.lines().0);
            if kind == "expression_statement"
                && in_async
                && (side == Side::Old || text.is_changed(line))
                && let Some(name) = called(&node).filter(|name| names.contains(name))
            {
                out.push(Floating { line, text: node.text(), name });
            }
            let at = stack.len();
            stack.extend(node.children().map(|child| (child, in_async)));
            stack[at..].reverse();
        }
    }
    out
}

/// The name that a statement calls and whose result it drops: `f(…)` as `f`, `this.f(…)` as `this.f`.
fn called<'t>(statement: &Node<'t>) -> Option<&'t str> {
    let call = statement.children().find(Node::is_named)?;
    if call.kind() != "call_expression" {
        return None;
    }
    let function = call.field("function")?;
    match function.kind().as_str() {
        "identifier" => Some(function.text()),
        "member_expression" if function.field("object")?.kind() == "this" => Some(function.text()),
        _ => None,
    }
}

/// The names that stand for async functions alone.
fn async_names(tree: &Tree) -> HashSet<&str> {
    let mut asynchronous = HashSet::new();
    let mut others = HashSet::new();
    let mut methods = HashMap::new();
    let mut stack = vec![tree.root()];
    while let Some(node) = stack.pop() {
        let named = match node.kind().as_str() {
            "function_declaration" => Some((node.field("name"), is_async(&node))),
            "generator_function_declaration" => Some((node.field("name"), false)),
            "variable_declarator" => {
                let value = node.field("value");
                Some((node.field("name"), value.as_ref().is_some_and(is_async_function)))
            }
            "required_parameter" | "optional_parameter" => Some((node.field("pattern"), false)),
            "formal_parameters" => {
                let names = node.children().filter(|child| child.kind() == "identifier");
                others.extend(names.map(|name| name.text()));
                None
            }
            "method_definition" => {
                if let Some(name) = node.field("name") {
                    let all = methods.entry(name.text()).or_insert(true);
                    *all &= is_async(&node) && !node.children().any(|child| child.kind() == "*");
                }
                None
            }
            _ => None,
        };
        if let Some((Some(name), is_async)) = named {
            if is_async { &mut asynchronous } else { &mut others }.insert(name.text());
        }
        stack.extend(node.children());
    }
    let members = this_members(tree).into_iter();
    let members = members.filter(|text| {
        text.strip_prefix("this.").is_some_and(|name| methods.get(name) == Some(&true))
    });
    asynchronous.difference(&others).copied().chain(members).collect()
}

/// The texts of the form `this.name` that the tree calls.
fn this_members(tree: &Tree) -> HashSet<&str> {
    let mut out = HashSet::new();
    let mut stack = vec![tree.root()];
    while let Some(node) = stack.pop() {
        if node.kind() == "call_expression"
            && let Some(function) = node.field("function")
            && function.text().starts_with("this.")
        {
            out.insert(function.text());
        }
        stack.extend(node.children());
    }
    out
}

fn is_async_function(node: &Node<'_>) -> bool {
    matches!(node.kind().as_str(), "arrow_function" | "function_expression") && is_async(node)
}

fn is_async(function: &Node<'_>) -> bool {
    function.children().any(|child| child.kind() == "async")
}

fn is_function(kind: &str) -> bool {
    matches!(
        kind,
        "function_declaration"
            | "function_expression"
            | "arrow_function"
            | "method_definition"
            | "generator_function"
            | "generator_function_declaration"
            | "class_static_block"
    )
}
