//! Which values cannot carry an attack: numbers, fixed names, and what a sanitiser returns.

use crate::language::Language;
use crate::syntax::Node;

use super::{DEEPEST, Flow, Value, items};

/// The last names of functions whose result cannot break out of a text.
const SANITISERS: &[&str] = &[
    "int",
    "float",
    "bool",
    "len",
    "quote",
    "quote_plus",
    "quote_ident",
    "quote_identifier",
    "quoteidentifier",
    "quote_literal",
    "quoteliteral",
    "quoteident",
    "quote_name",
    "escape",
    "escape_string",
    "escape_like",
    "list2cmdline",
    "shlex_quote",
    "shellquote",
    "shell_quote",
    "shell_escape",
    "join_args",
    "literal",
    "identifier",
    "placeholders",
    "placeholder",
    "decimal",
    "uuid",
    "hex",
    "ord",
    "abs",
    "round",
    "sum",
    "time",
    "time_ns",
    "monotonic",
    "getpid",
    "atoi",
    "parseint",
    "parseuint",
    "parsefloat",
    "parsebool",
    "itoa",
    "formatint",
    "isoformat",
    "secure_filename",
    "basename",
    "base",
    "isdigit",
    "count",
    "hexdigest",
    "fileno",
    "id",
    "port",
    "as_secs",
    "as_millis",
    "unix",
    "is_some",
    "is_empty",
    "sanitize",
    "sanitise",
    "try_quote",
    "uuid4",
    "gettempdir",
    "mkdtemp",
    "mkstemp",
    "getcwd",
];

impl<'t> Flow<'t> {
    /// Whether the value is known not to carry foreign text.
    pub(in crate::rules) fn is_fixed(&self, value: &Value<'t>) -> bool {
        if value.is_number {
            return true;
        }
        match &value.node {
            Some(node) => self.is_fixed_node(node, DEEPEST),
            None => is_constant_name(value.text) || !value.text.starts_with(char::is_alphabetic),
        }
    }

    fn is_fixed_node(&self, node: &Node<'t>, left: u8) -> bool {
        self.deeper(true, || self.is_fixed_here(node, left))
    }

    fn is_fixed_here(&self, node: &Node<'t>, left: u8) -> bool {
        let text = node.text();
        let kind = node.kind();
        match kind.as_str() {
            "identifier" => {
                if is_constant_name(text) || self.numbers.contains(text) {
                    return true;
                }
                let values = self.values_of(text, node.range().start);
                if values.is_empty() {
                    return !self.params.contains(text);
                }
                left > 0 && values.iter().all(|value| self.is_fixed_node(value, left - 1))
            }
            "attribute" | "selector_expression" | "field_expression" | "scoped_identifier" => {
                let last = text.rsplit(['.', ':']).next().unwrap_or(text);
                is_constant_name(last)
                    || last.starts_with("__")
                    || last.ends_with("_id") && self.language == Language::Rust
                    || {
                        let root = text.split(['.', '(', '[', ':']).next().unwrap_or(text);
                        !matches!(root, "self" | "cls" | "this" | "request" | "req")
                            && !self.is_local(root)
                    }
            }
            "call" | "call_expression" => self.is_fixed_call(node, left),
            "subscript" | "index_expression" => {
                let of = node.children().next();
                of.is_some_and(|of| is_allow_list(of.text()))
            }
            "lambda" | "type_identifier" => true,
            _ => items(node).iter().all(|child| self.is_fixed_node(child, left)),
        }
    }

    fn is_fixed_call(&self, node: &Node<'t>, left: u8) -> bool {
        if self.is_harmless_call(node) {
            return true;
        }
        let Some(function) = node.field("function") else { return false };
        let text = function.text();
        if text.rsplit_once('.').is_some_and(|(of, name)| name == "get" && is_allow_list(of)) {
            return true;
        }
        let root = text.split(['.', '(', '[', ':']).next().unwrap_or(text);
        if super::safe::is_source(self.language, text) || matches!(root, "self" | "cls") {
            return false;
        }
        let receiver = function.field("object").or_else(|| function.field("value"));
        let receiver = receiver.or_else(|| function.field("operand"));
        let receiver_fixed = receiver.is_none_or(|of| self.is_fixed_node(&of, left));
        let arguments = node.field("arguments");
        receiver_fixed
            && arguments
                .is_none_or(|list| items(&list).iter().all(|arg| self.is_fixed_node(arg, left)))
    }

    /// Whether the node is a call whose result cannot carry an attack.
    pub(super) fn is_harmless_call(&self, node: &Node<'t>) -> bool {
        self.deeper(true, || self.is_harmless_call_here(node))
    }

    fn is_harmless_call_here(&self, node: &Node<'t>) -> bool {
        if !node.is(&["call", "call_expression"]) {
            return false;
        }
        let Some(function) = node.field("function") else { return false };
        let name = function.text().rsplit(['.', ':']).next().unwrap_or_default();
        let lower = name.trim_start_matches('_').to_ascii_lowercase();
        if SANITISERS.contains(&lower.as_str()) {
            return true;
        }
        // map(int, values) and join over what was quoted.
        let Some(list) = node.field("arguments") else { return false };
        let first = if list.is(&["generator_expression"]) {
            Some(list.clone())
        } else {
            items(&list).into_iter().next()
        };
        match lower.as_str() {
            "map" => first.is_some_and(|first| {
                let name = first.text().rsplit('.').next().unwrap_or_default();
                SANITISERS.contains(&name.to_ascii_lowercase().as_str())
            }),
            "join" if function.text().contains("path") => false,
            "join" => {
                function.text().starts_with("shlex.")
                    || first.is_some_and(|first| self.is_harmless_items(&first))
            }
            "str" | "list" | "sorted" | "tuple" => {
                first.is_some_and(|first| self.is_harmless_call(&first))
            }
            _ => false,
        }
    }

    /// Whether a generator or list gives only what cannot carry an attack.
    fn is_harmless_items(&self, node: &Node<'t>) -> bool {
        self.deeper(true, || self.is_harmless_here(node))
    }

    fn is_harmless_here(&self, node: &Node<'t>) -> bool {
        if self.is_harmless_call(node) {
            return true;
        }
        if node.is(&["generator_expression", "list_comprehension"]) {
            return node.field("body").is_some_and(|body| {
                self.is_harmless_call(&body) || self.is_fixed_node(&body, DEEPEST)
            });
        }
        if node.is(&["identifier"]) {
            let values = self.values_of(node.text(), node.range().start);
            return !values.is_empty() && values.iter().all(|value| self.is_harmless_items(value));
        }
        node.is(&["string", "binary_operator"]) && self.is_fixed_node(node, DEEPEST)
    }
}

/// Whether a name is one of a constant: upper case throughout.
pub(super) fn is_constant_name(name: &str) -> bool {
    name.chars().any(|c| c.is_ascii_uppercase()) && !name.chars().any(|c| c.is_ascii_lowercase())
}

fn is_allow_list(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    let lower = last.to_ascii_lowercase();
    is_constant_name(last)
        || ["allowed", "whitelist", "allowlist", "columns", "mapping", "valid", "known"]
            .iter()
            .any(|word| lower.contains(word))
}

/// Whether code reads what a request brings.
pub(super) fn is_source(language: Language, text: &str) -> bool {
    const PYTHON: &[&str] = &[
        ".args",
        ".form",
        ".values",
        ".json",
        ".GET",
        ".POST",
        ".files",
        ".query_params",
        ".headers",
        ".cookies",
        ".params",
        ".data",
        ".get_json",
        ".path_params",
        ".match_info",
        ".body",
        ".query",
        ".view_args",
        ".rel_url",
        ".query_string",
        ".FILES",
        ".COOKIES",
    ];
    const GO: &[&str] = &[
        ".URL.Query(",
        ".FormValue(",
        ".PathValue(",
        "mux.Vars(",
        "chi.URLParam(",
        ".PostFormValue(",
        ".URL.Path",
        ".URL.RawQuery",
        ".Form.Get(",
        ".PostForm.Get(",
    ];
    const GO_CONTEXT: &[&str] =
        &["Param(", "Query(", "DefaultQuery(", "PostForm(", "QueryParam(", "Params("];
    match language {
        Language::Python => ["request", "req"].iter().any(|root| {
            word_at(text, root).any(|rest| PYTHON.iter().any(|name| rest.starts_with(name)))
        }),
        Language::Go => {
            GO.iter().any(|name| text.contains(name))
                || ["c", "ctx"].iter().any(|root| {
                    word_at(text, root).any(|rest| {
                        rest.strip_prefix('.')
                            .is_some_and(|rest| GO_CONTEXT.iter().any(|n| rest.starts_with(n)))
                    })
                })
                || ["r", "req"]
                    .iter()
                    .any(|root| word_at(text, root).any(|rest| rest.starts_with(".Header.Get(")))
        }
        _ => false,
    }
}

/// What follows each place where `word` stands on its own.
fn word_at<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    text.match_indices(word).filter_map(move |(at, _)| {
        let before = text[..at].chars().next_back();
        let rest = &text[at + word.len()..];
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        (!before.is_some_and(is_word) && !rest.starts_with(is_word)).then_some(rest)
    })
}

/// Whether a function compares `name` with a list, or tests its form.
pub(super) fn has_guard(scope: &str, name: &str) -> bool {
    const TESTS: &[&str] = &[
        " in ",
        " not in ",
        ".isdigit()",
        ".isalnum()",
        ".isidentifier()",
        ".isnumeric()",
        ".isdecimal()",
        ".is_ascii_digit",
        ".parse::<",
    ];
    const CALLS: &[&str] = &[
        "match(",
        "MatchString(",
        "validate",
        "is_valid",
        "isValid",
        "contains(",
        "Contains(",
        "allowed",
        "ALLOWED",
        "check_",
        "is_safe",
        "isSafe",
        "_RE.",
        "contains_key(",
        "is_match(",
    ];
    if name.is_empty() {
        return false;
    }
    if word_at(scope, name).any(|rest| TESTS.iter().any(|test| rest.starts_with(test))) {
        // The head of a loop is no test.
        let looped = format!("for {name} in ");
        let mut rest = word_at(scope, name).filter(|rest| rest.starts_with(" in "));
        return !(scope.contains(&looped) && rest.next().is_some() && rest.next().is_none());
    }
    scope.lines().any(|line| {
        let line = line.trim_start();
        CALLS.iter().any(|call| {
            line.find(call).is_some_and(|at| {
                let rest = &line[at..];
                !rest.starts_with("check_output")
                    && !rest.starts_with("check_call")
                    && word_at(rest, name).next().is_some()
            })
        }) || line.starts_with("switch ") && word_at(line, name).next().is_some()
            || line.starts_with("match ") && word_at(line, name).next().is_some()
            || line.contains("[") && {
                let index = format!("[{name}]");
                line.find(&index).is_some_and(|at| {
                    let of: &str = line[..at].rsplit([' ', '(', '!', '=']).next().unwrap_or("");
                    is_allow_list(of)
                })
            }
    })
}
