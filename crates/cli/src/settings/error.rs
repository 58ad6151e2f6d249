//! What can be wrong with settings. Each message names the key or the file, and the way out.

use std::io;
use std::path::PathBuf;

/// Settings that cannot be used. The program exits as for wrong usage.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingsError {
    /// The file is there and cannot be read, or cannot be written.
    #[error("cannot read the settings in {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// The file cannot be written.
    #[error("cannot write the settings to {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// There is no folder to write to.
    #[error("there is no folder for settings; set HOME or XDG_CONFIG_HOME")]
    NoFolder,
    /// The file is not TOML.
    #[error("{} is not TOML", path.display())]
    Syntax { path: PathBuf, source: toml::de::Error },
    /// The file is not TOML, as its editor reads it.
    #[error("{} is not TOML", path.display())]
    Edit { path: PathBuf, source: toml_edit::TomlError },
    /// No section has the key.
    #[error("unknown setting `{key}` in {origin}{}", suggestion(near.as_deref()))]
    Unknown { key: String, origin: String, near: Option<String> },
    /// The value is of another kind than the key's.
    #[error("`{key}` in {origin}: {problem}")]
    Value { key: String, origin: String, problem: String },
}

fn suggestion(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}
