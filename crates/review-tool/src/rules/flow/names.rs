//! What a name says: sources of outside input, numbers, tests, and the parts of a call.

use super::bindings::is_name;
use crate::syntax::Node;

/// Beginnings of expressions that a request, or the address bar, fills. The character before must not
/// belong to a longer name.
const SOURCES: &[&str] = &[
    "req.query",
    "req.body",
    "req.params",
    "req.headers",
    "req.cookies",
    "req.url",
    "req.originalUrl",
    "req.file.originalname",
    "request.query",
    "request.body",
    "request.params",
    "request.headers",
    "request.cookies",
    "ctx.query",
    "ctx.params",
    "ctx.request.",
    "event.queryStringParameters",
    "event.pathParameters",
    "event.body",
    "location.search",
    "location.hash",
    "location.href",
    "document.URL",
    "Request.Query",
    "Request.Form",
    "Request.Headers",
    "Request.Cookies",
    "Request.QueryString",
    "Request.Path",
    "Request.Body",
    "Request.Params",
    "$_GET",
    "$_POST",
    "$_REQUEST",
    "$_COOKIE",
    "$_FILES",
    "$_SERVER['QUERY_STRING']",
    "$_SERVER['REQUEST_URI']",
    "$_SERVER['HTTP_",
];

/// Methods of a request in Java and PHP that return what the client sent.
const SOURCE_METHODS: &[&str] = &[
    "getParameter",
    "getParameterValues",
    "getHeader",
    "getQueryString",
    "getPathInfo",
    "getRequestURI",
    "getOriginalFilename",
    "getSubmittedFileName",
];

/// Whether a name or a member is one that a request fills.
pub(super) fn is_source(node: &Node<'_>) -> bool {
    let text = node.text();
    if node.kind() == "element_reference" && text.starts_with("params[") {
        return true;
    }
    SOURCES.iter().any(|source| {
        text.find(source).is_some_and(|at| {
            let before = &text[..at];
            let after = text[at + source.len()..].chars().next();
            let own = before.is_empty() || before.ends_with('.');
            let whole = !source.ends_with(char::is_alphanumeric)
                || !after.is_some_and(|c| c.is_alphanumeric() || c == '_');
            own && whole && before.chars().all(|c| c.is_alphanumeric() || c == '.' || c == '_')
        })
    })
}

/// Whether a call returns what a request carries.
pub(super) fn is_source_call(call: &Node<'_>) -> bool {
    let Some(name) = callee(call) else { return false };
    let receiver = receiver(call);
    let of = receiver.as_ref().map_or("", |node| node.text());
    let of = of.rsplit('.').next().unwrap_or(of);
    match name {
        _ if SOURCE_METHODS.contains(&name) => true,
        "get" => matches!(of, "searchParams" | "req" | "$request"),
        "header" | "param" => of == "req" || of == "request",
        "input" | "query" | "post" => of == "$request",
        "fetch" | "dig" | "require" | "permit" => of == "params",
        _ => false,
    }
}

/// The last name of what a call calls.
pub(super) fn callee<'t>(call: &Node<'t>) -> Option<&'t str> {
    let name = match call.kind().as_str() {
        "call_expression" => {
            let function = call.field("function")?;
            function.field("property").unwrap_or(function)
        }
        "function_call_expression" => call.field("function")?,
        "invocation_expression" => {
            let function = call.field("function")?;
            function.field("name").unwrap_or(function)
        }
        "method_invocation" | "member_call_expression" | "scoped_call_expression" => {
            call.field("name")?
        }
        "call" => call.field("method")?,
        "new_expression" => call.field("constructor")?,
        "object_creation_expression" => call.field("type").or_else(|| call.children().nth(1))?,
        _ => return None,
    };
    let text = name.text();
    let text = text.split('<').next().unwrap_or(text);
    Some(text.rsplit(['\\', '.']).next().unwrap_or(text))
}

/// What a method is called on.
pub(super) fn receiver<'t>(call: &Node<'t>) -> Option<Node<'t>> {
    match call.kind().as_str() {
        "call_expression" => call.field("function")?.field("object"),
        "method_invocation" | "member_call_expression" => call.field("object"),
        "call" => call.field("receiver"),
        "invocation_expression" => call.field("function")?.field("expression"),
        _ => None,
    }
}

/// The arguments of a call, in order.
pub(super) fn arguments<'t>(call: &Node<'t>) -> Vec<Node<'t>> {
    let list = call
        .field("arguments")
        .or_else(|| call.children().find(|child| child.kind() == "arguments"));
    let Some(list) = list else { return Vec::new() };
    parts(&list)
        .into_iter()
        .map(|node| match node.kind().as_str() {
            "argument" => parts(&node).pop().unwrap_or(node),
            _ => node,
        })
        .collect()
}

/// The children that mean something: no punctuation, no comments.
pub(super) fn parts<'t>(node: &Node<'t>) -> Vec<Node<'t>> {
    node.children().filter(|child| child.is_named() && !child.kind().ends_with("comment")).collect()
}

/// Whether a call of that name tests a value against a list or a pattern.
pub(super) fn is_test(name: &str) -> bool {
    matches!(
        name,
        "includes"
            | "has"
            | "test"
            | "match"
            | "contains"
            | "containsKey"
            | "matches"
            | "startsWith"
            | "start_with?"
            | "hasOwnProperty"
            | "in_array"
            | "array_key_exists"
            | "preg_match"
            | "ctype_digit"
            | "ctype_alnum"
            | "is_numeric"
            | "is_int"
            | "filter_var"
            | "include?"
            | "key?"
            | "match?"
            | "isInteger"
            | "isSafeInteger"
            | "Contains"
            | "ContainsKey"
            | "IsMatch"
            | "StartsWith"
            | "TryGetValue"
            | "TryParse"
            | "IsLocalUrl"
            | "str_starts_with"
            | "strpos"
    ) || name.starts_with("validate")
        || name.starts_with("isValid")
        || name.starts_with("isAllowed")
        || name.starts_with("isSafe")
        || name.starts_with("assertSafe")
        || name.starts_with("assertValid")
}

/// Whether a call of that name returns a number or a truth value.
pub(super) fn makes_number(name: &str) -> bool {
    matches!(
        name,
        "parseInt"
            | "parseFloat"
            | "Number"
            | "BigInt"
            | "Boolean"
            | "parseLong"
            | "parseDouble"
            | "intValue"
            | "longValue"
            | "size"
            | "length"
            | "count"
            | "intval"
            | "floatval"
            | "boolval"
            | "to_i"
            | "to_f"
            | "Integer"
            | "Float"
            | "toFixed"
            | "getTime"
            | "now"
            | "currentTimeMillis"
            | "nanoTime"
            | "ordinal"
            | "hashCode"
            | "randomUUID"
            | "ToInt32"
            | "ToInt64"
            | "ToBoolean"
            | "ToDecimal"
            | "Parse"
            | "NewGuid"
            | "GetHashCode"
            | "Count"
            | "ObjectId"
    )
}

/// Whether a type holds nothing that could carry syntax into a text.
pub(super) fn is_number_type(name: &str) -> bool {
    let name = name.trim_start_matches('?').trim_end_matches("[]").trim_end_matches('>');
    let element = ["Array<", "ReadonlyArray<", "List<", "Set<", "Collection<"]
        .iter()
        .find_map(|list| name.strip_prefix(list));
    matches!(
        element.unwrap_or(name),
        "number"
            | "boolean"
            | "bigint"
            | "int"
            | "long"
            | "short"
            | "byte"
            | "double"
            | "float"
            | "Integer"
            | "Long"
            | "Short"
            | "Double"
            | "Float"
            | "Boolean"
            | "UUID"
            | "BigDecimal"
            | "BigInteger"
            | "LocalDate"
            | "Instant"
            | "Guid"
            | "DateTime"
            | "DateTimeOffset"
            | "decimal"
            | "uint"
            | "ulong"
            | "Int32"
            | "Int64"
            | "bool"
    )
}

/// Whether a name is written as a constant.
pub(super) fn is_constant_name(name: &str) -> bool {
    let name = name.trim_start_matches(['$', '#', '@']);
    name.len() > 1
        && name.chars().any(|c| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// Whether a name stands for a number by habit.
pub(super) fn is_number_name(name: &str) -> bool {
    let name = name.trim_start_matches('$').to_ascii_lowercase();
    matches!(
        name.as_str(),
        "i" | "j"
            | "k"
            | "n"
            | "idx"
            | "index"
            | "count"
            | "total"
            | "length"
            | "size"
            | "offset"
            | "limit"
            | "page"
            | "width"
            | "height"
            | "port"
            | "pid"
            | "year"
            | "month"
    ) || ["count", "index", "length", "_id_int"].iter().any(|end| name.ends_with(end))
}

/// Whether a name stands for a part of SQL that no parameter can replace.
pub(super) fn is_sql_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [
        "table",
        "tablename",
        "table_name",
        "column",
        "columns",
        "columnname",
        "column_name",
        "schema",
        "placeholders",
        "placeholder",
        "fields",
        "cols",
        "prefix",
        "dbname",
        "database",
        "questionmarks",
        "condition",
        "alias",
        "constraintname",
        "indexname",
        "keyname",
        "where",
        "join",
        "joins",
        "wheresql",
        "marks",
        "clause",
        "conditions",
        "setclause",
        "whereclause",
        "keyspace",
    ]
    .iter()
    .any(|end| name.ends_with(end))
}

/// Whether a value is a plain name or member that is not said to be markup or made safe.
pub(super) fn is_plain_value(node: &Node<'_>) -> bool {
    let last = match node.kind().as_str() {
        "member_expression" => node.field("property"),
        "non_null_expression" | "as_expression" | "parenthesized_expression" => {
            return parts(node).first().is_some_and(is_plain_value);
        }
        _ if is_name(node) => Some(node.clone()),
        _ => None,
    };
    let Some(last) = last else { return false };
    let name = last.text().to_ascii_lowercase();
    ![
        "html",
        "markup",
        "template",
        "svg",
        "icon",
        "safe",
        "sanitized",
        "clean",
        "escaped",
        "rendered",
        "css",
        "style",
        "tpl",
        "xml",
        "dom",
        "snippet",
        "fragment",
    ]
    .iter()
    .any(|word| name.contains(word))
}
