//! The syntax engine behind one small interface: parse a text, compile a pattern, walk the matches.
//!
//! ast-grep over tree-sitter stands behind it; no other module names either. The walk is our own:
//! ast-grep's combined scan obeys `ast-grep-ignore` comments, and a change under review must not be
//! able to switch its reviewer off. It descends only where the caller asks, so its cost follows the
//! change rather than the file.

use ast_grep_config::{DeserializeEnv, RuleCore, SerializableRuleCore};
use ast_grep_core::matcher::MatcherExt;
use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_core::{AstGrep, Matcher, Node as AstNode, NodeMatch};
use ast_grep_language::SupportLang;
use serde::Deserialize;

use crate::language::Language;

pub mod document;

/// Why a text or a pattern could not be used.
#[derive(Debug, thiserror::Error)]
pub enum SyntaxError {
    /// The parser gave up on the text.
    #[error("cannot parse the text as {language}: {reason}")]
    Parse {
        /// The language tried.
        language: Language,
        /// What the parser said.
        reason: String,
    },
    /// The pattern is not one of the language.
    #[error("the pattern does not compile for {language}: {reason}")]
    Pattern {
        /// The language tried.
        language: Language,
        /// The chain of causes, outermost first.
        reason: String,
    },
    /// The document is not YAML of the expected shape.
    #[error("not a rule document: {0}")]
    Yaml(String),
}

/// The grammar of a language; `None` for one that is read by lines alone.
const fn grammar(language: Language) -> Option<SupportLang> {
    Some(match language {
        Language::Bash => SupportLang::Bash,
        Language::C => SupportLang::C,
        Language::Cpp => SupportLang::Cpp,
        Language::CSharp => SupportLang::CSharp,
        Language::Hcl => SupportLang::Hcl,
        Language::Json => SupportLang::Json,
        Language::Yaml => SupportLang::Yaml,
        Language::Go => SupportLang::Go,
        Language::Java => SupportLang::Java,
        Language::JavaScript => SupportLang::JavaScript,
        Language::Php => SupportLang::Php,
        Language::Python => SupportLang::Python,
        Language::Ruby => SupportLang::Ruby,
        Language::Rust => SupportLang::Rust,
        Language::Tsx => SupportLang::Tsx,
        Language::TypeScript => SupportLang::TypeScript,
        Language::Dockerfile | Language::Sql | Language::Toml => return None,
    })
}

const NO_GRAMMAR: &str = "the language is read by lines, without a grammar";

/// A parsed text. Parsing tolerates errors: what cannot be read is a node of its own kind.
pub struct Tree {
    language: Language,
    root: AstGrep<StrDoc<SupportLang>>,
}

impl Tree {
    /// Parses `text`.
    ///
    /// # Errors
    /// [`SyntaxError::Parse`] where the language has no grammar or the parser itself fails, never for
    /// faulty code.
    pub fn parse(language: Language, text: &str) -> Result<Self, SyntaxError> {
        let fail = |reason| SyntaxError::Parse { language, reason };
        let grammar = grammar(language).ok_or_else(|| fail(NO_GRAMMAR.to_owned()))?;
        StrDoc::try_new(text, grammar)
            .map(|doc| Self { language, root: AstGrep::doc(doc) })
            .map_err(fail)
    }

    /// The node that spans the whole text.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        Node(self.root.root())
    }

    /// The language that the text was read as.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }
}

/// A node of a [`Tree`].
#[derive(Clone)]
pub struct Node<'t>(AstNode<'t, StrDoc<SupportLang>>);

impl<'t> Node<'t> {
    /// The grammar's name for this kind of node.
    #[must_use]
    pub fn kind(&self) -> String {
        self.0.kind().into_owned()
    }

    /// Whether the grammar names the node, as it does not name punctuation and keywords.
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.0.is_named()
    }

    /// The source text of the node.
    #[must_use]
    pub fn text(&self) -> &'t str {
        let source = self.0.root().get_text();
        source.get(self.0.range()).unwrap_or_default()
    }

    /// The byte range of the node within its fragment's text.
    #[must_use]
    pub fn range(&self) -> std::ops::Range<usize> {
        self.0.range()
    }

    /// The first and last line, counted from 0 at the start of the parsed text. A node that ends at
    /// the very start of a line does not reach into that line.
    #[must_use]
    pub fn lines(&self) -> (u32, u32) {
        let (first, _) = self.0.start_pos().byte_point();
        let (last, column) = self.0.end_pos().byte_point();
        let last = if column == 0 && last > first { last - 1 } else { last };
        (u32::try_from(first).unwrap_or(u32::MAX), u32::try_from(last).unwrap_or(u32::MAX))
    }

    /// The enclosing node.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        self.0.parent().map(Self)
    }

    /// The child nodes in order, punctuation included.
    pub fn children(&self) -> impl Iterator<Item = Self> + '_ {
        self.0.children().map(Self)
    }

    /// The child nodes without punctuation.
    pub fn named_children(&self) -> impl Iterator<Item = Self> + '_ {
        self.0.children().filter(AstNode::is_named).map(Self)
    }

    /// Whether the node is of one of these kinds.
    #[must_use]
    pub fn is(&self, kinds: &[&str]) -> bool {
        let kind = self.0.kind();
        kinds.iter().any(|wanted| *wanted == kind)
    }

    /// The node and all below it, in source order. Depth is not bounded by the thread's stack.
    #[must_use]
    pub fn descendants(&self) -> Descendants<'t> {
        Descendants { stack: vec![self.clone()] }
    }

    /// The enclosing nodes, innermost first.
    pub fn ancestors(&self) -> impl Iterator<Item = Self> + use<'t> {
        let mut next = self.parent();
        std::iter::from_fn(move || {
            let node = next.take()?;
            next = node.parent();
            Some(node)
        })
    }

    /// The child under a grammar field.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<Self> {
        self.0.field(name).map(Self)
    }

    /// The next sibling.
    #[must_use]
    pub fn next(&self) -> Option<Self> {
        self.0.next().map(Self)
    }

    /// The previous sibling.
    #[must_use]
    pub fn prev(&self) -> Option<Self> {
        self.0.prev().map(Self)
    }
}

/// The walk that [`Node::descendants`] makes.
pub struct Descendants<'t> {
    stack: Vec<Node<'t>>,
}

impl<'t> Iterator for Descendants<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        let node = self.stack.pop()?;
        let at = self.stack.len();
        self.stack.extend(node.children());
        self.stack[at..].reverse();
        Some(node)
    }
}

/// A pattern as rule files write it: ast-grep's `rule`, with `constraints`, `utils` and `transform`.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub struct Pattern(SerializableRuleCore);

/// A pattern compiled for one language.
pub struct Query {
    core: RuleCore,
    kinds: Vec<u16>,
}

impl Query {
    /// Compiles `pattern` for `language`.
    ///
    /// # Errors
    /// [`SyntaxError::Pattern`] where a part does not parse, names an unknown node kind, or could
    /// match any kind of node at all (such a pattern would cost a look at every node).
    pub fn compile(language: Language, pattern: &Pattern) -> Result<Self, SyntaxError> {
        let fail = |reason| SyntaxError::Pattern { language, reason };
        let grammar = grammar(language).ok_or_else(|| fail(NO_GRAMMAR.to_owned()))?;
        let core = pattern
            .0
            .get_matcher(DeserializeEnv::new(grammar))
            .map_err(|error| fail(chain(&error)))?;
        let kinds = core
            .potential_kinds()
            .ok_or_else(|| fail("it names no kind of node".to_owned()))?
            .iter()
            .filter_map(|kind| u16::try_from(kind).ok())
            .collect();
        Ok(Self { core, kinds })
    }
}

/// Reads a YAML document with the options of the rule format.
///
/// # Errors
/// [`SyntaxError::Yaml`] with the position of the fault.
pub fn read_yaml<T: for<'de> Deserialize<'de>>(text: &str) -> Result<T, SyntaxError> {
    ast_grep_config::from_str(text).map_err(|error| SyntaxError::Yaml(error.to_string()))
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

/// One place that a query matched.
pub struct Match<'t>(NodeMatch<'t, StrDoc<SupportLang>>);

impl<'t> Match<'t> {
    /// The node matched.
    #[must_use]
    pub fn node(&self) -> Node<'t> {
        Node(self.0.get_node().clone())
    }

    /// The node that a metavariable stands for, named without its `$`.
    #[must_use]
    pub fn capture(&self, name: &str) -> Option<Node<'t>> {
        self.0.get_env().get_match(name).cloned().map(Node)
    }
}

/// Queries indexed by the kinds of node that each can match.
pub struct QuerySet<'q> {
    queries: Vec<&'q Query>,
    by_kind: Vec<Vec<u16>>,
}

impl<'q> QuerySet<'q> {
    /// Indexes `queries`; matches name a query by its position here.
    #[must_use]
    pub fn new(queries: Vec<&'q Query>) -> Self {
        let mut by_kind: Vec<Vec<u16>> = Vec::new();
        for (index, query) in queries.iter().enumerate() {
            let Ok(index) = u16::try_from(index) else { break };
            for &kind in &query.kinds {
                let slot = usize::from(kind);
                if by_kind.len() <= slot {
                    by_kind.resize_with(slot + 1, Vec::new);
                }
                by_kind[slot].push(index);
            }
        }
        Self { queries, by_kind }
    }

    /// Walks `tree` in source order, skips every subtree whose lines `enter` refuses, and hands each
    /// match to `found`. Lines are counted from 0 as in [`Node::lines`].
    pub fn scan<'t>(
        &self,
        tree: &'t Tree,
        enter: impl Fn(u32, u32) -> bool,
        mut found: impl FnMut(usize, Match<'t>),
    ) {
        // An explicit stack: the depth of hostile code is not bounded by the thread's stack.
        let mut stack = vec![tree.root()];
        while let Some(node) = stack.pop() {
            let (first, last) = node.lines();
            if !enter(first, last) {
                continue;
            }
            if let Some(indices) = self.by_kind.get(usize::from(node.0.kind_id())) {
                for &index in indices {
                    let query = self.queries[usize::from(index)];
                    if let Some(matched) = query.core.match_node(node.0.clone()) {
                        found(usize::from(index), Match(matched));
                    }
                }
            }
            let at = stack.len();
            stack.extend(node.children());
            stack[at..].reverse();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(yaml: &str) -> Pattern {
        read_yaml(yaml).unwrap()
    }

    fn matches(language: Language, yaml: &str, text: &str) -> Vec<String> {
        let query = Query::compile(language, &pattern(yaml)).unwrap();
        let tree = Tree::parse(language, text).unwrap();
        let mut out = Vec::new();
        QuerySet::new(vec![&query]).scan(
            &tree,
            |_, _| true,
            |_, found| {
                out.push(found.node().text().to_owned());
            },
        );
        out
    }

    #[test]
    fn a_pattern_finds_its_code_and_not_its_mention() {
        let text = "eval(x)\n# eval(y)\ns = 'eval(z)'\n";
        assert_eq!(matches(Language::Python, "rule: {pattern: eval($A)}", text), ["eval(x)"]);
    }

    #[test]
    fn an_ignore_comment_of_the_engine_hides_nothing() {
        let text = "// ast-grep-ignore\neval(x)\n";
        assert_eq!(matches(Language::JavaScript, "rule: {pattern: eval($A)}", text), ["eval(x)"]);
    }

    #[test]
    fn a_pattern_of_unknown_kind_is_refused_with_its_name() {
        let error = Query::compile(Language::Go, &pattern("rule: {kind: no_such_node}")).err();
        assert!(error.unwrap().to_string().contains("no_such_node"));
    }

    #[test]
    fn deep_nesting_neither_overflows_nor_hides_what_follows() {
        let text = format!("{}{}\neval(x)\n", "[".repeat(50_000), "]".repeat(50_000));
        let found = matches(Language::JavaScript, "rule: {pattern: eval($A)}", &text);
        assert_eq!(found.last().map(String::as_str), Some("eval(x)"));
    }

    #[test]
    fn a_node_that_ends_at_a_line_start_keeps_out_of_that_line() {
        let tree = Tree::parse(Language::Python, "if a:\n    b()\nc()\n").unwrap();
        let root = tree.root();
        let first = root.children().next().unwrap();
        assert_eq!(first.lines(), (0, 1));
        assert_eq!(root.lines(), (0, 2));
    }
}
