//! Files of Python that are opened without `with` and neither closed nor handed on.

use super::scans::{Code, Spot};
use crate::syntax::Node;

/// Finds them: kept in a local name, or read and dropped at once.
pub(super) fn scan(code: &Code<'_, '_>) -> Vec<Spot> {
    let mut out = Vec::new();
    for call in code.nodes_of_touched_functions(&["call"]) {
        let opens = call.field("function").is_some_and(|function| {
            matches!(
                function.text(),
                "open"
                    | "io.open"
                    | "codecs.open"
                    | "gzip.open"
                    | "bz2.open"
                    | "socket.create_connection"
                    | "tarfile.open"
                    | "zipfile.ZipFile"
            )
        });
        let Some(parent) = call.parent() else { continue };
        if !opens {
            continue;
        }
        if is_dropped(&call, &parent) {
            out.push(Spot::at(&call).named(call.text()));
            continue;
        }
        let Some(name) = parent
            .field("left")
            .filter(|left| parent.is(&["assignment"]) && left.is(&["identifier"]))
        else {
            continue;
        };
        let scope = parent.ancestors().find(|outer| outer.is(&["function_definition", "module"]));
        let Some(scope) = scope else { continue };
        let is_script = scope.is(&["module"]);
        if is_script || is_global(&scope, name.text()) || is_handed_on(&scope, &name) {
            continue;
        }
        // A close that was removed leaves its mark further down.
        out.push(Spot { last: scope.lines().1, ..Spot::at(&call).named(name.text()) });
    }
    out
}

/// Whether the file is read within the expression and then lost.
fn is_dropped(call: &Node<'_>, parent: &Node<'_>) -> bool {
    if parent.is(&["attribute"]) {
        return parent.field("attribute").is_some_and(|name| {
            matches!(name.text(), "read" | "readlines" | "readline" | "write" | "writelines")
        });
    }
    if parent.is(&["argument_list"]) {
        let function = parent.parent().and_then(|outer| outer.field("function"));
        let is_first =
            parent.named_children().next().is_some_and(|first| first.range() == call.range());
        return function.is_some_and(|function| {
            (is_first
                && matches!(
                    function.text(),
                    "json.load"
                        | "yaml.safe_load"
                        | "yaml.load"
                        | "pickle.load"
                        | "csv.reader"
                        | "csv.DictReader"
                        | "toml.load"
                        | "tomllib.load"
                ))
                || function.text() == "json.dump"
        });
    }
    false
}

fn is_global(scope: &Node<'_>, name: &str) -> bool {
    scope.descendants().any(|node| {
        node.is(&["global_statement", "nonlocal_statement"]) && node.text().contains(name)
    })
}

/// Whether `name` is closed, used in a `with`, returned, stored or given to something that may keep it.
fn is_handed_on(scope: &Node<'_>, name: &Node<'_>) -> bool {
    scope.descendants().any(|node| {
        if !node.is(&["identifier"]) || node.text() != name.text() || node.range() == name.range() {
            return false;
        }
        let Some(parent) = node.parent() else { return false };
        match parent.kind().as_str() {
            "attribute" => parent.field("attribute").is_some_and(|attribute| {
                matches!(
                    attribute.text(),
                    "close" | "detach" | "makefile" | "__exit__" | "__enter__" | "shutdown"
                )
            }),
            "argument_list" => {
                let function = parent.parent().and_then(|call| call.field("function"));
                function.is_some_and(|function| !only_reads(function.text()))
            }
            "for_statement"
            | "for_in_clause"
            | "comparison_operator"
            | "if_statement"
            | "not_operator" => false,
            _ => true,
        }
    })
}

fn only_reads(function: &str) -> bool {
    matches!(
        function,
        "json.load"
            | "json.dump"
            | "csv.reader"
            | "csv.writer"
            | "csv.DictReader"
            | "csv.DictWriter"
            | "yaml.safe_load"
            | "yaml.load"
            | "yaml.dump"
            | "yaml.safe_dump"
            | "pickle.load"
            | "pickle.dump"
            | "print"
            | "enumerate"
            | "list"
            | "sum"
            | "len"
            | "map"
            | "tomllib.load"
            | "shutil.copyfileobj"
            | "toml.load"
            | "next"
            | "sorted"
            | "set"
    )
}
