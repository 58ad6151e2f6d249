//! The quality of the embedded reviewer as a number: recall, precision, pairs and noise over the cases
//! in `quality/`.
//!
//! Fails where the numbers fall below [`score::Floor`]. `cargo xtask quality` prints them in full; of the
//! held-out half it prints numbers alone, so that no rule is written to its cases.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]
#![expect(clippy::disallowed_methods, reason = "the cases are files of the project")]
#![expect(clippy::panic, reason = "a case that cannot be read is the failure to report")]

use std::path::Path;
use std::process::ExitCode;

use review_tool::control::Uncontrolled;
use review_tool::request::{ReviewRequest, Scope};
use review_tool::review;
use review_tool::rules::RuleSet;

#[path = "quality/case.rs"]
mod case;
#[path = "quality/score.rs"]
mod score;

use case::Case;
use score::{Outcome, Score};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let only = arguments.iter().skip_while(|argument| *argument != "--only").nth(1);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("quality");
    let open = outcomes(&root.join("open"), only.map(String::as_str));
    if has("--misses") {
        score::print_misses(&open);
        return ExitCode::SUCCESS;
    }
    let held_out = outcomes(&root.join("held-out"), only.map(String::as_str));
    let all: Vec<&Outcome> = open.iter().chain(&held_out).collect();
    if has("--report") {
        score::print_tables(&all);
    }
    println!("open:     {}", Score::of(open.iter()));
    println!("held out: {}", Score::of(held_out.iter()));
    let score = Score::of(all.iter().copied());
    println!("all:      {score}");
    let faults = if only.is_none() { score::FLOOR.faults(&score) } else { Vec::new() };
    faults.iter().for_each(|fault| println!("{fault}"));
    if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Reviews every case of a folder, in the order of names.
fn outcomes(folder: &Path, only: Option<&str>) -> Vec<Outcome> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut out = Vec::new();
    for path in files {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{stem}: {e}"));
        for case in case::read(&stem, &text) {
            let name = format!("{stem}/{}", case.name);
            if only.is_none_or(|only| name.contains(only)) {
                out.push(judge(stem.clone(), &case));
            }
        }
    }
    out
}

fn judge(group: String, case: &Case) -> Outcome {
    let request = ReviewRequest::new(Scope::Staged);
    let review = review(&request, case, RuleSet::embedded(), &Uncontrolled)
        .unwrap_or_else(|error| panic!("{group}/{}: {error}", case.name));
    let problems = &review.document.summary.problems;
    assert!(problems.is_empty(), "{group}/{}: {problems:?}", case.name);
    let findings = review.document.findings.iter().map(|finding| score::Told {
        rule: finding.rule.clone().unwrap_or_default(),
        place: format!("{}:{} ({:?})", finding.file, finding.line, finding.side),
        right: case.is_marked(&finding.file, finding.side, finding.line),
    });
    Outcome { group, name: case.name.clone(), kind: case.kind, told: findings.collect() }
}
