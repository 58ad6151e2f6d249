//! Every assignment of a tree, by the name assigned to.
//!
//! Made in one walk over the tree. A name is looked up from a place: the innermost function around the
//! place that knows the name decides, and of its assignments those that can reach the place.

use std::collections::HashMap;
use std::ops::Range;

use super::names;
use crate::syntax::{Node, Tree};

/// How a name comes by a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// The value replaces what was there.
    Set,
    /// The value is added to what is there: `+=`, `append`, `push`.
    Add,
    /// A parameter of the function, its value unknown.
    Parameter,
    /// A parameter whose type is a number, a truth value or the like.
    Number,
    /// A parameter that a web framework fills from the request.
    Request,
    /// Tested against a list or a pattern.
    Guard,
}

/// One way by which a name comes by a value.
pub(super) struct Binding<'t> {
    pub(super) how: How,
    pub(super) value: Option<Node<'t>>,
    /// Where the assignment ends.
    end: usize,
    function: Range<usize>,
    block: Range<usize>,
}

/// The assignments of one tree.
pub(super) struct Bindings<'t> {
    by_name: HashMap<&'t str, Vec<Binding<'t>>>,
}

/// Where the walk stands.
#[derive(Clone)]
struct Place {
    function: Range<usize>,
    block: Range<usize>,
}

impl<'t> Bindings<'t> {
    pub(super) fn of(tree: &'t Tree) -> Self {
        let root = tree.root();
        let whole = 0..usize::MAX;
        let place = Place { function: whole.clone(), block: whole };
        let mut bindings = Self { by_name: HashMap::new() };
        let mut stack = vec![(root, place)];
        while let Some((node, mut place)) = stack.pop() {
            let kind = node.kind();
            if is_function(&kind) {
                place = Place { function: node.range(), block: node.range() };
            } else if is_block(&kind) {
                place.block = node.range();
            }
            bindings.read(&node, &kind, &place);
            let children: Vec<_> = node.children().collect();
            stack.extend(children.into_iter().rev().map(|child| (child, place.clone())));
        }
        bindings
    }

    /// The values that `name` may have at byte `at`; empty where the tree does not say.
    pub(super) fn reaching(&self, name: &str, at: usize) -> Vec<&Binding<'t>> {
        let Some(all) = self.by_name.get(name) else { return Vec::new() };
        let before = || all.iter().filter(|b| b.end <= at && b.function.contains(&at));
        let Some(function) = before()
            .filter(|b| !matches!(b.how, How::Add | How::Guard))
            .map(|b| &b.function)
            .min_by_key(|range| range.end - range.start)
        else {
            return Vec::new();
        };
        let within = |b: &&Binding<'t>| {
            b.end <= at && b.function.start >= function.start && b.function.end <= function.end
        };
        let mut reach: Vec<_> = all
            .iter()
            .filter(within)
            .filter(|b| b.function == *function || matches!(b.how, How::Add | How::Guard))
            .collect();
        let last = reach.iter().rposition(|b| b.how == How::Set && b.block.contains(&at));
        reach.drain(..last.unwrap_or(0));
        reach
    }

    fn add(
        &mut self,
        name: &Node<'t>,
        how: How,
        value: Option<Node<'t>>,
        end: usize,
        place: &Place,
    ) {
        let Place { function, block } = place.clone();
        let binding = Binding { how, value, end, function, block };
        self.by_name.entry(name.text()).or_default().push(binding);
    }

    fn read(&mut self, node: &Node<'t>, kind: &str, place: &Place) {
        let end = node.range().end;
        match kind {
            "variable_declarator" => {
                // C# gives the value no field.
                let value = node.field("value").or_else(|| {
                    node.named_children()
                        .nth(1)
                        .filter(|value| value.kind() != "bracketed_argument_list")
                });
                if let (Some(name), Some(value)) = (node.field("name"), value) {
                    self.target(&name, How::Set, &value, end, place);
                }
            }
            "assignment_expression" | "assignment" => {
                let how = match node.field("operator") {
                    Some(operator) if operator.text() != "=" => How::Add,
                    _ => How::Set,
                };
                if let (Some(left), Some(right)) = (node.field("left"), node.field("right")) {
                    self.target(&left, how, &right, end, place);
                }
            }
            "augmented_assignment_expression" | "operator_assignment" => {
                if let (Some(left), Some(right)) = (node.field("left"), node.field("right")) {
                    self.target(&left, How::Add, &right, end, place);
                }
            }
            "for_in_statement" => {
                if let (Some(left), Some(right)) = (node.field("left"), node.field("right")) {
                    self.target(&left, How::Set, &right, right.range().end, place);
                }
            }
            "foreach_statement" => {
                if let (Some(left), Some(right)) = (node.field("left"), node.field("right")) {
                    self.target(&left, How::Set, &right, right.range().end, place);
                }
            }
            "enhanced_for_statement" => {
                if let (Some(name), Some(value)) = (node.field("name"), node.field("value")) {
                    self.target(&name, How::Set, &value, value.range().end, place);
                }
            }
            "formal_parameters" | "method_parameters" | "block_parameters" => {
                for child in node.children().filter(is_name) {
                    self.add(&child, How::Parameter, None, end, place);
                }
            }
            "arrow_function" => {
                if let Some(name) = node.field("parameter") {
                    self.add(&name, How::Parameter, None, name.range().end, place);
                }
            }
            "required_parameter" | "optional_parameter" | "formal_parameter"
            | "simple_parameter" | "parameter" => {
                let name = node.field("pattern").or_else(|| node.field("name"));
                if let Some(name) = name.filter(is_name) {
                    self.add(&name, parameter(node), None, end, place);
                }
            }
            "call_expression"
            | "method_invocation"
            | "call"
            | "function_call_expression"
            | "invocation_expression"
            | "member_call_expression" => self.call(node, end, place),
            _ => {}
        }
    }

    /// An assignment to a name, or to the names of a pattern.
    fn target(&mut self, target: &Node<'t>, how: How, value: &Node<'t>, end: usize, place: &Place) {
        let mut stack = vec![target.clone()];
        while let Some(node) = stack.pop() {
            match node.kind().as_str() {
                "object_pattern" | "array_pattern" | "left_assignment_list" => {
                    stack.extend(node.children());
                }
                "pair_pattern" => stack.extend(node.field("value")),
                "object_assignment_pattern" | "assignment_pattern" => {
                    stack.extend(node.field("left"));
                }
                _ if is_name(&node) => self.add(&node, how, Some(value.clone()), end, place),
                _ => {}
            }
        }
    }

    /// Calls that add to their receiver, and calls that test a name.
    fn call(&mut self, node: &Node<'t>, end: usize, place: &Place) {
        let Some(name) = names::callee(node) else { return };
        let receiver = names::receiver(node);
        let arguments = names::arguments(node);
        if matches!(name, "append" | "push" | "unshift" | "insert" | "add") {
            // sb.append(a).append(b): every link of the chain adds to the first. The bound keeps the
            // cost of a long chain linear.
            const LINKS: usize = 100;
            let chain = std::iter::successors(receiver, names::receiver);
            let receiver = chain.take(LINKS).last();
            if let Some(receiver) = receiver.filter(is_name) {
                for argument in arguments {
                    self.add(&receiver, How::Add, Some(argument), end, place);
                }
            }
        } else if names::is_test(name) {
            for tested in receiver.into_iter().chain(arguments).filter(is_name) {
                self.add(&tested, How::Guard, None, end, place);
            }
        }
    }
}

fn parameter(node: &Node<'_>) -> How {
    let text = node.text();
    const FROM_REQUEST: [&str; 9] = [
        "@RequestParam",
        "@PathVariable",
        "@RequestHeader",
        "@QueryParam",
        "@CookieValue",
        "[FromQuery",
        "[FromForm",
        "[FromRoute",
        "[FromHeader",
    ];
    let kind = node.field("type");
    let kind = kind.as_ref().map_or("", |kind| kind.text()).trim_start_matches(':').trim();
    if names::is_number_type(kind) {
        How::Number
    } else if FROM_REQUEST.iter().any(|annotation| text.contains(annotation)) {
        How::Request
    } else {
        How::Parameter
    }
}

/// Whether a node is a plain name.
pub(super) fn is_name(node: &Node<'_>) -> bool {
    matches!(
        node.kind().as_str(),
        "identifier"
            | "shorthand_property_identifier_pattern"
            | "variable_name"
            | "instance_variable"
            | "constant"
    )
}

/// Whether a kind of node is a function, in any of the languages.
pub(crate) fn is_function(kind: &str) -> bool {
    matches!(
        kind,
        "function_declaration"
            | "function_expression"
            | "arrow_function"
            | "method_definition"
            | "generator_function"
            | "generator_function_declaration"
            | "method_declaration"
            | "constructor_declaration"
            | "lambda_expression"
            | "function_definition"
            | "anonymous_function"
            | "anonymous_function_creation_expression"
            | "method"
            | "singleton_method"
            | "lambda"
            | "function_item"
            | "func_literal"
            | "local_function_statement"
            | "anonymous_method_expression"
    )
}

fn is_block(kind: &str) -> bool {
    matches!(
        kind,
        "statement_block"
            | "block"
            | "constructor_body"
            | "compound_statement"
            | "colon_block"
            | "then"
            | "else"
            | "elsif"
            | "when"
            | "do_block"
            | "if_statement"
            | "else_clause"
            | "switch_case"
            | "switch_default"
            | "switch_block_statement_group"
            | "case_statement"
            | "if_modifier"
            | "unless_modifier"
            | "class_body"
    )
}
