//! The format of a rule file.
//!
//! In the texts of cases the mark `¦` is taken out: it joins the halves of a credential, so that the
//! rule file itself holds none (`ghp_¦…`).

use serde::Deserialize;

use super::across::Text;
use crate::finding::{Category, Confidence, Severity};
use crate::language::Language;
use crate::syntax::{Pattern, SyntaxError, read_yaml};

/// A rule file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RuleError {
    /// The file is not a rule document.
    #[error(transparent)]
    Document(#[from] SyntaxError),
    /// The document is one, but not a rule that can run.
    #[error("rule {id}: {reason}")]
    Rule {
        /// The rule's id.
        id: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// In which code a rule looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Everywhere.
    #[default]
    Any,
    /// Outside tests.
    Code,
    /// In tests alone.
    Test,
}

/// A rule as its file writes it.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleFile {
    /// Stable name: lower-case words joined by `-`, the language first where there is one.
    pub id: String,
    /// A few words.
    pub title: String,
    /// What kind of fault it finds.
    pub category: Category,
    /// How bad it is.
    pub severity: Severity,
    /// How sure the rule is.
    pub confidence: Confidence,
    /// The languages it reads; none for a check that reads any text.
    #[serde(default, deserialize_with = "languages")]
    pub languages: Vec<Language>,
    /// In which code it looks.
    #[serde(default)]
    pub scope: Scope,
    /// An expression over paths in which it does not look, matched anywhere in the path.
    #[serde(default)]
    pub except_paths: Option<String>,
    /// An expression over paths: the rule looks only where it matches.
    #[serde(default)]
    pub paths: Option<String>,
    /// Whether it tells tests that may fail without a fault, which callers can leave out.
    #[serde(default)]
    pub flaky: bool,
    /// What is wrong; `{NAME}` stands for the text of a metavariable.
    pub message: String,
    /// What to do about it.
    pub suggestion: String,
    /// The metavariable whose line is reported, where that is not the first line of the match.
    #[serde(default)]
    pub at: Option<String>,
    /// The pattern, of a rule that syntax decides.
    #[serde(default)]
    pub syntax: Option<Pattern>,
    /// What units of text hold, of a rule over a language that is read without a grammar.
    #[serde(default)]
    pub text: Option<super::text::TextPattern>,
    /// What must hold of a value in the match, for a rule that follows values to where they are used.
    /// The rule is then reported where the value is put together, and `{PART}` in its message is the
    /// part at fault.
    #[serde(default)]
    pub flow: Option<super::flow::Flow>,
    /// How a match is corrected, of a pattern whose faults have one correction.
    #[serde(default)]
    pub fix: Vec<super::fix::Edit>,
    /// The check, of a rule that code decides.
    #[serde(default)]
    pub check: Option<String>,
    /// Markdown with the headings What it finds, Why, Example and Limits. Empty in the rules that run:
    /// see [`page`](super::page()).
    #[serde(default)]
    pub page: String,
    /// What proves it. Empty in the rules that run.
    #[serde(default)]
    pub cases: Cases,
}

/// Changes on which a rule must fire, and changes on which it must not.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cases {
    /// It fires, on the lines that each names.
    pub fires: Vec<Case>,
    /// It stays silent.
    pub silent: Vec<Case>,
}

/// One change of one file.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The path of the file; by default one that fits the rule's first language and scope.
    #[serde(default)]
    pub path: Option<String>,
    /// The text before; absent for a new file.
    #[serde(default, deserialize_with = "joined")]
    pub old: Option<String>,
    /// The text after; absent for a deleted file.
    #[serde(default, deserialize_with = "joined")]
    pub new: Option<String>,
    /// The lines of the new side on which the rule fires, ascending.
    #[serde(default)]
    pub lines: Vec<u32>,
    /// The lines of the old side on which it fires.
    #[serde(default)]
    pub old_lines: Vec<u32>,
    /// Other files of the repository, for a rule that looks at them.
    #[serde(default)]
    pub beside: Vec<Text>,
}

impl RuleFile {
    /// Reads a rule file.
    ///
    /// # Errors
    /// [`RuleError::Document`] with the place of the fault.
    pub fn read(text: &str) -> Result<Self, RuleError> {
        Ok(read_yaml(text)?)
    }

    pub(super) fn error(&self, reason: String) -> RuleError {
        RuleError::Rule { id: self.id.clone(), reason }
    }
}

/// A text of a case, its joints taken out.
fn joined<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.map(|text| text.replace('¦', "")))
}

fn languages<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Language>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    names
        .iter()
        .map(|name| {
            Language::parse(name)
                .ok_or_else(|| serde::de::Error::custom(format!("unknown language {name:?}")))
        })
        .collect()
}
