//! Rules over languages that are read without a grammar: expressions over statements and lines.
//!
//! A text is cut into units, the units of its language: a statement of SQL, an instruction of a
//! Dockerfile, else a line. Comments are taken out, and in SQL what stands between quotes, so that a
//! rule does not fire on a mention. Whether a unit is new is decided as for patterns.

use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use crate::language::Language;

mod units;

pub(super) use units::{Unit, units};

/// What a text rule looks for, as its file writes it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextPattern {
    /// What a unit holds: an expression, whose named groups fill the message.
    #[serde(rename = "match")]
    find: String,
    /// What keeps a unit silent.
    #[serde(default)]
    unless: Option<String>,
    /// What keeps the whole file silent, wherever it stands.
    #[serde(default)]
    unless_file: Option<String>,
    /// What the file must hold somewhere for the rule to look at all.
    #[serde(default)]
    only_file: Option<String>,
    /// Whether the rule tells of a unit that goes, where the file keeps none that matches.
    #[serde(default)]
    removed: bool,
}

/// A text rule ready to run.
pub(super) struct TextQuery {
    find: Regex,
    unless: Option<Regex>,
    unless_file: Option<Regex>,
    only_file: Option<Regex>,
    pub(super) removed: bool,
}

impl TextQuery {
    /// Compiles the expressions of `pattern`.
    pub(super) fn compile(pattern: &TextPattern) -> Result<Self, regex::Error> {
        let compile = |text: &str| RegexBuilder::new(text).unicode(false).build();
        let maybe = |text: &Option<String>| text.as_deref().map(compile).transpose();
        Ok(Self {
            find: compile(&pattern.find)?,
            unless: maybe(&pattern.unless)?,
            unless_file: maybe(&pattern.unless_file)?,
            only_file: maybe(&pattern.only_file)?,
            removed: pattern.removed,
        })
    }

    /// Whether the rule looks at a file that consists of `units` at all.
    pub(super) fn looks_at(&self, units: &[Unit]) -> bool {
        let any = |of: &Regex| units.iter().any(|unit| of.is_match(unit.text.as_bytes()));
        !self.unless_file.as_ref().is_some_and(any) && self.only_file.as_ref().is_none_or(any)
    }

    /// The message for a unit that the rule tells of, its `{NAME}` filled by the groups of that name.
    pub(super) fn message(&self, unit: &Unit, message: &str) -> Option<String> {
        let groups = self.find.captures(unit.text.as_bytes())?;
        if self.unless.as_ref().is_some_and(|unless| unless.is_match(unit.text.as_bytes())) {
            return None;
        }
        let mut out = message.to_owned();
        for name in self.find.capture_names().flatten() {
            let text = groups.name(name).map_or(&b""[..], |group| group.as_bytes());
            let text = super::introduced::short(&String::from_utf8_lossy(text));
            out = out.replace(&format!("{{{name}}}"), &text);
        }
        Some(out)
    }
}

/// How a language without a grammar is cut up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    Statements,
    Instructions,
    Lines,
}

const fn cut(language: Option<Language>) -> Cut {
    match language {
        Some(Language::Sql) => Cut::Statements,
        Some(Language::Dockerfile) => Cut::Instructions,
        _ => Cut::Lines,
    }
}
