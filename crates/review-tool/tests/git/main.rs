//! Reviews of real git repositories: every scope, hostile names and content, and repositories that try
//! to run something.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]
#![expect(clippy::disallowed_methods, reason = "the tests make repositories with git")]
#![expect(clippy::panic, reason = "helpers of tests fail by panicking")]

mod across;
mod doors;
mod fixture;
#[cfg(unix)]
mod oracle;

use std::ffi::OsString;

use fixture::Fixture;
use review_tool::ReviewError;
use review_tool::finding::Side;
use review_tool::repo::git::Git;
use review_tool::repo::{Repo, RepoError};
use review_tool::report::Status;
use review_tool::request::{ReviewRequest, Scope};

/// One line that the embedded rules report, and where: `python-mutable-default` on its first line.
const FAULT: &str = "def f(a=[]):\n    return a\n";

fn revisions(names: &[&str]) -> Scope {
    Scope::Revisions(names.iter().map(|&name| name.to_owned()).collect())
}

#[test]
fn every_scope_shows_its_own_change_and_no_other() {
    let repo = Fixture::new();
    repo.write("base.py", "x = 1\n").commit("base");
    repo.write("committed.py", FAULT).commit("second");
    repo.write("staged.py", FAULT).git(&["add", "staged.py"]);
    repo.write("base.py", &format!("x = 1\n{FAULT}"));
    repo.write("untracked.py", FAULT).write("ignored.log", "x\n").write(".gitignore", "*.log\n");
    for (scope, want) in [
        (Scope::Staged, &["staged.py:1"][..]),
        (Scope::Unstaged, &["base.py:2"]),
        (Scope::All, &["base.py:2", "staged.py:1", "untracked.py:1"]),
        (Scope::Commit("HEAD".to_owned()), &["committed.py:1"]),
        (Scope::Commit("HEAD~1".to_owned()), &[]),
        (revisions(&["HEAD~1..HEAD"]), &["committed.py:1"]),
        (revisions(&["HEAD~1", "HEAD"]), &["committed.py:1"]),
        (revisions(&["HEAD~1...HEAD"]), &["committed.py:1"]),
        (revisions(&["HEAD^!"]), &["committed.py:1"]),
        (revisions(&["HEAD"]), &["base.py:2", "staged.py:1"]),
        (revisions(&["HEAD~1"]), &["base.py:2", "committed.py:1", "staged.py:1"]),
        (revisions(&["HEAD..HEAD~1"]), &[]),
    ] {
        assert_eq!(repo.findings(scope.clone()), want, "{scope:?}");
    }
}

#[test]
fn documents_name_the_objects_that_were_compared() {
    let repo = Fixture::new();
    repo.write("a.py", "x = 1\n").commit("one");
    repo.write("a.py", "x = 2\n").commit("two");
    let (first, second) = (repo.id("HEAD~1"), repo.id("HEAD"));
    let meta = repo.review(Scope::Commit("HEAD".to_owned())).document.meta;
    assert_eq!((meta.base, meta.head), (Some(first.clone()), Some(second.clone())));
    let meta = repo.review(revisions(&["HEAD...HEAD~1"])).document.meta;
    assert_eq!((meta.base, meta.head), (Some(first.clone()), Some(first)));
    let meta = repo.review(Scope::Staged).document.meta;
    assert_eq!((meta.base, meta.head), (Some(second), None));
}

#[test]
fn a_repository_without_a_commit_is_reviewed() {
    let repo = Fixture::new();
    repo.write("a.py", FAULT).git(&["add", "a.py"]).write("b.py", FAULT);
    assert_eq!(repo.findings(Scope::Staged), ["a.py:1"]);
    assert_eq!(repo.findings(Scope::All), ["a.py:1", "b.py:1"]);
    assert_eq!(repo.findings(Scope::Unstaged), [""; 0]);
    assert_eq!(repo.review(Scope::All).document.meta.base, None);
    assert!(matches!(
        repo.fails(Scope::Commit("HEAD".to_owned())),
        ReviewError::Repo(RepoError::UnknownRevision { .. })
    ));
}

#[test]
fn the_first_commit_is_compared_with_nothing() {
    let repo = Fixture::new();
    repo.write("a.py", FAULT).commit("one");
    assert_eq!(repo.findings(Scope::Commit("HEAD".to_owned())), ["a.py:1"]);
    assert_eq!(repo.findings(revisions(&["HEAD^!"])), ["a.py:1"]);
}

#[test]
fn a_commit_whose_parent_is_cut_off_is_refused() {
    let repo = Fixture::new();
    repo.write("a.py", FAULT).commit("one");
    repo.write("a.py", &format!("{FAULT}x = 1\n")).commit("two");
    let shallow = repo.clone_with(&["--depth=1"]);
    let error = shallow.fails(Scope::Commit("HEAD".to_owned()));
    assert!(matches!(error, ReviewError::Repo(RepoError::Git { .. })), "{error}");
}

#[test]
fn subfolders_worktrees_and_sha256_work() {
    let repo = Fixture::new();
    repo.write("a.py", "x = 1\n").write("sub/b.py", "x = 1\n").commit("one");
    repo.write("a.py", FAULT).write("sub/b.py", FAULT).git(&["add", "."]);
    let sub = repo.at("sub");
    assert_eq!(sub.findings(Scope::Staged), ["a.py:1", "sub/b.py:1"]);
    assert_eq!(sub.findings_in(Scope::Staged, &["b.py"]), ["sub/b.py:1"]);
    assert_eq!(sub.findings_in(Scope::Staged, &[":/a.py"]), ["a.py:1"]);
    repo.git(&["worktree", "add", "-q", "../tree", "HEAD"]);
    let tree = repo.at("../tree");
    tree.write("c.py", FAULT);
    assert_eq!(tree.findings(Scope::All), ["c.py:1"]);
    assert_eq!(tree.findings(Scope::Staged), [""; 0]);

    let repo = Fixture::with_format("sha256");
    repo.write("a.py", FAULT).git(&["add", "."]);
    assert_eq!(repo.findings(Scope::Staged), ["a.py:1"]);
    repo.commit("one");
    assert_eq!(repo.findings(Scope::Commit("HEAD".to_owned())), ["a.py:1"]);
}

#[test]
fn paths_narrow_every_scope() {
    let repo = Fixture::new();
    repo.write("a.py", "x = 1\n").write("b.py", "x = 1\n").commit("one");
    repo.write("a.py", FAULT).write("b.py", FAULT).write("d/c.py", FAULT);
    assert_eq!(repo.findings_in(Scope::Unstaged, &["a.py"]), ["a.py:1"]);
    assert_eq!(repo.findings_in(Scope::All, &["b.py", "d"]), ["b.py:1", "d/c.py:1"]);
    assert_eq!(repo.findings_in(Scope::All, &[":!a.py", ":!b.py"]), ["d/c.py:1"]);
    repo.write("new.py", FAULT);
    let found = repo.at("d").findings_in(Scope::All, &[":!zz"]);
    assert_eq!(found, ["a.py:1", "b.py:1", "d/c.py:1", "new.py:1"]);
}

#[cfg(unix)]
#[test]
fn what_git_cannot_read_makes_the_review_partial() {
    use std::os::unix::fs::PermissionsExt;
    let repo = Fixture::new();
    repo.write("d/a.py", "x = 1\n").commit("one");
    repo.write("d/a.py", FAULT).write("u/n.py", FAULT);
    let mode = |name: &str, bits| {
        let path = repo.path().join(name);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(bits)).unwrap();
    };
    mode("d", 0);
    mode("u", 0);
    // The superuser reads everything, so there is nothing to show.
    let can_read = std::fs::read_dir(repo.path().join("u")).is_ok();
    for scope in [Scope::Unstaged, Scope::All] {
        let summary = repo.review(scope.clone()).document.summary;
        assert_eq!(summary.status == Status::Partial, !can_read, "{scope:?}");
    }
    mode("d", 0o755);
    mode("u", 0o755);
}

#[cfg(unix)]
#[test]
fn hostile_names_keep_their_findings() {
    use std::os::unix::ffi::OsStringExt;
    let repo = Fixture::new();
    repo.write("x", "\n").commit("one");
    let names: [&[u8]; 8] = [
        b"sp ace.py",
        b"quo\"te.py",
        b"new\nline.py",
        b"t\tab.py",
        b"caf\xe9.py",
        "漢字.py".as_bytes(),
        b"-dash.py",
        b"a b/c d.py",
    ];
    for name in names {
        repo.write(OsString::from_vec(name.to_vec()), FAULT);
    }
    let mut want: Vec<String> = [
        "sp ace.py",
        "quo\"te.py",
        "new\nline.py",
        "t\tab.py",
        "\"caf\\351.py\"",
        "漢字.py",
        "-dash.py",
        "a b/c d.py",
    ]
    .map(|name| format!("{name}:1"))
    .to_vec();
    want.sort();
    let sorted = |mut found: Vec<String>| {
        found.sort();
        found
    };
    assert_eq!(sorted(repo.findings(Scope::All)), want, "untracked");
    repo.git(&["add", "."]);
    for quote in ["true", "false"] {
        repo.git(&["config", "core.quotePath", quote]);
        assert_eq!(sorted(repo.findings(Scope::Staged)), want, "core.quotePath {quote}");
    }
}

#[test]
fn an_added_line_that_looks_like_a_header_hides_nothing() {
    let repo = Fixture::new();
    repo.write("a.py", "x = 1\n").commit("one");
    let text = format!("x = 1\n++ b/vendor/x\n-- a/x\n@@ -1 +1 @@\n{FAULT}");
    repo.write("a.py", &text).git(&["add", "."]);
    assert_eq!(repo.findings(Scope::Staged), ["a.py:5"]);
}

#[test]
fn renames_and_copies_show_only_what_is_new() {
    let repo = Fixture::new();
    let body = format!("{FAULT}{}", "y = 1\n".repeat(20));
    repo.write("old.py", &body).commit("one");
    repo.git(&["mv", "old.py", "new.py"]);
    assert_eq!(repo.findings(Scope::Staged), [""; 0]);
    repo.write("new.py", &format!("{body}\n\ndef g(b={{}}):\n    return b\n")).git(&["add", "."]);
    assert_eq!(repo.findings(Scope::Staged), ["new.py:25"]);
}

#[test]
fn links_submodules_and_binaries_are_named_as_skipped() {
    let repo = Fixture::new();
    let inner = repo.at("inner");
    inner.git(&["init", "-q"]);
    inner.write("a.py", FAULT).commit("inner");
    repo.write("blob.bin", "a\0b").git(&["add", "blob.bin"]);
    repo.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", "./inner"]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/etc/passwd", repo.path().join("link.py")).unwrap();
        repo.git(&["add", "link.py"]);
    }
    let document = repo.review(Scope::Staged).document;
    let skipped: Vec<_> = document.summary.files.skipped.iter().map(|s| s.file.as_str()).collect();
    let want: &[_] =
        if cfg!(unix) { &["blob.bin", "inner", "link.py"] } else { &["blob.bin", "inner"] };
    assert_eq!(skipped, want);
    assert_eq!(document.summary.files.reviewed, [".gitmodules"]);
    assert!(document.summary.gate.passed);
}

#[test]
fn attributes_cannot_hide_text_as_binary() {
    for attribute in ["*.py binary", "*.py -diff", "*.py diff=quiet"] {
        let repo = Fixture::new();
        repo.write("a.py", "x = 1\n").commit("one");
        repo.git(&["config", "diff.quiet.binary", "true"]);
        repo.write(".gitattributes", &format!("{attribute}\n")).write("a.py", FAULT);
        repo.write("real.bin", "a\0b");
        assert_eq!(repo.findings(Scope::Unstaged), ["a.py:1"], "{attribute}");
        repo.git(&["add", "."]);
        let document = repo.review(Scope::Staged).document;
        assert_eq!(fixture::places(&document), ["a.py:1"], "{attribute}");
        assert_eq!(document.summary.files.skipped.len(), 1, "{attribute}");
        repo.commit("two");
        assert_eq!(repo.findings(Scope::Commit("HEAD".to_owned())), ["a.py:1"], "{attribute}");
    }
}

#[test]
fn a_zero_byte_hides_no_code() {
    let repo = Fixture::new();
    repo.write("a.py", "# \0\n").commit("one");
    repo.write("a.py", FAULT).write("b.py", &format!("# \0\n{FAULT}")).git(&["add", "."]);
    repo.write("c.py", &format!("# \0\n{FAULT}"));
    assert_eq!(repo.findings(Scope::All), ["a.py:1", "b.py:2", "c.py:2"]);
    assert_eq!(repo.findings(Scope::Staged), ["a.py:1", "b.py:2"]);
    // The work tree says nothing of what is staged.
    repo.write("a.py", "\0");
    assert_eq!(repo.findings(Scope::Staged), ["a.py:1", "b.py:2"]);
    repo.git(&["commit", "-q", "-m", "two"]);
    assert_eq!(repo.findings(Scope::Commit("HEAD".to_owned())), ["a.py:1", "b.py:2"]);
}

#[test]
fn code_in_utf_16_makes_the_review_partial() {
    let repo = Fixture::new();
    let text: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(FAULT.bytes().flat_map(|b| [b, 0])).collect();
    std::fs::write(repo.path().join("a.py"), text).unwrap();
    assert_eq!(repo.review(Scope::All).document.summary.status, Status::Partial);
    repo.git(&["add", "."]);
    assert_eq!(repo.review(Scope::Staged).document.summary.status, Status::Partial);
}

#[test]
fn a_patch_cannot_call_code_binary_or_a_link() {
    let repo = Fixture::new();
    repo.write("x", "\n").commit("one");
    let hunk = "--- /dev/null\n+++ b/e.py\n@@ -0,0 +1,2 @@\n+def f(a=[]):\n+    return a\n";
    for mode in ["100644", "120000", "160000"] {
        let text = format!("diff --git a/e.py b/e.py\nnew file mode {mode}\n{hunk}");
        assert_eq!(repo.findings(Scope::Patch(text.into_bytes())), ["e.py:1"], "{mode}");
    }
    let binary = "diff --git a/e.py b/e.py\nGIT binary patch\nliteral 3\nKcmZQzWMT#Y01f~L\n\n";
    let document = repo.review(Scope::Patch(binary.as_bytes().to_vec())).document;
    assert_eq!(document.summary.status, Status::Partial);
}

#[test]
fn line_ends_follow_git() {
    let repo = Fixture::new();
    repo.write(".gitattributes", "*.py text eol=crlf\n")
        .write("a.py", "x = 1\r\ny = 2\r\n")
        .commit("one");
    repo.write("a.py", &format!("x = 1\r\ny = 2\r\n{}", FAULT.replace('\n', "\r\n")));
    assert_eq!(repo.findings(Scope::Unstaged), ["a.py:3"]);
    repo.write("a.py", FAULT.trim_end());
    assert_eq!(repo.findings(Scope::Unstaged), ["a.py:1"]);
}

#[test]
fn an_unmerged_file_makes_the_review_partial() {
    let repo = Fixture::new();
    repo.write("a.py", "x = 1\n").commit("base");
    repo.git(&["checkout", "-q", "-b", "other"]).write("a.py", "x = 2\n").commit("other");
    repo.git(&["checkout", "-q", "-"]).write("a.py", "x = 3\n").commit("ours");
    repo.try_git(&["merge", "-q", "other"]);
    let document = repo.review(Scope::Staged).document;
    assert_eq!(document.summary.status, Status::Partial);
    assert!(!document.summary.gate.passed);
    let document = repo.review(Scope::Unstaged).document;
    assert_eq!(document.summary.files.reviewed, ["a.py"], "the conflict is a combined diff");
}

#[test]
fn unknown_and_option_like_revisions_are_refused() {
    let repo = Fixture::new();
    repo.write("a.py", "x = 1\n").commit("one");
    for name in [
        "nope",
        "nope..HEAD",
        "HEAD..nope",
        "--output=x",
        "-p",
        "--all",
        "",
        "HEAD\nHEAD",
        "a.py",
        "1111111111111111111111111111111111111111",
        "--",
        "HEAD --output=x",
        "HEAD:a.py",
    ] {
        for scope in [revisions(&[name]), Scope::Commit(name.to_owned())] {
            let error = repo.fails(scope);
            assert!(error.is_usage(), "{name:?}: {error}");
        }
    }
    assert!(!repo.path().join("x").exists());
}

#[test]
fn histories_without_a_common_ancestor_have_no_merge_base() {
    let repo = Fixture::new();
    repo.write("a.py", "x = 1\n").commit("one");
    repo.git(&["branch", "-f", "first", "HEAD"]);
    repo.git(&["checkout", "-q", "--orphan", "far"]).commit("far");
    let error = repo.fails(revisions(&["first...far"]));
    assert!(matches!(error, ReviewError::Repo(RepoError::NoMergeBase { .. })), "{error}");
}

#[test]
fn a_patch_takes_its_context_from_files_that_match_on_either_side() {
    let repo = Fixture::new();
    let before = "'''\nstart\n\n\n\n\n\n\n\n'''\n\n\nx = 1\n";
    repo.write("a.py", before).commit("one");
    // Without the file, the hunk alone would read as code.
    let text = "--- a/a.py\n+++ b/a.py\n@@ -5,2 +5,4 @@\n \n+def f(a=[]):\n+    pass\n \n";
    let scope = || Scope::Patch(text.as_bytes().to_vec());
    assert_eq!(repo.findings(scope()), [""; 0], "the work tree has the old side");
    let after = before.replace("start\n\n\n\n", "start\n\n\n\ndef f(a=[]):\n    pass\n");
    repo.write("a.py", &after);
    assert_eq!(repo.findings(scope()), [""; 0], "the work tree has the new side");
    repo.write("a.py", "unrelated\n");
    assert_eq!(repo.findings(scope()), ["a.py:6"], "nothing matches: the hunk alone is read");
}

#[cfg(unix)]
#[test]
fn a_patch_reads_nothing_outside_the_work_tree() {
    let repo = Fixture::new();
    repo.write("x", "\n").commit("one");
    std::os::unix::fs::symlink("/", repo.path().join("root")).unwrap();
    for path in ["root/etc/hostname.py", "../../x.py", "/etc/passwd.py", ".git/config.py"] {
        let text = format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1,2 @@\n x\n+y\n");
        let document = repo.review(Scope::Patch(text.into_bytes())).document;
        assert_eq!(document.summary.status, Status::Complete, "{path}");
    }
}

#[test]
fn nothing_that_the_repository_configures_runs() {
    let repo = Fixture::new();
    repo.write("a.py", "x = 1\n").write("b.py", "x = 1\n").commit("one");
    let trap = "sh -c 'touch \"$0.ran\"; cat' TRAP";
    let marker = repo.path().join("TRAP").display().to_string();
    let trap = trap.replace("TRAP", &marker);
    for key in [
        "diff.external",
        "core.fsmonitor",
        "core.pager",
        "pager.diff",
        "core.sshCommand",
        "core.askPass",
        "core.editor",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "filter.we=ird.clean",
        "alias.diff",
        "credential.helper",
        "interactive.diffFilter",
        "gpg.program",
    ] {
        let value = if key == "alias.diff" { format!("!{trap}") } else { trap.clone() };
        repo.git(&["config", key, &value]);
    }
    repo.git(&["config", "filter.evil.required", "true"]);
    let hooks = repo.path().join("hooks");
    for hook in ["post-index-change", "pre-commit", "fsmonitor-watchman", "reference-transaction"] {
        repo.write(format!("hooks/{hook}"), &format!("#!/bin/sh\n{trap}\n"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(hooks.join(hook), mode).unwrap();
        }
    }
    repo.git(&["config", "core.hooksPath", &hooks.display().to_string()]);
    repo.write(".gitattributes", "*.py filter=evil diff=evil\nb.py filter=we=ird\n");
    std::fs::remove_dir_all(repo.path().join("hooks")).unwrap();
    let before = repo.listing();
    repo.write("a.py", FAULT).write("b.py", FAULT);
    for scope in [
        Scope::Unstaged,
        Scope::All,
        Scope::Staged,
        revisions(&["HEAD"]),
        Scope::Commit("HEAD".to_owned()),
    ] {
        let review = repo.review(scope.clone());
        assert_ne!(review.document.summary.status, Status::Partial, "{scope:?}");
    }
    assert_eq!(repo.findings(Scope::Unstaged), ["a.py:1", "b.py:1"]);
    assert_eq!(repo.listing(), before, "no file was made, the index is untouched");
    repo.try_git(&["diff"]);
    assert!(repo.path().join("TRAP.ran").exists(), "the trap works: git by itself runs into it");
}

#[test]
fn a_change_in_a_submodule_is_not_hidden_by_its_settings() {
    let repo = Fixture::new();
    let inner = repo.at("inner");
    inner.git(&["init", "-q"]);
    inner.write("a", "1\n").commit("one");
    repo.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", "./inner"])
        .commit("base");
    inner.write("a", "2\n").commit("two");
    repo.git(&["config", "-f", ".gitmodules", "submodule.inner.ignore", "all"]);
    let document = repo.review(Scope::Unstaged).document;
    let skipped: Vec<_> = document.summary.files.skipped.iter().map(|s| s.file.as_str()).collect();
    assert_eq!(skipped, ["inner"]);
}

#[test]
fn odd_diff_settings_change_nothing() {
    let repo = Fixture::new();
    repo.write("a.py", &"x = 1\n".repeat(30)).commit("one");
    repo.write("a.py", &format!("{}{FAULT}", "x = 1\n".repeat(30))).git(&["add", "."]);
    repo.write("order", "zzz\n");
    let order = repo.path().join("order").display().to_string();
    for (key, value) in [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.srcPrefix", "x/"),
        ("diff.context", "0"),
        ("diff.interHunkContext", "50"),
        ("diff.orderFile", &order),
        ("diff.renames", "copies"),
        ("diff.relative", "true"),
        ("diff.suppressBlankEmpty", "true"),
        ("diff.algorithm", "patience"),
        ("diff.submodule", "log"),
        ("diff.wsErrorHighlight", "all"),
        ("color.ui", "always"),
        ("color.diff", "always"),
        ("diff.colorMoved", "zebra"),
        ("diff.wordRegex", "."),
    ] {
        repo.git(&["config", key, value]);
        assert_eq!(repo.findings(Scope::Staged), ["a.py:31"], "{key}={value}");
    }
}

#[test]
fn a_bare_repository_has_revisions_and_no_stage() {
    let repo = Fixture::new();
    repo.write("a.py", FAULT).commit("one");
    let bare = repo.clone_with(&["--bare"]);
    assert_eq!(bare.findings(Scope::Commit("HEAD".to_owned())), ["a.py:1"]);
    for scope in [Scope::Staged, Scope::Unstaged, Scope::All, revisions(&["HEAD"])] {
        assert!(matches!(bare.fails(scope), ReviewError::Repo(RepoError::Bare { .. })));
    }
}

#[test]
fn every_folder_and_work_tree_of_a_repository_has_its_identity() {
    let repo = Fixture::new();
    repo.write("sub/a.py", FAULT).commit("one");
    repo.git(&["worktree", "add", "-q", "../tree", "HEAD"]);
    let identity = |fixture: &Fixture| Git::open(fixture.path(), true).unwrap().identity();
    let own = repo.path().canonicalize().unwrap().display().to_string();
    for folder in ["", "sub", "../tree"] {
        assert_eq!(identity(&repo.at(folder)), Some(own.clone()), "{folder}");
    }
    let bare = repo.clone_with(&["--bare"]);
    let other = bare.path().canonicalize().unwrap().display().to_string();
    assert_eq!(identity(&bare), Some(other));
}

#[test]
fn removed_lines_stand_on_the_old_side() {
    let repo = Fixture::new();
    repo.write("a.py", FAULT).commit("one");
    repo.git(&["rm", "-q", "a.py"]);
    let review = repo.review(Scope::Staged);
    assert_eq!(review.document.summary.files.reviewed, ["a.py"]);
    assert!(review.document.findings.iter().all(|finding| finding.side == Side::Old));
}

#[test]
fn a_hundred_thousand_lines_are_reviewed() {
    let repo = Fixture::new();
    repo.write("a.py", "x = 1\n").commit("one");
    let mut text = "y = 2\n".repeat(100_000);
    text.push_str(FAULT);
    repo.write("a.py", &text).git(&["add", "."]);
    assert_eq!(repo.findings(Scope::Staged), ["a.py:100001"]);
}

#[test]
fn a_request_is_cancelled_at_the_next_file() {
    let repo = Fixture::new();
    for name in 0..20 {
        repo.write(format!("{name}.py"), FAULT);
    }
    repo.git(&["add", "."]);
    let request = ReviewRequest::new(Scope::Staged);
    let error = repo.run(&request, &fixture::CancelAfter::new(3)).unwrap_err();
    assert!(matches!(error, ReviewError::Cancelled), "{error}");
}
