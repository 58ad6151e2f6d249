//! Which language a path is written in, and whether it is test code.
//!
//! Decided from the path alone, so the answer does not depend on content that a change controls.

use std::fmt;

/// A language whose syntax the reviewer reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Bash and POSIX shell.
    Bash,
    /// C.
    C,
    /// Go.
    Go,
    /// Java.
    Java,
    /// JavaScript, JSX included.
    JavaScript,
    /// PHP.
    Php,
    /// Python.
    Python,
    /// Ruby.
    Ruby,
    /// Rust.
    Rust,
    /// TypeScript with JSX.
    Tsx,
    /// TypeScript.
    TypeScript,
}

impl Language {
    /// Every language, in the order of the enum.
    pub const ALL: &'static [Self] = &[
        Self::Bash,
        Self::C,
        Self::Go,
        Self::Java,
        Self::JavaScript,
        Self::Php,
        Self::Python,
        Self::Ruby,
        Self::Rust,
        Self::Tsx,
        Self::TypeScript,
    ];

    /// The lower-case name that stands in documents and rule files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::C => "c",
            Self::Go => "go",
            Self::Java => "java",
            Self::JavaScript => "javascript",
            Self::Php => "php",
            Self::Python => "python",
            Self::Ruby => "ruby",
            Self::Rust => "rust",
            Self::Tsx => "tsx",
            Self::TypeScript => "typescript",
        }
    }

    /// Reads a name as `as_str` writes it.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|language| language.as_str() == name)
    }

    /// The language of a path, by its extension; `None` where the reviewer has no grammar for it.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let name = file_name(path);
        let extension = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty())?.1;
        Some(match extension.to_ascii_lowercase().as_str() {
            "bash" | "sh" | "bats" => Self::Bash,
            "c" | "h" => Self::C,
            "go" => Self::Go,
            "java" => Self::Java,
            "cjs" | "js" | "jsx" | "mjs" => Self::JavaScript,
            "php" | "phtml" => Self::Php,
            "py" | "pyi" | "pyw" => Self::Python,
            "rake" | "rb" => Self::Ruby,
            "rs" => Self::Rust,
            "tsx" => Self::Tsx,
            "cts" | "mts" | "ts" => Self::TypeScript,
            _ => return None,
        })
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The last component of a path with `/` between names.
#[must_use]
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a path is test code by the habits of its language: a test folder or a test file name.
#[must_use]
pub fn is_test_path(path: &str) -> bool {
    const FOLDERS: &[&str] = &[
        "test",
        "tests",
        "__tests__",
        "__mocks__",
        "spec",
        "specs",
        "e2e",
        "cypress",
        "testing",
        "testdata",
        "fixtures",
        "__fixtures__",
        "test_data",
        "integration_tests",
    ];
    let mut folders = path.split('/').rev();
    let name = folders.next().unwrap_or_default();
    if folders.any(|folder| FOLDERS.contains(&folder.to_ascii_lowercase().as_str())) {
        return true;
    }
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let middle =
        name.split('.').rev().skip(1).any(|part| matches!(part, "test" | "spec" | "cy" | "e2e"));
    let java = matches!(Language::of_path(path), Some(Language::Java | Language::Php))
        && (stem.ends_with("Test") || stem.ends_with("Tests") || stem.ends_with("IT"));
    middle
        || java
        || stem == "conftest"
        || stem == "test"
        || stem == "tests"
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem.ends_with("_spec")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_by_extension() {
        for (path, want) in [
            ("src/a.rs", Some(Language::Rust)),
            ("a.d.ts", Some(Language::TypeScript)),
            ("A.JS", Some(Language::JavaScript)),
            (".rs", None),
            ("Makefile", None),
            ("x/", None),
            ("", None),
        ] {
            assert_eq!(Language::of_path(path), want, "{path}");
        }
    }

    #[test]
    fn test_code_is_told_by_folder_and_name() {
        for path in [
            "tests/a.rs",
            "src/__tests__/a.js",
            "a.test.ts",
            "a_test.go",
            "test_a.py",
            "src/FooTest.java",
            "spec/a_spec.rb",
            "conftest.py",
            "web/login.cy.js",
        ] {
            assert!(is_test_path(path), "{path}");
        }
        for path in ["src/latest.rs", "contest.py", "src/attest/a.go", "Testament.java", "a.rs"] {
            assert!(!is_test_path(path), "{path}");
        }
    }
}
