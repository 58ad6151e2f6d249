//! What a change leaves wrong in files that it does not touch, in every scope, and whatever the
//! repository does to the search for them.

use review_tool::control::Uncontrolled;
use review_tool::finding::Finding;
use review_tool::repo::git::Git;
use review_tool::repo::{Place, Repo, Sought};
use review_tool::report::Status;
use review_tool::request::Scope;

use super::fixture::Fixture;
use super::revisions;

const BEFORE: &str = "def total_of(order):\n    return sum(order)\n";
const AFTER: &str = "def order_total(order):\n    return sum(order)\n";
const USE: &str = "from prices import total_of\nprint(total_of([1]))\n";

/// The messages of the rule in question; the review must be complete.
fn told(repo: &Fixture, scope: Scope) -> Vec<String> {
    let document = repo.review(scope).document;
    let (status, problems) = (document.summary.status, &document.summary.problems);
    assert_eq!(status, Status::Complete, "{problems:?}");
    let is_meant = |finding: &Finding| finding.rule.as_deref() == Some("name-still-used");
    document.findings.into_iter().filter(is_meant).map(|finding| finding.description).collect()
}

fn renamed() -> Fixture {
    let repo = Fixture::new();
    repo.write("prices.py", BEFORE).write("shop/cart.py", USE).commit("one");
    repo.write("prices.py", AFTER);
    repo
}

#[test]
fn every_scope_is_searched_in_the_state_that_it_reviews() {
    let repo = renamed();
    let want = ["total_of is gone, but shop/cart.py:1 and 1 more still uses it."];
    assert_eq!(told(&repo, Scope::Unstaged), want);
    assert_eq!(told(&repo, Scope::All), want);
    assert_eq!(told(&repo.at("shop"), Scope::All), want);
    let patch = repo.try_git(&["diff"]).stdout;
    assert_eq!(told(&repo, Scope::Patch(patch)), want);
    repo.git(&["add", "prices.py"]);
    // The work tree has mended what the index has not.
    repo.write("shop/cart.py", "print(1)\n");
    assert_eq!(told(&repo, Scope::Staged), want);
    assert!(told(&repo, Scope::All).is_empty());
    repo.git(&["commit", "-qm", "two"]);
    assert_eq!(told(&repo, Scope::Commit("HEAD".to_owned())), want);
    repo.commit("three");
    assert_eq!(told(&repo, Scope::Commit("HEAD~1".to_owned())), want);
    assert!(told(&repo, revisions(&["HEAD~2..HEAD"])).is_empty());
}

#[test]
fn an_untracked_file_that_uses_the_name_counts_in_the_work_tree() {
    let repo = renamed();
    repo.write("shop/cart.py", "print(1)\n").write("new.py", USE);
    assert_eq!(told(&repo, Scope::All).len(), 1);
}

#[test]
fn a_bare_repository_is_searched_in_its_trees() {
    let repo = renamed();
    repo.git(&["commit", "-qam", "two"]);
    let bare = repo.clone_with(&["--bare"]);
    assert_eq!(told(&bare, Scope::Commit("HEAD".to_owned())).len(), 1);
}

#[cfg(unix)]
#[test]
fn hostile_names_and_settings_change_nothing() {
    let repo = renamed();
    repo.write("shop/cart.py", "print(1)\n");
    for name in [
        "--open-files-in-pager=touch ran;.py",
        "-O.py",
        ":(exclude)*.py",
        "a\nb.py",
        "\u{1b}[31m.py",
    ] {
        repo.write(name, "total_of = 1\n");
    }
    std::os::unix::fs::symlink("/etc/passwd", repo.path().join("link.py")).unwrap();
    for (key, value) in [
        ("core.pager", "touch ran"),
        ("pager.grep", "touch ran"),
        ("submodule.recurse", "true"),
        ("grep.patternType", "perl"),
        ("grep.column", "true"),
        ("grep.lineNumber", "true"),
        ("color.ui", "always"),
        ("diff.x.textconv", "touch ran"),
    ] {
        repo.git(&["config", key, value]);
    }
    repo.write(".gitattributes", "*.py diff=x binary\n");
    repo.git(&["add", "-A"]).git(&["commit", "-qm", "two"]);
    let git = Git::open(repo.path(), true).unwrap();
    let (words, places) = (["total_of".to_owned()], [":(top)*.py".to_owned()]);
    let sought = Sought { words: &words, places: &places };
    let head = repo.id("HEAD");
    for (place, want) in [(Place::WorkTree, 5), (Place::Index, 3), (Place::Tree(head), 3)] {
        let found = git.search(&place, sought, &Uncontrolled).unwrap();
        assert_eq!(found.len(), want, "{place:?}");
        assert!(found.iter().all(|file| file.content == b"total_of = 1\n"), "{place:?}");
    }
    let words = ["-O".to_owned(), "a|b".to_owned()];
    let sought = Sought { words: &words, places: &places };
    assert!(git.search(&Place::WorkTree, sought, &Uncontrolled).unwrap().is_empty());
    assert!(!repo.path().join("ran").exists());
}
