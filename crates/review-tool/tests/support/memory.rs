//! A history in memory, and a program without any repository.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use review_tool::history::{
    Begun, Entry, History, HistoryError, Kept, Listing, NoHistory, Outcome, Query, State,
};
use review_tool::prompt::FenceKey;
use review_tool::repo::{NoRepo, Repo, RepoError};
use review_tool::report::{Document, Stamp};
use review_tool::tool::Host;

/// Reviews by id.
#[derive(Default)]
pub(crate) struct Memory {
    kept: Mutex<BTreeMap<String, Kept>>,
    is_broken: bool,
}

impl Memory {
    /// One that keeps nothing.
    pub(crate) fn broken() -> Self {
        Self { is_broken: true, ..Self::default() }
    }

    /// Enters a review without a document.
    pub(crate) fn enter(&self, id: &str, state: State) {
        let entry = Entry {
            id: id.to_owned(),
            state,
            repo: None,
            scope: "staged".to_owned(),
            base: None,
            head: None,
            started: "2026-01-02T03:04:05.000Z".to_owned(),
            outcome: None,
        };
        self.kept.lock().unwrap().insert(id.to_owned(), Kept { entry, document: None });
    }

    fn check(&self) -> Result<(), HistoryError> {
        match NoHistory::new("no disk").get("") {
            Err(error) if self.is_broken => Err(error),
            _ => Ok(()),
        }
    }
}

impl History for Memory {
    fn begin(&self, review: &Begun) -> Result<(), HistoryError> {
        self.check()?;
        self.enter(&review.id, State::Running);
        if let Some(kept) = self.kept.lock().unwrap().get_mut(&review.id) {
            kept.entry.repo.clone_from(&review.repo);
        }
        Ok(())
    }

    fn finish(&self, document: &Document) -> Result<(), HistoryError> {
        self.check()?;
        let mut kept = self.kept.lock().unwrap();
        let review = kept.get_mut(&document.meta.review_id).unwrap();
        review.entry.state = State::Done;
        review.entry.outcome = Some(Outcome::of(document));
        review.document = Some(document.clone());
        Ok(())
    }

    fn abandon(&self, id: &str) -> Result<(), HistoryError> {
        self.kept.lock().unwrap().remove(id);
        Ok(())
    }

    fn list(&self, query: &Query) -> Result<Listing, HistoryError> {
        self.check()?;
        let kept = self.kept.lock().unwrap();
        let older = |id: &&String| query.before.as_ref().is_none_or(|before| *id < before);
        let ids: Vec<&String> = kept.keys().rev().filter(older).collect();
        let entries = ids.iter().take(query.limit).map(|id| kept[*id].entry.clone()).collect();
        Ok(Listing { entries, more: ids.len() > query.limit })
    }

    fn get(&self, id: &str) -> Result<Option<Kept>, HistoryError> {
        self.check()?;
        Ok(self.kept.lock().unwrap().get(id).cloned())
    }

    fn ids(&self, prefix: &str, limit: usize) -> Result<(Vec<String>, u64), HistoryError> {
        self.check()?;
        let kept = self.kept.lock().unwrap();
        let done = kept.values().filter(|one| one.document.is_some());
        let ids: Vec<String> = done
            .rev()
            .map(|one| one.entry.id.clone())
            .filter(|id| id.starts_with(prefix))
            .collect();
        let total = ids.len() as u64;
        Ok((ids.into_iter().take(limit).collect(), total))
    }
}

/// A program without a repository, whose reviews are numbered.
#[derive(Default)]
pub(crate) struct Nowhere {
    pub(crate) memory: Memory,
    pub(crate) count: AtomicU32,
}

impl Host for Nowhere {
    fn open(&self, repo: Option<&str>) -> Result<Box<dyn Repo + Sync>, RepoError> {
        match repo {
            Some(place) => Err(RepoError::NotARepository { place: place.to_owned() }),
            None => Ok(Box::new(NoRepo)),
        }
    }

    fn history(&self) -> &dyn History {
        &self.memory
    }

    fn begin(&self) -> Begun {
        let number = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        Begun {
            id: format!("review-{number}"),
            repo: None,
            scope: String::new(),
            started: "2026-01-02T03:04:05.678Z".to_owned(),
        }
    }

    fn client(&self) -> String {
        "a-client".to_owned()
    }

    fn fence_key(&self) -> Result<FenceKey, String> {
        Ok(FenceKey::new([7; 32]))
    }

    fn stamp(&self) -> Stamp {
        Stamp {
            review_id: format!("review-{}", self.count.load(Ordering::Relaxed)),
            timestamp: "2026-01-02T03:04:06.000Z".to_owned(),
            version: "1.2.3".to_owned(),
            latency_ms: 7,
        }
    }
}
