//! The names that a whole change defines or takes away, so that the rules of one file know what moved.
//!
//! Read from the changed lines alone, by their form: a name too many keeps a rule silent, never the
//! other way round.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use crate::diff::{FileChange, LineKind};
use crate::language::Language;

/// What a change does to names, over all its files.
#[derive(Debug, Default)]
pub struct ChangedNames {
    added: HashSet<String>,
    removed: HashSet<String>,
}

impl ChangedNames {
    /// Reads the changed lines of `files`. Cost is linear in them.
    #[must_use]
    pub fn of(files: &[&FileChange<'_>]) -> Self {
        let mut names = Self::default();
        let code = files.iter().filter(|file| file.language().is_some_and(Language::is_code));
        for line in code.flat_map(|file| file.hunks()).flat_map(|hunk| &hunk.lines) {
            match line.kind {
                LineKind::Added => names.added.extend(defined(line.text)),
                LineKind::Removed => names.removed.extend(defined(line.text)),
                LineKind::Context | LineKind::OtherParent => {}
            }
        }
        names
    }

    /// Whether an added line of any file defines this function, class or test.
    #[must_use]
    pub fn adds(&self, name: &str) -> bool {
        self.added.contains(unquoted(name))
    }

    /// Whether the change takes this definition away and nowhere brings it back.
    #[must_use]
    pub fn takes_away(&self, name: &str) -> bool {
        self.removed.contains(name) && !self.added.contains(name)
    }
}

/// Lines longer than this many bytes define nothing that a person named.
const MAX_LINE: usize = 1000;

/// The names that a line defines.
fn defined(line: &[u8]) -> impl Iterator<Item = String> {
    static FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        [
            r"\b(?:fn|def|func|function|class|interface|struct|enum|trait|type|void)\s+(?:\([^)]*\)\s*)?([A-Za-z_]\w*)",
            r"^\s*(?:(?:public|private|protected|static|final|abstract|async|default)\s+)+[\w<>\[\],.? ]*?([A-Za-z_]\w*)\s*\(",
            r"^\s*(?:export\s+)?(?:const|let|var)\s+([A-Za-z_$]\w*)\s*=",
            r#"\b(?:it|test|specify)(?:\.\w+)*\(\s*(?:'([^']+)'|"([^"]+)"|`([^`]+)`)"#,
        ]
        .iter()
        .filter_map(|form| RegexBuilder::new(form).unicode(false).build().ok())
        .collect()
    });
    let line = if line.len() > MAX_LINE { &[][..] } else { line };
    FORMS.iter().flat_map(move |form| {
        form.captures_iter(line).filter_map(|found| {
            let name = found.iter().skip(1).flatten().next()?;
            Some(String::from_utf8_lossy(name.as_bytes()).into_owned())
        })
    })
}

fn unquoted(name: &str) -> &str {
    ['"', '\'', '`']
        .iter()
        .find_map(|&quote| name.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::parse;

    fn names(diff: &str) -> ChangedNames {
        let (set, problems) = parse(diff.as_bytes());
        assert!(problems.is_empty(), "{problems:?}");
        ChangedNames::of(&set.files.iter().collect::<Vec<_>>())
    }

    #[test]
    fn definitions_of_every_form_are_known_by_name() {
        let names = names(concat!(
            "--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-fn gone_here() {}\n+fn came_here() {}\n",
            "--- a/b.go\n+++ b/b.go\n@@ -1 +1 @@\n-func (s *Store) Find(id int) {}\n+func TestFind(t *testing.T) {}\n",
            "--- a/C.java\n+++ b/C.java\n@@ -1 +1 @@\n-    public static Map<String, Long> countAll(int a) {\n+    void counts() {\n",
            "--- a/d.ts\n+++ b/d.ts\n@@ -1 +1 @@\n-export const total = (a) => a;\n+  it.each(x)('y'); it('adds \"two\"', () => {});\n",
        ));
        for name in ["came_here", "TestFind", "counts", "'adds \"two\"'"] {
            assert!(names.adds(name), "{name}");
        }
        for name in ["gone_here", "Find", "countAll", "total"] {
            assert!(names.takes_away(name), "{name}");
        }
    }

    #[test]
    fn what_moves_to_another_file_is_not_taken_away() {
        let names = names(concat!(
            "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-def area(a):\n+x = 1\n",
            "--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-x = 1\n+def area(a):\n",
        ));
        assert!(names.adds("area") && !names.takes_away("area"));
    }
}
