//! 0 done, 1 the gate failed, 2 wrong usage, 3 not completed.

use super::{CLEAN, FAULT, places, review, staged_clean, staged_fault};
use crate::harness::program::Program;
use crate::harness::repo::Repo;

#[test]
fn a_change_without_a_fault_passes() {
    let document = review(&staged_clean(), "--json").run().exits(0).document();
    assert_eq!(document["summary"]["status"], "complete");
    assert_eq!(document["summary"]["gate"]["passed"], true);
    assert_eq!(places(&document), [""; 0]);
}

#[test]
fn the_gate_fails_at_the_threshold_and_above() {
    let repo = staged_fault();
    for (threshold, code) in
        [("critical", 0), ("high", 0), ("medium", 1), ("low", 1), ("info", 1), ("none", 0)]
    {
        let arguments = format!("--json --fail-on {threshold}");
        let document = review(&repo, &arguments).run().exits(code).document();
        assert_eq!(document["summary"]["gate"]["passed"], code == 0, "{threshold}");
        let want = match threshold {
            "none" => serde_json::Value::Null,
            named => named.into(),
        };
        assert_eq!(document["summary"]["gate"]["fail_on"], want);
        assert_eq!(places(&document), ["app/list.py:1 python-mutable-default"], "{threshold}");
    }
}

#[test]
fn high_is_the_threshold_unless_another_is_given() {
    let document = review(&staged_fault(), "--json").run().exits(0).document();
    assert_eq!(document["summary"]["gate"]["fail_on"], "high");
}

#[test]
fn a_finding_that_is_not_listed_still_fails_the_gate() {
    let repo = staged_fault();
    let ended = review(&repo, "--json --fail-on medium --min-severity high").run().exits(1);
    let document = ended.document();
    assert_eq!(places(&document), [""; 0]);
    assert_eq!(document["summary"]["hidden"], 1);
    let text = review(&repo, "--fail-on medium --min-severity high").run().exits(1).out();
    assert!(text.contains("below the listed severity"), "{text}");
}

#[test]
fn the_least_severity_lists_what_reaches_it() {
    let repo = staged_fault();
    for (least, listed) in [("info", 1), ("low", 1), ("medium", 1), ("high", 0), ("critical", 0)] {
        let document = review(&repo, &format!("--json --min-severity {least}")).run().exits(0);
        assert_eq!(places(&document.document()).len(), listed, "{least}");
    }
}

#[test]
fn nothing_to_review_passes_and_prints_a_document() {
    let repo = Repo::new();
    repo.write("a.py", FAULT).commit("start");
    let document = review(&repo, "--json").run().exits(0).document();
    assert_eq!(document["summary"]["status"], "nothing_to_review");
    let text = review(&repo, "").run().exits(0).out();
    assert!(text.contains("nothing to review"), "{text}");
}

#[test]
fn a_repository_without_a_commit_is_reviewed() {
    let repo = Repo::new();
    repo.write("a.py", FAULT).stage();
    let document = review(&repo, "--json --fail-on medium").run().exits(1).document();
    assert_eq!(places(&document), ["a.py:1 python-mutable-default"]);
}

#[test]
fn a_diff_cut_short_is_reported_and_never_passes() {
    let repo = Repo::new();
    let cut = "--- a/a.py\n+++ b/a.py\n@@ -0,0 +1,9 @@\n+x = 1\n";
    let ended = review(&repo, "--json --fail-on none --diff-file -").stdin(cut).run().exits(3);
    let document = ended.document();
    assert_eq!(document["summary"]["status"], "partial");
    assert_eq!(document["summary"]["gate"]["passed"], false);
    assert_ne!(document["summary"]["problems"], serde_json::json!([]));
    let text = review(&repo, "--diff-file -").stdin(cut).run().exits(3).out();
    assert!(text.contains("problem") && text.contains("incomplete"), "{text}");
}

#[test]
fn text_that_is_no_diff_cannot_be_reviewed() {
    let ended = review(&Repo::new(), "--json --diff-file -").stdin("hello\n").run().exits(3);
    assert!(ended.stdout.is_empty() && ended.err().contains("no file change"), "{}", ended.err());
}

#[test]
fn a_file_that_cannot_be_written_is_not_a_passed_gate() {
    let ended = review(&staged_clean(), "--output missing/review.json").run().exits(3);
    assert!(ended.err().contains("missing/review.json"), "{}", ended.err());
}

#[test]
fn without_git_on_the_path_a_review_of_a_repository_is_not_completed() {
    let repo = staged_clean();
    let empty = repo.home().display().to_string();
    let ended = review(&repo, "--json").env("PATH", &empty).run().exits(3);
    assert!(ended.err().contains("cannot start git"), "{}", ended.err());
}

#[test]
fn without_git_on_the_path_a_diff_is_still_reviewed() {
    let repo = Repo::without_git();
    let diff = format!(
        "--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,3 @@\n{}",
        FAULT.lines().map(|line| format!("+{line}\n")).collect::<String>()
    );
    let empty = repo.home().display().to_string();
    let run = review(&repo, "--json --fail-on medium --diff-file -").env("PATH", &empty);
    let document = run.stdin(diff).run().exits(1).document();
    assert_eq!(places(&document), ["a.py:1 python-mutable-default"]);
}

#[test]
fn help_and_version_are_answers() {
    let repo = Repo::without_git();
    for arguments in
        [&["--help"][..], &["-h"], &["--version"], &["review", "--help"], &["rules", "list"]]
    {
        let ended = Program::new(&repo, arguments).run().exits(0);
        assert!(!ended.stdout.is_empty() && ended.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn wrong_usage_says_so_on_stderr_alone() {
    let repo = staged_clean();
    let base = format!("{}/none", repo.root().display());
    for arguments in [
        "",
        "nonsense",
        "review --nonsense",
        "review --fail-on severe",
        "review --min-severity none",
        "review --format yaml",
        "review --color sometimes",
        "review --json --format text",
        "review --quiet --verbose",
        "review --staged --all",
        "review HEAD --staged",
        "review --commit",
        "review --commit no-such-revision",
        "review no-such-revision",
        "review HEAD..no-such-revision",
        &format!("review --repo {base}"),
        "rules explain no-such-rule",
        "rules",
    ] {
        let ended = Program::new(&repo, arguments.split_whitespace()).run().exits(2);
        assert!(ended.stdout.is_empty(), "{arguments}: {}", ended.out());
        assert!(!ended.stderr.is_empty(), "{arguments}");
    }
}

#[test]
fn outside_a_repository_the_way_out_is_named() {
    let ended = review(&Repo::without_git(), "").run().exits(2);
    assert!(ended.err().contains("not inside a git repository"), "{}", ended.err());
    assert!(ended.err().contains("name one by `repo`"), "{}", ended.err());
}

#[test]
fn a_missing_diff_file_is_named() {
    let ended = review(&Repo::without_git(), "--diff-file no-such.diff").run();
    assert!(matches!(ended.code, Some(2 | 3)), "{ended:?}");
    assert!(ended.err().contains("no-such.diff"), "{}", ended.err());
}

#[test]
fn a_change_that_is_clean_again_passes_again() {
    let repo = staged_fault();
    review(&repo, "--fail-on medium").run().exits(1);
    repo.write("app/list.py", CLEAN).stage();
    review(&repo, "--fail-on medium").run().exits(0);
}
