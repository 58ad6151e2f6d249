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
    /// C++.
    Cpp,
    /// C#.
    CSharp,
    /// Instructions that build a container image.
    Dockerfile,
    /// Go.
    Go,
    /// HCL, as Terraform writes it.
    Hcl,
    /// Java.
    Java,
    /// JavaScript, JSX included.
    JavaScript,
    /// JSON.
    Json,
    /// PHP.
    Php,
    /// Python.
    Python,
    /// Ruby.
    Ruby,
    /// Rust.
    Rust,
    /// SQL, of any dialect.
    Sql,
    /// TOML.
    Toml,
    /// TypeScript with JSX.
    Tsx,
    /// TypeScript.
    TypeScript,
    /// YAML.
    Yaml,
}

impl Language {
    /// Every language, in the order of the enum.
    pub const ALL: &'static [Self] = &[
        Self::Bash,
        Self::C,
        Self::Cpp,
        Self::CSharp,
        Self::Dockerfile,
        Self::Go,
        Self::Hcl,
        Self::Java,
        Self::JavaScript,
        Self::Json,
        Self::Php,
        Self::Python,
        Self::Ruby,
        Self::Rust,
        Self::Sql,
        Self::Toml,
        Self::Tsx,
        Self::TypeScript,
        Self::Yaml,
    ];

    /// The lower-case name that stands in documents and rule files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::C => "c",
            Self::Cpp => "cpp",
            Self::CSharp => "csharp",
            Self::Dockerfile => "dockerfile",
            Self::Go => "go",
            Self::Hcl => "hcl",
            Self::Java => "java",
            Self::JavaScript => "javascript",
            Self::Json => "json",
            Self::Php => "php",
            Self::Python => "python",
            Self::Ruby => "ruby",
            Self::Rust => "rust",
            Self::Sql => "sql",
            Self::Toml => "toml",
            Self::Tsx => "tsx",
            Self::TypeScript => "typescript",
            Self::Yaml => "yaml",
        }
    }

    /// The commonest extension of its files, without the dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Bash => "sh",
            Self::CSharp => "cs",
            Self::Hcl => "tf",
            Self::JavaScript => "js",
            Self::Python => "py",
            Self::Ruby => "rb",
            Self::Rust => "rs",
            Self::TypeScript => "ts",
            Self::Yaml => "yml",
            _ => self.as_str(),
        }
    }

    /// Reads a name as `as_str` writes it.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|language| language.as_str() == name)
    }

    /// Whether it is written to run or to be built from, rather than to hold settings and data.
    #[must_use]
    pub const fn is_code(self) -> bool {
        !matches!(self, Self::Json | Self::Toml | Self::Yaml)
    }

    /// The language of a path, by its name or extension; `None` where the reviewer does not read it.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let name = file_name(path);
        if let Some(language) = of_name(name) {
            return Some(language);
        }
        let extension = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty())?.1;
        Some(match extension.to_ascii_lowercase().as_str() {
            "bash" | "bats" | "ksh" | "sh" | "zsh" => Self::Bash,
            "c" | "h" => Self::C,
            "cc" | "cpp" | "cu" | "cxx" | "hh" | "hpp" | "hxx" | "inl" | "ipp" => Self::Cpp,
            "cs" | "csx" => Self::CSharp,
            "containerfile" | "dockerfile" => Self::Dockerfile,
            "go" => Self::Go,
            "hcl" | "tf" | "tfvars" | "tofu" => Self::Hcl,
            "java" => Self::Java,
            "cjs" | "js" | "jsx" | "mjs" => Self::JavaScript,
            "json" => Self::Json,
            "php" | "phtml" => Self::Php,
            "py" | "pyi" | "pyw" => Self::Python,
            "rake" | "rb" => Self::Ruby,
            "rs" => Self::Rust,
            "sql" => Self::Sql,
            "toml" => Self::Toml,
            "tsx" => Self::Tsx,
            "cts" | "mts" | "ts" => Self::TypeScript,
            "yaml" | "yml" => Self::Yaml,
            _ => return None,
        })
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The language of a file that is known by its whole name.
fn of_name(name: &str) -> Option<Language> {
    // `Dockerfile.alpine`, but not `dockerfile.rs`, which is code about one.
    let is_image = ["Dockerfile", "Containerfile"].iter().any(|start| {
        name.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    });
    Some(match name {
        _ if is_image => Language::Dockerfile,
        "dockerfile" => Language::Dockerfile,
        "Gemfile" | "Rakefile" | "Vagrantfile" => Language::Ruby,
        "Cargo.lock" | "poetry.lock" | "uv.lock" | "Pipfile" => Language::Toml,
        "Pipfile.lock" | "composer.lock" => Language::Json,
        _ => return None,
    })
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
    let camel = matches!(Language::of_path(path), Some(Language::Java | Language::Php))
        && (stem.ends_with("Test") || stem.ends_with("Tests") || stem.ends_with("IT"));
    middle
        || camel
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
            ("build/Dockerfile", Some(Language::Dockerfile)),
            ("Dockerfile.alpine", Some(Language::Dockerfile)),
            ("api.dockerfile", Some(Language::Dockerfile)),
            ("dockerfile.rs", Some(Language::Rust)),
            ("Cargo.lock", Some(Language::Toml)),
            ("main.tf", Some(Language::Hcl)),
            ("db/0007_add.sql", Some(Language::Sql)),
            (".github/workflows/ci.yml", Some(Language::Yaml)),
            ("x/", None),
            ("", None),
        ] {
            assert_eq!(Language::of_path(path), want, "{path}");
        }
    }

    #[test]
    fn the_extension_of_a_language_tells_it_again() {
        for &language in Language::ALL {
            let path = format!("a.{}", language.extension());
            assert_eq!(Language::of_path(&path), Some(language));
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
