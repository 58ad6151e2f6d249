//! Reviews as rows.

use review_tool::history::{Entry, HistoryError, Kept, Query, State};
use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

/// The columns of an entry, in the order that [`entry`] reads.
const COLUMNS: &str = "r.id, r.state, r.repo, r.scope, r.base, r.head, r.started, r.outcome";

/// Why a row could not be read.
pub(crate) enum RowError {
    Sqlite(rusqlite::Error),
    History(HistoryError),
}

impl From<rusqlite::Error> for RowError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

/// An entry with its outcome still as text.
struct Raw {
    entry: Entry,
    outcome: Option<String>,
}

fn raw(row: &Row<'_>) -> rusqlite::Result<Raw> {
    let state: String = row.get(1)?;
    let entry = Entry {
        id: row.get(0)?,
        state: match state.as_str() {
            "running" => State::Running,
            "done" => State::Done,
            _ => State::Interrupted,
        },
        repo: row.get(2)?,
        scope: row.get(3)?,
        base: row.get(4)?,
        head: row.get(5)?,
        started: row.get(6)?,
        outcome: None,
    };
    Ok(Raw { entry, outcome: row.get(7)? })
}

impl Raw {
    fn entry(self) -> Result<Entry, RowError> {
        let Self { mut entry, outcome } = self;
        if let Some(text) = outcome {
            entry.outcome = Some(decode(&entry.id, &text)?);
        }
        Ok(entry)
    }
}

fn decode<T: serde::de::DeserializeOwned>(id: &str, text: &str) -> Result<T, RowError> {
    serde_json::from_str(text).map_err(|error| {
        RowError::History(HistoryError::Document { id: id.to_owned(), reason: error.to_string() })
    })
}

/// Lists entries, the newest first, one more than the limit where there are more.
pub(crate) fn list(connection: &Connection, query: &Query) -> Result<Vec<Entry>, RowError> {
    let of_repo = if query.repo.is_some() { "r.repo = :repo" } else { ":repo IS NULL" };
    let mut statement = connection.prepare(&format!(
        "SELECT {COLUMNS} FROM reviews r
         WHERE {of_repo} AND (:before IS NULL OR r.id < :before)
         ORDER BY r.id DESC LIMIT :limit"
    ))?;
    let limit = i64::try_from(query.limit.saturating_add(1)).unwrap_or(i64::MAX);
    let values = named_params! {":repo": query.repo, ":before": query.before, ":limit": limit};
    statement.query_map(values, raw)?.map(|row| row?.entry()).collect()
}

/// Reads one review with its document.
pub(crate) fn get(connection: &Connection, id: &str) -> Result<Option<Kept>, RowError> {
    let sql = format!(
        "SELECT {COLUMNS}, d.json FROM reviews r LEFT JOIN documents d ON d.id = r.id
         WHERE r.id = ?1"
    );
    let read = |row: &Row<'_>| Ok((raw(row)?, row.get::<_, Option<String>>(8)?));
    let Some((raw, json)) = connection.query_row(&sql, params![id], read).optional()? else {
        return Ok(None);
    };
    let document = json.map(|json| decode(id, &json)).transpose()?;
    Ok(Some(Kept { entry: raw.entry()?, document }))
}

/// Lists ids of finished reviews by their beginning, the newest first, and counts them all.
pub(crate) fn ids(
    connection: &Connection,
    prefix: &str,
    limit: usize,
) -> rusqlite::Result<(Vec<String>, u64)> {
    // Every text that begins with the prefix sorts between it and this.
    let end = format!("{prefix}\u{10ffff}");
    let of_prefix = "FROM reviews WHERE state = 'done' AND id >= ?1 AND id < ?2";
    let mut statement =
        connection.prepare(&format!("SELECT id {of_prefix} ORDER BY id DESC LIMIT ?3"))?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let ids = statement.query_map(params![prefix, end, limit], |row| row.get(0))?;
    let ids = ids.collect::<rusqlite::Result<_>>()?;
    let count = format!("SELECT count(*) {of_prefix}");
    let total: i64 = connection.query_row(&count, params![prefix, end], |row| row.get(0))?;
    Ok((ids, u64::try_from(total).unwrap_or_default()))
}
