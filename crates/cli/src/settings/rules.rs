//! `[rules]`: which rules run, and how bad their findings are.

use std::collections::BTreeMap;

use review_tool::finding::Severity;
use serde::Deserialize;

use super::key::Key;

pub(crate) const KEYS: &[Key] = &[Key::list("rules.disable"), Key::text("rules.severity.*")];

/// The section's values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RulesSettings {
    /// The ids of rules that do not run.
    #[serde(default)]
    pub(crate) disable: Vec<String>,
    /// A severity in place of a rule's own, by id.
    #[serde(default)]
    pub(crate) severity: BTreeMap<String, Severity>,
}
