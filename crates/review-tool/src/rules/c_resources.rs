//! What code in C and C++ takes and must give back: memory, files and locks, on each way out.

use super::scans::{Code, Spot};
use crate::syntax::Node;

/// Functions whose result is NULL when they fail.
const MAKERS: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "strdup",
    "strndup",
    "aligned_alloc",
    "kmalloc",
    "kzalloc",
    "kcalloc",
    "fopen",
    "fdopen",
    "freopen",
    "tmpfile",
    "opendir",
    "popen",
    "dlopen",
];
/// Functions that give it back.
const GIVERS: &[&str] = &[
    "free",
    "kfree",
    "kvfree",
    "g_free",
    "xfree",
    "fclose",
    "closedir",
    "pclose",
    "dlclose",
    "cfree",
    "OPENSSL_free",
    "realloc",
];
/// Functions that take a lock, each with the one that gives it back.
const LOCKS: &[(&str, &str)] = &[
    ("pthread_mutex_lock", "pthread_mutex_unlock"),
    ("pthread_rwlock_rdlock", "pthread_rwlock_unlock"),
    ("pthread_rwlock_wrlock", "pthread_rwlock_unlock"),
    ("pthread_spin_lock", "pthread_spin_unlock"),
    ("mutex_lock", "mutex_unlock"),
    ("mtx_lock", "mtx_unlock"),
    ("spin_lock", "spin_unlock"),
    ("spin_lock_irqsave", "spin_unlock_irqrestore"),
    ("read_lock", "read_unlock"),
    ("write_lock", "write_unlock"),
    ("EnterCriticalSection", "LeaveCriticalSection"),
    ("lock", "unlock"),
    ("Lock", "Unlock"),
];
/// Functions that read or write where an argument points.
const USERS: &[&str] = &[
    "memcpy", "memset", "memmove", "strcpy", "strncpy", "strcat", "strncat", "sprintf", "snprintf",
    "fread", "fwrite", "fgets", "fputs", "fprintf", "fscanf", "fputc", "fgetc", "getc", "putc",
    "fseek", "ftell", "readdir", "strlen", "getline", "rewind", "feof",
];

/// The scan of `c-allocation-unchecked`.
pub(super) fn unchecked(code: &Code<'_, '_>) -> Vec<Spot> {
    let mut out = Vec::new();
    for_each_list(code, |statements| {
        for (at, statement) in statements.iter().enumerate() {
            for taken in made_by(statement) {
                let used =
                    statements[at + 1..].iter().find_map(|next| first_use(next, &taken.name));
                if used == Some(Use::Unchecked) {
                    out.push(Spot::at(&taken.call).named(&taken.name));
                }
            }
        }
    });
    out
}

/// The scan of `c-leak-on-return`.
pub(super) fn leaks(code: &Code<'_, '_>) -> Vec<Spot> {
    let mut out = Vec::new();
    for_each_list(code, |statements| {
        for (at, statement) in statements.iter().enumerate() {
            for taken in made_by(statement) {
                let gives =
                    |call: &Node<'_>| calls(call, GIVERS) && has_argument(call, &taken.name);
                for way in ways_out(&statements[at + 1..], &gives, Some(&taken.name)) {
                    out.push(Spot::at(&way).named(&taken.name).with(&taken.call));
                }
            }
        }
    });
    out
}

/// The scan of `c-lock-not-released`.
pub(super) fn locks(code: &Code<'_, '_>) -> Vec<Spot> {
    let mut out = Vec::new();
    for_each_list(code, |statements| {
        for (at, statement) in statements.iter().enumerate() {
            let Some((call, unlock)) = locked_by(statement) else { continue };
            let of = subject(&call);
            let gives = |other: &Node<'_>| calls(other, &[unlock]) && subject(other) == of;
            for way in ways_out(&statements[at + 1..], &gives, None) {
                out.push(Spot::at(&way).named(&of).with(&call));
            }
        }
    });
    out
}

/// The scan of `c-freed-twice`: members; plain names are the rule on use after free.
pub(super) fn freed_twice(code: &Code<'_, '_>) -> Vec<Spot> {
    let mut out = Vec::new();
    for_each_list(code, |statements| {
        for (at, statement) in statements.iter().enumerate() {
            let Some(freed) = freed_by(statement) else { continue };
            for next in &statements[at + 1..] {
                if assigns(next, &freed)
                    || next.is(&["return_statement", "goto_statement", "break_statement"])
                {
                    break;
                }
                let again = freed_by(next).filter(|other| *other == freed);
                if again.is_some() {
                    out.push(Spot::at(next).named(&freed).with(statement));
                    break;
                }
            }
        }
    });
    out
}

/// The scan of `c-address-of-local`.
pub(super) fn escaping_locals(code: &Code<'_, '_>) -> Vec<Spot> {
    let mut out = Vec::new();
    for function in functions(code) {
        let returns_reference =
            function.field("declarator").is_some_and(|of| of.is(&["reference_declarator"]));
        let nodes: Vec<Node<'_>> = function.descendants().collect();
        let locals: Vec<(&str, bool)> = nodes.iter().filter_map(local).collect();
        for statement in nodes.iter().filter(|node| node.is(&["return_statement"])) {
            let Some(value) = statement.named_children().next() else { continue };
            let (name, by_address) = match value.kind().as_str() {
                "identifier" => (value.text(), false),
                "pointer_expression" | "unary_expression" if value.text().starts_with('&') => {
                    (value.text()[1..].trim(), true)
                }
                _ => continue,
            };
            let found = locals.iter().find(|(local, _)| *local == name);
            if found.is_some_and(|(_, is_array)| by_address || *is_array || returns_reference) {
                out.push(Spot::at(statement).named(name));
            }
        }
    }
    out
}

/// The name of a local variable that ends with its function, and whether it is an array.
fn local<'t>(node: &Node<'t>) -> Option<(&'t str, bool)> {
    let is_kept = |text: &str| {
        ["static ", "thread_local ", "extern ", "constexpr "].iter().any(|word| text.contains(word))
    };
    if node.kind() != "declaration" || is_kept(node.text()) {
        return None;
    }
    let declared = node.field("declarator")?;
    let declarator = declared.field("declarator").filter(|_| declared.is(&["init_declarator"]));
    let declarator = declarator.unwrap_or(declared);
    match declarator.kind().as_str() {
        "identifier" => Some((declarator.text(), false)),
        "array_declarator" => {
            let name = declarator.field("declarator")?;
            name.is(&["identifier"]).then(|| (name.text(), true))
        }
        _ => None,
    }
}

fn functions<'t>(code: &Code<'_, 't>) -> Vec<Node<'t>> {
    let touched = code.touched_functions().into_iter();
    touched.filter(|node| node.is(&["function_definition"])).collect()
}

/// Hands over the statements of every block of the touched functions.
fn for_each_list<'t>(code: &Code<'_, 't>, mut look: impl FnMut(&[Node<'t>])) {
    for function in functions(code) {
        for block in
            function.descendants().filter(|node| node.is(&["compound_statement", "case_statement"]))
        {
            let statements: Vec<Node<'_>> =
                block.named_children().filter(|node| !node.is(&["comment"])).collect();
            look(&statements);
        }
    }
}

/// Something taken: the name that holds it, and the call.
struct Taken<'t> {
    name: String,
    call: Node<'t>,
}

/// What a declaration or an assignment takes.
fn made_by<'t>(statement: &Node<'t>) -> Vec<Taken<'t>> {
    let pairs: Vec<(Node<'t>, Node<'t>)> = match statement.kind().as_str() {
        "declaration" => statement
            .named_children()
            .filter(|node| node.is(&["init_declarator"]))
            .filter_map(|node| Some((node.field("declarator")?, node.field("value")?)))
            .collect(),
        "expression_statement" => statement
            .named_children()
            .filter(|node| node.is(&["assignment_expression"]))
            .filter_map(|node| Some((node.field("left")?, node.field("right")?)))
            .collect(),
        _ => Vec::new(),
    };
    let taken = pairs.into_iter().filter_map(|(target, value)| {
        let call = uncast(value);
        let name = target.text().trim_start_matches(['*', ' ', '\n']).to_owned();
        let is_plain = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        (is_plain && call.is(&["call_expression"]) && calls(&call, MAKERS))
            .then_some(Taken { name, call })
    });
    taken.collect()
}

fn uncast<'t>(node: Node<'t>) -> Node<'t> {
    let mut node = node;
    while let Some(inner) = node.field("value").filter(|_| node.is(&["cast_expression"])) {
        node = inner;
    }
    node
}

/// Whether a call is one of these functions, by its last name.
fn calls(call: &Node<'_>, names: &[&str]) -> bool {
    let Some(function) = call.field("function") else { return false };
    let text = function.text();
    let name = text.rsplit(['.', '>', ':']).next().unwrap_or(text);
    names.contains(&name.trim())
}

fn has_argument(call: &Node<'_>, name: &str) -> bool {
    let list = call.field("arguments");
    list.is_some_and(|list| list.named_children().any(|argument| uncast(argument).text() == name))
}

/// What a lock is: the receiver of the method, or the arguments of the function.
fn subject(call: &Node<'_>) -> String {
    let function = call.field("function");
    let receiver = function.and_then(|function| function.field("argument"));
    let of = receiver.or_else(|| call.field("arguments")?.named_children().next());
    of.map_or_else(String::new, |of| of.text().trim_start_matches('&').to_owned())
}

/// The call by which a statement takes a lock, and the function that gives it back.
fn locked_by<'t>(statement: &Node<'t>) -> Option<(Node<'t>, &'static str)> {
    if statement.kind() != "expression_statement" {
        return None;
    }
    let call = statement.named_children().next().filter(|node| node.is(&["call_expression"]))?;
    let (_, unlock) = LOCKS.iter().find(|(lock, _)| calls(&call, &[lock]))?;
    (!subject(&call).is_empty()).then_some((call, *unlock))
}

fn freed_by(statement: &Node<'_>) -> Option<String> {
    if statement.kind() != "expression_statement" {
        return None;
    }
    let call = statement.named_children().next().filter(|node| node.is(&["call_expression"]))?;
    let argument = call.field("arguments")?.named_children().next()?;
    let is_member = argument.is(&["field_expression", "subscript_expression"]);
    (calls(&call, &["free", "kfree", "g_free"]) && is_member).then(|| argument.text().to_owned())
}

fn assigns(statement: &Node<'_>, name: &str) -> bool {
    statement.descendants().any(|node| {
        node.is(&["assignment_expression"])
            && node.field("left").is_some_and(|left| left.text() == name)
    })
}

/// How a statement uses a pointer for the first time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Unchecked,
    Other,
}

fn first_use(statement: &Node<'_>, name: &str) -> Option<Use> {
    if !mentions(statement, name) {
        return None;
    }
    let is_plain = statement.is(&["expression_statement", "declaration"]);
    if !is_plain || statement.text().contains("assert") || statement.text().contains(" ? ") {
        return Some(Use::Other);
    }
    let follows = statement.descendants().any(|node| match node.kind().as_str() {
        "field_expression" => {
            node.text().contains("->") && node.field("argument").is_some_and(|of| of.text() == name)
        }
        "subscript_expression" | "pointer_expression" => {
            let of = node.field("argument").is_some_and(|of| of.text() == name);
            of && !node.text().starts_with('&')
        }
        "call_expression" => calls(&node, USERS) && has_argument(&node, name),
        _ => false,
    });
    let within_size = statement.text().contains("sizeof");
    let really = follows && !(within_size && only_in_size(statement, name));
    Some(if really { Use::Unchecked } else { Use::Other })
}

/// Whether a name is used for its size alone.
fn only_in_size(statement: &Node<'_>, name: &str) -> bool {
    statement
        .descendants()
        .filter(|node| node.is(&["identifier"]) && node.text() == name)
        .all(|node| node.ancestors().any(|outer| outer.is(&["sizeof_expression"])))
}

fn mentions(node: &Node<'_>, name: &str) -> bool {
    node.descendants().any(|inner| inner.is(&["identifier"]) && inner.text() == name)
}

/// Deeper nesting than this is left unread.
const DEEPEST: u32 = 40;

/// The returns behind a taking that neither give back, nor hand on, nor stand where nothing was taken.
/// None where the statements never give it back at all: then it belongs to somebody else.
fn ways_out<'t>(
    rest: &[Node<'t>],
    gives: &dyn Fn(&Node<'_>) -> bool,
    name: Option<&str>,
) -> Vec<Node<'t>> {
    let gives_somewhere = |node: &Node<'_>| {
        node.descendants().any(|inner| inner.is(&["call_expression"]) && gives(&inner))
    };
    if !rest.iter().any(gives_somewhere) {
        return Vec::new();
    }
    let mut out = Vec::new();
    walk(rest, gives, name, 0, &mut out);
    out
}

/// Walks a list of statements; returns whether the thing is given back or handed on by its end.
fn walk<'t>(
    statements: &[Node<'t>],
    gives: &dyn Fn(&Node<'_>) -> bool,
    name: Option<&str>,
    depth: u32,
    out: &mut Vec<Node<'t>>,
) -> bool {
    if depth > DEEPEST {
        return true;
    }
    for statement in statements {
        match statement.kind().as_str() {
            "return_statement" => {
                let hands_on = name.is_some_and(|name| mentions(statement, name))
                    || statement
                        .descendants()
                        .any(|node| node.is(&["call_expression"]) && gives(&node));
                if !hands_on {
                    out.push(statement.clone());
                }
                return true;
            }
            "goto_statement" | "break_statement" | "continue_statement" | "throw_statement" => {
                return true;
            }
            "if_statement" => {
                let tested = statement.field("condition").is_some_and(|condition| {
                    name.is_some_and(|name| mentions(&condition, name))
                        || tests_taking(&condition, gives)
                });
                if tested {
                    // On one branch there is nothing to give back; which one is not told.
                    if statement
                        .descendants()
                        .any(|node| node.is(&["call_expression"]) && gives(&node))
                    {
                        return true;
                    }
                    continue;
                }
                let branch = |field: &str, out: &mut Vec<Node<'t>>| {
                    statement
                        .field(field)
                        .is_some_and(|body| walk(&list(&body), gives, name, depth + 1, out))
                };
                let first = branch("consequence", out);
                let second = branch("alternative", out);
                if first && second {
                    return true;
                }
            }
            "compound_statement" | "else_clause" | "while_statement" | "for_statement"
            | "do_statement" | "switch_statement" | "case_statement" | "labeled_statement"
            | "for_range_loop" | "try_statement" | "preproc_ifdef" | "preproc_if" => {
                let body = statement.field("body").unwrap_or_else(|| statement.clone());
                let done = walk(&list(&body), gives, name, depth + 1, out);
                if done
                    && statement.is(&[
                        "compound_statement",
                        "else_clause",
                        "labeled_statement",
                        "do_statement",
                    ])
                {
                    return true;
                }
            }
            _ => {
                let given = statement
                    .descendants()
                    .any(|node| node.is(&["call_expression"]) && gives(&node));
                if given || name.is_some_and(|name| hands_on(statement, name)) {
                    return true;
                }
            }
        }
    }
    false
}

fn tests_taking(condition: &Node<'_>, gives: &dyn Fn(&Node<'_>) -> bool) -> bool {
    condition.descendants().any(|node| node.is(&["call_expression"]) && gives(&node))
}

/// The statements of a block, or the statement itself.
fn list<'t>(node: &Node<'t>) -> Vec<Node<'t>> {
    const HOLDERS: &[&str] = &[
        "compound_statement",
        "else_clause",
        "case_statement",
        "labeled_statement",
        "preproc_ifdef",
        "preproc_if",
    ];
    if node.is(HOLDERS) { node.named_children().collect() } else { vec![node.clone()] }
}

/// Whether a statement gives the pointer to something that outlives the function.
fn hands_on(statement: &Node<'_>, name: &str) -> bool {
    const KEEPERS: &[&str] = &[
        "add", "push", "insert", "append", "register", "set", "attach", "store", "own", "take",
        "put", "init", "enqueue", "link", "new", "create", "wrap", "open", "release", "destroy",
        "close", "cleanup", "defer",
    ];
    statement.descendants().any(|node| match node.kind().as_str() {
        "assignment_expression" => {
            node.field("right").is_some_and(|right| uncast(right).text() == name)
                && node.field("left").is_none_or(|left| left.text() != name)
        }
        "init_declarator" => node.field("value").is_some_and(|value| uncast(value).text() == name),
        "call_expression" => {
            let function = node.field("function").map_or("", |function| function.text());
            let function = function.to_ascii_lowercase();
            has_argument(&node, name) && KEEPERS.iter().any(|word| function.contains(word))
        }
        _ => false,
    })
}
