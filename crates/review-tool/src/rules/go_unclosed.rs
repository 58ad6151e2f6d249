//! What a Go function opens and neither closes nor hands on: response bodies, rows and files.

use super::scans::{Code, Spot};
use super::trace::items;
use crate::syntax::Node;

/// Finds responses whose body is not closed.
pub(super) fn bodies(code: &Code<'_, '_>) -> Vec<Spot> {
    unclosed(code, "Body", |call| {
        const CLIENTS: &[&str] = &["http", "client", "httpclient", "c", "hc", "cli"];
        let (of, verb) = call.rsplit_once('.')?;
        let of = of.rsplit('.').next().unwrap_or(of).to_ascii_lowercase();
        let is_client = CLIENTS.contains(&of.as_str()) && of != "c" || of.ends_with("client");
        match verb {
            "Get" | "Post" | "Head" | "PostForm" => {
                (of == "http" || of.ends_with("client")).then_some(())
            }
            "Do" | "RoundTrip" => is_client.then_some(()),
            _ => None,
        }
    })
}

/// Finds rows that are not closed.
pub(super) fn rows(code: &Code<'_, '_>) -> Vec<Spot> {
    unclosed(code, "rows", |call| {
        let (of, verb) = call.rsplit_once('.')?;
        let of = of.rsplit('.').next().unwrap_or(of).to_ascii_lowercase();
        let is_base = ["db", "tx", "conn", "stmt", "pool"].iter().any(|name| of.ends_with(name));
        (is_base && matches!(verb, "Query" | "QueryContext" | "Queryx" | "QueryxContext"))
            .then_some(())
    })
}

/// Finds files and connections that are not closed.
pub(super) fn files(code: &Code<'_, '_>) -> Vec<Spot> {
    unclosed(code, "", |call| {
        matches!(
            call,
            "os.Open"
                | "os.Create"
                | "os.OpenFile"
                | "os.CreateTemp"
                | "ioutil.TempFile"
                | "net.Dial"
                | "net.DialTimeout"
                | "tls.Dial"
                | "net.Listen"
                | "zip.OpenReader"
        )
        .then_some(())
    })
}

fn unclosed(code: &Code<'_, '_>, part: &str, opens: impl Fn(&str) -> Option<()>) -> Vec<Spot> {
    let mut out = Vec::new();
    for statement in
        code.nodes_of_touched_functions(&["short_var_declaration", "assignment_statement"])
    {
        let (Some(left), Some(right)) = (statement.field("left"), statement.field("right")) else {
            continue;
        };
        let (names, values) = (items(&left), items(&right));
        let (Some(name), [value]) = (names.first(), &values[..]) else { continue };
        let Some(call) = value.field("function").filter(|_| value.is(&["call_expression"])) else {
            continue;
        };
        if opens(call.text()).is_none() || !name.is(&["identifier"]) || name.text() == "_" {
            continue;
        }
        // Rows and responses come with an error and nothing else.
        if !part.is_empty() && names.len() != 2 {
            continue;
        }
        let Some(function) = statement.ancestors().find(|outer| {
            outer.is(&["function_declaration", "method_declaration", "func_literal"])
        }) else {
            continue;
        };
        let is_main = function.field("name").is_some_and(|name| name.text() == "main");
        let declared_here =
            statement.is(&["short_var_declaration"]) || is_var_of(&function, name.text());
        // A client of another protocol may have a Get of its own.
        let is_response = part != "Body"
            || call.text().starts_with("http.")
            || [".Body", ".StatusCode", ".Header", ".Status"]
                .iter()
                .any(|field| function.text().contains(&format!("{}{field}", name.text())));
        if is_main || !is_response || !declared_here || is_handed_on(&function, name, part) {
            continue;
        }
        // The statement with the check of its error: there a removed close leaves its mark.
        let spot = Spot::at(&statement).named(name.text());
        let last = function.lines().1;
        out.push(Spot { last, ..spot });
    }
    out
}

fn is_var_of(function: &Node<'_>, name: &str) -> bool {
    function
        .descendants()
        .any(|node| node.is(&["var_spec"]) && node.field("name").is_some_and(|n| n.text() == name))
}

/// Whether `name` is closed, returned, stored or given to something that may close it.
fn is_handed_on(function: &Node<'_>, name: &Node<'_>, part: &str) -> bool {
    function.descendants().any(|node| {
        if !node.is(&["identifier"]) || node.text() != name.text() || node.range() == name.range() {
            return false;
        }
        let Some(parent) = node.parent() else { return false };
        if parent.is(&["selector_expression"]) {
            let field = parent.field("field").map(|field| field.text()).unwrap_or_default();
            if field.starts_with("Close") {
                return true;
            }
            return field == part && part == "Body" && is_body_handed_on(&parent);
        }
        if parent.is(&["argument_list"]) {
            let call = parent.parent().and_then(|call| call.field("function"));
            return call.is_some_and(|call| !only_reads(call.text()));
        }
        if parent.is(&["expression_list"]) {
            let outer = parent.parent();
            let is_left = outer
                .as_ref()
                .and_then(|outer| outer.field("left"))
                .is_some_and(|left| left.range() == parent.range());
            return !is_left;
        }
        !parent.is(&["binary_expression", "var_spec", "range_clause"])
    })
}

fn is_body_handed_on(body: &Node<'_>) -> bool {
    let Some(parent) = body.parent() else { return false };
    if parent.is(&["selector_expression"]) {
        return parent.field("field").is_some_and(|field| field.text() == "Close");
    }
    if parent.is(&["argument_list"]) {
        let call = parent.parent().and_then(|call| call.field("function"));
        return call.is_some_and(|call| !only_reads(call.text()));
    }
    true
}

/// Whether a function reads what it is given and leaves it open.
fn only_reads(call: &str) -> bool {
    [
        "io.", "bufio.", "ioutil.", "fmt.", "json.", "xml.", "csv.", "log.", "yaml.", "sha256.",
        "toml.",
    ]
    .iter()
    .any(|package| call.starts_with(package))
        && !call.ends_with("NopCloser")
        || matches!(
            call,
            "len"
                | "gob.NewDecoder"
                | "rows.Scan"
                | "html.Parse"
                | "image.Decode"
                | "png.Decode"
                | "png.Encode"
                | "jpeg.Decode"
        )
}
