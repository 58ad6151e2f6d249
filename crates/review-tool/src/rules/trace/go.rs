//! Assignments and texts of Go.

use crate::syntax::Node;

use super::format::{self, Verbs};
use super::{Flow, Piece, items};

pub(super) const FUNCTIONS: &[&str] =
    &["function_declaration", "method_declaration", "func_literal"];

const VERBS: Verbs = Verbs { numbers: "dtfxXpceg", named: false, repeats_last: false };

impl<'t> Flow<'t> {
    pub(super) fn read_go(&mut self, node: &Node<'t>) {
        match node.kind().as_str() {
            "short_var_declaration" | "assignment_statement" | "range_clause" => {
                if let (Some(left), Some(right)) = (node.field("left"), node.field("right")) {
                    let appends = node.is(&["range_clause"])
                        || node.field("operator").is_some_and(|op| op.text() == "+=");
                    self.bind_go(&items(&left), &right, appends, node);
                }
            }
            "var_spec" => {
                let names: Vec<Node<'t>> =
                    items(node).into_iter().filter(|item| item.is(&["identifier"])).collect();
                if let Some(value) = node.field("value") {
                    self.bind_go(&names, &value, false, node);
                }
            }
            "parameter_declaration" => {
                let kind = node.field("type").map(|kind| kind.text()).unwrap_or_default();
                for name in items(node).iter().filter(|item| item.is(&["identifier"])) {
                    self.params.insert(name.text());
                    if is_number(kind) {
                        self.numbers.insert(name.text());
                    }
                }
            }
            "call_expression" => {
                // b.WriteString(x) makes x a part of what b holds.
                let Some(function) = node.field("function") else { return };
                let (Some(of), Some(name)) = (function.field("operand"), function.field("field"))
                else {
                    return;
                };
                if of.is(&["identifier"])
                    && name.text() == "WriteString"
                    && let Some(value) = node.field("arguments").and_then(|l| items(&l).pop())
                {
                    self.assign(of.text(), value, true, node);
                }
            }
            _ => {}
        }
    }

    fn bind_go(&mut self, names: &[Node<'t>], right: &Node<'t>, appends: bool, at: &Node<'t>) {
        let values =
            if right.is(&["expression_list"]) { items(right) } else { vec![right.clone()] };
        for (index, name) in names.iter().enumerate().filter(|(_, name)| name.is(&["identifier"])) {
            let value =
                if values.len() == names.len() { values.get(index) } else { values.first() };
            if let Some(value) = value {
                self.assign(name.text(), value.clone(), appends, at);
            }
        }
    }

    pub(super) fn collect_go(
        &self,
        node: &Node<'t>,
        within: &Node<'t>,
        left: u8,
        out: &mut Vec<Piece<'t>>,
    ) -> bool {
        match node.kind().as_str() {
            "interpreted_string_literal" | "raw_string_literal" => {
                let text = node.text().trim_matches(['"', '`']);
                out.push(Piece::Literal(text.to_owned()));
                true
            }
            "parenthesized_expression" => {
                for part in items(node) {
                    self.collect(&part, within, left, out);
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
            "call_expression" => self.collect_go_call(node, within, left, out),
            _ => false,
        }
    }

    fn collect_go_call(
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
        match function.text() {
            "fmt.Sprintf" | "fmt.Sprint" => {
                let Some((format, values)) = arguments.split_first() else { return false };
                let mut template = Vec::new();
                self.collect(format, within, left, &mut template);
                format::fill(template, values, within, &VERBS, out);
                true
            }
            "strings.Join" => match arguments.first() {
                Some(first) if first.is(&["identifier"]) => {
                    self.collect(first, within, left, out);
                    true
                }
                _ => false,
            },
            "append" => {
                for part in arguments.iter().skip(1) {
                    self.collect(part, within, left, out);
                }
                true
            }
            "string" | "strings.TrimSpace" if arguments.len() == 1 => {
                self.collect(&arguments[0], within, left, out);
                true
            }
            name if name.ends_with(".String") && arguments.is_empty() => {
                match function.field("operand").filter(|of| of.is(&["identifier"])) {
                    Some(of) if self.is_local(of.text()) => {
                        self.collect(&of, within, left, out);
                        true
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }
}

fn is_number(kind: &str) -> bool {
    kind.starts_with("int")
        || kind.starts_with("uint")
        || kind.starts_with("float")
        || matches!(kind, "bool" | "byte" | "rune" | "uuid.UUID" | "time.Duration" | "time.Time")
}
