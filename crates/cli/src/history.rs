//! The user's history of reviews: opened when it is first asked for, and done without where it cannot
//! be used.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use mcp_stdio::Notifier;
use review_store::{Changes, Keep, Store, Watch};
use review_tool::history::{Begun, History, HistoryError, Kept, Listing, NoHistory, Query};
use review_tool::printable;
use review_tool::report::Document;
use review_tool::resource::{Address, Part};

use crate::folders::Folders;
use crate::settings::{Settings, SettingsError};
use crate::terminal;

/// The history of the user who runs the program.
pub(crate) struct UserHistory {
    folder: Option<PathBuf>,
    keep: Keep,
    opened: OnceLock<Result<Store, NoHistory>>,
    has_warned: AtomicBool,
    /// Whom to tell of reviews that are kept.
    told: OnceLock<Notifier>,
}

impl UserHistory {
    /// The history in the state folder of `folders`, which keeps what the settings say.
    ///
    /// # Errors
    /// [`SettingsError`] for wrong settings.
    pub(crate) fn new(folders: &Folders, settings: &Settings) -> Result<Self, SettingsError> {
        Ok(Self {
            folder: folders.state.clone(),
            keep: settings.store()?.keep(),
            opened: OnceLock::new(),
            has_warned: AtomicBool::new(false),
            told: OnceLock::new(),
        })
    }

    /// What is kept.
    pub(crate) fn keep(&self) -> Keep {
        self.keep
    }

    /// The store itself.
    ///
    /// # Errors
    /// Why reviews are not kept.
    pub(crate) fn store(&self) -> Result<&Store, HistoryError> {
        self.opened.get_or_init(|| self.open()).as_ref().map_err(NoHistory::error)
    }

    fn open(&self) -> Result<Store, NoHistory> {
        let none = || NoHistory::new("set XDG_STATE_HOME or HOME to an absolute folder");
        let folder = self.folder.as_deref().ok_or_else(none)?;
        Store::open(folder, self.keep).map_err(|error| NoHistory::new(error.to_string()))
    }

    /// Tells the clients of `notifier` of every review that this process keeps from now on.
    pub(crate) fn announce_to(&self, notifier: Notifier) {
        self.told.get_or_init(|| notifier);
    }

    /// Tells them of those that other processes keep, too, until the watch is dropped.
    pub(crate) fn watch_others(&self) -> Option<Watch> {
        let notifier = self.told.get()?.clone();
        let store = self.checked(self.store()).ok()?;
        let watch = store.watch(move |changes| tell(&notifier, changes));
        watch
            .inspect_err(|error| {
                self.warn(&format!("reviews of other processes are not announced: {error}"));
            })
            .ok()
    }

    /// Warns of the first failure: there is one cause, and every review would name it again.
    fn checked<T>(&self, result: Result<T, HistoryError>) -> Result<T, HistoryError> {
        result.inspect_err(|error| self.warn(&error.to_string()))
    }

    fn warn(&self, problem: &str) {
        if !self.has_warned.swap(true, Ordering::Relaxed) {
            terminal::say(&format!("warning: {}", printable(problem)));
        }
    }
}

/// Announces what was kept or dropped.
fn tell(notifier: &Notifier, changes: &Changes) {
    notifier.resources_changed();
    notifier.resource_updated(Address::Reviews.to_string());
    for id in &changes.reviews {
        notifier.resource_updated(Address::Review(id.clone(), Part::Document).to_string());
    }
}

impl History for UserHistory {
    fn begin(&self, review: &Begun) -> Result<(), HistoryError> {
        self.checked(self.store().and_then(|store| store.begin(review)))
    }

    fn finish(&self, document: &Document) -> Result<(), HistoryError> {
        self.checked(self.store().and_then(|store| store.finish(document)))?;
        if let Some(notifier) = self.told.get() {
            tell(notifier, &Changes { reviews: vec![document.meta.review_id.clone()] });
        }
        Ok(())
    }

    fn abandon(&self, id: &str) -> Result<(), HistoryError> {
        self.checked(self.store().and_then(|store| store.abandon(id)))
    }

    fn list(&self, query: &Query) -> Result<Listing, HistoryError> {
        self.store()?.list(query)
    }

    fn get(&self, id: &str) -> Result<Option<Kept>, HistoryError> {
        self.store()?.get(id)
    }

    fn ids(&self, prefix: &str, limit: usize) -> Result<(Vec<String>, u64), HistoryError> {
        self.store()?.ids(prefix, limit)
    }
}
