//! Arguments that are strings all, as prompts and completions have them.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use crate::encode::{Fields, Object, encode_fields};

/// Named strings, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strings(Vec<(String, String)>);

impl Strings {
    /// Creates an empty set.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a string, or replaces the one of that name in its place.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<String>) {
        let name = name.into();
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some(entry) => entry.1 = value.into(),
            None => self.0.push((name, value.into())),
        }
    }

    /// Returns the string of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find_map(|(known, value)| (known == name).then_some(value))
    }

    /// Visits the strings in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Reports whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Strings {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(entries: I) -> Self {
        let mut strings = Self::new();
        for (name, value) in entries {
            strings.insert(name, value);
        }
        strings
    }
}

impl<'de> Deserialize<'de> for Strings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(StringsVisitor)
    }
}

struct StringsVisitor;

impl<'de> Visitor<'de> for StringsVisitor {
    type Value = Strings;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of strings")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Strings, A::Error> {
        let mut strings = Vec::new();
        while let Some(entry) = map.next_entry::<String, String>()? {
            strings.push(entry);
        }
        // The last of several values with one name wins, as in other objects. Only an object that
        // repeats a name pays for that, and with its order.
        let mut names: Vec<&str> = strings.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        if names.windows(2).all(|pair| pair[0] != pair[1]) {
            return Ok(Strings(strings));
        }
        let last: BTreeMap<String, String> = strings.into_iter().collect();
        Ok(Strings(last.into_iter().collect()))
    }
}

impl Fields for Strings {
    fn fields(&self, object: &mut Object<'_, '_>) {
        for (name, value) in self.iter() {
            object.field(name, value);
        }
    }
}

encode_fields!(Strings);
