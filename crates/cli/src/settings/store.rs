//! `[store]`: what is kept of past reviews.

use std::time::Duration;

use review_store::Keep;
use serde::{Deserialize, Deserializer};

use super::key::Key;

pub(crate) const KEYS: &[Key] = &[Key::text("store.keep.age"), Key::number("store.keep.count")];

/// The section's values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoreSettings {
    #[serde(default)]
    keep: KeepSettings,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeepSettings {
    /// Reviews that began longer ago are dropped: `90d`, `12h`.
    #[serde(default, deserialize_with = "duration")]
    age: Option<Duration>,
    /// Only this many are kept.
    #[serde(default)]
    count: Option<u64>,
}

impl StoreSettings {
    /// What is kept, with the defaults for what is not set.
    pub(crate) fn keep(&self) -> Keep {
        Keep {
            age: self.keep.age.unwrap_or(Keep::DEFAULT.age),
            count: self.keep.count.unwrap_or(Keep::DEFAULT.count),
        }
    }
}

fn duration<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(value)?;
    humantime::parse_duration(&text).map(Some).map_err(|error| {
        serde::de::Error::custom(format!(
            "{text:?} is no length of time such as 90d or 12h: {error}"
        ))
    })
}
