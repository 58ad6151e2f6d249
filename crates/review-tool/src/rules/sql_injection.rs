//! SQL text put together with values that could carry SQL of their own.
//!
//! A value counts where SQL expects one (`= {x}`, `'{x}'`, `IN ({x})`) or names an order, since these can
//! be bound or looked up. A table or column name put together by the code itself is left alone, unless a
//! request brings it.

use std::collections::HashSet;

use super::scans::{Code, Spot};
use super::trace::{Flow, Flows, Piece, Value, items};
use crate::language::Language;
use crate::syntax::Node;

const PYTHON_SINKS: &[&str] = &[
    "execute",
    "executemany",
    "executescript",
    "raw",
    "text",
    "read_sql",
    "read_sql_query",
    "fetch",
    "fetchrow",
    "fetchval",
    "fetch_all",
    "fetch_one",
    "fetchall",
    "fetchone",
    "exec_driver_sql",
    "RawSQL",
    "execute_sql",
    "execute_query",
    "mogrify",
    "prepare",
    "scalar",
    "query",
    "sql",
    "scalars",
    "run_query",
    "fetch_val",
];
const GO_SINKS: &[&str] = &[
    "Query",
    "QueryContext",
    "QueryRow",
    "QueryRowContext",
    "Exec",
    "ExecContext",
    "Prepare",
    "PrepareContext",
    "Raw",
    "Where",
    "Having",
    "Order",
    "Get",
    "GetContext",
    "Select",
    "SelectContext",
    "NamedExec",
    "NamedQuery",
    "Queryx",
    "QueryRowx",
    "MustExec",
    "Preparex",
];
const RUST_SINKS: &[&str] = &[
    "query",
    "query_as",
    "query_scalar",
    "query_one",
    "query_opt",
    "query_row",
    "query_map",
    "query_raw",
    "execute",
    "execute_batch",
    "batch_execute",
    "prepare",
    "prepare_cached",
    "simple_query",
    "sql_query",
    "raw_sql",
    "fetch_one",
    "fetch_all",
    "exec",
    "exec_drop",
    "query_iter",
    "query_drop",
    "query_first",
    "execute_unprepared",
    "from_string",
];

/// Finds them in Python, Go and Rust.
pub(super) fn scan(code: &Code<'_, '_>) -> Vec<Spot> {
    let (kind, sinks) = match code.language {
        Language::Python => ("call", PYTHON_SINKS),
        Language::Go => ("call_expression", GO_SINKS),
        _ => ("call_expression", RUST_SINKS),
    };
    let mut out = Vec::new();
    let mut flows = Flows::new();
    let mut seen = HashSet::new();
    for function in code.touched_functions() {
        for call in function.descendants().filter(|node| node.is(&[kind])) {
            if !is_sink(&call, sinks) || !seen.insert(call.range()) {
                continue;
            }
            let Some(list) = call.field("arguments") else { continue };
            for argument in items(&list).into_iter().take(3) {
                let argument = match argument.field("value") {
                    Some(value) if argument.is(&["keyword_argument"]) => value,
                    _ => argument,
                };
                if argument.is(&["string_literal", "raw_string_literal", "lambda", "func_literal"])
                    || argument.is(&["interpreted_string_literal"])
                {
                    continue;
                }
                let flow = flows.around(code.language, &call);
                if let Some(value) = injected(flow, &argument, &call) {
                    let first = Spot::at(&value.within).named(value.text);
                    out.push(first.with(&call));
                    break;
                }
            }
        }
    }
    out
}

fn is_sink(call: &Node<'_>, sinks: &[&str]) -> bool {
    let Some(mut function) = call.field("function") else { return false };
    if let Some(inner) = function.field("function") {
        function = inner;
    }
    let name = ["attribute", "field", "name"].iter().find_map(|field| function.field(field));
    let name = name.as_ref().map_or(function.text(), |name| name.text());
    sinks.contains(&name.rsplit([':', '.']).next().unwrap_or(name))
}

/// The first value of the text that could carry SQL.
fn injected<'t>(flow: &Flow<'t>, argument: &Node<'t>, call: &Node<'t>) -> Option<Value<'t>> {
    let pieces = flow.pieces(argument);
    let mut before = String::new();
    let is_fragment = call
        .field("function")
        .and_then(|function| function.field("field"))
        .is_some_and(|name| matches!(name.text(), "Where" | "Having" | "Order"));
    let order_by = is_fragment
        && call.field("function").is_some_and(|function| function.text().ends_with(".Order"));
    let starts_as_sql = pieces
        .iter()
        .find_map(|piece| match piece {
            Piece::Literal(text) if !text.trim().is_empty() => Some(is_sql(text)),
            _ => None,
        })
        .unwrap_or(false);
    if !starts_as_sql && !is_fragment {
        return None;
    }
    for piece in pieces {
        match piece {
            Piece::Literal(text) => before.push_str(&text),
            Piece::Value(value) => {
                let place = place_of(&before);
                let is_wanted = match place {
                    Place::Value => true,
                    Place::Order => !value.text.contains('.'),
                    Place::Other => order_by || flow.is_requested(&value),
                };
                let root = value.text.split(['.', '[', '(']).next().unwrap_or(value.text);
                let is_name = root.len() == value.text.len();
                let is_guarded = is_name && flow.is_guarded(root)
                    || place == Place::Order && flow.mentions(&["ALLOWED", "allowed"]);
                if is_wanted && !is_guarded && !flow.is_fixed(&value) {
                    return Some(value);
                }
                before.push('?');
            }
        }
    }
    None
}

fn is_sql(text: &str) -> bool {
    const VERBS: &[&str] = &[
        "SELECT ",
        "INSERT ",
        "UPDATE ",
        "DELETE ",
        "REPLACE ",
        "MERGE ",
        "WITH ",
        "CALL ",
        "EXEC ",
        "ALTER USER ",
        "CREATE USER ",
        "ALTER ROLE ",
        "CREATE ROLE ",
        "GRANT ",
        "SELECT",
        "EXECUTE ",
    ];
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '(' || c == '\\');
    let text = text.strip_prefix('n').filter(|rest| rest.starts_with(' ')).unwrap_or(text);
    let head: String = text.chars().take(24).collect::<String>().to_ascii_uppercase();
    let head: String = head.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    VERBS.iter().any(|verb| head.starts_with(verb))
}

#[derive(PartialEq, Clone, Copy)]
enum Place {
    Value,
    Order,
    Other,
}

/// What SQL expects after `before`.
fn place_of(before: &str) -> Place {
    let text = before.to_ascii_uppercase().replace("\\N", " ").replace("\\T", " ");
    if text.matches('\'').count() % 2 == 1 {
        return Place::Value;
    }
    let end = text.trim_end();
    if end.ends_with(['=', '<', '>']) {
        return Place::Value;
    }
    let end = end.trim_end_matches('(').trim_end();
    let last = end.rsplit(|c: char| c.is_whitespace() || c == ')').next().unwrap_or_default();
    if matches!(last, "LIKE" | "ILIKE" | "IN" | "VALUES" | "LIMIT" | "OFFSET" | "BETWEEN") {
        return Place::Value;
    }
    if end.ends_with("ORDER BY") || end.ends_with("GROUP BY") {
        return Place::Order;
    }
    if let Some(order) = text.rfind("ORDER BY") {
        let after = text[order + 8..].trim();
        if !after.contains(['(', ';']) && after.split_whitespace().count() <= 2 {
            return Place::Order;
        }
    }
    let values = text.rfind("VALUES");
    if let Some(at) = values
        && end.ends_with(',')
        && !text[at..].contains("SELECT")
    {
        return Place::Value;
    }
    Place::Other
}
