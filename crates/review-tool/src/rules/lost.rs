//! What a change takes away while the code that needs it stays.
//!
//! Each rule of this family looks at the edits of a change: lines that really go, lines that come, and
//! the tokens that differ where lines take each other's place. It fires only where nothing comes that may
//! do the same, since most of what goes was replaced, moved or no longer needed.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use super::Hit;
use super::edit::{Edit, edits, tokens};
use super::flow::is_function;
use super::introduced::old_line_of;
use crate::finding::Side;
use crate::language::Language;
use crate::syntax::Node;
use crate::view::FileView;

pub(super) mod access;
pub(super) mod condition;
pub(super) mod guard;
pub(super) mod lock;
pub(super) mod operand;
pub(super) mod release;

/// Declares an expression that is compiled once. Case counts unless the expression says otherwise.
macro_rules! expression {
    ($name:ident, $pattern:expr) => {
        static $name: crate::rules::lost::Expression =
            crate::rules::lost::Expression(std::sync::LazyLock::new(|| {
                crate::rules::lost::compile($pattern)
            }));
    };
}
pub(super) use expression;

/// An expression over bytes, compiled at the first use.
pub(super) struct Expression(pub(super) LazyLock<Option<Regex>>);

pub(super) fn compile(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern).unicode(false).build().ok()
}

impl Expression {
    pub(super) fn is_match(&self, text: &str) -> bool {
        self.0.as_ref().is_some_and(|of| of.is_match(text.as_bytes()))
    }
}

expression!(
    EXIT,
    r"^(return|throw|raise|continue|break|goto|exit|die|panic|abort|next|halt|redirect|bail|fail|process\.exit|sys\.exit|os\.Exit|std::process::exit|log\.Fatal|t\.Fatal|b\.Fatal|Environment\.Exit|unreachable|co_return)\b"
);

impl Expression {
    /// The first two groups of the first match; what takes no part is empty.
    pub(super) fn pair(&self, text: &str) -> Option<(String, String)> {
        let found = self.0.as_ref()?.captures(text.as_bytes())?;
        let group =
            |at| found.get(at).and_then(|group| text.get(group.range())).unwrap_or_default();
        Some((group(1).to_owned(), group(2).to_owned()))
    }
}

/// Whether a statement leaves its block for good, by its first word.
pub(super) fn is_exit(statement: &str) -> bool {
    EXIT.is_match(statement.trim_start())
}

/// A changed file as the rules of this family see it.
pub(super) struct Lost<'v> {
    pub(super) view: &'v FileView,
    pub(super) edits: Vec<Edit<'v>>,
}

impl<'v> Lost<'v> {
    /// Reads the change of a file of code that stood before and stays. `None` for any other.
    pub(super) fn of(view: &'v FileView) -> Option<Self> {
        let language = view.language().filter(|language| language.is_code())?;
        if matches!(language, Language::Sql | Language::Dockerfile)
            || view.old_path().is_none()
            || view.old_side().changed().is_empty()
        {
            return None;
        }
        let edits = edits(view);
        edits.iter().any(|edit| !edit.old.is_empty()).then_some(Self { view, edits })
    }

    /// As [`Lost::of`], for settings and data as well.
    pub(super) fn of_settings(view: &'v FileView) -> Option<Self> {
        if view.old_path().is_none() || view.old_side().changed().is_empty() {
            return None;
        }
        view.language()?;
        let edits = edits(view);
        edits.iter().any(|edit| !edit.old.is_empty()).then_some(Self { view, edits })
    }

    /// The lines that come, with their numbers.
    pub(super) fn came(&self) -> impl Iterator<Item = (u32, &'v str)> + '_ {
        self.edits.iter().flat_map(|edit| edit.new.iter().copied())
    }

    /// The lines that come within `lines` of the new side.
    pub(super) fn came_in<'l>(
        &'l self,
        lines: &'l RangeInclusive<u32>,
    ) -> impl Iterator<Item = &'v str> + 'l {
        self.came().filter(|(line, _)| lines.contains(line)).map(|(_, text)| text)
    }

    /// Whether a line of the old side really goes, rather than staying or changing its layout alone.
    pub(super) fn goes(&self, line: u32) -> bool {
        self.edits.iter().any(|edit| edit.old.iter().any(|(number, _)| *number == line))
    }

    /// The innermost function around a line of one side.
    pub(super) fn function(&self, side: Side, line: u32) -> Option<Function<'v>> {
        function_at(self.view, side, line)
    }

    /// The function of the new side that was the function around `line` of the old side.
    pub(super) fn function_after(&self, line: u32) -> Option<Function<'v>> {
        let before = self.function(Side::Old, line)?;
        let (old, new) = (self.view.old_side(), self.view.new_side());
        let stays = before.lines.clone().filter(|line| !old.is_changed(*line));
        let mut stays =
            stays.filter(|line| old.line(*line).is_some_and(|text| text.trim().len() > 2));
        let mapped = old_line_of(stays.next()?, new, old)?;
        self.function(Side::New, mapped)
    }

    /// The whole text of the new side.
    pub(super) fn new_text(&self) -> impl Iterator<Item = &'v str> {
        self.view.new_side().fragments().iter().map(crate::source::Fragment::text)
    }

    /// Whether an expression matches anywhere on the new side.
    pub(super) fn new_has(&self, expression: &Expression) -> bool {
        self.new_text().any(|text| expression.is_match(text))
    }

    /// The next line of code on the old side after `line` that does not go.
    pub(super) fn next_staying(&self, line: u32) -> Option<&'v str> {
        let old = self.view.old_side();
        let following = (line.saturating_add(1)..line.saturating_add(40))
            .map_while(|at| Some((at, old.line(at)?)));
        let mut code = following
            .filter(|(at, text)| !self.goes(*at) && !tokens(self.view.language(), text).is_empty());
        code.next().map(|(_, text)| text)
    }
}

/// A function of one side.
pub(super) struct Function<'v> {
    pub(super) node: Node<'v>,
    /// Its lines, counted from 1 in the file.
    pub(super) lines: RangeInclusive<u32>,
}

impl<'v> Function<'v> {
    pub(super) fn text(&self) -> &'v str {
        self.node.text()
    }
}

fn function_at(view: &FileView, side: Side, line: u32) -> Option<Function<'_>> {
    let (base, tree) = view.trees(side).filter(|(base, _)| *base <= line).last()?;
    let within = line.saturating_sub(base);
    let holds = |node: &Node<'_>| {
        let (first, last) = node.lines();
        first <= within && within <= last
    };
    let mut found = None;
    let mut next = Some(tree.root());
    while let Some(node) = next {
        if is_function(&node.kind()) {
            found = Some(node.clone());
        }
        next = node.children().find(holds);
    }
    found.map(|node| {
        let (first, last) = node.lines();
        Function { lines: base.saturating_add(first)..=base.saturating_add(last), node }
    })
}

/// The nodes of `kinds` on the old side that the change touches, with the first line of their fragment.
pub(super) fn touched_before<'v>(view: &'v FileView, kinds: &[&str]) -> Vec<(u32, Node<'v>)> {
    let old = view.old_side();
    let mut out = Vec::new();
    for (base, tree) in view.trees(Side::Old) {
        let mut stack = vec![tree.root()];
        while let Some(node) = stack.pop() {
            let (first, last) = node.lines();
            if !old.touches(&(base.saturating_add(first)..=base.saturating_add(last))) {
                continue;
            }
            let at = stack.len();
            stack.extend(node.children());
            stack[at..].reverse();
            if node.is(kinds) {
                out.push((base, node));
            }
        }
    }
    out
}

/// The names in a text, each once, without numbers and the words that every language has.
pub(super) fn names(language: Option<Language>, text: &str) -> Vec<&str> {
    const WORDS: &[&str] = &[
        "if",
        "else",
        "not",
        "and",
        "or",
        "is",
        "in",
        "null",
        "nil",
        "None",
        "true",
        "false",
        "True",
        "False",
        "undefined",
        "this",
        "self",
        "return",
        "new",
        "let",
        "var",
        "const",
        "await",
        "nullptr",
        "NULL",
        "typeof",
        "instanceof",
        "unless",
        "end",
        "then",
        "raise",
        "throw",
    ];
    let mut out: Vec<&str> = Vec::new();
    for line in text.lines() {
        for token in tokens(language, line) {
            let is_name = token.starts_with(|c: char| c.is_alphabetic() || c == '_');
            if is_name && !WORDS.contains(&token) && !out.contains(&token) {
                out.push(token);
            }
        }
    }
    out
}

/// Whether `text` has `name` as a whole word.
pub(super) fn mentions(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(is_part)
            && !text[at + name.len()..].chars().next().is_some_and(is_part)
    })
}

/// A hit at a removed line.
pub(super) fn removed(line: u32, message: impl Into<String>) -> Hit {
    Hit::removed(line).message(message)
}

/// The first `LONGEST` characters of a line, for a message.
pub(super) fn quote(text: &str) -> String {
    super::introduced::short(text.trim())
}
