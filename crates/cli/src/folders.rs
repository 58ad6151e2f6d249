//! Where the user's settings and state lie, by the XDG base directory specification.

use std::path::PathBuf;

use etcetera::BaseStrategy;

/// The name of our folder in each base folder.
const NAME: &str = "foreread";

/// The user's folders. None of them need exist.
#[derive(Debug, Clone, Default)]
pub(crate) struct Folders {
    /// `$XDG_CONFIG_HOME/foreread`, or `~/.config/foreread`; `None` where there is no home either.
    pub(crate) config: Option<PathBuf>,
    /// `$XDG_STATE_HOME/foreread`, or `~/.local/state/foreread`; `None` where there is no home either.
    pub(crate) state: Option<PathBuf>,
}

impl Folders {
    /// Reads them from the environment. A relative base folder is ignored, as the specification asks.
    pub(crate) fn from_environment() -> Self {
        let Ok(base) = etcetera::base_strategy::choose_base_strategy() else {
            return Self::default();
        };
        // Windows has no folder for state; what may be lost with little harm stands nearest.
        let state = base.state_dir().unwrap_or_else(|| base.cache_dir());
        Self { config: Some(base.config_dir().join(NAME)), state: Some(state.join(NAME)) }
    }

    /// The user's settings file.
    pub(crate) fn settings_file(&self) -> Option<PathBuf> {
        self.config.as_ref().map(|folder| folder.join("config.toml"))
    }
}
