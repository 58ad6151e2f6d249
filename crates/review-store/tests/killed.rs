//! A process that is killed while it stores reviews damages and loses nothing that it was told is kept.
//!
//! The test starts itself as the writer, reads which reviews are kept, kills it somewhere in the middle
//! of the next ones, and looks at every row.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use libtest_mimic::{Arguments, Trial};
use review_store::{Keep, Store};
use review_tool::history::{History, Query, State};
use review_tool::report::Document;
use sample::{begun, document, stamped};
use tempfile::TempDir;

#[path = "support/sample.rs"]
mod sample;

/// The first argument of a process that writes until it is killed.
const WRITER: &str = "--write-until-killed";
/// How often a writer is started and killed.
const ROUNDS: usize = 25;
const ENDED: &str = "2026-01-02T03:04:06.000Z";

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, flag, folder, round] = &arguments[..]
        && flag == WRITER
    {
        write(Path::new(folder), round.parse().unwrap());
    }
    let trial = Trial::test("a_killed_writer_damages_and_loses_nothing", || {
        killed_at_many_points();
        Ok(())
    });
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit();
}

/// A document that its id says everything about, small or larger than many pages.
fn made(document: &Document, round: usize, number: usize) -> Document {
    let id = format!("{round:04}-{number:06}");
    let mut document = stamped(document, &id, ENDED);
    document.content = id.repeat(1 << (number % 14));
    document
}

fn write(folder: &Path, round: usize) -> ! {
    let store = Store::open(folder, Keep::DEFAULT).unwrap();
    let document = document();
    for number in 0.. {
        let document = made(&document, round, number);
        store.begin(&begun(&document.meta.review_id, None)).unwrap();
        store.finish(&document).unwrap();
        let mut stdout = std::io::stdout().lock();
        writeln!(stdout, "{number}").and_then(|()| stdout.flush()).unwrap();
    }
    unreachable!("the numbers do not end")
}

fn killed_at_many_points() {
    let folder = TempDir::new().unwrap();
    let document = document();
    let mut kept = BTreeSet::new();
    for round in 0..ROUNDS {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args([WRITER.as_ref(), folder.path().as_os_str(), round.to_string().as_ref()])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
        // Rounds differ in how far the writer comes, and the size of what it writes then.
        for _ in 0..=round {
            lines.next().unwrap().unwrap();
        }
        writer.kill().unwrap();
        writer.wait().unwrap();
        // What it was told is kept, up to the last line that left the process whole.
        let last: usize = round + lines.map_while(|line| line.ok()?.parse::<usize>().ok()).count();
        kept.extend((0..=last).map(|number| made(&document, round, number).meta.review_id));
        look_at_every_row(folder.path(), &document, &kept);
    }
}

fn look_at_every_row(folder: &Path, document: &Document, kept: &BTreeSet<String>) {
    let store = Store::open(folder, Keep::DEFAULT).unwrap();
    let entries = store.list(&Query { limit: 1_000_000, ..Query::default() }).unwrap().entries;
    let mut done = BTreeSet::new();
    for entry in entries {
        let (round, number) = entry.id.split_once('-').unwrap();
        let stored = store.get(&entry.id).unwrap().unwrap().document;
        match entry.state {
            State::Done => {
                let want = made(document, round.parse().unwrap(), number.parse().unwrap());
                assert!(stored == Some(want), "{} is not as it was stored", entry.id);
                assert!(done.insert(entry.id.clone()), "{} is there twice", entry.id);
            }
            State::Interrupted => assert_eq!(stored, None, "{}", entry.id),
            State::Running => panic!("{} still counts as running", entry.id),
        }
    }
    assert!(done.is_superset(kept), "lost: {:?}", kept.difference(&done).collect::<Vec<_>>());
    let connection = rusqlite::Connection::open(folder.join("foreread.db")).unwrap();
    let sound: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
}
