//! What is written where: formats, files, colours, and a reader who has left.

use super::{review, staged_clean, staged_fault};
use crate::harness::program::Program;

#[test]
fn json_is_the_format_under_both_names() {
    let repo = staged_fault();
    let short = review(&repo, "--json").run().exits(0);
    let long = review(&repo, "--format json").run().exits(0);
    assert_eq!(short.document()["findings"], long.document()["findings"]);
    assert!(short.stderr.is_empty(), "no progress where stderr is no terminal: {}", short.err());
    assert!(short.out().ends_with("}\n"));
}

#[test]
fn text_is_the_format_unless_another_is_given() {
    let repo = staged_fault();
    let plain = review(&repo, "").run().exits(0).out();
    assert_eq!(plain, review(&repo, "--format text").run().exits(0).out());
    for part in ["app/list.py:1", "python-mutable-default", "into=[]", "1 finding"] {
        assert!(plain.contains(part), "{part}:\n{plain}");
    }
}

#[test]
fn a_file_holds_what_stdout_would() {
    let repo = staged_fault();
    let text = review(&repo, "").run().exits(0).out();
    let ended = review(&repo, "--output review.txt").run().exits(0);
    assert!(ended.stdout.is_empty(), "{}", ended.out());
    assert!(ended.err().contains("1 finding"), "the summary is said: {}", ended.err());
    assert_eq!(std::fs::read_to_string(repo.path().join("review.txt")).unwrap(), text);

    let ended = review(&repo, "--quiet --json --output review.json --fail-on medium").run();
    let ended = ended.exits(1);
    assert!(ended.stdout.is_empty() && ended.stderr.is_empty(), "{ended:?}");
    let written = std::fs::read(repo.path().join("review.json")).unwrap();
    let document: serde_json::Value = serde_json::from_slice(&written).unwrap();
    assert_eq!(document["findings"].as_array().unwrap().len(), 1);
}

#[test]
fn a_file_is_never_coloured() {
    let repo = staged_fault();
    review(&repo, "--color always --output review.txt").run().exits(0);
    let text = std::fs::read_to_string(repo.path().join("review.txt")).unwrap();
    assert!(!text.contains('\u{1b}'), "{text}");
}

#[test]
fn colour_is_for_terminals_unless_it_is_asked_for() {
    let repo = staged_fault();
    for (arguments, no_color, coloured) in [
        ("", None, false),
        ("--color auto", None, false),
        ("--color never", None, false),
        ("--color always", None, true),
        ("--color always", Some("1"), true),
        ("--color auto", Some("1"), false),
        ("--json --color always", None, false),
    ] {
        let mut run = review(&repo, arguments);
        if let Some(value) = no_color {
            run = run.env("NO_COLOR", value);
        }
        let ended = run.run().exits(0);
        assert_eq!(ended.stdout.contains(&0x1b), coloured, "{arguments} {no_color:?}");
        assert!(!ended.stderr.contains(&0x1b), "{arguments} {no_color:?}");
    }
}

#[test]
fn colour_changes_nothing_but_colour() {
    let repo = staged_fault();
    let coloured = review(&repo, "--color always").run().exits(0).out();
    let mut plain = String::new();
    let mut rest = coloured.as_str();
    while let Some(at) = rest.find('\u{1b}') {
        plain.push_str(&rest[..at]);
        let end = rest[at..].find('m').expect("only colours are escaped");
        rest = &rest[at + end + 1..];
    }
    plain.push_str(rest);
    assert_eq!(plain, review(&repo, "--color never").run().exits(0).out());
}

#[test]
fn quiet_leaves_the_findings_and_verbose_names_what_was_skipped() {
    let repo = staged_fault();
    repo.write("logo.png", b"\x89PNG\r\n\x1a\n\0\0\0").stage();
    let quiet = review(&repo, "--quiet").run().exits(0);
    assert!(quiet.out().contains("python-mutable-default"), "{}", quiet.out());
    assert!(!quiet.out().contains("1 finding"), "{}", quiet.out());
    assert!(quiet.stderr.is_empty(), "{}", quiet.err());

    let plain = review(&repo, "").run().exits(0).out();
    assert!(plain.contains("1 skipped") && !plain.contains("logo.png"), "{plain}");
    let verbose = review(&repo, "--verbose").run().exits(0).out();
    assert!(verbose.contains("skipped logo.png: binary"), "{verbose}");
}

#[test]
fn quiet_without_findings_is_silent() {
    let ended = review(&staged_clean(), "--quiet").run().exits(0);
    assert!(ended.stdout.is_empty() && ended.stderr.is_empty(), "{ended:?}");
}

#[test]
fn a_closed_stdout_ends_the_program_quietly() {
    let repo = staged_fault();
    for (arguments, code) in [
        ("review", 0),
        ("review --json", 0),
        ("review --fail-on medium", 1),
        ("rules list", 0),
        ("rules explain python-mutable-default", 0),
        ("--help", 0),
    ] {
        let run = Program::new(&repo, arguments.split_whitespace());
        let ended = run.run_with_closed_stdout().exits(code);
        assert!(ended.stderr.is_empty(), "{arguments}: {}", ended.err());
    }
}

#[test]
fn two_reviews_of_a_change_find_the_same() {
    let repo = staged_fault();
    let mut documents = [(); 2].map(|()| review(&repo, "--json").run().exits(0).document());
    assert_ne!(documents[0]["meta"]["review_id"], documents[1]["meta"]["review_id"]);
    for document in &mut documents {
        let meta = document["meta"].as_object_mut().unwrap();
        for name in ["review_id", "timestamp", "latency_ms"] {
            assert!(meta.remove(name).is_some(), "{name}");
        }
    }
    assert_eq!(documents[0], documents[1]);
}

#[test]
fn rules_are_listed_alike_as_text_and_as_json() {
    let repo = staged_clean();
    let text = Program::new(&repo, ["rules", "list"]).run().exits(0).out();
    let json = Program::new(&repo, ["rules", "list", "--json"]).run().exits(0).document();
    let ids: Vec<_> =
        json.as_array().unwrap().iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    let named: Vec<_> = text.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(ids, named);
    for id in [ids[0], "python-mutable-default"] {
        let page = Program::new(&repo, ["rules", "explain", id]).run().exits(0).out();
        assert!(page.starts_with(&format!("# {id}: ")), "{page}");
    }
}
