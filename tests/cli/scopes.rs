//! Which change is reviewed: scopes, paths, folders.

use super::{CLEAN, FAULT, places, review, staged_fault};
use crate::harness::program::Program;
use crate::harness::repo::Repo;

const RULE: &str = "python-mutable-default";

fn found(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| format!("{name}:1 {RULE}")).collect()
}

/// A history in which every scope holds a file of its own.
fn layered() -> Repo {
    let repo = Repo::new();
    repo.write("old.py", CLEAN).write("tracked.py", CLEAN).commit("start");
    repo.write("first.py", FAULT).commit("first");
    repo.write("second.py", FAULT).commit("second");
    repo.write("staged.py", FAULT).stage();
    repo.write("tracked.py", FAULT).write("untracked.py", FAULT);
    repo
}

#[test]
fn every_scope_holds_its_change_and_no_other() {
    let repo = layered();
    for (arguments, scope, want) in [
        ("", "staged", &["staged.py"][..]),
        ("--staged", "staged", &["staged.py"]),
        ("--unstaged", "unstaged", &["tracked.py"]),
        ("--all", "all", &["staged.py", "tracked.py", "untracked.py"]),
        ("--commit HEAD~1", "commit", &["first.py"]),
        ("HEAD~2..HEAD", "range", &["first.py", "second.py"]),
        ("HEAD~1...HEAD", "range", &["second.py"]),
        ("HEAD~2 HEAD~1", "range", &["first.py"]),
        ("HEAD", "range", &["staged.py", "tracked.py"]),
        ("--all -- staged.py untracked.py", "all", &["staged.py", "untracked.py"]),
        ("HEAD~2..HEAD -- second.py", "range", &["second.py"]),
    ] {
        let document = review(&repo, &format!("--json {arguments}")).run().exits(0).document();
        assert_eq!(places(&document), found(want), "{arguments}");
        assert_eq!(document["meta"]["scope"], scope, "{arguments}");
    }
}

#[test]
fn paths_that_match_nothing_leave_nothing_to_review() {
    let document = review(&layered(), "--json --all -- docs").run().exits(0).document();
    assert_eq!(document["summary"]["status"], "nothing_to_review");
}

#[test]
fn another_repository_is_named_by_its_folder_or_one_below_it() {
    let repo = staged_fault();
    let elsewhere = repo.home();
    for folder in [repo.path(), repo.path().join("app")] {
        let arguments = format!("--json --repo {}", folder.display());
        let ended = review(&repo, &arguments).folder(&elsewhere).run().exits(0);
        assert_eq!(places(&ended.document()), found(&["app/list.py"]), "{}", folder.display());
    }
}

#[test]
fn a_subfolder_sees_the_whole_change_under_the_names_of_the_root() {
    let repo = staged_fault();
    repo.write("top.py", FAULT).stage();
    let run = review(&repo, "--json").folder(repo.path().join("app"));
    assert_eq!(places(&run.run().exits(0).document()), found(&["app/list.py", "top.py"]));
}

#[test]
fn paths_in_a_subfolder_are_those_of_the_subfolder() {
    let repo = staged_fault();
    repo.write("list.py", FAULT).stage();
    let run = review(&repo, "--json -- list.py").folder(repo.path().join("app"));
    assert_eq!(places(&run.run().exits(0).document()), found(&["app/list.py"]));
}

#[test]
fn a_diff_comes_from_a_file_or_from_stdin_alike() {
    let repo = staged_fault();
    let diff = repo.git(["diff", "--cached"]).stdout;
    repo.write("change.diff", &diff);
    let file = review(&repo, "--json --diff-file change.diff").run().exits(0).document();
    let stdin = review(&repo, "--json --diff-file -").stdin(diff).run().exits(0).document();
    assert_eq!(places(&file), found(&["app/list.py"]));
    assert_eq!(file["findings"], stdin["findings"]);
    assert_eq!(file["meta"]["scope"], "diff");
}

#[test]
fn an_empty_diff_is_nothing_to_review() {
    let document = review(&Repo::without_git(), "--json --diff-file -").run().exits(0).document();
    assert_eq!(document["summary"]["status"], "nothing_to_review");
}

#[test]
fn paths_beside_a_diff_are_refused() {
    let ended = review(&staged_fault(), "--diff-file - -- app").run().exits(2);
    assert!(ended.err().contains("leave them out"), "{}", ended.err());
}

#[test]
fn a_revision_that_looks_like_an_option_is_no_option() {
    let repo = staged_fault();
    let marker = repo.root().join("written");
    let option = format!("--output={}", marker.display());
    let ended = Program::new(&repo, ["review", "--commit", &option]).run();
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(!marker.exists(), "git took a revision for an option");
}

#[test]
fn a_review_writes_nothing_into_the_repository() {
    let repo = staged_fault();
    let listing = |repo: &Repo| {
        let mut found = Vec::new();
        let mut folders = vec![repo.path()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                let meta = entry.metadata().unwrap();
                if meta.is_dir() {
                    folders.push(entry.path());
                }
                found.push((entry.path(), meta.len(), meta.modified().unwrap()));
            }
        }
        found.sort();
        found
    };
    let before = listing(&repo);
    for arguments in ["", "--json", "--all", "HEAD", "--unstaged --verbose"] {
        review(&repo, arguments).run().exits(0);
    }
    assert_eq!(before, listing(&repo));
}
