//! Corrections that a rule makes itself, where there is one way only and it cannot be wrong.
//!
//! A correction replaces the code that the rule matched, and is told as whole lines: that is what every
//! consumer of fixes understands. One that would leave nothing of its lines takes them away.

use serde::Deserialize;

use crate::finding::Fix;
use crate::syntax::{Node, Tree};

/// One way to correct a match: the first whose expression fits the whole match counts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// An expression over the text of the match.
    find: String,
    /// What takes its place, `$1` and so on standing for groups. Empty takes the statement away.
    with: String,
}

impl Edit {
    /// Whether the expression can be read.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn check(&self) -> Result<(), String> {
        self.compiled().map(drop).map_err(|error| error.to_string())
    }

    fn compiled(&self) -> Result<regex::bytes::Regex, regex::Error> {
        let whole = format!("^(?:{})$", self.find);
        regex::bytes::RegexBuilder::new(&whole).unicode(false).build()
    }

    fn applied(&self, text: &str) -> Option<String> {
        let find = self.compiled().ok()?;
        find.is_match(text.as_bytes()).then_some(())?;
        let new = find.replace(text.as_bytes(), self.with.as_bytes());
        String::from_utf8(new.into_owned()).ok()
    }
}

/// Corrects a match in a tree whose first line is `first_line` of the file.
pub(super) fn fix(edits: &[Edit], node: &Node<'_>, tree: &Tree, first_line: u32) -> Option<Fix> {
    let new = edits.iter().find_map(|edit| edit.applied(node.text()))?;
    let text = tree.root().text();
    let range = node.range();
    // A statement may be all that its block holds, or be what an `if` without a block governs.
    if new.is_empty() && !is_one_of_several(node) {
        return None;
    }
    let start = text.get(..range.start)?.rfind('\n').map_or(0, |at| at + 1);
    let end = text.get(range.end..)?.find('\n').map_or(text.len(), |at| range.end + at);
    let original = text.get(start..end)?;
    let line = format!("{}{new}{}", text.get(start..range.start)?, text.get(range.end..end)?);
    let unix = |text: &str| text.replace("\r\n", "\n").trim_end_matches('\r').to_owned();
    let line = unix(&line);
    let is_gone = new.is_empty() && line.trim().is_empty();
    let (first, last) = node.lines();
    Some(Fix {
        line: first_line.saturating_add(first),
        line_end: first_line.saturating_add(last),
        original: unix(original),
        replacement: if is_gone { String::new() } else { line },
    })
}

/// Whether a statement stands beside others in a block.
fn is_one_of_several(node: &Node<'_>) -> bool {
    const BLOCKS: &[&str] = &["program", "module", "statement_block", "block"];
    node.parent().is_some_and(|block| block.is(BLOCKS) && block.named_children().count() > 1)
}
