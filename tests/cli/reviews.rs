//! `foreread reviews`, and reviews where none can be kept.

use serde_json::{Value, json};

use super::{review, staged_clean, staged_fault};
use crate::harness::program::{Ended, Program};
use crate::harness::repo::Repo;

fn reviews(repo: &Repo, arguments: &str) -> Ended {
    Program::new(repo, ["reviews"].into_iter().chain(arguments.split_whitespace())).run()
}

fn listed(repo: &Repo, arguments: &str) -> Vec<Value> {
    let list = reviews(repo, &format!("list --json {arguments}")).exits(0).document();
    list["reviews"].as_array().unwrap().clone()
}

#[test]
fn a_review_is_listed_and_shown_as_it_was_printed() {
    let repo = staged_fault();
    let first = review(&repo, "--json").run().exits(0).document();
    let second = review(&repo, "--json --fail-on medium").run().exits(1).document();
    let id = |document: &Value| document["meta"]["review_id"].as_str().unwrap().to_owned();
    let list = listed(&repo, "");
    let ids: Vec<&Value> = list.iter().map(|entry| &entry["id"]).collect();
    assert_eq!(ids, [&second["meta"]["review_id"], &first["meta"]["review_id"]]);
    assert_eq!(list[0]["outcome"]["passed"], false);
    assert_eq!(list[0]["repo"], repo.path().display().to_string());
    assert_eq!(listed(&repo, "--limit 1").len(), 1);
    assert_eq!(reviews(&repo, &format!("show --json {}", id(&first))).exits(0).document(), first);
    let text = reviews(&repo, &format!("show {}", id(&second))).exits(0).out();
    assert!(text.contains("app/list.py:1") && text.contains("gate failed"), "{text}");
    let text = reviews(&repo, "list").exits(0).out();
    assert!(text.lines().count() == 2 && text.contains(&id(&first)), "{text}");
}

#[test]
fn a_review_is_shown_in_every_format_as_it_was_printed() {
    let repo = staged_fault();
    review(&repo, "").run().exits(0);
    let id = listed(&repo, "")[0]["id"].as_str().unwrap().to_owned();
    let shown = |format: &str| reviews(&repo, &format!("show {id} --format {format}")).exits(0);
    let sarif = shown("sarif").document();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "python-mutable-default");
    let markdown = shown("markdown").out();
    assert!(
        markdown.starts_with("# Review: ") && markdown.contains("`app/list.py:1`"),
        "{markdown}"
    );
    for format in ["sarif", "markdown"] {
        let printed = review(&repo, &format!("--format {format} --fail-on medium")).run().exits(1);
        assert!(printed.out().contains("python-mutable-default"), "{}", printed.out());
    }
}

#[test]
fn the_beginning_of_an_id_is_enough_where_it_names_one_review() {
    let repo = staged_clean();
    review(&repo, "").run().exits(0);
    let only = listed(&repo, "")[0]["id"].as_str().unwrap().to_owned();
    let shown = |id: &str| reviews(&repo, &format!("show --json {id}"));
    assert_eq!(shown(&only[..10]).exits(0).document()["meta"]["review_id"], only);
    review(&repo, "").run().exits(0);
    // Ids begin with the time, so those of one minute are alike.
    let err = shown(&only[..4]).exits(2).err();
    assert!(err.contains("several reviews begin with"), "{err}");
    for id in ["ffff", "0", "../x"] {
        let err = shown(id).exits(2).err();
        assert!(err.contains("there is no review") && err.contains("reviews list"), "{err}");
    }
}

#[test]
fn lists_are_narrowed_to_a_repository() {
    let (repo, other) = (staged_clean(), staged_clean());
    review(&repo, "").run().exits(0);
    let elsewhere = format!("--repo {}", other.path().display());
    review(&repo, &elsewhere).run().exits(0);
    review(&repo, "--diff-file -").folder(repo.root()).run().exits(0);
    assert_eq!(listed(&repo, "").len(), 3);
    assert_eq!(listed(&repo, &elsewhere).len(), 1);
    let none = listed(&repo, "").into_iter().filter(|entry| entry["repo"].is_null()).count();
    assert_eq!(none, 1, "a diff without a repository");
    reviews(&repo, "list --repo /nowhere").exits(2);
}

#[test]
fn what_is_beyond_the_bounds_is_dropped() {
    let repo = staged_clean();
    for _ in 0..3 {
        review(&repo, "").run().exits(0);
    }
    assert_eq!(reviews(&repo, "prune --age 1d").exits(0).out(), "0 dropped\n");
    assert_eq!(reviews(&repo, "prune --count 1").exits(0).out(), "2 dropped\n");
    assert_eq!(listed(&repo, "").len(), 1);
    assert_eq!(reviews(&repo, "prune --age 0s").exits(0).out(), "1 dropped\n");
    assert_eq!(listed(&repo, ""), [json!(null); 0]);
    reviews(&repo, "prune --age tomorrow").exits(2);
}

#[test]
fn the_settings_say_how_much_is_kept() {
    let repo = staged_clean();
    let folder = repo.home().join("config/foreread");
    std::fs::create_dir_all(&folder).unwrap();
    let settings = |text: &str| std::fs::write(folder.join("config.toml"), text).unwrap();
    settings("[store.keep]\ncount = 2\nage = \"30d\"\n");
    for _ in 0..3 {
        review(&repo, "").run().exits(0);
    }
    assert_eq!(listed(&repo, "").len(), 2);
    settings("[store]\nkeep = { age = \"0s\" }\n");
    assert_eq!(reviews(&repo, "prune").exits(0).out(), "2 dropped\n");
    for (text, want) in [
        ("[store.keep]\nage = \"soon\"\n", "store.keep.age"),
        ("[store.keep]\ncount = -1\n", "store.keep.count"),
        ("[store]\nkept = 1\n", "store.kept"),
    ] {
        settings(text);
        let err = review(&repo, "").run().exits(2).err();
        assert!(err.contains(want), "{err}");
    }
}

#[test]
fn a_review_that_fails_leaves_none_behind() {
    let repo = staged_clean();
    review(&repo, "no-such-revision").run().exits(2);
    assert_eq!(listed(&repo, ""), [json!(null); 0]);
}

#[test]
fn where_no_review_can_be_kept_one_warning_says_so_and_the_review_is_the_same() {
    let repo = staged_fault();
    std::fs::write(repo.home().join("state"), "a file where the folder should be").unwrap();
    let ended = review(&repo, "--json --fail-on medium").run().exits(1);
    assert_eq!(ended.document()["findings"].as_array().unwrap().len(), 1);
    let err = ended.err();
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(err.contains("warning: reviews are not kept here") && err.contains("state"), "{err}");
    let err = reviews(&repo, "list").exits(3).err();
    assert!(err.contains("reviews are not kept here"), "{err}");
}

#[cfg(unix)]
#[test]
fn a_damaged_history_is_named_and_left_alone() {
    let repo = staged_clean();
    let folder = repo.home().join("state/foreread");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("foreread.db"), "no database".repeat(1000)).unwrap();
    let err = review(&repo, "").run().exits(0).err();
    assert!(err.contains("foreread.db") && err.contains("not a database"), "{err}");
    let left = std::fs::read(folder.join("foreread.db")).unwrap();
    assert_eq!(left.len(), 11_000, "it may be of use to somebody");
}
