//! What is stored is read back, by whom it may be and for as long as it should be.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use review_store::{Keep, Store, StoreError};
use review_tool::history::{History, HistoryError, Query, Recording, State};
use sample::{begun, document, stamped};
use tempfile::TempDir;

#[path = "support/sample.rs"]
mod sample;

const ENDED: &str = "2026-01-02T03:04:06.000Z";

/// Far more than any step needs; reached only by a hang.
const PATIENCE: Duration = Duration::from_secs(120);

fn open(folder: &Path) -> Store {
    Store::open(folder, Keep::DEFAULT).unwrap()
}

fn keep(store: &Store, id: &str, repo: Option<&str>) {
    store.begin(&begun(id, repo)).unwrap();
    store.finish(&stamped(&document(), id, ENDED)).unwrap();
}

fn listed(store: &Store, query: &Query) -> (Vec<String>, bool) {
    let listing = store.list(query).unwrap();
    (listing.entries.into_iter().map(|entry| entry.id).collect(), listing.more)
}

fn query(limit: usize) -> Query {
    Query { limit, ..Query::default() }
}

#[test]
fn a_review_reads_back_as_it_was_stored_also_by_another_process() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder.path().join("state/foreread"));
    let want = stamped(&document(), "r1", ENDED);
    store.begin(&begun("r1", Some("/home/a/project"))).unwrap();
    let running = store.get("r1").unwrap().unwrap();
    assert_eq!((running.entry.state, running.document), (State::Running, None));
    store.finish(&want).unwrap();
    for store in [&store, &open(&folder.path().join("state/foreread"))] {
        let kept = store.get("r1").unwrap().unwrap();
        assert_eq!(kept.document.as_ref(), Some(&want));
        assert_eq!(kept.entry.state, State::Done);
        assert_eq!(kept.entry.repo.as_deref(), Some("/home/a/project"));
        let outcome = kept.entry.outcome.clone().unwrap();
        assert_eq!(outcome.counts, want.summary.counts);
        assert_eq!(outcome.size, want.to_json().len() as u64);
        assert_eq!(store.list(&query(9)).unwrap().entries, [kept.entry]);
        assert_eq!(store.get("r2").unwrap(), None);
    }
}

#[test]
fn pages_go_from_the_newest_to_the_oldest_and_are_narrowed_to_a_repository() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path());
    for (id, repo) in [("a", Some("/x")), ("b", None), ("c", Some("/x")), ("d", Some("/y"))] {
        keep(&store, id, repo);
    }
    assert_eq!(listed(&store, &query(2)), (vec!["d".to_owned(), "c".to_owned()], true));
    let rest = Query { before: Some("c".to_owned()), ..query(2) };
    assert_eq!(listed(&store, &rest), (vec!["b".to_owned(), "a".to_owned()], false));
    keep(&store, "e", None);
    assert_eq!(listed(&store, &rest).0, ["b", "a"], "a page stays when newer reviews come");
    let of_x = Query { repo: Some("/x".to_owned()), ..query(9) };
    assert_eq!(listed(&store, &of_x), (vec!["c".to_owned(), "a".to_owned()], false));
}

#[test]
fn ids_are_found_by_their_beginning() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path());
    ["aa1", "aa2", "ab1", "b%_"].into_iter().for_each(|id| keep(&store, id, None));
    store.begin(&begun("aa3", None)).unwrap();
    let ids = |prefix, limit| store.ids(prefix, limit).unwrap();
    assert_eq!(ids("aa", 9), (vec!["aa2".to_owned(), "aa1".to_owned()], 2));
    assert_eq!(ids("a", 1), (vec!["ab1".to_owned()], 3));
    assert_eq!(ids("", 1), (vec!["b%_".to_owned()], 4));
    assert_eq!(ids("%", 9), (Vec::new(), 0));
}

#[test]
fn a_review_that_does_not_end_is_forgotten_or_marked() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path());
    drop(Recording::begin(&store, &begun("given-up", None)));
    assert_eq!(store.get("given-up").unwrap(), None);
    store.begin(&begun("running", None)).unwrap();
    let state = |store: &Store| store.get("running").unwrap().unwrap().entry.state;
    let other = open(folder.path());
    assert_eq!(state(&other), State::Running, "its process lives");
    drop(store);
    assert_eq!(state(&open(folder.path())), State::Interrupted);
    let locks = folder.path().join("writers").read_dir().unwrap().count();
    assert_eq!(locks, 0, "an ended process leaves no lock behind");
}

#[test]
fn a_document_is_kept_once_and_only_for_a_review_that_began() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path());
    let document = stamped(&document(), "r", ENDED);
    assert!(matches!(store.finish(&document), Err(HistoryError::Storage { .. })));
    keep(&store, "r", None);
    assert!(matches!(store.finish(&document), Err(HistoryError::Storage { .. })));
    assert!(store.begin(&begun("r", None)).is_err());
    assert_eq!(listed(&store, &query(9)).0, ["r"]);
}

#[test]
fn many_writers_lose_and_double_nothing() {
    let folder = TempDir::new().unwrap();
    let document = document();
    thread::scope(|scope| {
        for writer in 0..4 {
            let (folder, document) = (folder.path(), &document);
            // Each opens the store itself, as a process would, and all at once on the first start.
            scope.spawn(move || {
                let store = open(folder);
                for review in 0..25 {
                    let id = format!("{review:02}-{writer}");
                    store.begin(&begun(&id, None)).unwrap();
                    store.finish(&stamped(document, &id, ENDED)).unwrap();
                }
            });
        }
    });
    let store = open(folder.path());
    let listing = store.list(&query(1000)).unwrap();
    assert_eq!(listing.entries.len(), 100);
    for entry in listing.entries {
        let kept = store.get(&entry.id).unwrap().unwrap();
        assert_eq!(kept.document.unwrap().meta.review_id, entry.id);
        assert_eq!(entry.state, State::Done);
    }
}

#[test]
fn what_is_too_old_or_too_much_goes() {
    let folder = TempDir::new().unwrap();
    let bounds = Keep { age: Duration::from_secs(3600), count: 3 };
    let store = Store::open(folder.path(), bounds).unwrap();
    for id in ["a", "b", "c", "d"] {
        keep(&store, id, None);
    }
    assert_eq!(listed(&store, &query(9)).0, ["d", "c", "b"]);
    store.begin(&begun("running", None)).unwrap();
    let later = "2026-01-02T04:04:05.679Z";
    store
        .begin(&review_tool::history::Begun { started: later.to_owned(), ..begun("e", None) })
        .unwrap();
    store.finish(&stamped(&document(), "e", later)).unwrap();
    assert_eq!(listed(&store, &query(9)).0, ["running", "e"], "an hour and a millisecond later");
    assert_eq!(store.get("d").unwrap(), None);
    assert_eq!(store.prune(Keep { count: 0, ..bounds }, later).unwrap(), 1);
    assert_eq!(listed(&store, &query(9)).0, ["running"], "what runs stays");
}

#[test]
fn another_process_is_told_of_what_is_stored_and_not_of_what_it_stored_itself() {
    let folder = TempDir::new().unwrap();
    let (here, there) = (open(folder.path()), open(folder.path()));
    keep(&there, "before", None);
    let (sender, told) = channel();
    let watch = here.watch(move |changes| drop(sender.send(changes.reviews.clone()))).unwrap();
    assert_eq!(told.recv_timeout(PATIENCE).unwrap(), ["before"], "since the store was opened");
    keep(&here, "own", None);
    keep(&there, "foreign", None);
    assert_eq!(told.recv_timeout(PATIENCE).unwrap(), ["foreign"]);
    there.prune(Keep { count: 0, ..Keep::DEFAULT }, ENDED).unwrap();
    assert_eq!(told.recv_timeout(PATIENCE).unwrap(), [""; 0], "reviews were dropped");
    drop(watch);
    assert!(told.recv_timeout(PATIENCE).is_err(), "the thread ends with the watch");
}

#[test]
fn a_folder_or_file_that_cannot_be_used_says_why() {
    let folder = TempDir::new().unwrap();
    let opened = |name: &str| Store::open(&folder.path().join(name), Keep::DEFAULT);
    std::fs::write(folder.path().join("file"), "").unwrap();
    assert!(matches!(opened("file"), Err(StoreError::Folder { .. })));
    std::fs::create_dir(folder.path().join("text")).unwrap();
    std::fs::write(folder.path().join("text/foreread.db"), "no database, whatever it says")
        .unwrap();
    assert!(matches!(opened("text"), Err(StoreError::Open { .. })));
    let foreign = |name: &str, sql: &str| {
        std::fs::create_dir_all(folder.path().join(name)).unwrap();
        let file = folder.path().join(name).join("foreread.db");
        rusqlite::Connection::open(file).unwrap().execute_batch(sql).unwrap();
        opened(name)
    };
    let other = foreign("other", "CREATE TABLE notes (text TEXT)");
    assert!(matches!(other, Err(StoreError::Foreign { .. })));
    drop(open(&folder.path().join("newer")));
    let newer = foreign("newer", "PRAGMA user_version = 9999");
    assert!(matches!(newer, Err(StoreError::Newer { found: 9999, .. })), "{newer:?}");
}

#[cfg(unix)]
#[test]
fn nobody_else_may_read_what_is_stored() {
    use std::os::unix::fs::PermissionsExt;
    let parent = TempDir::new().unwrap();
    let folder = parent.path().join("foreread");
    let store = open(&folder);
    keep(&store, "a", None);
    for (path, want) in [
        (folder.clone(), 0o700),
        (folder.join("foreread.db"), 0o600),
        (folder.join("foreread.db-wal"), 0o600),
        (folder.join("foreread.db-shm"), 0o600),
    ] {
        let mode = path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, want, "{}", path.display());
    }
}
