//! `[review]`: how a review is judged and what it leaves out.

use review_tool::finding::Severity;
use serde::{Deserialize, Deserializer};

use super::key::Key;
use crate::args::Threshold;

pub(crate) const KEYS: &[Key] = &[
    Key::text("review.baseline"),
    Key::text("review.fail_on"),
    Key::text("review.min_severity"),
    Key::list("review.ignore"),
];

/// The section's values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReviewSettings {
    /// The mildest severity that fails the gate, or `none`.
    #[serde(default, deserialize_with = "threshold")]
    pub(crate) fail_on: Option<Threshold>,
    /// The mildest severity that is listed.
    #[serde(default)]
    pub(crate) min_severity: Option<Severity>,
    /// The baseline that repositories keep: a path from the root of each.
    #[serde(default)]
    pub(crate) baseline: Option<String>,
    /// Files that are not reviewed, as patterns of gitignore.
    #[serde(default)]
    pub(crate) ignore: Vec<String>,
}

fn threshold<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Threshold>, D::Error> {
    let text = String::deserialize(value)?;
    Threshold::parse(&text).map(Some).map_err(serde::de::Error::custom)
}
