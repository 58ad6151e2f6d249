//! What a file defines: names, and how many arguments each function takes.

use super::uses::{Called, Gone, Kind};
use super::{About, Question, places};
use crate::finding::Side;
use crate::language::Language;
use crate::rules::Hit;
use crate::syntax::Node;
use crate::view::FileView;

/// More questions of one file than this are not asked: it is being rebuilt.
const MOST: usize = 12;

/// A definition that the change touches.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Definition {
    name: String,
    /// The class, struct, interface or enum around it.
    owner: Option<String>,
    kind: Kind,
    /// How many arguments a call may pass, the receiver left out.
    takes: Option<(usize, usize)>,
    line: u32,
}

/// The rule `name-still-used`.
pub(super) fn gone(view: &FileView) -> Vec<Question> {
    let Some((language, old, new)) = sides(view) else { return Vec::new() };
    let stays =
        |of: &Definition| new.iter().any(|other| other.name == of.name && other.kind == of.kind);
    let all_new: String =
        view.new_side().fragments().iter().map(crate::source::Fragment::text).collect();
    let missing = old.iter().filter(|of| {
        !stays(of)
            && view.old_side().is_changed(of.line)
            && is_telling(of)
            && !view.change().adds(&of.name)
            && !still_defined(&all_new, of)
    });
    let questions = missing.map(|of| {
        let hit = place(view, of.line);
        let about =
            Gone { name: of.name.clone(), owner: of.owner.clone(), kind: of.kind, language };
        Question {
            hit,
            words: vec![of.name.clone()],
            places: places(language),
            about: About::Gone(about),
        }
    });
    bounded(questions)
}

/// The rule `arguments-changed`.
pub(super) fn arguments(view: &FileView) -> Vec<Question> {
    let Some((language, old, new)) = sides(view) else { return Vec::new() };
    let alone = |all: &[Definition], of: &Definition| {
        all.iter().filter(|other| other.name == of.name).count() == 1
    };
    let changed = new.iter().filter_map(|of| {
        let before = old.iter().find(|other| {
            other.name == of.name && other.owner == of.owner && other.kind == of.kind
        })?;
        let (now, then) = (of.takes?, before.takes?);
        let differs = now.0 > then.0 || now.1 < then.1;
        (differs && alone(&new, of) && alone(&old, before) && is_telling(of))
            .then_some((of, now, then))
    });
    let questions = changed.filter_map(|(of, now, then)| {
        let new_side = view.new_side();
        let line = (of.line..of.line.saturating_add(12)).find(|line| new_side.is_changed(*line))?;
        let about = Called {
            name: of.name.clone(),
            owner: of.owner.clone(),
            language,
            now,
            then,
            own: view.path().to_owned(),
        };
        let hit = Hit::added(line);
        Some(Question {
            hit,
            words: vec![of.name.clone()],
            places: places(language),
            about: About::Called(about),
        })
    });
    bounded(questions)
}

fn bounded(questions: impl Iterator<Item = Question>) -> Vec<Question> {
    let questions: Vec<Question> = questions.take(MOST + 1).collect();
    if questions.len() > MOST { Vec::new() } else { questions }
}

/// The touched definitions of both sides of a file that stood before and stays.
fn sides(view: &FileView) -> Option<(Language, Vec<Definition>, Vec<Definition>)> {
    let language = view.language().filter(|language| !super::family(*language).is_empty())?;
    if view.old_path().is_none() || view.is_test() || view.old_side().changed().is_empty() {
        return None;
    }
    Some((language, definitions(view, Side::Old, language), definitions(view, Side::New, language)))
}

/// The place of a definition that is gone: the line that came for it, where there is one.
fn place(view: &FileView, line: u32) -> Hit {
    let blocks = crate::rules::edit::blocks(view.old_side(), view.new_side());
    let block = blocks.into_iter().find(|block| block.old.contains(&line));
    let came = block.filter(|block| !block.new.is_empty()).and_then(|block| {
        let at = block.new.start.saturating_add(line.saturating_sub(block.old.start));
        block.new.contains(&at).then_some(at)
    });
    came.map_or_else(|| Hit::removed(line), Hit::added)
}

/// Whether a name says what it means well enough to be looked for.
fn is_telling(of: &Definition) -> bool {
    const COMMON: &[&str] = &[
        "main",
        "init",
        "new",
        "get",
        "set",
        "run",
        "start",
        "stop",
        "close",
        "open",
        "read",
        "write",
        "find",
        "list",
        "create",
        "update",
        "delete",
        "remove",
        "load",
        "save",
        "send",
        "parse",
        "format",
        "print",
        "handle",
        "execute",
        "process",
        "build",
        "call",
        "apply",
        "render",
        "setup",
        "toString",
        "equals",
        "hashCode",
        "constructor",
        "test",
        "value",
        "values",
        "name",
        "data",
        "index",
        "length",
        "count",
        "size",
        "next",
        "error",
        "status",
        "state",
        "type",
        "kind",
        "items",
        "result",
        "options",
        "config",
        "handler",
        "callback",
        "clone",
        "copy",
        "reset",
        "clear",
        "add",
        "push",
        "pop",
        "filter",
        "map",
        "each",
        "string",
        "default",
        "fmt",
        "from",
        "into",
        "drop",
        "message",
        "title",
        "query",
        "request",
        "response",
        "body",
        "path",
        "file",
        "user",
        "token",
        "string_value",
        "to_string",
    ];
    let name = of.name.as_str();
    let compound = name.contains('_') && !name.starts_with('_')
        || name.chars().skip(1).any(char::is_uppercase)
        || name.starts_with(char::is_uppercase);
    let plain = name.len() >= 4
        && !COMMON.contains(&name)
        && !name.starts_with("__")
        && !name.starts_with("test");
    match of.kind {
        // An owner stands with them, so that a short name will do.
        Kind::Variant => name.len() > 1,
        Kind::Field => plain && compound && of.owner.is_some(),
        Kind::Method => plain && of.owner.is_some(),
        Kind::Function | Kind::Type => {
            plain || name.len() >= 4 && compound && !COMMON.contains(&name)
        }
    }
}

/// Whether the new text still defines the name in a form that the walk does not know.
fn still_defined(text: &str, of: &Definition) -> bool {
    text.lines().any(|line| super::uses::defines(line, &of.name))
        || of.kind == Kind::Field && crate::rules::lost::mentions(text, &of.name)
        || text.lines().any(|line| {
            // Given on under its old name.
            (line.contains("export")
                || line.contains("pub use")
                || line.contains("alias")
                || line.contains("__all__"))
                && crate::rules::lost::mentions(line, &of.name)
        })
}

fn definitions(view: &FileView, side: Side, language: Language) -> Vec<Definition> {
    let text = view.side(side);
    let mut out = Vec::new();
    for (base, tree) in view.trees(side) {
        let mut stack: Vec<(Node<'_>, Option<String>)> = vec![(tree.root(), None)];
        while let Some((node, owner)) = stack.pop() {
            let (first, last) = node.lines();
            if !text.touches(&(base.saturating_add(first)..=base.saturating_add(last))) {
                continue;
            }
            let inner = owner_name(&node).or_else(|| owner.clone());
            if let Some(mut found) = definition(&node, owner.as_deref(), language) {
                found.line = base.saturating_add(found.line);
                out.push(found);
            }
            stack.extend(node.children().map(|child| (child, inner.clone())));
        }
    }
    out.sort_by_key(|of| of.line);
    out
}

/// The name of a class, struct, interface, enum or implementation that owns what is in it.
fn owner_name(node: &Node<'_>) -> Option<String> {
    const OWNERS: &[&str] = &[
        "class_definition",
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "enum_item",
        "struct_item",
        "trait_item",
        "class",
        "module",
        "record_declaration",
        "struct_declaration",
        "class_specifier",
        "struct_specifier",
        "type_spec",
        "trait_declaration",
        "abstract_class_declaration",
        "type_alias_declaration",
    ];
    let name = match node.kind().as_str() {
        "impl_item" => node.field("type"),
        _ if node.is(OWNERS) => node.field("name"),
        _ => None,
    };
    name.map(|name| name.text().split('<').next().unwrap_or_default().to_owned())
}

fn definition(node: &Node<'_>, owner: Option<&str>, language: Language) -> Option<Definition> {
    let kind = node.kind();
    let owned = owner.map(str::to_owned);
    let (name, kind, parameters) = match kind.as_str() {
        "function_definition" if matches!(language, Language::C | Language::Cpp) => {
            let declarator = function_declarator(node)?;
            let name = declarator.field("declarator").filter(|name| name.is(&["identifier"]))?;
            (name, Kind::Function, declarator.field("parameters"))
        }
        "function_definition"
        | "function_declaration"
        | "function_item"
        | "method"
        | "method_definition"
        | "method_declaration"
        | "generator_function_declaration" => {
            let kind = if owner.is_some() || node.is(&["method_declaration"]) {
                Kind::Method
            } else {
                Kind::Function
            };
            (node.field("name")?, kind, node.field("parameters"))
        }
        "variable_declarator" => {
            let value = node.field("value")?;
            let top = node.parent()?.parent()?;
            if !value.is(&["arrow_function", "function_expression"])
                || !top.is(&["program", "export_statement"])
            {
                return None;
            }
            (node.field("name")?, Kind::Function, value.field("parameters"))
        }
        "class_definition"
        | "class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "enum_item"
        | "struct_item"
        | "trait_item"
        | "record_declaration"
        | "struct_declaration"
        | "type_spec"
        | "type_alias_declaration"
        | "abstract_class_declaration" => (node.field("name")?, Kind::Type, None),
        "property_signature" | "field_declaration" if owner.is_some() => {
            let name = node.field("name")?;
            (name, Kind::Field, None)
        }
        "property_declaration" if language == Language::CSharp => {
            (node.field("name")?, Kind::Field, None)
        }
        "enum_variant" | "enum_constant" | "enum_member_declaration" => {
            (node.field("name")?, Kind::Variant, None)
        }
        "enum_assignment" => (node.field("name")?, Kind::Variant, None),
        "property_identifier" if node.parent().is_some_and(|outer| outer.is(&["enum_body"])) => {
            (node.clone(), Kind::Variant, None)
        }
        _ => return None,
    };
    let owned = match node.kind().as_str() {
        "method_declaration" if language == Language::Go => receiver(node),
        "type_spec" => None,
        _ if kind == Kind::Type => None,
        _ => owned,
    };
    let takes = parameters.and_then(|list| takes(&list, language, owned.is_some()));
    let name_text = name.text().trim_start_matches('#').to_owned();
    Some(Definition { name: name_text, owner: owned, kind, takes, line: name.lines().0 })
}

/// The type of a method's receiver in Go.
fn receiver(node: &Node<'_>) -> Option<String> {
    let text = node.field("receiver")?.text();
    let name = text.trim_matches(['(', ')']).rsplit([' ', '*']).next()?;
    Some(name.split('[').next().unwrap_or_default().to_owned())
}

fn function_declarator<'t>(node: &Node<'t>) -> Option<Node<'t>> {
    let mut declarator = node.field("declarator")?;
    for _ in 0..4 {
        if declarator.is(&["function_declarator"]) {
            return Some(declarator);
        }
        let inner = declarator.field("declarator");
        declarator = inner.or_else(|| declarator.named_children().last())?;
    }
    None
}

/// The fewest and the most arguments that a list of parameters takes; `None` where names decide.
fn takes(list: &Node<'_>, language: Language, is_method: bool) -> Option<(usize, usize)> {
    let (mut least, mut most) = (0, 0_usize);
    let mut first = true;
    for parameter in list.named_children().filter(|node| !node.kind().contains("comment")) {
        let text = parameter.text();
        let is_first = std::mem::take(&mut first);
        match parameter.kind().as_str() {
            "self_parameter" | "attribute_item" | "positional_separator" => continue,
            "keyword_separator"
            | "keyword_parameter"
            | "hash_splat_parameter"
            | "block_parameter"
            | "receiver_parameter" => {
                return None;
            }
            "list_splat_pattern"
            | "dictionary_splat_pattern"
            | "rest_pattern"
            | "spread_parameter"
            | "variadic_parameter"
            | "variadic_parameter_declaration"
            | "splat_parameter" => most = usize::MAX,
            _ if language == Language::Python
                && is_first
                && is_method
                && matches!(text, "self" | "cls") => {}
            _ if matches!(language, Language::C | Language::Cpp) && text == "void" => {}
            _ if text.contains("...")
                || text.starts_with("params ")
                || text.starts_with('*') && language == Language::Python =>
            {
                most = usize::MAX;
            }
            _ if language == Language::TypeScript && text.starts_with("this:") => {}
            "default_parameter"
            | "typed_default_parameter"
            | "assignment_pattern"
            | "optional_parameter"
            | "optional_parameter_declaration" => most = most.saturating_add(1),
            _ if parameter.field("value").is_some()
                || parameter.field("default_value").is_some() =>
            {
                most = most.saturating_add(1);
            }
            _ if language == Language::CSharp && text.contains('=') => {
                most = most.saturating_add(1);
            }
            "parameter_declaration" if language == Language::Go => {
                // `a, b int` are two, and `int` alone is one.
                let names =
                    parameter.named_children().filter(|node| node.is(&["identifier"])).count();
                least += names.max(1);
                most = most.saturating_add(names.max(1));
            }
            _ => {
                least += 1;
                most = most.saturating_add(1);
            }
        }
    }
    Some((least, most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SideText;

    fn found(path: &str, text: &str) -> Vec<(String, Option<(usize, usize)>)> {
        let count = u32::try_from(text.lines().count()).unwrap();
        let new = SideText::whole(text.as_bytes(), (1..=count).collect(), Vec::new());
        let view = FileView::new(path.to_owned(), None, SideText::default(), new);
        let language = view.language().unwrap();
        let all = definitions(&view, Side::New, language).into_iter();
        all.map(|of| {
            let owner = of.owner.map(|owner| owner + ".").unwrap_or_default();
            (owner + &of.name, of.takes)
        })
        .collect()
    }

    #[test]
    fn definitions_are_read_with_what_they_take() {
        let many = usize::MAX;
        for (path, text, name, takes) in [
            ("a.py", "def f(a, b=1, *c):\n    pass\n", "f", Some((1, many))),
            ("a.py", "class A:\n    def f(self, a):\n        pass\n", "A.f", Some((1, 1))),
            ("a.ts", "export function f(a: string, b?: number) {}\n", "f", Some((1, 2))),
            ("a.js", "export const f = (a, b = 1) => a;\n", "f", Some((1, 2))),
            ("a.go", "func (s *S) F(ctx C, a, b int) {}\n", "S.F", Some((3, 3))),
            ("A.java", "class A { void f(int a, String... b) {} }\n", "A.f", Some((1, many))),
            ("a.cs", "class A { void F(int a, int b = 1) {} }\n", "A.F", Some((1, 2))),
            ("a.rs", "impl A { fn f(&self, a: u8) {} }\n", "A.f", Some((1, 1))),
            ("a.c", "unsigned *f(const char *s, unsigned seed) { return 0; }\n", "f", Some((2, 2))),
            ("a.c", "int f(void) { return 0; }\n", "f", Some((0, 0))),
            ("a.php", "<?php function f($a, $b = 1) {}\n", "f", Some((1, 2))),
            ("a.rs", "enum Event {\n    Opened,\n}\n", "Event.Opened", None),
            ("a.ts", "interface I {\n  dueDate: string;\n}\n", "I.dueDate", None),
        ] {
            let all = found(path, text);
            assert!(all.contains(&(name.to_owned(), takes)), "{path}: {all:?}");
        }
    }
}
