//! Strings of Python that name local variables in braces but are no f-strings.

use super::scans::{Code, Spot};
use super::trace::Flows;
use crate::language::Language;
use crate::syntax::Node;

/// Finds them where the string is shown as it stands: raised, printed, logged or returned.
pub(super) fn scan(code: &Code<'_, '_>) -> Vec<Spot> {
    let mut out = Vec::new();
    let mut flows = Flows::new();
    for string in code.touched_nodes(&["string"]) {
        let text = string.text();
        if !text.contains('{') || text.contains("{{") || text.starts_with("\"\"\"") {
            continue;
        }
        let prefix = text.find(['"', '\'']).map_or("", |at| &text[..at]);
        let names = names(text);
        if !prefix.is_empty() || names.is_empty() || !is_shown(&string) {
            continue;
        }
        let flow = flows.around(Language::Python, &string);
        let is_function = flow.scope.is(&["function_definition"]);
        if is_function
            && names.iter().all(|name| flow.is_local(name) || *name == "self")
            && !flow.mentions(&[".format(", ".format_map(", "Template", "% "])
        {
            out.push(Spot::at(&string).named(names[0]));
        }
    }
    out
}

/// The first names of what stands in braces, or nothing where one of them is no expression.
fn names(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let Some(len) = rest[open..].find('}') else { return Vec::new() };
        let inner = rest[open + 1..open + len].split(['!', ':']).next().unwrap_or_default();
        let is_expression = inner.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
            && inner
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '(' | ')'));
        if !is_expression {
            return Vec::new();
        }
        names.push(inner.split(['.', '(']).next().unwrap_or(inner));
        rest = &rest[open + len + 1..];
    }
    names
}

/// Whether the string is the sole argument of an exception, `print` or a logger, alone or joined.
fn is_shown(string: &Node<'_>) -> bool {
    let mut node = string.clone();
    while let Some(parent) = node.parent() {
        match parent.kind().as_str() {
            "concatenated_string" | "parenthesized_expression" => node = parent,
            "argument_list" => {
                let mut arguments = parent.named_children();
                let is_first = arguments.next().is_some_and(|first| first.range() == node.range());
                let is_alone = arguments.all(|argument| {
                    let name = argument.field("name");
                    name.is_some_and(|name| matches!(name.text(), "file" | "exc_info" | "end"))
                });
                let Some(function) = parent.parent().and_then(|call| call.field("function")) else {
                    return false;
                };
                let text = function.text();
                let last = text.rsplit('.').next().unwrap_or(text);
                let shows = text == "print"
                    || last.ends_with("Error")
                    || last.ends_with("Exception")
                    || text.contains("log")
                        && matches!(
                            last,
                            "debug" | "info" | "warning" | "error" | "exception" | "critical"
                        );
                return is_first && is_alone && shows;
            }
            _ => return false,
        }
    }
    false
}
