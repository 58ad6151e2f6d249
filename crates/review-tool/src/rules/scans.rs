//! The register of scans: the rules that walk a syntax tree in code, where a pattern cannot say it.
//!
//! A scan looks at one tree and tells what it finds, whether the change made it or not. Which of it is
//! new is decided as for patterns, so moved and reformatted code stays silent.

use crate::language::Language;
use crate::syntax::Node;

use super::introduced::{short, tokens};

/// One tree as a scan sees it.
pub(super) struct Code<'c, 't> {
    pub language: Language,
    pub root: Node<'t>,
    /// Whether the change shows within these lines, counted from 0. A scan may leave out what it
    /// refuses.
    pub touched: &'c dyn Fn(u32, u32) -> bool,
}

impl<'t> Code<'_, 't> {
    /// The touched nodes of these kinds, outermost first.
    pub(super) fn touched_nodes(&self, kinds: &[&str]) -> Vec<Node<'t>> {
        let mut out = Vec::new();
        let mut stack = vec![self.root.clone()];
        while let Some(node) = stack.pop() {
            let (first, last) = node.lines();
            if !(self.touched)(first, last) {
                continue;
            }
            let at = stack.len();
            stack.extend(node.children());
            stack[at..].reverse();
            if node.is(kinds) {
                out.push(node);
            }
        }
        out
    }

    /// The nodes of these kinds in touched functions, be they touched themselves or not.
    pub(super) fn nodes_of_touched_functions(&self, kinds: &[&str]) -> Vec<Node<'t>> {
        let functions = self.touched_functions();
        let nodes = functions.iter().flat_map(Node::descendants);
        nodes.filter(|node| node.is(kinds)).collect()
    }

    /// The touched outermost functions, or the whole tree where the change shows outside of them.
    pub(super) fn touched_functions(&self) -> Vec<Node<'t>> {
        const FUNCTIONS: &[&str] = &[
            "function_definition",
            "function_declaration",
            "method_declaration",
            "function_item",
            "func_literal",
        ];
        let mut out = Vec::new();
        let mut stack = vec![self.root.clone()];
        while let Some(node) = stack.pop() {
            let (first, last) = node.lines();
            if !(self.touched)(first, last) {
                continue;
            }
            if node.is(FUNCTIONS) {
                out.push(node);
                continue;
            }
            let at = stack.len();
            stack.extend(node.children());
            stack[at..].reverse();
            if node.is(&["expression_statement", "return_statement"]) {
                out.push(node);
            }
        }
        out
    }
}

/// A place that a scan found. Lines count from 0 at the start of the tree's text.
pub(super) struct Spot {
    /// The first line that takes part in the fault.
    pub first: u32,
    /// The last.
    pub last: u32,
    /// The line to report.
    pub at: u32,
    /// What stands for `{NAME}` in the rule's message.
    pub name: String,
    /// The tokens of the places that take part: the same tokens before and after are the same fault.
    pub tokens: String,
}

impl Spot {
    /// A fault that is one node.
    pub(super) fn at(node: &Node<'_>) -> Self {
        let (first, last) = node.lines();
        Self { first, last, at: first, name: short(node.text()), tokens: tokens(node.text()) }
    }

    /// Replaces the name.
    #[must_use]
    pub(super) fn named(mut self, name: &str) -> Self {
        self.name = short(name);
        self
    }

    /// Adds a further node that takes part in the fault.
    #[must_use]
    pub(super) fn with(mut self, node: &Node<'_>) -> Self {
        let (first, last) = node.lines();
        self.first = self.first.min(first);
        self.last = self.last.max(last);
        self.tokens.push(' ');
        self.tokens.push_str(&tokens(node.text()));
        self
    }
}

/// Looks at one tree and returns its spots, in any order.
pub(super) type Scan = fn(&Code<'_, '_>) -> Vec<Spot>;

/// Every scan, ordered by name.
static SCANS: &[(&str, Scan)] = &[
    ("c-address-of-local", super::c_resources::escaping_locals),
    ("c-allocation-unchecked", super::c_resources::unchecked),
    ("c-freed-twice", super::c_resources::freed_twice),
    ("c-leak-on-return", super::c_resources::leaks),
    ("c-lock-not-released", super::c_resources::locks),
    ("go-error-overwritten", super::go_errors::overwritten),
    ("go-file-not-closed", super::go_unclosed::files),
    ("go-lock-not-released", super::go_lock_not_released::scan),
    ("go-response-body-not-closed", super::go_unclosed::bodies),
    ("go-rows-not-closed", super::go_unclosed::rows),
    ("go-use-before-error-check", super::go_errors::used_before_check),
    ("off-by-one-loop", super::off_by_one::scan),
    ("path-traversal", super::request_to_sink::paths),
    ("python-file-not-closed", super::python_file_not_closed::scan),
    ("python-missing-await", super::python_missing_await::scan),
    ("python-missing-f-prefix", super::python_missing_f_prefix::scan),
    ("repeated-condition", super::repeated_condition::scan),
    ("server-side-request-forgery", super::request_to_sink::addresses),
    ("shell-injection", super::shell_injection::scan),
    ("sql-injection", super::sql_injection::scan),
];

/// The scan of that name.
pub(super) fn find(name: &str) -> Option<Scan> {
    SCANS.binary_search_by(|(id, _)| (*id).cmp(name)).ok().map(|at| SCANS[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scans_are_ordered_by_name() {
        assert!(SCANS.is_sorted_by_key(|(id, _)| id));
    }
}
