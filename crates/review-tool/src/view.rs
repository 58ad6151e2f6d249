//! What a rule sees of one changed file: both sides, the changed lines, and syntax trees on demand.

use std::cell::OnceCell;
use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::changed_names::ChangedNames;
use crate::diff::FileChange;
use crate::finding::Side;
use crate::language::{Language, file_name, is_test_path};
use crate::source::SideText;
use crate::syntax::{Node, Tree};

/// Texts beyond this many bytes are not parsed; the review reports them.
pub const MAX_PARSED_BYTES: usize = 16 << 20;

/// One changed file, made once and shown to every rule.
pub struct FileView {
    path: String,
    old_path: Option<String>,
    language: Option<Language>,
    is_test: bool,
    old: SideText,
    new: SideText,
    change: Arc<ChangedNames>,
    old_trees: OnceCell<Vec<Option<Tree>>>,
    new_trees: OnceCell<Vec<Option<Tree>>>,
    test_lines: OnceCell<Vec<RangeInclusive<u32>>>,
}

impl FileView {
    /// Joins the sides of a file. `old_path` is set where the file existed before.
    #[must_use]
    pub fn new(path: String, old_path: Option<String>, old: SideText, new: SideText) -> Self {
        let language = Language::of_path(&path);
        let is_test = is_test_path(&path);
        Self {
            path,
            old_path,
            language,
            is_test,
            old,
            new,
            change: Arc::default(),
            old_trees: OnceCell::new(),
            new_trees: OnceCell::new(),
            test_lines: OnceCell::new(),
        }
    }

    /// Joins the sides of a file that a diff changes.
    #[must_use]
    pub fn of_change(change: &FileChange<'_>, old: SideText, new: SideText) -> Self {
        let old_path = change.old_path.as_ref().map(|path| path.display().into_owned());
        let view = Self::new(change.path().into_owned(), old_path, old, new);
        Self { language: change.language(), ..view }
    }

    /// Says what the change as a whole does to names; without it nothing is known of other files.
    #[must_use]
    pub fn within(self, change: Arc<ChangedNames>) -> Self {
        Self { change, ..self }
    }

    /// What the change as a whole does to names.
    #[must_use]
    pub fn change(&self) -> &ChangedNames {
        &self.change
    }

    /// The path after the change, or before it for a deleted file.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The path before the change; `None` for a new file.
    #[must_use]
    pub fn old_path(&self) -> Option<&str> {
        self.old_path.as_deref()
    }

    /// The last name of the path.
    #[must_use]
    pub fn file_name(&self) -> &str {
        file_name(&self.path)
    }

    /// The language, where there is a grammar for it.
    #[must_use]
    pub fn language(&self) -> Option<Language> {
        self.language
    }

    /// Whether the whole file is test code, by its path.
    #[must_use]
    pub fn is_test(&self) -> bool {
        self.is_test
    }

    /// The text of one side.
    #[must_use]
    pub fn side(&self, side: Side) -> &SideText {
        match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        }
    }

    /// The text after the change.
    #[must_use]
    pub fn new_side(&self) -> &SideText {
        &self.new
    }

    /// The text before the change.
    #[must_use]
    pub fn old_side(&self) -> &SideText {
        &self.old
    }

    /// The syntax trees of one side, one for each fragment, with the number of the fragment's first
    /// line. Parsed at the first call; empty without a grammar.
    pub fn trees(&self, side: Side) -> impl Iterator<Item = (u32, &Tree)> + '_ {
        let (text, cell) = match side {
            Side::Old => (&self.old, &self.old_trees),
            Side::New => (&self.new, &self.new_trees),
        };
        let trees = cell.get_or_init(|| {
            let Some(language) = self.language else { return Vec::new() };
            text.fragments()
                .iter()
                .map(|fragment| {
                    (fragment.text().len() <= MAX_PARSED_BYTES)
                        .then(|| Tree::parse(language, fragment.text()).ok())
                        .flatten()
                })
                .collect()
        });
        let firsts = text.fragments().iter().map(crate::source::Fragment::first_line);
        firsts.zip(trees).filter_map(|(first, tree)| Some((first, tree.as_ref()?)))
    }

    /// Whether a fragment of the new side is code too large to be parsed.
    #[must_use]
    pub fn is_too_large_to_parse(&self) -> bool {
        self.language.is_some_and(Language::is_code)
            && self.new.fragments().iter().any(|part| part.text().len() > MAX_PARSED_BYTES)
    }

    /// Whether a line of the new side is test code: in a test file, or, in Rust, inside an item under
    /// `#[cfg(test)]` or a test attribute.
    #[must_use]
    pub fn in_test(&self, line: u32) -> bool {
        self.is_test
            || self.language == Some(Language::Rust)
                && self
                    .test_lines
                    .get_or_init(|| {
                        self.trees(Side::New)
                            .flat_map(|(first, tree)| rust_test_items(first, tree))
                            .collect()
                    })
                    .iter()
                    .any(|range| range.contains(&line))
    }
}

/// The line ranges of items that only a test build of Rust code contains.
fn rust_test_items(first_line: u32, tree: &Tree) -> Vec<RangeInclusive<u32>> {
    let mut ranges = Vec::new();
    let mut stack = vec![tree.root()];
    while let Some(node) = stack.pop() {
        let kind = node.kind();
        if kind == "attribute_item" && is_test_attribute(node.text()) {
            if let Some(item) = item_below(&node) {
                let (first, _) = node.lines();
                let (_, last) = item.lines();
                ranges.push(first_line.saturating_add(first)..=first_line.saturating_add(last));
            }
            continue;
        }
        if matches!(kind.as_str(), "source_file" | "mod_item" | "declaration_list" | "impl_item") {
            stack.extend(node.children());
        }
    }
    ranges
}

/// Whether the text of an attribute says that its item is for tests alone.
pub(crate) fn is_test_attribute(text: &str) -> bool {
    let inner: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let inner = inner.trim_start_matches("#[").trim_end_matches(']');
    let name = inner.split('(').next().unwrap_or_default();
    inner == "cfg(test)"
        || inner.starts_with("cfg(all(test,")
        || name == "test"
        || name.ends_with("::test")
        || matches!(name, "rstest" | "test_case" | "proptest" | "quickcheck" | "bench")
}

/// The item that an attribute stands before, past other attributes and comments.
fn item_below<'t>(attribute: &Node<'t>) -> Option<Node<'t>> {
    let mut next = attribute.next();
    while let Some(node) = next {
        if !matches!(node.kind().as_str(), "attribute_item" | "line_comment" | "block_comment") {
            return Some(node);
        }
        next = node.next();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(path: &str, text: &str) -> FileView {
        let new = SideText::whole(text.as_bytes(), Vec::new(), Vec::new());
        FileView::new(path.to_owned(), None, SideText::default(), new)
    }

    #[test]
    fn rust_test_items_are_test_code_and_their_neighbours_are_not() {
        let file = view(
            "src/a.rs",
            "fn a() {}\n#[cfg(test)]\n// why\nmod t {\n    fn b() {}\n}\nfn c() {}\n#[tokio::test]\nasync fn d() {}\n#[testing]\nfn e() {}\n",
        );
        let tests: Vec<u32> = (1..=11).filter(|&line| file.in_test(line)).collect();
        assert_eq!(tests, [2, 3, 4, 5, 6, 8, 9]);
    }

    #[test]
    fn a_test_file_is_test_code_in_every_line() {
        assert!(view("tests/a.py", "x = 1\n").in_test(1));
        assert!(!view("a.py", "x = 1\n").in_test(1));
    }
}
