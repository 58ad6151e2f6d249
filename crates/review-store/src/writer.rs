//! Which processes are alive: each holds a lock on a file of its own while it runs.
//!
//! The system lets go of a lock when its process ends, however it ends, so a lock that can be taken
//! says that the reviews its process was running will never end.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};

use crate::store::next_change;

/// The folder of the locks, below that of the store.
const FOLDER: &str = "writers";
/// The end of a lock's name.
const EXTENSION: &str = "lock";
/// At most this many locks of earlier processes are looked at on one start.
const MAX_LOCKS: usize = 4096;

/// The mark of this process in the store.
#[derive(Debug)]
pub(crate) struct Writer {
    token: String,
    path: PathBuf,
    lock: Option<File>,
}

impl Writer {
    /// A mark that no other process has.
    pub(crate) fn new(folder: &Path) -> Self {
        let token = uuid::Uuid::now_v7().to_string();
        let path = folder.join(FOLDER).join(&token).with_extension(EXTENSION);
        Self { token, path, lock: None }
    }

    /// What stands in the rows of this process.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Shows that this process is alive, from now until its end.
    pub(crate) fn show(&mut self) -> io::Result<()> {
        if self.lock.is_some() {
            return Ok(());
        }
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        // Locked before it has its name, so that nobody ever finds it free while this process lives.
        let unnamed = self.path.with_extension("new");
        let file = File::create(&unnamed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::WouldBlock.into()),
        }
        std::fs::rename(unnamed, &self.path)?;
        self.lock = Some(file);
        Ok(())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if self.lock.take().is_some() {
            // A file that stays behind is removed by the next start.
            drop(std::fs::remove_file(&self.path));
        }
    }
}

/// Marks the reviews of processes that are gone as interrupted.
pub(crate) fn mark_interrupted(connection: &Connection, folder: &Path) -> rusqlite::Result<()> {
    let locks = folder.join(FOLDER);
    let mut statement =
        connection.prepare("SELECT DISTINCT writer FROM reviews WHERE state = 'running'")?;
    let writers: Vec<String> =
        statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    for writer in writers {
        let path = locks.join(&writer).with_extension(EXTENSION);
        if is_held(&path) {
            continue;
        }
        let transaction = connection.unchecked_transaction()?;
        let change = next_change(&transaction)?;
        transaction.execute(
            "UPDATE reviews SET state = 'interrupted', changed = ?2
             WHERE writer = ?1 AND state = 'running'",
            params![writer, change],
        )?;
        transaction.commit()?;
    }
    remove_stale(&locks);
    Ok(())
}

/// Removes the locks that processes left behind.
fn remove_stale(locks: &Path) {
    let Ok(entries) = std::fs::read_dir(locks) else { return };
    for entry in entries.flatten().take(MAX_LOCKS) {
        let path = entry.path();
        let is_lock = path.extension().is_some_and(|extension| extension == EXTENSION);
        if is_lock && !is_held(&path) {
            drop(std::fs::remove_file(path));
        }
    }
}

/// Whether a living process holds the lock. Where that cannot be found out, one may.
fn is_held(path: &Path) -> bool {
    match File::open(path) {
        Err(error) => error.kind() != io::ErrorKind::NotFound,
        Ok(file) => !matches!(file.try_lock_shared(), Ok(())),
    }
}
