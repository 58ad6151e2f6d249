//! Changing the settings file: one value at a time, comments and order left as they are.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use toml_edit::{Array, DocumentMut, Item, Table, Value};

use super::{Settings, SettingsError, key_of, read, unknown};
use crate::folders::Folders;

/// Sets a key in the user's file, which is made where there is none. Returns the file's path.
///
/// # Errors
/// [`SettingsError`] for an unknown key, a value of a wrong kind, or a file that cannot be read or written;
/// the file is then as it was.
pub(crate) fn set(folders: &Folders, key: &str, text: &str) -> Result<PathBuf, SettingsError> {
    let names: Vec<String> = key.split('.').map(str::to_owned).collect();
    let known = key_of(&names).ok_or_else(|| unknown(&names, "the arguments"))?;
    let value = known.value_of(text).map_err(|expected| SettingsError::Value {
        key: key.to_owned(),
        origin: "the arguments".to_owned(),
        problem: format!("{text:?} is not {expected}"),
    })?;
    edit(folders, |document| {
        let Some((last, parents)) = names.split_last() else { return };
        let mut table: &mut dyn toml_edit::TableLike = document.as_table_mut();
        for name in parents {
            let entry = table.entry(name).or_insert_with(|| {
                let mut made = Table::new();
                // A table that only holds tables needs no header of its own.
                made.set_implicit(true);
                Item::Table(made)
            });
            let Some(inner) = entry.as_table_like_mut() else { return };
            table = inner;
        }
        let mut value = editable(&value);
        if let Some(old) = table.get(last).and_then(Item::as_value) {
            *value.decor_mut() = old.decor().clone();
        }
        table.insert(last, Item::Value(value));
    })
}

/// Takes a key out of the user's file. Returns the file's path.
///
/// # Errors
/// As for [`set`]; a key that is not set is no error.
pub(crate) fn unset(folders: &Folders, key: &str) -> Result<PathBuf, SettingsError> {
    let names: Vec<String> = key.split('.').map(str::to_owned).collect();
    key_of(&names).ok_or_else(|| unknown(&names, "the arguments"))?;
    edit(folders, |document| {
        let Some((last, parents)) = names.split_last() else { return };
        let mut table: &mut dyn toml_edit::TableLike = document.as_table_mut();
        for name in parents {
            let Some(inner) = table.get_mut(name).and_then(Item::as_table_like_mut) else {
                return;
            };
            table = inner;
        }
        table.remove(last);
    })
}

fn edit(
    folders: &Folders,
    change: impl FnOnce(&mut DocumentMut),
) -> Result<PathBuf, SettingsError> {
    let path = folders.settings_file().ok_or(SettingsError::NoFolder)?;
    let text = read(&path)?.unwrap_or_default();
    let mut document: DocumentMut =
        text.parse().map_err(|source| SettingsError::Edit { path: path.clone(), source })?;
    change(&mut document);
    let text = document.to_string();
    // What could not be loaded again is not written.
    let mut settings = Settings::default();
    settings.add_file(&path, &text)?;
    settings.check()?;
    replace(&path, &text).map_err(|source| SettingsError::Write { path: path.clone(), source })?;
    Ok(path)
}

/// Writes a file in one step. A link stays a link, and the file's permissions stay.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let target = match std::fs::canonicalize(path) {
        Ok(target) => target,
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(error),
    };
    let folder = target.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    if let Ok(meta) = std::fs::metadata(&target) {
        file.as_file().set_permissions(meta.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(&target)?;
    Ok(())
}

fn editable(value: &toml::Value) -> Value {
    match value {
        toml::Value::Integer(number) => Value::from(*number),
        toml::Value::Boolean(flag) => Value::from(*flag),
        toml::Value::Array(items) => {
            let items = items.iter().filter_map(toml::Value::as_str);
            Value::from(items.collect::<Array>())
        }
        other => Value::from(other.as_str().unwrap_or_default()),
    }
}
