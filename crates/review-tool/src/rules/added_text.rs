//! The added lines of a file as one text, for checks that read text rather than syntax.

use crate::view::FileView;

/// Added lines joined by line breaks; between lines that are no neighbours stands an empty one.
pub(super) struct AddedText {
    text: String,
    /// The offset at which each added line starts, with its number, ascending.
    starts: Vec<(usize, u32)>,
}

impl AddedText {
    pub(super) fn of(view: &FileView) -> Self {
        let (mut text, mut starts) = (String::new(), Vec::new());
        let mut last = None;
        for (number, line) in view.new_side().changed_lines() {
            if last.is_some_and(|last| last + 1 != number) {
                text.push('\n');
            }
            starts.push((text.len(), number));
            text.push_str(line);
            text.push('\n');
            last = Some(number);
        }
        Self { text, starts }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The number of the line in which `offset` lies.
    pub(super) fn line_at(&self, offset: usize) -> Option<u32> {
        let after = self.starts.partition_point(|(start, _)| *start <= offset);
        Some(self.starts.get(after.checked_sub(1)?)?.1)
    }
}

/// Whether a text stood somewhere in the file before the change.
pub(super) fn stood_before(view: &FileView, text: &str) -> bool {
    view.old_side().fragments().iter().any(|part| part.text().contains(text))
}

/// Whether the file is prose, by its name.
pub(super) fn is_prose(view: &FileView) -> bool {
    let name = view.file_name().to_ascii_lowercase();
    [".md", ".mdx", ".markdown", ".rst", ".adoc", ".asciidoc", ".txt", ".tex", ".org", ".html"]
        .iter()
        .any(|end| name.ends_with(end))
        || ["readme", "changelog", "changes", "news", "history"].contains(&name.as_str())
}
