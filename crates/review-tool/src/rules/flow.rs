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
pub(super) use bindings::is_function;
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
