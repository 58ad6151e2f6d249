//! The file of reviews, and the steps that one goes through.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use review_tool::history::{Begun, History, HistoryError, Kept, Listing, Outcome, Query};
use review_tool::report::Document;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior, params};

use crate::error::StoreError;
use crate::keep::Keep;
use crate::review::{self, RowError};
use crate::schema;
use crate::watch::{Changes, Reader, Watch};
use crate::writer::{Writer, mark_interrupted};

/// The name of the file in the folder.
const FILE: &str = "foreread.db";

/// The name of the file that is written once a change can be read.
///
/// The system reports writes of files, and SQLite lets others see a change only after its last write,
/// so whoever looks at once when the log is written may look too early.
const CHANGED: &str = "changed";

/// How long a step waits for another process that writes just now.
const BUSY: Duration = Duration::from_secs(5);

/// How long to wait before trying again what SQLite itself does not wait for.
const PAUSE: Duration = Duration::from_millis(5);

/// A document beyond this many bytes is not kept.
const MAX_DOCUMENT: usize = 64 << 20;

/// Past reviews in a folder of the user's.
///
/// Reviews that begin in one process are seen by all others. A process that is killed loses the
/// reviews that it was running, which are marked as interrupted when the next one opens the store.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    keep: Keep,
    /// How many changes there had been when the store was opened.
    opened_at: i64,
    held: Mutex<Held>,
}

#[derive(Debug)]
struct Held {
    connection: Connection,
    writer: Writer,
}

impl Store {
    /// Opens the store of a folder, both made where they are missing, and readable by the user alone.
    ///
    /// # Errors
    /// [`StoreError`] where the folder or the file cannot be used; the message says why.
    pub fn open(folder: &Path, keep: Keep) -> Result<Self, StoreError> {
        let unusable = |source| StoreError::Folder { folder: folder.to_owned(), source };
        make_folder(folder).map_err(unusable)?;
        let file = folder.join(FILE);
        make_file(&file).map_err(unusable)?;
        let mut connection = connect(&file)?;
        schema::migrate(&mut connection, &file)?;
        let opened = mark_interrupted(&connection, folder).and_then(|()| changes(&connection));
        let opened_at = opened.map_err(|source| StoreError::Open { file, source })?;
        let held = Held { connection, writer: Writer::new(folder) };
        Ok(Self { folder: folder.to_owned(), keep, opened_at, held: Mutex::new(held) })
    }

    /// Calls `tell` on a thread of its own whenever another process has changed the store since it was
    /// opened, until the watch is dropped.
    ///
    /// # Errors
    /// [`StoreError`] where the system reports no changes of files.
    pub fn watch(&self, tell: impl Fn(&Changes) + Send + 'static) -> Result<Watch, StoreError> {
        let connection = connect(&self.folder.join(FILE))?;
        let own = self.held().writer.token().to_owned();
        Watch::start(Reader::new(connection, own, self.opened_at), &self.folder, tell)
    }

    /// Drops what is beyond `keep` at `now`, an RFC 3339 time in UTC, and gives the space back to the
    /// system. Returns how many reviews went.
    ///
    /// # Errors
    /// [`StoreError::Prune`].
    pub fn prune(&self, keep: Keep, now: &str) -> Result<usize, StoreError> {
        let failed = |source| StoreError::Prune { file: self.folder.join(FILE), source };
        let held = self.held();
        let transaction = write(&held.connection).map_err(failed)?;
        let dropped = keep.enforce(&transaction, now).map_err(failed)?;
        if dropped > 0 {
            next_change(&transaction).map_err(failed)?;
        }
        transaction.commit().map_err(failed)?;
        if dropped > 0 {
            held.connection.execute_batch("VACUUM").map_err(failed)?;
            self.signal();
        }
        Ok(dropped)
    }

    /// Wakes those that watch.
    fn signal(&self) {
        if let Err(error) = std::fs::write(self.folder.join(CHANGED), "") {
            log::debug!("other processes hear of a change with the next one: {error}");
        }
    }

    /// Runs a step that only reads.
    pub(crate) fn with<T>(
        &self,
        step: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        step(&self.held().connection)
    }

    /// Runs a step that writes, as a whole or not at all.
    pub(crate) fn with_transaction<T>(
        &self,
        step: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let held = self.held();
        let transaction = write(&held.connection)?;
        let done = step(&transaction)?;
        transaction.commit()?;
        Ok(done)
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        // A panic cannot leave a transaction behind: it rolls back when it is dropped.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl History for Store {
    fn begin(&self, review: &Begun) -> Result<(), HistoryError> {
        let failed = |error: &dyn std::error::Error| storage("enter a review", error);
        let mut held = self.held();
        held.writer.show().map_err(|error| failed(&error))?;
        let Begun { id, repo, scope, started } = review;
        let token = held.writer.token();
        // Not a change for those that watch: there is nothing to read yet.
        held.connection
            .execute(
                "INSERT INTO reviews (id, state, repo, scope, started, writer, changed)
                 VALUES (?1, 'running', ?2, ?3, ?4, ?5, 0)",
                params![id, repo, scope, started, token],
            )
            .map_err(|error| failed(&error))?;
        Ok(())
    }

    fn finish(&self, document: &Document) -> Result<(), HistoryError> {
        let failed = |error: &dyn std::error::Error| storage("keep a review", error);
        let json = serde_json::to_string(document).map_err(|error| failed(&error))?;
        if json.len() > MAX_DOCUMENT {
            return Err(HistoryError::TooLarge { size: json.len(), limit: MAX_DOCUMENT });
        }
        let outcome =
            serde_json::to_string(&Outcome::of(document)).map_err(|error| failed(&error))?;
        let meta = &document.meta;
        let keep = || -> rusqlite::Result<usize> {
            let held = self.held();
            let transaction = write(&held.connection)?;
            let change = next_change(&transaction)?;
            // Whatever its state: where locks do not work, another process may have given it up.
            let rows = transaction.execute(
                "UPDATE reviews SET state = 'done', scope = ?2, base = ?3, head = ?4, outcome = ?5,
                 changed = ?6 WHERE id = ?1 AND state <> 'done'",
                params![meta.review_id, meta.scope, meta.base, meta.head, outcome, change],
            )?;
            if rows == 1 {
                transaction.execute(
                    "INSERT INTO documents (id, json) VALUES (?1, ?2)",
                    params![meta.review_id, json],
                )?;
                self.keep.enforce(&transaction, &meta.timestamp)?;
                transaction.commit()?;
            }
            Ok(rows)
        };
        match keep().map_err(|error| failed(&error))? {
            1 => {
                self.signal();
                Ok(())
            }
            _ => Err(HistoryError::Storage {
                action: "keep a review",
                reason: format!("{} was not entered, or has ended", meta.review_id),
            }),
        }
    }

    fn abandon(&self, id: &str) -> Result<(), HistoryError> {
        let sql = "DELETE FROM reviews WHERE id = ?1 AND state = 'running'";
        let done = self.held().connection.execute(sql, params![id]);
        done.map(|_rows| ()).map_err(|error| storage("forget a review", &error))
    }

    fn list(&self, query: &Query) -> Result<Listing, HistoryError> {
        let mut entries = review::list(&self.held().connection, query)
            .map_err(|error| row_error("list reviews", error))?;
        let more = entries.len() > query.limit;
        entries.truncate(query.limit);
        Ok(Listing { entries, more })
    }

    fn get(&self, id: &str) -> Result<Option<Kept>, HistoryError> {
        review::get(&self.held().connection, id).map_err(|error| row_error("read a review", error))
    }

    fn ids(&self, prefix: &str, limit: usize) -> Result<(Vec<String>, u64), HistoryError> {
        review::ids(&self.held().connection, prefix, limit)
            .map_err(|error| storage("list reviews", &error))
    }
}

fn row_error(action: &'static str, error: RowError) -> HistoryError {
    match error {
        RowError::Sqlite(error) => storage(action, &error),
        RowError::History(error) => error,
    }
}

fn storage(action: &'static str, error: &dyn std::error::Error) -> HistoryError {
    HistoryError::Storage { action, reason: error.to_string() }
}

/// Begins a step that writes. Waiting for other writers happens here, before anything is read.
fn write(connection: &Connection) -> rusqlite::Result<Transaction<'_>> {
    Transaction::new_unchecked(connection, TransactionBehavior::Immediate)
}

/// Counts one change more and returns its number.
pub(crate) fn next_change(connection: &Connection) -> rusqlite::Result<i64> {
    let sql = "UPDATE changes SET count = count + 1 RETURNING count";
    connection.query_row(sql, [], |row| row.get(0))
}

/// How many changes there have been.
pub(crate) fn changes(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("SELECT count FROM changes", [], |row| row.get(0))
}

fn connect(file: &Path) -> Result<Connection, StoreError> {
    let failed = |source| StoreError::Open { file: file.to_owned(), source };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags).map_err(failed)?;
    if connection.is_readonly("main").map_err(failed)? {
        return Err(StoreError::ReadOnly { file: file.to_owned() });
    }
    connection.busy_timeout(BUSY).map_err(failed)?;
    let mode = write_ahead(&connection).map_err(failed)?;
    if mode != "wal" {
        return Err(StoreError::Journal { file: file.to_owned(), mode });
    }
    // In this mode a loss of power may cost the last steps and never damages the file; the end of a
    // process costs nothing.
    connection.pragma_update(None, "synchronous", "normal").map_err(failed)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(failed)?;
    // What stands in the file is data and may not call functions.
    connection.pragma_update(None, "trusted_schema", false).map_err(failed)?;
    Ok(connection)
}

/// Switches the journal to the write-ahead log, which the file remembers; returns the mode it has then.
fn write_ahead(connection: &Connection) -> rusqlite::Result<String> {
    let deadline = Instant::now() + BUSY;
    loop {
        match connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0)) {
            // SQLite does not wait here for another process that switches just now.
            Err(error) if is_busy(&error) && Instant::now() < deadline => {
                std::thread::sleep(PAUSE);
            }
            answer => return answer,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy)
}

fn make_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Makes the file before SQLite does, since the files beside it take its permissions over.
fn make_file(file: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file).map(drop)
}
