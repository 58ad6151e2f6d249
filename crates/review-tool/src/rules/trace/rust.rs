//! Assignments and texts of Rust.

use crate::syntax::Node;

use super::{Flow, Piece, Value, items};

pub(super) const FUNCTIONS: &[&str] = &["function_item"];

impl<'t> Flow<'t> {
    pub(super) fn read_rust(&mut self, node: &Node<'t>) {
        match node.kind().as_str() {
            "let_declaration" => {
                if let (Some(name), Some(value)) = (node.field("pattern"), node.field("value"))
                    && name.is(&["identifier"])
                {
                    self.assign(name.text(), value, false, node);
                    if node.field("type").is_some_and(|kind| is_number(kind.text())) {
                        self.numbers.insert(name.text());
                    }
                }
            }
            "assignment_expression" | "compound_assignment_expr" => {
                if let (Some(name), Some(value)) = (node.field("left"), node.field("right"))
                    && name.is(&["identifier"])
                {
                    let appends = node.is(&["compound_assignment_expr"]);
                    self.assign(name.text(), value, appends, node);
                }
            }
            "for_expression" => {
                if let (Some(name), Some(value)) = (node.field("pattern"), node.field("value"))
                    && name.is(&["identifier"])
                {
                    self.assign(name.text(), value, true, node);
                }
            }
            "call_expression" => {
                let Some(function) = node.field("function") else { return };
                let (Some(of), Some(name)) = (function.field("value"), function.field("field"))
                else {
                    return;
                };
                if of.is(&["identifier"])
                    && name.text() == "push_str"
                    && let Some(value) = node.field("arguments").and_then(|l| items(&l).pop())
                {
                    self.assign(of.text(), value, true, node);
                }
            }
            "parameter" => {
                if let Some(name) = node.field("pattern") {
                    self.params.insert(name.text());
                    if node.field("type").is_some_and(|kind| is_number(kind.text())) {
                        self.numbers.insert(name.text());
                    }
                }
            }
            "closure_parameters" => {
                for name in items(node).iter().filter(|name| name.is(&["identifier"])) {
                    self.params.insert(name.text());
                }
            }
            _ => {}
        }
    }

    pub(super) fn collect_rust(
        &self,
        node: &Node<'t>,
        within: &Node<'t>,
        left: u8,
        out: &mut Vec<Piece<'t>>,
    ) -> bool {
        match node.kind().as_str() {
            "string_literal" | "raw_string_literal" => {
                out.push(Piece::Literal(literal(node.text()).to_owned()));
                true
            }
            "reference_expression" | "parenthesized_expression" => {
                match items(node).into_iter().rfind(|part| !part.is(&["mutable_specifier"])) {
                    Some(inner) => self.collect(&inner, within, left, out),
                    None => return false,
                }
                true
            }
            "binary_expression" => {
                let (Some(a), Some(b)) = (node.field("left"), node.field("right")) else {
                    return false;
                };
                if node.field("operator").is_none_or(|operator| operator.text() != "+") {
                    return false;
                }
                self.collect(&a, within, left, out);
                self.collect(&b, within, left, out);
                true
            }
            "macro_invocation" => self.collect_format(node, within, out),
            "call_expression" => self.collect_rust_call(node, within, left, out),
            _ => false,
        }
    }

    fn collect_rust_call(
        &self,
        node: &Node<'t>,
        within: &Node<'t>,
        left: u8,
        out: &mut Vec<Piece<'t>>,
    ) -> bool {
        const SAME: &[&str] =
            &["as_str", "to_string", "to_owned", "into", "clone", "as_ref", "trim", "into_owned"];
        let Some(function) = node.field("function") else { return false };
        if let (Some(of), Some(name)) = (function.field("value"), function.field("field")) {
            if SAME.contains(&name.text()) {
                self.collect(&of, within, left, out);
                return true;
            }
            return false;
        }
        if matches!(function.text(), "String::from" | "Cow::from" | "AssertSqlSafe")
            && let Some(value) = node.field("arguments").and_then(|list| items(&list).pop())
        {
            self.collect(&value, within, left, out);
            return true;
        }
        false
    }

    fn collect_format(&self, node: &Node<'t>, within: &Node<'t>, out: &mut Vec<Piece<'t>>) -> bool {
        let name = node.field("macro").map(|name| name.text()).unwrap_or_default();
        if !matches!(name, "format" | "std::format" | "format_args" | "concat") {
            return false;
        }
        let Some(tree) = node.named_children().find(|child| child.is(&["token_tree"])) else {
            return false;
        };
        let arguments = arguments(&tree);
        let Some((format, values)) = arguments.split_first() else { return false };
        let mut next = 0;
        let template = literal(format.0);
        let mut rest = template;
        while let Some(at) = rest.find('{') {
            out.push(Piece::Literal(rest[..at].to_owned()));
            let inner = &rest[at + 1..];
            if let Some(after) = inner.strip_prefix('{') {
                rest = after;
                continue;
            }
            let Some(end) = inner.find('}') else { break };
            let field = inner[..end].split(':').next().unwrap_or_default().trim();
            rest = &inner[end + 1..];
            let value = if field.is_empty() {
                next += 1;
                values.get(next - 1).cloned()
            } else if let Ok(index) = field.parse::<usize>() {
                values.get(index).cloned()
            } else {
                let named = values.iter().find_map(|(text, node)| {
                    let (name, value) = text.split_once('=')?;
                    (name.trim() == field).then(|| (value.trim(), node.clone()))
                });
                named.or(Some((field, None)))
            };
            if let Some((text, node)) = value {
                let plain = text.trim_start_matches('&').trim();
                out.push(Piece::Value(Value {
                    text: plain,
                    is_number: self.is_fixed_text(plain),
                    node: node.filter(|node| node.text() == plain),
                    within: within.clone(),
                }));
            }
        }
        out.push(Piece::Literal(rest.to_owned()));
        true
    }

    /// Whether an expression known as text alone can carry no foreign text.
    fn is_fixed_text(&self, text: &str) -> bool {
        let name = text.split(['.', '(', '[', ':']).next().unwrap_or(text);
        if super::safe::is_constant_name(text.rsplit("::").next().unwrap_or(text)) {
            return true;
        }
        if self.numbers.contains(name) && !text.contains('[') {
            return true;
        }
        if ["quote", "escape", ".len()", "placeholders", "repeat", "_id"]
            .iter()
            .any(|word| text.contains(word))
        {
            return !text.ends_with("_id") || text.contains('.');
        }
        if name == text && self.is_local(name) {
            let values = self.values_of(name, self.scope.range().end);
            return !values.is_empty()
                && values.iter().all(|value| {
                    let value = value.text();
                    value.starts_with('"')
                        || value.starts_with("match ")
                        || value.starts_with("if ")
                        || [".len()", "repeat", "quote", "escape", "parse::<", ".join("]
                            .iter()
                            .any(|word| value.contains(word))
                        || value.starts_with(|c: char| c.is_ascii_digit())
                });
        }
        name != "self" && !self.is_local(name)
    }
}

/// The text and, where it is one token, the node of each argument of a macro.
fn arguments<'t>(tree: &Node<'t>) -> Vec<(&'t str, Option<Node<'t>>)> {
    let start = tree.range().start;
    let text = tree.text();
    let mut out = Vec::new();
    let mut tokens: Vec<Node<'t>> = Vec::new();
    for token in tree.children() {
        let at = token.range().start;
        let is_edge = at == start || token.range().end == tree.range().end;
        if token.text() == "," || is_edge {
            if let (Some(first), Some(last)) = (tokens.first(), tokens.last()) {
                let range = first.range().start - start..last.range().end - start;
                let node = (tokens.len() == 1).then(|| first.clone());
                out.push((text.get(range).unwrap_or_default(), node));
            }
            tokens.clear();
        } else {
            tokens.push(token);
        }
    }
    out
}

fn literal(text: &str) -> &str {
    text.trim_start_matches(['b', 'r', 'c']).trim_matches('#').trim_matches('"')
}

fn is_number(kind: &str) -> bool {
    let kind = kind.trim_start_matches('&').trim_start_matches("Option<").trim_end_matches('>');
    matches!(
        kind,
        "u8" | "u16"
            | "u32"
            | "u64"
            | "u128"
            | "usize"
            | "i8"
            | "i16"
            | "i32"
            | "i64"
            | "i128"
            | "isize"
            | "f32"
            | "f64"
            | "bool"
            | "char"
            | "Uuid"
            | "uuid::Uuid"
    ) || kind.ends_with("Id")
}
