//! Where a value comes from: follows an expression of a match through the assignments of its function.
//!
//! A pattern finds the place where a value is used (the sink); a flow decides whether the value there
//! is one that someone outside may have shaped. It reads one file, within one function and the
//! constants around it, and stops at what cleans a value: conversions to numbers, lookups in fixed
//! tables, tests against a list or a pattern, and the functions that the rule names. What it cannot
//! decide within a bounded number of steps counts as harmless.

mod bindings;
mod names;
mod value;

use serde::Deserialize;

use crate::syntax::{Match, Node, Tree};
use bindings::Bindings;
pub(crate) use bindings::is_function;
use value::Tracer;

/// What a rule wants of a value, and what makes the value harmless.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// The metavariable that holds the value.
    of: String,
    /// What must hold of the value.
    is: Wanted,
    /// Words; a function whose name contains one of them, whatever the case, returns a clean value.
    #[serde(default)]
    clean: Vec<String>,
}

/// What must hold of a value for a rule to fire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Wanted {
    /// A text joined from a part that is not constant, or something that a request carries.
    Built,
    /// As `Built`, in a text that reads as SQL; names of tables and columns may vary.
    Sql,
    /// As `Sql`, in a text that may be a part of a statement, such as a condition.
    Fragment,
    /// As `Built`, or a plain value that is not said to be markup.
    Html,
    /// Anything that is not constant.
    Dynamic,
    /// Something that a request carries.
    Input,
    /// As `Input`, in an address whose host is not fixed before it.
    Address,
}

/// A value that makes a flow hold.
pub(super) struct Traced<'t> {
    /// The part at fault, where the text is put together or used.
    pub(super) part: Node<'t>,
    /// Where the part comes from.
    pub(super) origin: Node<'t>,
}

/// Follows the values of one tree. Keeps what it learns of the tree's assignments.
pub(super) struct Flows<'t> {
    tree: &'t Tree,
    bindings: std::cell::OnceCell<Bindings<'t>>,
}

impl<'t> Flows<'t> {
    pub(super) fn new(tree: &'t Tree) -> Self {
        Self { tree, bindings: std::cell::OnceCell::new() }
    }

    /// The part of the value that makes `flow` hold, or `None` where it does not hold.
    pub(super) fn trace(&self, flow: &Flow, matched: &Match<'t>) -> Option<Traced<'t>> {
        let node = matched.capture(&flow.of)?;
        let bindings = self.bindings.get_or_init(|| Bindings::of(self.tree));
        let sql = matches!(flow.is, Wanted::Sql | Wanted::Fragment);
        let mut tracer = Tracer::new(bindings, &flow.clean, sql);
        let value = tracer.value(&node);
        if tracer.is_exhausted() {
            return None;
        }
        let origin = value.origin.clone();
        let built = value.input.clone().or_else(|| value.built.clone());
        let part = match flow.is {
            Wanted::Built => built,
            Wanted::Input => value.input,
            Wanted::Address => value.input.filter(|_| !tracer.fixes_host()),
            Wanted::Dynamic => (!value.constant).then(|| built.unwrap_or(node)),
            Wanted::Sql => {
                built.filter(|_| value.input.is_some() && !value.text || tracer.reads_as_sql())
            }
            Wanted::Fragment => built.filter(|_| {
                value.input.is_some() || tracer.reads_as_sql() || tracer.reads_as_condition()
            }),
            Wanted::Html => {
                let plain = !value.constant && names::is_plain_value(&node);
                built
                    .filter(|_| tracer.reads_as_html() || value.input.is_some() || plain)
                    .or_else(|| plain.then_some(node))
            }
        };
        part.map(|part| Traced { origin: origin.unwrap_or_else(|| part.clone()), part })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::syntax::{Pattern, Query, QuerySet, read_yaml};

    fn parts(language: Language, flow: &str, text: &str) -> Vec<String> {
        let pattern: Pattern = read_yaml("rule: {pattern: sink($X)}").unwrap();
        let flow: Flow = read_yaml(flow).unwrap();
        let query = Query::compile(language, &pattern).unwrap();
        let tree = Tree::parse(language, text).unwrap();
        let flows = Flows::new(&tree);
        let mut out = Vec::new();
        QuerySet::new(vec![&query]).scan(
            &tree,
            |_, _| true,
            |_, found| out.extend(flows.trace(&flow, &found).map(|of| of.part.text().to_owned())),
        );
        out
    }

    fn built(text: &str) -> Vec<String> {
        parts(Language::JavaScript, "{of: X, is: built, clean: [escape]}", text)
    }

    #[test]
    fn a_value_is_followed_to_the_part_that_varies() {
        assert_eq!(built("const a = 'x' + b; const c = a; sink(c)"), ["b"]);
        assert_eq!(built("let a = 'x'; a += `y${z}`; sink(a)"), ["z"]);
        assert_eq!(built("const a = 'x' + escape(b); sink(a)"), [""; 0]);
        assert_eq!(built("function f(a) { sink(a) }"), [""; 0]);
    }

    #[test]
    fn the_assignment_that_reaches_the_sink_decides() {
        assert_eq!(built("let a = 'x' + b; a = 'y'; sink(a)"), [""; 0]);
        assert_eq!(built("let a = 'y'; if (c) { a = 'x' + b; } sink(a)"), ["b"]);
        assert_eq!(built("let a = 'y'; sink(a); a = 'x' + b;"), [""; 0]);
        assert_eq!(built("const a = 'x' + b; function f(a) { sink(a) }"), [""; 0]);
    }

    #[test]
    fn a_request_is_told_from_a_name_that_only_looks_like_one() {
        let input = |text| parts(Language::JavaScript, "{of: X, is: input}", text);
        assert_eq!(input("sink(req.query.id)"), ["req.query.id"]);
        assert_eq!(input("sink(this.req.body)"), ["this.req.body"]);
        assert_eq!(input("sink(prereq.query.id); sink(req.querying)"), [""; 0]);
        assert_eq!(input("sink(render(req.query.id))"), [""; 0]);
    }

    #[test]
    fn what_cannot_be_followed_in_bounded_steps_is_silent() {
        let doubling: String =
            (1..40).map(|n| format!("const a{n} = a{0} + a{0};", n - 1)).collect();
        assert_eq!(built(&format!("const a0 = 'x' + b; {doubling} sink(a39)")), [""; 0]);
        let deep = format!("sink({}'x' + b{})", "(".repeat(20_000), ")".repeat(20_000));
        assert_eq!(built(&deep), [""; 0]);
        let multibyte = format!("sink('{}' + b)", "ä".repeat(5_000));
        assert_eq!(built(&multibyte), ["b"]);
    }
}
