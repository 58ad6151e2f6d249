//! How long it takes to list the newest reviews and to read one, with ten thousand stored.
//!
//! `cargo run --release -p review-store --example ten_thousand [COUNT]`

use std::time::{Duration, Instant};

use review_store::{Keep, Store};
use review_tool::control::Uncontrolled;
use review_tool::history::{Begun, History, Query};
use review_tool::repo::NoRepo;
use review_tool::report::{Document, Stamp};
use review_tool::request::{ReviewRequest, Scope};
use review_tool::review;
use review_tool::rules::RuleSet;

/// How often each step is measured.
const TIMES: u32 = 200;
/// How many reviews one list holds.
const LISTED: usize = 50;
/// How many files with a fault each stored review has.
const FILES: usize = 20;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let count: u32 = std::env::args().nth(1).map_or(Ok(10_000), |text| text.parse())?;
    let folder = tempfile::TempDir::new()?;
    let keep = Keep { count: u64::from(count), ..Keep::DEFAULT };
    let store = Store::open(folder.path(), keep)?;
    let document = document()?;
    let started = Instant::now();
    for number in 0..count {
        let document = stamped(&document, number);
        store.begin(&begun(&document))?;
        store.finish(&document)?;
    }
    let each = started.elapsed() / count.max(1);
    let size = document.to_json().len();
    let mut out = format!("{count} reviews of {size} bytes, each stored in {each:?}\n");
    drop(store);

    // As a process sees it that was started later.
    let opening = Instant::now();
    let store = Store::open(folder.path(), keep)?;
    out += &format!("open:                 {:?}\n", opening.elapsed());
    let newest = Query { limit: LISTED, ..Query::default() };
    out += &measure("list the newest 50", || store.list(&newest).map(drop))?;
    let page = Query { before: Some(id(count / 2)), ..newest.clone() };
    out += &measure("list 50 in the middle", || store.list(&page).map(drop))?;
    let of_repo = Query { repo: Some(repo(1)), ..newest };
    out += &measure("list 50 of one repo", || store.list(&of_repo).map(drop))?;
    out += &measure("read one", || store.get(&id(count / 3)).map(drop))?;
    out += &measure("complete an id", || store.ids("0", 100).map(drop))?;
    let mut number = count;
    out += &measure("store one, drop one", || {
        number += 1;
        let document = stamped(&document, number);
        store.begin(&begun(&document))?;
        store.finish(&document)
    })?;
    std::io::Write::write_all(&mut std::io::stdout(), out.as_bytes())?;
    Ok(())
}

fn measure<E>(what: &str, step: impl FnMut() -> Result<(), E>) -> Result<String, E> {
    let mut step = step;
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let started = Instant::now();
        step()?;
        times.push(started.elapsed());
    }
    times.sort();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    let late: Duration = times.get(times.len() * 95 / 100).copied().unwrap_or_default();
    Ok(format!("{what:21} median {median:?}, 95 of 100 within {late:?}\n"))
}

fn document() -> Result<Document, Failure> {
    let mut patch = String::new();
    for file in 0..FILES {
        let name = format!("b/app/module_{file}.py");
        patch +=
            &format!("--- /dev/null\n+++ {name}\n@@ -0,0 +1,2 @@\n+def f(a=[]):\n+    return a\n");
    }
    let request = ReviewRequest::new(Scope::Patch(patch.into_bytes()));
    Ok(review(&request, &NoRepo, RuleSet::embedded(), &Uncontrolled)?.document)
}

fn id(number: u32) -> String {
    format!("{number:08}-0000-7000-8000-000000000000")
}

fn repo(number: u32) -> String {
    format!("/home/a/project-{}", number % 10)
}

fn begun(document: &Document) -> Begun {
    let id = document.meta.review_id.clone();
    let number = id.split('-').next().and_then(|digits| digits.parse().ok()).unwrap_or_default();
    Begun {
        id,
        repo: Some(repo(number)),
        scope: document.meta.scope.clone(),
        started: document.meta.timestamp.clone(),
    }
}

fn stamped(document: &Document, number: u32) -> Document {
    let mut document = document.clone();
    document.stamp(Stamp {
        review_id: id(number),
        timestamp: "2026-01-02T03:04:05.678Z".to_owned(),
        version: "1.2.3".to_owned(),
        latency_ms: 7,
    });
    document
}
