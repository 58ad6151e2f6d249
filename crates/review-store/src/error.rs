//! Why the store could not be opened or watched.

use std::path::PathBuf;

/// Says why there is no store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The folder cannot be made or entered.
    #[error("cannot use the folder {}: {source}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file cannot be written.
    #[error("{} cannot be written", file.display())]
    ReadOnly {
        /// The file.
        file: PathBuf,
    },
    /// SQLite does not open the file.
    #[error("cannot open {}: {source}", file.display())]
    Open {
        /// The file.
        file: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The file does not take a write-ahead log, as on some network file systems.
    #[error("{} keeps its journal in mode {mode:?}; put the state folder on a local disk", file.display())]
    Journal {
        /// The file.
        file: PathBuf,
        /// The mode that it stays in.
        mode: String,
    },
    /// The file is no store of this program.
    #[error("{} belongs to another program; move it away", file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
    },
    /// A newer version of the program has written the file.
    #[error("{} was written by a newer foreread (format {found}, this one knows {known})", file.display())]
    Newer {
        /// The file.
        file: PathBuf,
        /// The format of the file.
        found: usize,
        /// The newest format that this version knows.
        known: usize,
    },
    /// The system does not report changes of the folder.
    #[error("cannot watch {}: {source}", folder.display())]
    Watch {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: notify::Error,
    },
    /// No thread could be started.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
    /// What was spent could not be entered.
    #[error("cannot enter what was spent: {0}")]
    Spend(#[source] rusqlite::Error),
    /// The file could not be cleaned up.
    #[error("cannot prune {}: {source}", file.display())]
    Prune {
        /// The file.
        file: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
}
