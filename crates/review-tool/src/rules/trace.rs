//! Follows values through one function: what a text is put together from, and where its parts come from.
//!
//! Within one outermost function, along assignments, without a model of calls. What is assigned in a
//! function that is not looked at is taken as fixed; parameters and what a request brings are not.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

use crate::language::Language;
use crate::syntax::Node;

mod format;
mod go;
mod python;
mod rust;
mod safe;

/// How many assignments a value is followed through.
const DEEPEST: u8 = 5;
/// How many parts of one text are looked at.
const MOST_PIECES: usize = 200;

/// How deep expressions are looked into; what lies deeper is taken as unknown.
const DEEPEST_NESTING: u32 = 100;
/// How many steps one function may cost, so that code made for it cannot stop a review.
const MOST_STEPS: u32 = 200_000;

/// How many different searches of one function's text are made.
const MOST_SEARCHES: usize = 500;
/// What an assignment holds for.
const BLOCKS: &[&str] = &["block", "module", "source_file", "function_definition"];

/// A part of a text.
#[derive(Clone)]
pub(super) enum Piece<'t> {
    /// Text that stands in the code.
    Literal(String),
    /// A value put into it.
    Value(Value<'t>),
}

/// A value that is put into a text.
#[derive(Clone)]
pub(super) struct Value<'t> {
    pub text: &'t str,
    /// The expression; `None` where the grammar does not give one, as inside a macro.
    pub node: Option<Node<'t>>,
    /// The expression that puts it into the text.
    pub within: Node<'t>,
    /// Formatted by a verb that cannot carry text, such as `%d`.
    pub is_number: bool,
}

struct Assigned<'t> {
    name: &'t str,
    value: Node<'t>,
    appends: bool,
    start: usize,
    /// Where the block ends in which the assignment stands.
    block: std::ops::Range<usize>,
}

/// The values of one function, or of what stands outside every function.
pub(super) struct Flow<'t> {
    pub language: Language,
    pub scope: Node<'t>,
    is_function: bool,
    assigned: Vec<Assigned<'t>>,
    params: HashSet<&'t str>,
    /// Parameters whose type can hold no text.
    numbers: HashSet<&'t str>,
    /// Parameters that a framework fills from the request.
    requested: HashSet<&'t str>,
    /// While the function is read: the block around the node at hand.
    block: std::ops::Range<usize>,
    /// The places in `assigned` of each name, ascending.
    by_name: HashMap<&'t str, Vec<usize>>,
    /// What searches of the function's text have answered: many uses ask the same.
    guarded: RefCell<HashMap<String, bool>>,
    mentioned: RefCell<HashMap<String, bool>>,
    nesting: Cell<u32>,
    steps: Cell<u32>,
}

impl<'t> Flow<'t> {
    /// The outermost function around `node`, if there is one.
    fn outermost(language: Language, node: &Node<'t>) -> Option<Node<'t>> {
        let functions = functions(language);
        node.ancestors().filter(|outer| outer.is(functions)).last()
    }

    /// Reads the outermost function around `node`, or the whole tree where there is none.
    pub(super) fn around(language: Language, node: &Node<'t>) -> Self {
        let functions = functions(language);
        let function = Self::outermost(language, node);
        let outside = function.is_none();
        let scope = function.or_else(|| node.ancestors().last()).unwrap_or_else(|| node.clone());
        let mut flow = Self {
            language,
            scope: scope.clone(),
            is_function: !outside,
            assigned: Vec::new(),
            params: HashSet::new(),
            numbers: HashSet::new(),
            requested: HashSet::new(),
            block: scope.range(),
            by_name: HashMap::new(),
            guarded: RefCell::default(),
            mentioned: RefCell::default(),
            nesting: Cell::new(0),
            steps: Cell::new(0),
        };
        // The block goes down with the walk: to ask a node for the nodes around it costs a search from
        // the root.
        let mut stack = vec![(scope.clone(), scope.range())];
        while let Some((node, block)) = stack.pop() {
            if outside && node.is(functions) {
                continue;
            }
            flow.block.clone_from(&block);
            match language {
                Language::Python => flow.read_python(&node),
                Language::Go => flow.read_go(&node),
                _ => flow.read_rust(&node),
            }
            let inner = if node.is(BLOCKS) { node.range() } else { block };
            stack.extend(node.children().map(|child| (child, inner.clone())));
        }
        flow.assigned.sort_by_key(|assigned| assigned.start);
        for (index, assigned) in flow.assigned.iter().enumerate() {
            flow.by_name.entry(assigned.name).or_default().push(index);
        }
        flow
    }

    /// Takes down that `name` gets `value` in the statement `at`.
    fn assign(&mut self, name: &'t str, value: Node<'t>, appends: bool, at: &Node<'t>) {
        let block = self.block.clone();
        self.assigned.push(Assigned { name, value, appends, start: at.range().start, block });
    }

    /// The values that `name` may hold at byte `at`, in order.
    fn values_of(&self, name: &str, at: usize) -> Vec<Node<'t>> {
        let Some(places) = self.by_name.get(name) else { return Vec::new() };
        let before = places.partition_point(|&place| self.assigned[place].start < at);
        let mut values = Vec::new();
        for &place in places[..before].iter().rev() {
            let assigned = &self.assigned[place];
            if assigned.value.range().contains(&at) {
                continue;
            }
            values.push(assigned.value.clone());
            // An assignment in a block around the use hides what came before it.
            if !assigned.appends && assigned.block.contains(&at) {
                break;
            }
        }
        values.reverse();
        values
    }

    /// Whether `name` is a parameter, or gets a value in this scope.
    pub(super) fn is_local(&self, name: &str) -> bool {
        self.params.contains(name) || self.by_name.contains_key(name)
    }

    /// Goes one step deeper, or gives `otherwise` where the bounds are reached.
    fn deeper<T>(&self, otherwise: T, step: impl FnOnce() -> T) -> T {
        let (nesting, steps) = (self.nesting.get(), self.steps.get());
        if nesting >= DEEPEST_NESTING || steps >= MOST_STEPS {
            return otherwise;
        }
        self.nesting.set(nesting + 1);
        self.steps.set(steps + 1);
        let result = step();
        self.nesting.set(nesting);
        result
    }

    /// What the text `expression` is put together from, in order.
    pub(super) fn pieces(&self, expression: &Node<'t>) -> Vec<Piece<'t>> {
        let mut out = Vec::new();
        self.collect(expression, expression, DEEPEST, &mut out);
        out
    }

    fn collect(&self, node: &Node<'t>, within: &Node<'t>, left: u8, out: &mut Vec<Piece<'t>>) {
        self.deeper((), || self.collect_here(node, within, left, out));
    }

    fn collect_here(&self, node: &Node<'t>, within: &Node<'t>, left: u8, out: &mut Vec<Piece<'t>>) {
        if out.len() >= MOST_PIECES {
            return;
        }
        if left > 0 && node.is(&["identifier"]) {
            let values = self.values_of(node.text(), node.range().start);
            let mut parts = Vec::new();
            for value in values {
                self.collect(&value, &value, left - 1, &mut parts);
            }
            // A name for a value that is no text of ours stays a name.
            if parts.iter().any(|piece| matches!(piece, Piece::Literal(_))) {
                out.extend(parts);
                return;
            }
        }
        let is_known = match self.language {
            Language::Python => self.collect_python(node, within, left, out),
            Language::Go => self.collect_go(node, within, left, out),
            _ => self.collect_rust(node, within, left, out),
        };
        if !is_known {
            out.push(put(node, within, false));
        }
    }

    /// Whether a request brings the value, directly or along assignments.
    pub(super) fn is_requested(&self, value: &Value<'t>) -> bool {
        match &value.node {
            Some(node) => self.comes_from_request(node, DEEPEST),
            None => self.requested.contains(value.text),
        }
    }

    /// Whether a request brings what `node` holds.
    pub(super) fn comes_from_request(&self, node: &Node<'t>, left: u8) -> bool {
        self.deeper(false, || self.comes_from_request_here(node, left))
    }

    fn comes_from_request_here(&self, node: &Node<'t>, left: u8) -> bool {
        if safe::is_source(self.language, node.text()) {
            return !self.is_harmless_call(node);
        }
        if self.is_harmless_call(node) {
            return false;
        }
        if node.is(&["identifier"]) {
            let values = self.values_of(node.text(), node.range().start);
            if values.is_empty() {
                return self.requested.contains(node.text());
            }
            return left > 0 && values.iter().any(|value| self.comes_from_request(value, left - 1));
        }
        if node.is(&["comparison_operator", "lambda", "func_literal", "keyword_argument"]) {
            return false;
        }
        node.named_children().any(|child| self.comes_from_request(&child, left))
    }

    /// Whether the function tests `name` against what is allowed.
    pub(super) fn is_guarded(&self, name: &str) -> bool {
        remember(&self.guarded, name, || safe::has_guard(self.scope.text(), name))
    }

    /// Whether the scope's text has one of these words.
    pub(super) fn mentions(&self, words: &[&str]) -> bool {
        let text = self.scope.text();
        words.iter().any(|word| remember(&self.mentioned, word, || text.contains(word)))
    }
}

/// An answer about the function's text, searched for once. Beyond a bound of different questions the
/// answer is no, so that code made for it cannot stop a review.
fn remember(
    answers: &RefCell<HashMap<String, bool>>,
    question: &str,
    search: impl FnOnce() -> bool,
) -> bool {
    if let Some(&answer) = answers.borrow().get(question) {
        return answer;
    }
    let answer = answers.borrow().len() < MOST_SEARCHES && search();
    answers.borrow_mut().insert(question.to_owned(), answer);
    answer
}

const fn functions(language: Language) -> &'static [&'static str] {
    match language {
        Language::Python => python::FUNCTIONS,
        Language::Go => go::FUNCTIONS,
        _ => rust::FUNCTIONS,
    }
}

/// The flows of the functions that one scan looks at, each made once.
pub(super) struct Flows<'t> {
    made: Vec<Flow<'t>>,
}

impl<'t> Flows<'t> {
    /// None yet.
    pub(super) const fn new() -> Self {
        Self { made: Vec::new() }
    }

    /// The flow around `node`: the last one made where `node` lies in its function.
    pub(super) fn around(&mut self, language: Language, node: &Node<'t>) -> &Flow<'t> {
        let at = node.range().start;
        let known =
            self.made.iter().rposition(|flow| flow.is_function && flow.scope.range().contains(&at));
        let known = known.or_else(|| {
            // Outside of every function there is one flow for all.
            let outside = self.made.iter().position(|flow| !flow.is_function)?;
            Flow::outermost(language, node).is_none().then_some(outside)
        });
        let index = known.unwrap_or_else(|| {
            self.made.retain(|flow| !flow.is_function);
            self.made.push(Flow::around(language, node));
            self.made.len() - 1
        });
        &self.made[index]
    }
}

/// A value that `within` puts into a text.
fn put<'t>(value: &Node<'t>, within: &Node<'t>, is_number: bool) -> Piece<'t> {
    let node = Some(value.clone());
    Piece::Value(Value { text: value.text(), node, within: within.clone(), is_number })
}

/// The nodes of a list without punctuation and comments.
pub(super) fn items<'t>(list: &Node<'t>) -> Vec<Node<'t>> {
    list.named_children()
        .filter(|node| !node.is(&["comment", "line_comment", "block_comment"]))
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::rules::RuleSet;
    use crate::source::SideText;
    use crate::view::FileView;

    fn lines(path: &str, text: &str) -> Vec<u32> {
        let count = u32::try_from(text.lines().count()).unwrap();
        let new = SideText::whole(text.as_bytes(), (1..=count).collect(), Vec::new());
        let view = FileView::new(path.to_owned(), None, SideText::default(), new);
        let wanted = |rule: &crate::rules::Rule| rule.id().ends_with("-sql-injection");
        RuleSet::embedded().check(&view, wanted).iter().map(|(_, hit)| hit.line).collect()
    }

    #[test]
    fn deep_nesting_neither_overflows_nor_hides_what_follows() {
        let deep = format!("{}x{}", "(".repeat(20_000), ")".repeat(20_000));
        let sum = format!("x{}", " + x".repeat(20_000));
        let text = format!(
            "def f(cur, x):\n    cur.execute({deep})\n    cur.execute('SELECT ' + {sum})\n\
             def g(cur, x):\n    cur.execute(f\"SELECT a FROM t WHERE b = '{{x}}'\")\n"
        );
        assert_eq!(lines("a.py", &text), [5]);
    }

    #[test]
    fn names_that_feed_each_other_cost_bounded_time() {
        let mut text = String::from("def f(cur, a, b):\n");
        for _ in 0..300 {
            text.push_str("    a = a + b\n    b = b + a\n");
        }
        text.push_str("    cur.execute('SELECT a FROM t WHERE b = ' + a)\n");
        assert!(lines("a.py", &text).len() <= 1);
    }
}
