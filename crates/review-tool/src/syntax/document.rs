//! Rules and their tests as users of ast-grep write them.

use ast_grep_config::SerializableRuleConfig;
use ast_grep_language::SupportLang;
use serde::Deserialize;

use super::{Pattern, SyntaxError, grammar};
use crate::language::Language;

/// A rule of a user's.
#[derive(Clone)]
pub struct Document {
    /// Names the rule; may be empty.
    pub id: String,
    /// What it reads.
    pub language: Language,
    /// What it matches.
    pub pattern: Pattern,
    /// One of `error`, `warning`, `info`, `hint` and `off`.
    pub severity: &'static str,
    /// What is wrong, `$NAME` for the text of a metavariable.
    pub message: String,
    /// More about it, as Markdown.
    pub note: Option<String>,
    /// Where to read on.
    pub url: Option<String>,
    /// Globs of the paths that it reads alone, and of those that it does not read.
    pub files: Option<Vec<String>>,
    /// See `files`.
    pub ignores: Vec<String>,
}

/// What proves a rule.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Test {
    /// The rule.
    pub id: String,
    /// Code in which it matches nothing.
    #[serde(default)]
    pub valid: Vec<String>,
    /// Code in which it matches something.
    #[serde(default)]
    pub invalid: Vec<String>,
}

/// The globs, which the engine keeps to itself.
#[derive(Deserialize)]
struct Paths {
    #[serde(default)]
    files: Option<Vec<Glob>>,
    #[serde(default)]
    ignores: Option<Vec<Glob>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Glob {
    Text(String),
    Config {
        glob: String,
        #[serde(default, rename = "caseInsensitive")]
        case_insensitive: bool,
    },
}

impl Glob {
    fn text(self) -> String {
        match self {
            Self::Text(glob) | Self::Config { glob, case_insensitive: false } => glob,
            Self::Config { glob, case_insensitive: true } => format!("(?i){glob}"),
        }
    }
}

/// Reads the rules of a file, in order.
///
/// # Errors
/// [`SyntaxError::Yaml`] with the position of the fault, or the language that is not read.
pub fn read_rules(text: &str) -> Result<Vec<Document>, SyntaxError> {
    let rules: Vec<SerializableRuleConfig<SupportLang>> = read_all(text)?;
    let paths: Vec<Paths> = read_all(text)?;
    rules.into_iter().zip(paths).map(|(rule, paths)| document(rule, paths)).collect()
}

fn document(
    rule: SerializableRuleConfig<SupportLang>,
    paths: Paths,
) -> Result<Document, SyntaxError> {
    let mut of = Language::ALL.iter().copied();
    let language = of.find(|language| grammar(*language) == Some(rule.language));
    let unknown = || SyntaxError::Yaml(format!("{}: the language is not read", rule.language));
    let mut core = rule.core;
    // What rewriters make stands in fixes alone.
    if rule.rewriters.is_some() {
        core.transform = None;
    }
    Ok(Document {
        language: language.ok_or_else(unknown)?,
        id: rule.id,
        pattern: Pattern(core),
        severity: match rule.severity {
            ast_grep_config::Severity::Off => "off",
            ast_grep_config::Severity::Hint => "hint",
            ast_grep_config::Severity::Info => "info",
            ast_grep_config::Severity::Warning => "warning",
            ast_grep_config::Severity::Error => "error",
        },
        message: rule.message,
        note: rule.note,
        url: rule.url,
        files: paths.files.map(|globs| globs.into_iter().map(Glob::text).collect()),
        ignores: paths.ignores.unwrap_or_default().into_iter().map(Glob::text).collect(),
    })
}

/// Reads the tests of a file, in order.
///
/// # Errors
/// [`SyntaxError::Yaml`] with the position of the fault.
pub fn read_tests(text: &str) -> Result<Vec<Test>, SyntaxError> {
    read_all(text)
}

fn read_all<T: for<'de> Deserialize<'de>>(text: &str) -> Result<Vec<T>, SyntaxError> {
    ast_grep_config::from_multiple(text).map_err(|error| SyntaxError::Yaml(error.to_string()))
}
