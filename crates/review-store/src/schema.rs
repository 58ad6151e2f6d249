//! The tables, and the steps from each version of them to the next.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::error::StoreError;

/// Marks the file as one of this program: `frrd`.
const APPLICATION: i32 = 0x6672_7264;

/// One step for each version, applied in order and never changed once released.
const STEPS: &[&str] = &[
    "
    CREATE TABLE reviews (
        id TEXT NOT NULL PRIMARY KEY,
        state TEXT NOT NULL CHECK (state IN ('running', 'done', 'interrupted')),
        repo TEXT,
        scope TEXT NOT NULL,
        base TEXT,
        head TEXT,
        started TEXT NOT NULL,
        outcome TEXT,
        -- The process that runs or ran it.
        writer TEXT NOT NULL,
        -- The change that it was last part of, for those that watch.
        changed INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX reviews_by_repo ON reviews (repo, id);
    CREATE INDEX reviews_by_start ON reviews (started);
    CREATE INDEX reviews_by_change ON reviews (changed);
    CREATE INDEX reviews_running ON reviews (writer) WHERE state = 'running';
    -- Apart from the rows above, so that lists do not read past documents.
    CREATE TABLE documents (
        id TEXT NOT NULL PRIMARY KEY REFERENCES reviews (id) ON DELETE CASCADE,
        json TEXT NOT NULL
    ) STRICT;
    -- One row: how many changes there have been.
    CREATE TABLE changes (count INTEGER NOT NULL) STRICT;
    INSERT INTO changes VALUES (0);
",
    "
    -- Ids are completed, and counted, without a look at the rows.
    CREATE INDEX reviews_done ON reviews (id) WHERE state = 'done';
",
    "
    -- Answers of models, the oldest first. Their seals are the reader's affair.
    CREATE TABLE answers (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        key TEXT NOT NULL UNIQUE,
        answer BLOB NOT NULL
    ) STRICT;
    -- What was spent on a day in UTC, in millionths of a US dollar.
    CREATE TABLE spending (day TEXT NOT NULL PRIMARY KEY, micros INTEGER NOT NULL) STRICT;
",
];

/// Brings the tables of `file` to the newest version. Processes that start together take turns.
pub(crate) fn migrate(connection: &mut Connection, file: &Path) -> Result<(), StoreError> {
    let failed = |source| StoreError::Open { file: file.to_owned(), source };
    if version(connection).map_err(failed)? == STEPS.len() && is_ours(connection).map_err(failed)? {
        return Ok(());
    }
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    // Another process may have been faster.
    let found = version(&transaction).map_err(failed)?;
    if found == 0 && is_empty(&transaction).map_err(failed)? {
        transaction.pragma_update(None, "application_id", APPLICATION).map_err(failed)?;
    } else if !is_ours(&transaction).map_err(failed)? {
        return Err(StoreError::Foreign { file: file.to_owned() });
    }
    let Some(steps) = STEPS.get(found..) else {
        return Err(StoreError::Newer { file: file.to_owned(), found, known: STEPS.len() });
    };
    for step in steps {
        transaction.execute_batch(step).map_err(failed)?;
    }
    transaction
        .pragma_update(None, "user_version", i64::try_from(STEPS.len()).unwrap_or_default())
        .map_err(failed)?;
    transaction.commit().map_err(failed)
}

fn version(connection: &Connection) -> rusqlite::Result<usize> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    // No step counts below zero; such a file is taken for one of a version that is not known.
    Ok(usize::try_from(version).unwrap_or(usize::MAX))
}

fn is_ours(connection: &Connection) -> rusqlite::Result<bool> {
    let id: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    Ok(id == APPLICATION)
}

fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_any_earlier_version_is_brought_to_the_newest_with_its_rows() {
        for version in 1..STEPS.len() {
            let mut connection = Connection::open_in_memory().unwrap();
            connection.pragma_update(None, "application_id", APPLICATION).unwrap();
            STEPS[..version].iter().for_each(|step| connection.execute_batch(step).unwrap());
            connection.pragma_update(None, "user_version", version as i64).unwrap();
            let row = "INSERT INTO reviews VALUES ('a', 'done', NULL, 's', NULL, NULL, 't', NULL, 'w', 1)";
            connection.execute_batch(row).unwrap();
            migrate(&mut connection, Path::new("a.db")).unwrap();
            assert_eq!(super::version(&connection).unwrap(), STEPS.len(), "from {version}");
            let rows: i64 =
                connection.query_row("SELECT count(*) FROM reviews", [], |row| row.get(0)).unwrap();
            assert_eq!(rows, 1, "from {version}");
        }
    }
}
