//! The user's settings: a file, then the environment, then flags; each value with where it came from.
//!
//! A section is one file below `settings/`: its keys as a table, and a struct that they are decoded into.
//! To add one, write the file and name it in [`SECTIONS`]. Unknown keys and wrong values are errors:
//! a setting that silently does nothing would be a gate that silently does not hold.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use review_tool::nearest::nearest;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::folders::Folders;

mod error;
mod key;
pub(crate) mod providers;
pub(crate) mod review;
pub(crate) mod rules;
pub(crate) mod servers;
pub(crate) mod store;
mod write;

pub(crate) use error::SettingsError;
use key::Key;
use providers::ProvidersSettings;
use review::ReviewSettings;
use rules::RulesSettings;
use servers::ServersSettings;
use store::StoreSettings;
pub(crate) use write::{set, unset};

/// A settings file beyond this many bytes is refused.
const MAX_FILE: u64 = 1 << 20;

/// Every section: its keys, and what holds its values to their types.
const SECTIONS: &[Section] = &[
    Section {
        keys: providers::KEYS,
        check: |settings| settings.provider().and(settings.providers()).map(drop),
    },
    Section { keys: review::KEYS, check: |settings| settings.review().map(drop) },
    Section { keys: rules::KEYS, check: |settings| settings.rules().map(drop) },
    Section { keys: servers::KEYS, check: |settings| settings.servers().map(drop) },
    Section { keys: store::KEYS, check: |settings| settings.store().map(drop) },
];

struct Section {
    keys: &'static [Key],
    check: fn(&Settings) -> Result<(), SettingsError>,
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The settings file.
    File(PathBuf),
    /// A variable of the environment.
    Environment(String),
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Environment(name) => f.write_str(name),
        }
    }
}

/// The merged settings. Defaults are not in here; they stand in each section's struct.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    table: Table,
    origins: BTreeMap<String, Origin>,
}

/// One value of the merged settings, as it may be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    /// The key, its names joined by dots.
    pub(crate) key: String,
    /// The value as TOML, or `***`.
    pub(crate) value: String,
    /// Where it came from.
    pub(crate) origin: Origin,
}

impl Settings {
    /// Loads what the user has set.
    ///
    /// # Errors
    /// [`SettingsError`] for a file that cannot be read, an unknown key, or a value of a wrong kind.
    pub(crate) fn load(folders: &Folders) -> Result<Self, SettingsError> {
        let mut settings = Self::default();
        if let Some(path) = folders.settings_file()
            && let Some(text) = read(&path)?
        {
            settings.add_file(&path, &text)?;
        }
        settings.add_environment(std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        }))?;
        settings.check()?;
        Ok(settings)
    }

    /// `[review]`.
    pub(crate) fn review(&self) -> Result<ReviewSettings, SettingsError> {
        self.section("review")
    }

    /// `[rules]`.
    pub(crate) fn rules(&self) -> Result<RulesSettings, SettingsError> {
        self.section("rules")
    }

    /// `provider`: the one that is asked.
    pub(crate) fn provider(&self) -> Result<Option<String>, SettingsError> {
        self.section("provider")
    }

    /// `[providers.NAME]`.
    pub(crate) fn providers(&self) -> Result<ProvidersSettings, SettingsError> {
        self.section("providers")
    }

    /// `[servers.NAME]`.
    pub(crate) fn servers(&self) -> Result<ServersSettings, SettingsError> {
        self.section("servers")
    }

    /// `[store]`.
    pub(crate) fn store(&self) -> Result<StoreSettings, SettingsError> {
        self.section("store")
    }

    /// Every value that is set, ordered by key; secrets as `***`.
    pub(crate) fn shown(&self) -> Vec<Shown> {
        let mut shown = Vec::new();
        for (path, value) in leaves(&self.table) {
            let Some(origin) = self.origins.get(&path.join(".")) else { continue };
            let secret = key_of(&path).is_some_and(Key::is_secret);
            let value = if secret { "***".to_owned() } else { value.to_string() };
            shown.push(Shown { key: path.join("."), value, origin: origin.clone() });
        }
        shown.sort_by(|a, b| a.key.cmp(&b.key));
        shown
    }

    fn add_file(&mut self, path: &Path, text: &str) -> Result<(), SettingsError> {
        let table: Table = text
            .parse()
            .map_err(|source| SettingsError::Syntax { path: path.to_owned(), source })?;
        for (names, value) in leaves(&table) {
            if is_prefix(&names, &value) {
                continue;
            }
            if key_of(&names).is_none() {
                return Err(unknown(&names, &path.display().to_string()));
            }
            self.insert(&names, value, Origin::File(path.to_owned()));
        }
        Ok(())
    }

    fn add_environment(
        &mut self,
        variables: impl Iterator<Item = (String, String)>,
    ) -> Result<(), SettingsError> {
        let mut variables: Vec<_> = variables.collect();
        variables.sort();
        for (name, text) in variables {
            let Some(key) = keys().find(|key| key.variable().as_deref() == Some(&name)) else {
                continue;
            };
            if text.is_empty() {
                continue;
            }
            let value = key.value_of(&text).map_err(|expected| SettingsError::Value {
                key: name.clone(),
                origin: "the environment".to_owned(),
                problem: format!("{text:?} is not {expected}"),
            })?;
            let names: Vec<String> = key.names().map(str::to_owned).collect();
            self.insert(&names, value, Origin::Environment(name));
        }
        Ok(())
    }

    fn insert(&mut self, names: &[String], value: Value, origin: Origin) {
        let Some((last, parents)) = names.split_last() else { return };
        let mut table = &mut self.table;
        for name in parents {
            let entry = table.entry(name.clone()).or_insert_with(|| Value::Table(Table::new()));
            if !entry.is_table() {
                *entry = Value::Table(Table::new());
            }
            let Value::Table(inner) = entry else { return };
            table = inner;
        }
        table.insert(last.clone(), value);
        self.origins.insert(names.join("."), origin);
    }

    fn check(&self) -> Result<(), SettingsError> {
        SECTIONS.iter().try_for_each(|section| (section.check)(self))
    }

    /// Decodes one table of the top level; its default where it is not set.
    fn section<T: DeserializeOwned + Default>(&self, name: &str) -> Result<T, SettingsError> {
        let Some(value) = self.table.get(name) else { return Ok(T::default()) };
        serde_path_to_error::deserialize(value.clone()).map_err(|error| {
            let inner = error.path().to_string();
            let key = if inner == "." { name.to_owned() } else { format!("{name}.{inner}") };
            let origin = self.origin_of(&key);
            let problem = error.into_inner().to_string().trim_end().to_owned();
            SettingsError::Value { key, origin, problem }
        })
    }

    /// Where a key was set, or anything below it.
    fn origin_of(&self, key: &str) -> String {
        let found = self.origins.iter().find(|(name, _)| {
            name.as_str() == key
                || name.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'))
                || key.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(['.', '[']))
        });
        found.map_or_else(|| "the settings".to_owned(), |(_, origin)| origin.to_string())
    }
}

/// Reads a settings file; `None` where there is none.
fn read(path: &Path) -> Result<Option<String>, SettingsError> {
    let failed = |source| SettingsError::Read { path: path.to_owned(), source };
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let mut text = String::new();
    file.take(MAX_FILE + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > MAX_FILE {
        return Err(failed(io::Error::other(format!("it is larger than {MAX_FILE} bytes"))));
    }
    Ok(Some(text))
}

fn keys() -> impl Iterator<Item = &'static Key> {
    SECTIONS.iter().flat_map(|section| section.keys)
}

fn key_of(names: &[String]) -> Option<&'static Key> {
    keys().find(|key| key.matches(names))
}

/// Whether an empty table stands where known keys would.
fn is_prefix(names: &[String], value: &Value) -> bool {
    value.as_table().is_some_and(Table::is_empty) && keys().any(|key| key.is_below(names))
}

/// The values of a table that are no tables themselves, with their paths; empty tables too.
fn leaves(table: &Table) -> Vec<(Vec<String>, Value)> {
    let mut found = Vec::new();
    let mut open: Vec<(Vec<String>, &Table)> = vec![(Vec::new(), table)];
    while let Some((path, table)) = open.pop() {
        for (name, value) in table {
            let mut path = path.clone();
            path.push(name.clone());
            match value {
                Value::Table(inner) if !inner.is_empty() => open.push((path, inner)),
                _ => found.push((path, value.clone())),
            }
        }
    }
    found
}

fn unknown(names: &[String], origin: &str) -> SettingsError {
    let key = names.join(".");
    let known: Vec<String> = keys().map(|key| key.filled(names)).collect();
    let near = nearest(&key, known.iter().map(String::as_str)).map(str::to_owned);
    SettingsError::Unknown { key, origin: origin.to_owned(), near }
}

#[cfg(test)]
mod tests;
