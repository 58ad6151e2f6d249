//! Hearing of what other processes have stored.
//!
//! The system says when a file of the store is written; only then is the store asked what is new.

use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use notify::event::{AccessKind, EventKind};
use notify::{Event, RecursiveMode, Watcher};
use rusqlite::{Connection, params};

use crate::error::StoreError;
use crate::store::changes;

/// At most this many reviews are named in one report.
const MAX_NAMED: usize = 100;

/// What other processes have changed since the last report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    /// The reviews that have ended, the oldest change first, at most a hundred. None where reviews were
    /// dropped only.
    pub reviews: Vec<String>,
}

/// A watch on the store, for as long as it is held.
#[derive(Debug)]
pub struct Watch {
    /// Dropped with the watch, which ends the thread.
    _watcher: notify::RecommendedWatcher,
}

impl Watch {
    pub(crate) fn start(
        reader: Reader,
        folder: &Path,
        tell: impl Fn(&Changes) + Send + 'static,
    ) -> Result<Self, StoreError> {
        let failed = |source| StoreError::Watch { folder: folder.to_owned(), source };
        // One signal that waits stands for any number of writes.
        let (signal, signals) = sync_channel(1);
        // What has been stored since the store was opened is found at once.
        let first = signal.clone();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            if !event.is_ok_and(|event| is_reading(event.kind)) {
                // Full means that a signal waits already.
                let _ = signal.try_send(());
            }
        })
        .map_err(failed)?;
        watcher.watch(folder, RecursiveMode::NonRecursive).map_err(failed)?;
        let _ = first.try_send(());
        drop(first);
        thread::Builder::new()
            .name("review-watch".to_owned())
            .spawn(move || follow(&signals, reader, tell))
            .map_err(StoreError::Thread)?;
        Ok(Self { _watcher: watcher })
    }
}

fn is_reading(kind: EventKind) -> bool {
    matches!(kind, EventKind::Access(access) if !matches!(access, AccessKind::Any))
}

fn follow(signals: &Receiver<()>, mut reader: Reader, tell: impl Fn(&Changes)) {
    while signals.recv().is_ok() {
        match reader.news() {
            Ok(Some(changes)) => tell(&changes),
            Ok(None) => {}
            Err(error) => log::warn!("cannot read what is new in the history: {error}"),
        }
    }
}

/// Reads what is new.
pub(crate) struct Reader {
    connection: Connection,
    /// What stands in the rows of this process, which needs no report of them.
    own: String,
    seen: i64,
}

impl Reader {
    /// Reads the changes after the first `seen` ones.
    pub(crate) fn new(connection: Connection, own: String, seen: i64) -> Self {
        Self { connection, own, seen }
    }

    fn news(&mut self) -> rusqlite::Result<Option<Changes>> {
        let transaction = self.connection.unchecked_transaction()?;
        let count = changes(&self.connection)?;
        if count == self.seen {
            return Ok(None);
        }
        let mut statement = self.connection.prepare(
            "SELECT id, writer = ?2 FROM reviews WHERE changed > ?1 ORDER BY changed LIMIT ?3",
        )?;
        let limit = i64::try_from(MAX_NAMED).unwrap_or(i64::MAX);
        let rows = statement
            .query_map(params![self.seen, self.own, limit], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<Vec<(String, bool)>>>()?;
        drop(statement);
        drop(transaction);
        self.seen = count;
        let only_own = !rows.is_empty() && rows.iter().all(|(_, own)| *own);
        let reviews = rows.into_iter().filter(|(_, own)| !own).map(|(id, _)| id).collect();
        Ok((!only_own).then_some(Changes { reviews }))
    }
}
