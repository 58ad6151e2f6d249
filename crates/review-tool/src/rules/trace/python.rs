//! Assignments and texts of Python.

use crate::syntax::Node;

use super::format::{self, Verbs};
use super::{Flow, Piece, Value, items, put};

pub(super) const FUNCTIONS: &[&str] = &["function_definition"];

const VERBS: Verbs = Verbs { numbers: "difx", named: true, repeats_last: true };

impl<'t> Flow<'t> {
    pub(super) fn read_python(&mut self, node: &Node<'t>) {
        match node.kind().as_str() {
            "assignment" | "augmented_assignment" => {
                if let (Some(left), Some(right)) = (node.field("left"), node.field("right")) {
                    self.bind_python(&left, &right, node.is(&["augmented_assignment"]), node);
                }
            }
            "named_expression" => {
                if let (Some(name), Some(value)) = (node.field("name"), node.field("value")) {
                    self.assign(name.text(), value, false, node);
                }
            }
            "for_statement" | "for_in_clause" => {
                if let (Some(left), Some(right)) = (node.field("left"), node.field("right")) {
                    self.bind_python(&left, &right, true, node);
                }
            }
            "as_pattern" => {
                let value = node.named_children().next();
                if let (Some(alias), Some(value)) = (node.field("alias"), value) {
                    self.assign(alias.text(), value, false, node);
                }
            }
            "call" => self.read_append(node),
            "parameters" | "lambda_parameters" => self.read_parameters(node),
            _ => {}
        }
    }

    fn bind_python(&mut self, left: &Node<'t>, right: &Node<'t>, appends: bool, at: &Node<'t>) {
        let names: Vec<Node<'t>> = match left.kind().as_str() {
            "identifier" => vec![left.clone()],
            "pattern_list" | "tuple_pattern" => items(left),
            _ => return,
        };
        let values = if right.is(&["expression_list", "tuple"]) { items(right) } else { vec![] };
        for (index, name) in names.iter().enumerate().filter(|(_, name)| name.is(&["identifier"])) {
            let value = if values.len() == names.len() { &values[index] } else { right };
            self.assign(name.text(), value.clone(), appends, at);
        }
    }

    /// `parts.append(x)` makes `x` a part of what `parts` holds.
    fn read_append(&mut self, call: &Node<'t>) {
        let Some(function) = call.field("function").filter(|f| f.is(&["attribute"])) else {
            return;
        };
        let (Some(of), Some(name)) = (function.field("object"), function.field("attribute")) else {
            return;
        };
        if of.is(&["identifier"])
            && matches!(name.text(), "append" | "extend" | "insert" | "write")
            && let Some(value) = call.field("arguments").and_then(|list| items(&list).pop())
        {
            self.assign(of.text(), value, true, call);
        }
    }

    fn read_parameters(&mut self, list: &Node<'t>) {
        let routes = list.parent().and_then(|function| function.parent());
        let routes = routes.filter(|outer| outer.is(&["decorated_definition"]));
        let route: String = routes.map_or_else(String::new, |outer| {
            outer
                .named_children()
                .filter(|node| node.is(&["decorator"]) && is_route(node.text()))
                .map(|node| node.text())
                .collect()
        });
        for parameter in items(list) {
            let name = match parameter.kind().as_str() {
                "identifier" => Some(parameter.clone()),
                "default_parameter" | "typed_default_parameter" => parameter.field("name"),
                _ => parameter.named_children().next(),
            };
            let Some(name) = name.filter(|name| name.is(&["identifier"])) else { continue };
            let name = name.text();
            self.params.insert(name);
            let is_text = parameter
                .field("type")
                .is_none_or(|kind| ["str", "Path", "path"].iter().any(|t| kind.text().contains(t)));
            let in_route = [format!("<{name}>"), format!(":{name}>"), format!("{{{name}")];
            let is_int = route.contains(&format!("int:{name}>"));
            if is_text
                && !is_int
                && (in_route.iter().any(|place| route.contains(place))
                    || !route.is_empty() && parameter.text().contains("Query("))
            {
                self.requested.insert(name);
            }
        }
    }

    pub(super) fn collect_python(
        &self,
        node: &Node<'t>,
        within: &Node<'t>,
        left: u8,
        out: &mut Vec<Piece<'t>>,
    ) -> bool {
        match node.kind().as_str() {
            "string" => {
                for part in node.named_children() {
                    match part.kind().as_str() {
                        "string_content" | "escape_sequence" => {
                            out.push(Piece::Literal(part.text().to_owned()));
                        }
                        "interpolation" => {
                            let inner = part.field("expression");
                            let inner = inner.unwrap_or_else(|| part.clone());
                            out.push(Piece::Value(Value {
                                text: inner.text(),
                                node: Some(inner),
                                within: within.clone(),
                                is_number: false,
                            }));
                        }
                        _ => {}
                    }
                }
                if node.named_children().all(|part| !part.is(&["string_content", "interpolation"]))
                {
                    out.push(Piece::Literal(String::new()));
                }
            }
            "concatenated_string" | "parenthesized_expression" => {
                for part in items(node) {
                    self.collect(&part, within, left, out);
                }
            }
            "conditional_expression" => {
                let parts = items(node);
                for part in parts.iter().step_by(2) {
                    self.collect(part, part, left, out);
                }
            }
            "list" | "tuple" => {
                for part in items(node) {
                    self.collect(&part, within, left, out);
                    out.push(Piece::Literal(" ".to_owned()));
                }
            }
            "await" => {
                let Some(inner) = items(node).pop() else { return false };
                self.collect(&inner, within, left, out);
            }
            "binary_operator" => return self.collect_operator(node, within, left, out),
            "call" => return self.collect_call(node, within, left, out),
            _ => return false,
        }
        true
    }

    fn collect_operator(
        &self,
        node: &Node<'t>,
        within: &Node<'t>,
        left: u8,
        out: &mut Vec<Piece<'t>>,
    ) -> bool {
        let (Some(a), Some(b)) = (node.field("left"), node.field("right")) else { return false };
        match node.field("operator").map(|operator| operator.text()) {
            Some("+") => {
                self.collect(&a, within, left, out);
                self.collect(&b, within, left, out);
                true
            }
            Some("%") => {
                let mut template = Vec::new();
                self.collect(&a, within, left, &mut template);
                if !template.iter().any(|piece| matches!(piece, Piece::Literal(_))) {
                    return false;
                }
                let values = if b.is(&["tuple"]) { items(&b) } else { vec![b] };
                format::fill(template, &values, within, &VERBS, out);
                true
            }
            _ => false,
        }
    }

    fn collect_call(
        &self,
        node: &Node<'t>,
        within: &Node<'t>,
        left: u8,
        out: &mut Vec<Piece<'t>>,
    ) -> bool {
        let (Some(function), Some(list)) = (node.field("function"), node.field("arguments")) else {
            return false;
        };
        let arguments = items(&list);
        let Some(of) = function.field("object") else {
            if function.text() == "str" && arguments.len() == 1 {
                self.collect(&arguments[0], within, left, out);
                return true;
            }
            return false;
        };
        match function.field("attribute").map(|name| name.text()) {
            Some("format") => {
                let mut template = Vec::new();
                self.collect(&of, within, left, &mut template);
                let literal = template.iter().any(|piece| matches!(piece, Piece::Literal(_)));
                if literal {
                    Self::fill_braces(template, &arguments, within, out);
                }
                literal
            }
            Some("strip" | "lstrip" | "rstrip" | "encode" | "lower" | "upper" | "replace") => {
                self.collect(&of, within, left, out);
                true
            }
            Some("join") if of.is(&["string"]) && arguments.len() == 1 => {
                let first = &arguments[0];
                if first.is(&["list", "tuple", "identifier"]) && !self.is_harmless_call(node) {
                    self.collect(first, within, left, out);
                    return true;
                }
                false
            }
            _ => false,
        }
    }

    fn fill_braces(
        template: Vec<Piece<'t>>,
        arguments: &[Node<'t>],
        within: &Node<'t>,
        out: &mut Vec<Piece<'t>>,
    ) {
        let mut next = 0;
        for piece in template {
            let Piece::Literal(text) = piece else {
                out.push(piece);
                continue;
            };
            let mut rest = text.as_str();
            while let Some(at) = rest.find('{') {
                out.push(Piece::Literal(rest[..at].to_owned()));
                let Some(end) = rest[at..].find('}') else { break };
                let field = rest[at + 1..at + end].split(['!', ':', '.', '[']).next();
                let field = field.unwrap_or_default();
                rest = &rest[at + end + 1..];
                let value = if let Ok(index) = field.parse::<usize>() {
                    arguments.get(index).cloned()
                } else if field.is_empty() {
                    next += 1;
                    arguments.get(next - 1).cloned()
                } else {
                    arguments.iter().find_map(|argument| {
                        let name = argument.field("name")?;
                        (name.text() == field).then(|| argument.field("value"))?
                    })
                };
                if let Some(value) = value.or_else(|| arguments.last().cloned()) {
                    out.push(put(&value, within, false));
                }
            }
            out.push(Piece::Literal(rest.to_owned()));
        }
    }
}

fn is_route(decorator: &str) -> bool {
    [".route(", ".get(", ".post(", ".put(", ".delete(", ".patch(", ".websocket("]
        .iter()
        .any(|name| decorator.contains(name))
}
