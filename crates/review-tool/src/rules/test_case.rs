//! The tests of a file and their assertions, as the change-shaped rules compare them.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use crate::finding::Side;
use crate::language::Language;
use crate::syntax::Node;
use crate::view::FileView;

/// One test function, method or block.
pub(super) struct TestCase {
    /// Its name, or the text that names it.
    pub(super) name: String,
    /// The line of the name.
    pub(super) line: u32,
    /// The last line.
    pub(super) last: u32,
    /// The source text.
    pub(super) text: String,
    /// Line and text, white space taken out, of every assertion.
    pub(super) assertions: Vec<(u32, String)>,
}

/// How a language writes tests.
struct Habit {
    /// The kinds of node that an assertion is.
    kinds: &'static [&'static str],
    /// How the text of such a node begins if it asserts.
    asserts: LazyLock<Option<Regex>>,
}

macro_rules! habit {
    ($name:ident, $kinds:expr, $pattern:expr) => {
        static $name: Habit = Habit {
            kinds: $kinds,
            asserts: LazyLock::new(|| RegexBuilder::new($pattern).unicode(false).build().ok()),
        };
    };
}

habit!(
    RUST,
    &["macro_invocation", "call_expression"],
    r"^(\w+::)*(debug_|prop_)?assert\w*!|^((\w+(::|\.))*(assert|check|verify|ensure)\w*)\("
);
habit!(
    PYTHON,
    &["assert_statement", "expression_statement", "with_statement"],
    r"^assert\b|^(await\s+)?([\w.]+\.)?_?(assert|verify|check|expect|ensure)\w*\s*\(|^(async\s+)?with\s+([\w.]*raises|self\.assert|pytest\.warns)"
);
habit!(
    SCRIPT,
    &["expression_statement"],
    r"^(await\s+|return\s+|void\s+)?(expect|assert|sinon\.assert|chai|verify|check|t\.(is|not|true|false|equal|same|deepEqual|ok|throws|like|snapshot))|^(await\s+)?cy\.[\s\S]*\.should\(|^\w[\w.]*\.should\b"
);
habit!(
    GO,
    &["expression_statement", "call_expression"],
    r"^(\w+\.)*_?(assert|require|check|verify|expect|must|Assert|Require|Check|Verify|Expect)\w*(\.\w+)*\(|^(t|tb)\.(Error|Fatal|Fail)\w*\("
);
habit!(
    JAVA,
    &["expression_statement"],
    r"^([\w.]+\.)?(assert|verify|check|expect|fail|then|inOrder)\w*[(.]"
);
habit!(RUBY, &["call", "method_call"], r"^(expect|assert|refute|is_expected|must_|should)\w*\b");
habit!(
    PHP,
    &["expression_statement"],
    r"^(\$this->|self::|static::|Assert::)?(assert|expect|verify|check)\w*\s*\(|^\$\w+->assert"
);

fn habit(language: Language) -> Option<&'static Habit> {
    Some(match language {
        Language::Rust => &RUST,
        Language::Python => &PYTHON,
        Language::JavaScript | Language::TypeScript | Language::Tsx => &SCRIPT,
        Language::Go => &GO,
        Language::Java => &JAVA,
        Language::Ruby => &RUBY,
        Language::Php => &PHP,
        _ => return None,
    })
}

/// The tests of one side, in source order.
pub(super) fn test_cases(view: &FileView, side: Side) -> Vec<TestCase> {
    let Some(language) = view.language() else { return Vec::new() };
    let Some(habit) = habit(language) else { return Vec::new() };
    // In Rust an attribute makes a test; elsewhere the file does, and names may be anything.
    if language != Language::Rust && !view.is_test() {
        return Vec::new();
    }
    let mut cases = Vec::new();
    for (base, tree) in view.trees(side) {
        let mut stack = vec![tree.root()];
        while let Some(node) = stack.pop() {
            if let Some((name, name_line)) = test_name(language, &node) {
                let (first, last) = node.lines();
                cases.push(TestCase {
                    name,
                    line: base.saturating_add(name_line.max(first)),
                    last: base.saturating_add(last),
                    text: node.text().to_owned(),
                    assertions: assertions(habit, &node, base),
                });
                continue;
            }
            let at = stack.len();
            stack.extend(node.children());
            stack[at..].reverse();
        }
    }
    cases
}

/// The name of the test that `node` is, with the line of that name.
fn test_name(language: Language, node: &Node<'_>) -> Option<(String, u32)> {
    let kind = node.kind();
    let named = |name: Node<'_>| (name.text().to_owned(), name.lines().0);
    match (language, kind.as_str()) {
        (Language::Rust, "function_item") => {
            let mut before = node.prev();
            while let Some(sibling) = before {
                match sibling.kind().as_str() {
                    "attribute_item"
                        if crate::view::is_test_attribute(sibling.text())
                            && !sibling.text().contains("cfg(") =>
                    {
                        return node.field("name").map(named);
                    }
                    "attribute_item" | "line_comment" | "block_comment" => before = sibling.prev(),
                    _ => return None,
                }
            }
            None
        }
        (Language::Python, "function_definition") => {
            node.field("name").filter(|name| name.text().starts_with("test")).map(named)
        }
        (Language::Go, "function_declaration" | "method_declaration") => node
            .field("name")
            .filter(|name| ["Test", "Fuzz"].iter().any(|start| name.text().starts_with(start)))
            .map(named),
        (Language::Java, "method_declaration") => {
            let marked = node.children().any(|child| {
                child.kind() == "modifiers"
                    && ["@Test", "@ParameterizedTest", "@RepeatedTest", "@Property"]
                        .iter()
                        .any(|mark| child.text().contains(mark))
            });
            let name = node.field("name")?;
            (marked || name.text().starts_with("test")).then(|| named(name))
        }
        (Language::Php, "method_declaration") => {
            let name = node.field("name")?;
            let marked = node.text().starts_with("#[Test");
            (marked || name.text().starts_with("test")).then(|| named(name))
        }
        (Language::Ruby, "method") => {
            node.field("name").filter(|name| name.text().starts_with("test_")).map(named)
        }
        (Language::Ruby, "call") => {
            let method = node.field("method")?;
            let test = matches!(
                method.text(),
                "it" | "specify"
                    | "test"
                    | "scenario"
                    | "xit"
                    | "fit"
                    | "xspecify"
                    | "pending"
                    | "skip"
            );
            node.field("block").filter(|_| test && node.field("receiver").is_none())?;
            let name = node.field("arguments")?;
            Some((name.text().to_owned(), node.lines().0))
        }
        (Language::JavaScript | Language::TypeScript | Language::Tsx, "call_expression") => {
            let callee = node.field("function")?.text();
            let test = matches!(
                callee.split('.').next(),
                Some("it" | "test" | "specify" | "xit" | "fit" | "xtest")
            ) && !callee.contains("describe")
                && !callee.contains(['(', '\n', ' ']);
            let first = node.field("arguments").filter(|_| test)?;
            let name = first.children().nth(1)?;
            matches!(name.kind().as_str(), "string" | "template_string")
                .then(|| (name.text().to_owned(), node.lines().0))
        }
        _ => None,
    }
}

fn assertions(habit: &Habit, test: &Node<'_>, base: u32) -> Vec<(u32, String)> {
    let Some(asserts) = &*habit.asserts else { return Vec::new() };
    let mut out = Vec::new();
    let mut stack: Vec<Node<'_>> = test.children().collect();
    stack.reverse();
    while let Some(node) = stack.pop() {
        let kind = node.kind();
        if habit.kinds.contains(&kind.as_str()) && asserts.is_match(node.text().as_bytes()) {
            let text = node.text().split_whitespace().collect();
            out.push((base.saturating_add(node.lines().0), text));
            // A block under an assertion may hold others: `with raises`, `expect { … }`.
            if kind != "with_statement" {
                continue;
            }
        }
        let at = stack.len();
        stack.extend(node.children());
        stack[at..].reverse();
    }
    out
}
