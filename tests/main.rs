//! Black-box tests: everything here is done through the program, as its users do it.
//!
//! `cli` runs the command line; every script below `transcripts/` is driven over pipes, once for each
//! of its revisions and with each framing, and compared with its snapshot.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails where it stands"
)]

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use harness::drive::drive;
use harness::script::Script;
use harness::{snapshots, tests_folder};
use insta::internals::Content;

mod cli;
mod harness;

/// Declares one test for each area, so that areas run at the same time.
macro_rules! areas {
    ($($test:ident => $area:literal,)*) => {
        const AREAS: &[&str] = &[$($area),*];
        $(
            #[test]
            fn $test() {
                run_area($area);
            }
        )*
    };
}

areas! {
    batches_go_as_their_transcripts_say => "batch",
    calls_go_as_their_transcripts_say => "call",
    cancellation_goes_as_its_transcripts_say => "cancel",
    concurrent_calls_go_as_their_transcripts_say => "concurrent",
    handshakes_go_as_their_transcripts_say => "handshake",
    malformed_input_goes_as_its_transcripts_say => "malformed",
    progress_goes_as_its_transcripts_say => "progress",
    prompts_go_as_their_transcripts_say => "prompts",
    resources_go_as_their_transcripts_say => "resources",
    reviews_go_as_their_transcripts_say => "reviews",
    roots_go_as_their_transcripts_say => "roots",
    shutdown_goes_as_its_transcripts_say => "shutdown",
    stateless_requests_go_as_their_transcripts_say => "stateless",
}

/// The names in a folder, ordered; empty where there is no folder.
fn names(folder: &Path) -> BTreeSet<String> {
    let entries = folder.read_dir().into_iter().flatten();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn scripts(area: &str) -> impl Iterator<Item = (String, Script)> {
    let folder = tests_folder().join("transcripts").join(area);
    names(&folder).into_iter().map(move |name| {
        let script = Script::read(&folder.join(&name));
        (name.strip_suffix(".mcp").expect("a script ends with .mcp").to_owned(), script)
    })
}

/// Runs every script of an area and says of each that fails why.
fn run_area(area: &str) {
    let mut failed = Vec::new();
    for (name, script) in scripts(area) {
        for &revision in &script.revisions {
            let run = || run_script(area, &name, &script, revision);
            if catch_unwind(AssertUnwindSafe(run)).is_err() {
                failed.push(format!("{area}/{name} in {revision}"));
            }
        }
    }
    assert!(failed.is_empty(), "see above for each: {failed:#?}");
}

fn run_script(area: &str, name: &str, script: &Script, revision: &'static str) {
    let text = |value: &str| Content::String(value.to_owned());
    let mut info = vec![("revision", text(revision))];
    if !script.vectors.is_empty() {
        let vectors = script.vectors.iter().map(|id| text(id)).collect();
        info.push(("vectors", Content::Seq(vectors)));
    }
    let info = info.into_iter().map(|(name, value)| (text(name), value)).collect();
    let mut settings = snapshots(area);
    settings.set_description(&script.purpose);
    settings.set_raw_info(&Content::Map(info));
    // Framing and revision have nothing to do with each other, so one revision shows every framing.
    let is_last = script.revisions.last() == Some(&revision);
    let framings = if is_last { script.framings.as_slice() } else { &script.framings[..1] };
    for &framing in framings {
        let transcript = drive(script, revision, framing);
        // Whatever the framing, the messages are the same.
        settings.bind(|| insta::assert_snapshot!(format!("{name}@{revision}"), transcript));
    }
}

#[test]
fn every_folder_of_transcripts_is_an_area() {
    let areas: BTreeSet<String> = AREAS.iter().map(|&area| area.to_owned()).collect();
    assert_eq!(names(&tests_folder().join("transcripts")), areas);
}

#[test]
fn every_snapshot_of_a_transcript_belongs_to_a_script() {
    for area in AREAS {
        let mut wanted = BTreeSet::new();
        for (name, script) in scripts(area) {
            wanted
                .extend(script.revisions.iter().map(|revision| format!("{name}@{revision}.snap")));
        }
        assert_eq!(names(&tests_folder().join("snapshots").join(area)), wanted, "{area}");
    }
}

#[test]
fn every_dispatch_vector_that_the_program_can_meet_has_a_script() {
    let mut covered = BTreeSet::new();
    for area in AREAS {
        covered.extend(scripts(area).flat_map(|(_, script)| script.vectors));
    }
    let missing: Vec<String> = (1..=44)
        .map(|number| format!("DV-{number:02}"))
        .filter(|vector| !covered.contains(vector) && !ELSEWHERE.contains(&vector.as_str()))
        .collect();
    assert_eq!(missing, [""; 0]);
}

/// Vectors about what the program does not offer: tools that log, that ask a stateless client for input
/// or whose list changes. The tests of the transport cover them with servers that do.
const ELSEWHERE: &[&str] = &["DV-35", "DV-36", "DV-37", "DV-40"];
