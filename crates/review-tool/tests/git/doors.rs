//! Repositories that try to have something run, read or written for them: what git itself obeys and a
//! review must not.

use super::FAULT;
use super::fixture::{self, Fixture};
use review_tool::repo::RepoError;
use review_tool::repo::git::Git;
use review_tool::report::Status;
use review_tool::request::Scope;
use review_tool::{ReviewError, repo::Repo};

#[test]
fn settings_cannot_make_another_folder_the_work_tree() {
    let repo = Fixture::new();
    repo.write("a.py", "x = 1\n").commit("one");
    let outside = repo.at("..");
    outside.write("secret.py", FAULT);
    for place in ["../..", "../../..", "/"] {
        repo.git(&["config", "core.worktree", place]);
        let error = Git::open(repo.path(), true).map(drop).unwrap_err();
        assert!(matches!(error, RepoError::Redirected { .. }), "{place}: {error}");
        assert!(error.is_usage() && error.to_string().contains("core.worktree"), "{error}");
    }
    // One that names the folder itself is what submodules have.
    repo.git(&["config", "core.worktree", ".."]).write("a.py", FAULT);
    assert_eq!(repo.findings(Scope::All), ["a.py:1"]);
}

#[test]
fn a_folder_laid_out_like_a_repository_cannot_reach_its_surroundings() {
    let repo = Fixture::new();
    repo.write("a.py", "x = 1\n").commit("one");
    // Files of a work tree that look like a bare repository to git.
    let bare = repo.at("data");
    bare.git(&["init", "-q", "--bare", "."]);
    bare.git(&["config", "core.bare", "false"]).git(&["config", "core.worktree", "../.."]);
    let error = Git::open(bare.path(), true).map(drop).unwrap_err();
    assert!(matches!(error, RepoError::Redirected { .. }), "{error}");
}

#[test]
fn submodules_and_linked_worktrees_are_their_own_work_trees() {
    let repo = Fixture::new();
    let inner = repo.at("../inner");
    inner.git(&["init", "-q"]);
    inner.write("a.py", "x = 1\n").commit("inner");
    repo.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", "../inner", "sub"]);
    repo.commit("base").git(&["worktree", "add", "-q", "../tree", "HEAD"]);
    for folder in ["sub", "../tree"] {
        let place = repo.at(folder);
        place.write("new.py", FAULT);
        assert_eq!(place.findings(Scope::All), ["new.py:1"], "{folder}");
    }
}

#[cfg(unix)]
#[test]
fn a_repository_of_another_user_is_refused_with_the_way_out() {
    let repo = Fixture::new();
    repo.write("a.py", "x = 1\n").commit("one");
    // Only the superuser can give a folder away.
    if std::os::unix::fs::chown(repo.path(), Some(12345), None).is_err() {
        return;
    }
    let error = Git::open(repo.path(), true).map(drop).unwrap_err();
    let said = error.to_string();
    assert!(matches!(error, RepoError::Untrusted { .. }), "{said}");
    let place = repo.path().display().to_string();
    assert!(said.contains(&format!("--add safe.directory {place}")), "{said}");
}

#[test]
fn an_object_that_only_a_promisor_has_is_not_fetched() {
    let repo = Fixture::new();
    repo.write("a.py", "x = 1\n").commit("one");
    repo.write("a.py", FAULT).commit("two");
    repo.git(&["config", "uploadpack.allowFilter", "true"]);
    let clone = repo.clone_with(&["--no-checkout", "--filter=blob:none"]);
    clone.git(&["config", "protocol.file.allow", "always"]);
    let before = clone.listing();
    let error = clone.fails(Scope::Commit("HEAD".to_owned()));
    assert!(matches!(error, ReviewError::Repo(RepoError::Git { .. })), "{error}");
    assert_eq!(clone.listing(), before, "nothing came over");
    clone.git(&["diff", "HEAD~1", "HEAD"]);
    assert_ne!(clone.listing(), before, "git by itself fetches it");
    assert_eq!(clone.findings(Scope::Commit("HEAD".to_owned())), ["a.py:1"]);
}

#[test]
fn a_lock_that_another_program_holds_stops_nothing_and_stays() {
    let repo = Fixture::new();
    repo.write("a.py", "x = 1\n").commit("one");
    repo.write("a.py", FAULT);
    for lock in ["index.lock", "HEAD.lock", "config.lock", "refs/heads/main.lock"] {
        repo.write(format!(".git/{lock}"), "held");
    }
    for scope in [Scope::Unstaged, Scope::All] {
        assert_eq!(repo.findings(scope), ["a.py:1"]);
    }
    assert_eq!(repo.findings(Scope::Staged), [""; 0]);
    assert_eq!(std::fs::read(repo.path().join(".git/index.lock")).unwrap(), b"held");
}

#[test]
fn files_that_were_only_touched_are_no_part_of_a_change() {
    let repo = Fixture::new();
    repo.write("a.py", "x = 1\n").commit("one");
    repo.git(&["config", "diff.autoRefreshIndex", "false"]);
    let file = std::fs::File::options().write(true).open(repo.path().join("a.py")).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let summary = repo.review(Scope::Unstaged).document.summary;
    assert_eq!(summary.status, Status::NothingToReview, "{:?}", summary.files);
}

#[test]
fn a_small_limit_for_big_files_makes_no_code_binary() {
    let repo = Fixture::new();
    repo.write("a.py", "x = 1\n").write("notes", "x\n").commit("one");
    repo.git(&["config", "core.bigFileThreshold", "1"]);
    repo.write("a.py", FAULT).write("notes", "y\n").git(&["add", "."]);
    let document = repo.review(Scope::Staged).document;
    assert_eq!(fixture::places(&document), ["a.py:1"]);
    assert_eq!(document.summary.files.reviewed, ["a.py", "notes"]);
}

#[test]
fn any_number_of_files_that_attributes_call_binary_is_read_as_text() {
    let repo = Fixture::new();
    repo.write(".gitattributes", "* -diff\n").commit("one");
    let name = |at: usize| format!("{}/{at:04}.py", "a-rather-long-name-of-a-folder".repeat(4));
    for at in 0..1200 {
        repo.write(name(at), FAULT);
    }
    repo.git(&["add", "."]);
    let document = repo.review(Scope::Staged).document;
    assert_eq!(document.summary.status, Status::Complete);
    assert_eq!(fixture::places(&document).len(), 1200);
}

#[test]
fn remarks_of_git_that_name_files_are_not_taken_for_harmless() {
    let repo = Fixture::new();
    let name = "rename detection diff.renameLimit will be replaced by.py";
    repo.write(".gitattributes", "*.py working-tree-encoding=UTF-16\n").commit("one");
    // Not UTF-16: git cannot read it, and says so with its name.
    let entry = format!("100644,{},{name}", repo.id("HEAD:.gitattributes"));
    repo.write(name, "x").git(&["update-index", "--add", "--cacheinfo", &entry]);
    let summary = repo.review(Scope::Unstaged).document.summary;
    assert_eq!(summary.status, Status::Partial, "{summary:?}");
}

#[test]
fn line_end_remarks_are_no_problem_whatever_the_settings_say() {
    let repo = Fixture::new();
    repo.write(".gitattributes", "* text=auto\n").write("a.py", "x = 1\n").commit("one");
    for value in ["warn", "true"] {
        repo.git(&["config", "core.safecrlf", value]).git(&["config", "core.autocrlf", "input"]);
        repo.write("a.py", "x = 1\r\ny = 2\r\n");
        let summary = repo.review(Scope::Unstaged).document.summary;
        assert_eq!(summary.status, Status::Complete, "{value}: {:?}", summary.problems);
    }
}

#[test]
fn a_repository_is_only_read_through_its_port() {
    let repo = Fixture::new();
    repo.write("a.py", "x = 1\n").commit("one");
    let git = Git::open(repo.path(), true).unwrap();
    for name in ["../secret", ".git/config", "/etc/passwd"] {
        assert_eq!(git.work_file(&review_tool::diff::RepoPath::new(name), 1 << 20), None, "{name}");
    }
}
