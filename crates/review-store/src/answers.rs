//! Stored answers of models, and what was spent on them.
//!
//! An answer is bytes under a key; whether it can be believed is for the reader to check.

use review_tool::model::Memory;
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::StoreError;
use crate::store::Store;

/// All answers together are kept below this many bytes; the oldest go first.
const MAX_TOTAL: i64 = 64 << 20;
/// A larger answer is not kept.
const MAX_ANSWER: usize = 4 << 20;

impl Memory for Store {
    fn recall(&self, key: &str) -> Option<Vec<u8>> {
        let found = self.with(|connection| {
            connection
                .query_row("SELECT answer FROM answers WHERE key = ?1", params![key], |row| {
                    row.get(0)
                })
                .optional()
        });
        found.inspect_err(|error| log::debug!("a stored answer cannot be read: {error}")).ok()?
    }

    fn keep(&self, key: &str, answer: &[u8]) {
        if answer.len() > MAX_ANSWER {
            return;
        }
        let kept = self.with_transaction(|transaction| {
            transaction.execute(
                "INSERT OR REPLACE INTO answers (key, answer) VALUES (?1, ?2)",
                params![key, answer],
            )?;
            trim(transaction, MAX_TOTAL)
        });
        if let Err(error) = kept {
            log::debug!("an answer cannot be stored: {error}");
        }
    }
}

/// Drops the oldest answers beyond `total` bytes.
fn trim(connection: &Connection, total: i64) -> rusqlite::Result<()> {
    connection.execute(
        "DELETE FROM answers WHERE id <= (
             SELECT id FROM (
                 SELECT id, sum(length(answer)) OVER (ORDER BY id DESC) AS size FROM answers
             ) WHERE size > ?1 ORDER BY id DESC LIMIT 1
         )",
        params![total],
    )?;
    Ok(())
}

impl Store {
    /// Adds an amount, in millionths of a dollar, to what was spent on a day, unless the sum would
    /// exceed `limit`; returns whether it was added. Processes that spend at once see each other.
    ///
    /// # Errors
    /// [`StoreError::Spend`].
    pub fn spend(&self, day: &str, micros: i64, limit: Option<i64>) -> Result<bool, StoreError> {
        self.with_transaction(|transaction| {
            let spent: Option<i64> = transaction
                .query_row("SELECT micros FROM spending WHERE day = ?1", params![day], |row| {
                    row.get(0)
                })
                .optional()?;
            let sum = spent.unwrap_or(0).saturating_add(micros).max(0);
            if limit.is_some_and(|limit| sum > limit) {
                return Ok(false);
            }
            transaction.execute(
                "INSERT INTO spending (day, micros) VALUES (?1, ?2)
                 ON CONFLICT (day) DO UPDATE SET micros = ?2",
                params![day, sum],
            )?;
            // Sums of days gone by are of no use; a day stays for those whose clock is behind.
            transaction
                .execute("DELETE FROM spending WHERE day < date(?1, '-2 days')", params![day])?;
            Ok(true)
        })
        .map_err(StoreError::Spend)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_answers_go_first() {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch("CREATE TABLE answers (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE, answer BLOB)")
            .unwrap();
        for key in ["a", "b", "c", "d"] {
            connection
                .execute(
                    "INSERT INTO answers (key, answer) VALUES (?1, zeroblob(10))",
                    params![key],
                )
                .unwrap();
        }
        trim(&connection, 40).unwrap();
        let keys = |connection: &Connection| -> Vec<String> {
            let mut statement = connection.prepare("SELECT key FROM answers ORDER BY id").unwrap();
            statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
        };
        assert_eq!(keys(&connection), ["a", "b", "c", "d"]);
        trim(&connection, 25).unwrap();
        assert_eq!(keys(&connection), ["c", "d"]);
    }
}
