//! Rules over the whole repository: what a change of one file leaves wrong in others.
//!
//! Such a rule looks at one changed file and asks a question: which words to look for, and where. The
//! review gathers the questions of all files, searches the repository at the reviewed state once, and
//! hands what it finds back. Only an answer makes a finding.

use serde::Deserialize;

use super::Hit;
use crate::language::Language;
use crate::view::FileView;

mod definitions;
mod locked;
mod uses;

/// A text of the reviewed state.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// The path, with `/` between names.
    pub path: String,
    /// The whole content.
    pub content: String,
}

/// What a rule wants to know of the rest of the repository before it reports.
#[derive(Debug, Clone)]
pub struct Question {
    /// What is reported if the answer says so, still without its message.
    hit: Hit,
    /// The words of which a file must hold one to matter.
    words: Vec<String>,
    /// Which files matter: the pathspecs of git, from the root.
    places: Vec<String>,
    /// What is asked.
    about: About,
}

#[derive(Debug, Clone)]
enum About {
    /// Whether a name that is gone is still used.
    Gone(uses::Gone),
    /// Whether calls still pass what a function took before.
    Called(uses::Called),
    /// Whether a lock file still holds another version.
    Locked(locked::Wanted),
}

impl Question {
    /// What would be reported, so that the place can be shown before the answer is known.
    #[must_use]
    pub fn hit(&self) -> &Hit {
        &self.hit
    }

    /// The words to search for.
    #[must_use]
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The pathspecs of the files to search.
    #[must_use]
    pub fn places(&self) -> &[String] {
        &self.places
    }

    /// The message of the finding, where the files at the reviewed state give one.
    #[must_use]
    pub fn answer(&self, files: &[Text]) -> Option<String> {
        match &self.about {
            About::Gone(gone) => gone.answer(files),
            About::Called(called) => called.answer(files),
            About::Locked(wanted) => wanted.answer(files),
        }
    }
}

/// Looks at one file and asks.
pub(super) type Ask = fn(&FileView) -> Vec<Question>;

/// Every rule that asks, ordered by id.
static ASKS: &[(&str, Ask)] = &[
    ("arguments-changed", definitions::arguments),
    ("lock-file-left-behind", locked::ask),
    ("name-still-used", definitions::gone),
];

/// The rule of that name.
pub(super) fn find(name: &str) -> Option<Ask> {
    ASKS.binary_search_by(|(id, _)| (*id).cmp(name)).ok().map(|at| ASKS[at].1)
}

/// Whether the new content of a file may answer a question.
#[must_use]
pub fn may_answer(path: &str) -> bool {
    Language::of_path(path).is_some_and(Language::is_code) || locked::is_lock(path)
}

/// Languages whose code calls each other.
fn family(language: Language) -> &'static [Language] {
    use Language::{
        C, CSharp, Cpp, Go, Java, JavaScript, Php, Python, Ruby, Rust, Tsx, TypeScript,
    };
    match language {
        JavaScript | TypeScript | Tsx => &[JavaScript, TypeScript, Tsx],
        C | Cpp => &[C, Cpp],
        CSharp => &[CSharp],
        Go => &[Go],
        Java => &[Java],
        Php => &[Php],
        Python => &[Python],
        Ruby => &[Ruby],
        Rust => &[Rust],
        _ => &[],
    }
}

/// The pathspecs of a family's files.
fn places(language: Language) -> Vec<String> {
    const ENDS: &[&str] = &[
        "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "cs", "go", "java", "js", "jsx", "mjs",
        "cjs", "ts", "tsx", "mts", "cts", "php", "py", "rb", "rs",
    ];
    let family = family(language);
    let ends = ENDS.iter().filter(|end| {
        Language::of_path(&format!("a.{end}")).is_some_and(|of| family.contains(&of))
    });
    ends.map(|end| format!(":(top)*.{end}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asks_are_ordered_by_name() {
        assert!(ASKS.is_sorted_by_key(|(id, _)| id));
    }

    #[test]
    fn a_family_is_searched_in_all_its_files() {
        assert_eq!(places(Language::Python), [":(top)*.py"]);
        assert!(places(Language::Tsx).contains(&":(top)*.mjs".to_owned()));
        assert!(places(Language::Sql).is_empty());
    }
}
