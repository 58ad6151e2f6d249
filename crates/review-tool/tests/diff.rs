//! The diff parser, on what git and `diff -u` write and on what an attacker would.

use proptest::prelude::*;
use review_tool::diff::{Body, LineKind, RepoPath, parse};

/// One line for each file: status, paths, modes, body, and the numbers of the changed lines.
fn outline(text: &[u8]) -> (Vec<String>, Vec<String>) {
    let (set, problems) = parse(text);
    let files = set.files.iter().map(|file| {
        let path = |path: &Option<RepoPath>| {
            path.as_ref().map_or_else(|| "-".to_owned(), |path| path.display().into_owned())
        };
        let mut line =
            format!("{:?} {} {}", file.status, path(&file.old_path), path(&file.new_path));
        if let (Some(old), Some(new)) = (file.old_mode, file.new_mode)
            && old != new
        {
            line.push_str(&format!(" mode {old:o}..{new:o}"));
        }
        match &file.body {
            Body::Binary => line.push_str(" binary"),
            Body::Empty => line.push_str(" empty"),
            Body::Text(hunks) => {
                for hunk in hunks {
                    let (mut old, mut new) = (hunk.old_start, hunk.new_start);
                    for l in &hunk.lines {
                        let end = if l.newline { "" } else { "!" };
                        match l.kind {
                            LineKind::Context => (old, new) = (old + 1, new + 1),
                            LineKind::Added => {
                                line.push_str(&format!(" +{new}{end}"));
                                new += 1;
                            }
                            LineKind::Removed => {
                                line.push_str(&format!(" -{old}{end}"));
                                old += 1;
                            }
                            LineKind::OtherParent => line.push_str(" -?"),
                        }
                    }
                }
            }
        }
        if file.damaged { line + " damaged" } else { line }
    });
    (files.collect(), problems.iter().map(ToString::to_string).collect())
}

#[track_caller]
fn check(text: impl AsRef<[u8]>, files: &[&str], problems: &[&str]) {
    let (got, said) = outline(text.as_ref());
    assert_eq!(got, files);
    assert_eq!(said.len(), problems.len(), "{said:?}");
    for (said, want) in said.iter().zip(problems) {
        assert!(said.contains(want), "{said:?} lacks {want:?}");
    }
}

#[test]
fn text_inside_a_hunk_cannot_pose_as_a_header() {
    check(
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,5 @@\n a\n+++ b/vendor/x\n+@@ -1 +1 @@\n\
         +diff --git a/y b/y\n--- a/gone\n+-- \n",
        &["Modified x x +2 +3 +4 -2 +5"],
        &[],
    );
}

#[test]
fn new_deleted_renamed_copied_and_mode_only_files_are_told() {
    check(
        "diff --git a/n b/n\nnew file mode 100755\nindex 0000000..aaaaaaa\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n\
         diff --git a/d b/d\ndeleted file mode 100644\nindex aaaaaaa..0000000\n--- a/d\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
         diff --git a/old name b/new name\nsimilarity index 100%\nrename from old name\nrename to new name\n\
         diff --git a/c1 b/c2\nsimilarity index 90%\ncopy from c1\ncopy to c2\nindex aaaaaaa..bbbbbbb 100644\n--- a/c1\n+++ b/c2\n@@ -1 +1 @@\n-a\n+b\n\
         diff --git a/m b/m\nold mode 100644\nnew mode 100755\n\
         diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n",
        &[
            "Added - n +1",
            "Deleted d - -1",
            "Renamed old name new name empty",
            "Copied c1 c2 -1 +1",
            "Modified m m mode 100644..100755 empty",
            "Added - e empty",
        ],
        &[],
    );
}

#[test]
fn symlinks_submodules_and_binaries_are_told() {
    let text = "diff --git a/l b/l\nnew file mode 120000\nindex 0000000..aaaaaaa\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n\
         diff --git a/s b/s\nindex aaaaaaa..bbbbbbb 160000\n--- a/s\n+++ b/s\n@@ -1 +1 @@\n-Subproject commit a\n+Subproject commit b\n\
         diff --git a/b b/b\nindex aaaaaaa..bbbbbbb 100644\nBinary files a/b and b/b differ\n\
         diff --git a/p b/p\nindex aaaaaaa..bbbbbbb 100644\nGIT binary patch\nliteral 3\nKcmZQzWMT#Y01f~L\n\nliteral 0\nHcmV?d00001\n\n";
    check(
        text,
        &["Added - l +1!", "Modified s s -1 +1", "Modified b b binary", "Modified p p binary"],
        &[],
    );
    let (set, _) = parse(text.as_bytes());
    let kinds: Vec<_> = set.files.iter().map(|f| (f.is_symlink(), f.is_submodule())).collect();
    assert_eq!(kinds, [(true, false), (false, true), (false, false), (false, false)]);
}

#[test]
fn submodules_are_told_in_every_form_that_git_writes() {
    let file = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    let log = "Submodule lib/one 1234567..89abcde:\n  > A commit\n  < Another\n";
    let more = "Submodule a b 1234567...89abcde (commits not present)\nSubmodule two 0000000...89abcde (new submodule)\n";
    check(
        format!("{file}{log}{more}{file}"),
        &[
            "Modified x x -1 +1",
            "Modified lib/one lib/one empty",
            "Modified a b a b empty",
            "Modified two two empty",
            "Modified x x -1 +1",
        ],
        &[],
    );
    let (set, _) = parse(log.as_bytes());
    assert!(set.files[0].is_submodule());
    // Prose that begins alike is none.
    check(format!("Submodule notes, see 12..34\n{file}"), &["Modified x x -1 +1"], &[]);
}

#[test]
fn quoted_spaced_and_foreign_names_are_read() {
    check(
        b"diff --git \"a/q\\\"uo\\te\\303\\251\" \"b/q\\\"uo\\te\\303\\251\"\n--- \"a/q\\\"uo\\te\\303\\251\"\n+++ \"b/q\\\"uo\\te\\303\\251\"\n@@ -1 +1 @@\n-a\n+b\n\
          diff --git a/sp ace b/sp ace\n--- a/sp ace\t\n+++ b/sp ace\t\n@@ -1 +1 @@\n-a\n+b\n\
          diff --git \"a/nl\\nx\" \"b/nl\\nx\"\nnew file mode 100644\n\
          diff --git a/raw\xff b/raw\xff\nold mode 100644\nnew mode 100755\n",
        &[
            "Modified q\"uo\te\u{e9} q\"uo\te\u{e9} -1 +1",
            "Modified sp ace sp ace -1 +1",
            "Added - nl\nx empty",
            "Modified \"raw\\377\" \"raw\\377\" mode 100644..100755 empty",
        ],
        &[],
    );
}

#[test]
fn carriage_returns_and_missing_line_ends_are_kept() {
    check(
        "diff --git a/x b/x\r\n--- a/x\r\n+++ b/x\r\n@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n\\ No newline at end of file\r\n+c\r\n\\ No newline at end of file\r\n",
        &["Modified x x -2! +2!"],
        &[],
    );
}

#[test]
fn an_empty_context_line_may_lack_its_space() {
    check("--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@\n a\n\n+b\n c\n", &["Modified x x +3"], &[]);
}

#[test]
fn plain_diffs_and_mails_are_read() {
    check(
        "From 1234 Mon Sep 17 00:00:00 2001\nSubject: x\n---\n x | 2 +-\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n-- \n2.47.3\n",
        &["Modified x x -1 +1"],
        &[],
    );
    check(
        "Index: y\n===\n--- y\t2026-01-01 00:00:00\n+++ y\t2026-01-02 00:00:00\n@@ -1 +1 @@\n-a\n+b\n--- z\n+++ z\n@@ -4 +4 @@\n-a\n+b\n",
        &["Modified y y -1 +1", "Modified z z -4 +4"],
        &[],
    );
}

#[test]
fn logs_and_mailboxes_of_several_commits_are_read() {
    let file = |name: &str| {
        format!("diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-a\n+b\n")
    };
    let log = format!(
        "commit 1\nAuthor: A\n\n    One\n\n    + not a line\n\n{}\ncommit 2\n\n    Two\n    - nor this\n\n{}",
        file("x"),
        file("y")
    );
    check(log, &["Modified x x -1 +1", "Modified y y -1 +1"], &[]);
    let mails = format!(
        "From 1\nSubject: x\n---\n x | 2 +-\n\n{}-- \n2.47.3\n\nFrom 2\nSubject: y\n\n+ prose\n---\n y | 2 +-\n\n{}-- \n2.47.3\n",
        file("x"),
        file("y")
    );
    check(mails, &["Modified x x -1 +1", "Modified y y -1 +1"], &[]);
}

#[test]
fn diffs_without_prefixes_keep_their_folders() {
    check(
        "diff --git a/x a/x\n--- a/x\n+++ a/x\n@@ -1 +1 @@\n-a\n+b\ndiff --git b/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+b\n\
         diff --git i/m w/m\n--- i/m\n+++ w/m\n@@ -1 +1 @@\n-a\n+b\n",
        &["Modified a/x a/x -1 +1", "Added - b/n +1", "Modified m m -1 +1"],
        &[],
    );
}

#[test]
fn combined_diffs_count_every_parent() {
    check(
        "diff --cc x\nindex aaaaaaa,bbbbbbb..ccccccc\n--- a/x\n+++ b/x\n@@@ -1,4 -1,3 +1,4 @@@\n  a\n- b\n -c\n++d\n +e\n  f\n",
        &["Modified x x -2 -? +2 +3"],
        &[],
    );
}

#[test]
fn unmerged_paths_are_problems() {
    check("* Unmerged path a b\n", &[], &["a b: the path is unmerged"]);
}

#[test]
fn a_hunk_cut_short_is_reported_and_what_follows_is_read() {
    let next = "diff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n";
    let head = "diff --git a/x b/x\n--- a/x\n+++ b/x\n";
    for hunk in ["@@ -1,9 +1,9 @@\n a\n+b\n", "@@ -1,2 +1,3 @@\n a\n+b\n"] {
        check(
            format!("{head}{hunk}{next}"),
            &["Modified x x +2 damaged", "Modified y y -1 +1"],
            &["cut short"],
        );
        check(format!("{head}{hunk}"), &["Modified x x +2 damaged"], &["cut short"]);
    }
}

#[test]
fn lines_beyond_the_counts_and_bad_headers_are_reported() {
    let head = "diff --git a/x b/x\n--- a/x\n+++ b/x\n";
    check(
        format!("{head}@@ -1 +1 @@\n-a\n+b\n+c\n+d\n"),
        &["Modified x x -1 +1 damaged"],
        &["beyond"],
    );
    check(
        format!("{head}@@ -1 +x @@\n-a\n+b\n"),
        &["Modified x x empty damaged"],
        &["cannot be read"],
    );
    for range in ["-0,1 +1", "-1 +4294967295,2", "-1 +99999999999", "-1 +-1", "-1,1,1 +1"] {
        let (files, problems) = outline(format!("{head}@@ {range} @@\n-a\n+b\n").as_bytes());
        assert!(files[0].ends_with("damaged") && problems.len() == 1, "{range}: {files:?}");
    }
    check(
        format!("{head}@@ -5 +5 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b\n"),
        &["Modified x x -5 +5 damaged"],
        &["above it"],
    );
}

#[test]
fn hunks_without_a_file_and_other_formats_are_reported() {
    let whole = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    let file = &["Modified x x -1 +1"][..];
    check(format!("@@ -0,0 +1 @@\n+x\n{whole}"), file, &["no header"]);
    check(
        format!("--- /dev/null\n\n+++ b/e.py\n@@ -0,0 +1 @@\n+x\n{whole}"),
        file,
        &["no header", "no header"],
    );
    check(
        format!("*** a\n--- b\n***************\n*** 1 ****\n! x\n{whole}"),
        file,
        &["context diff"],
    );
    check(format!("1a2\n> x\n{whole}"), file, &["without context"]);
}

#[test]
fn a_file_whose_hunks_are_missing_is_reported() {
    for text in [
        "diff --git a/e b/e\nindex 1111111..2222222 100644\n",
        "diff --git a/e b/e\nindex 1111111..2222222 100644\n--- a/e\n+++ b/e\n",
        "--- a/e\n+++ b/e\n",
    ] {
        check(text, &["Modified e e empty damaged"], &["before the hunks"]);
    }
    check(
        "diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\ndiff --git a/f b/f\ndeleted file mode 100644\nindex e69de29..0000000\n",
        &["Added - e empty", "Deleted f - empty"],
        &[],
    );
    for (length, id) in [
        (4, "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"),
        (40, "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"),
        (9, "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"),
        (64, "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"),
    ] {
        let (zeros, id) = ("0".repeat(length), &id[..length]);
        let text = format!("diff --git a/f b/f\ndeleted file mode 100644\nindex {id}..{zeros}\n");
        check(text, &["Deleted f - empty"], &[]);
    }
}

#[test]
fn headers_that_contradict_each_other_damage_their_file() {
    let hunk = "@@ -1 +1 @@\n-a\n+b\n";
    check(
        format!(
            "diff --git a/a.py b/a.py\nrename from a.py\nrename to README.md\n--- a/a.py\n+++ b/a.py\n{hunk}"
        ),
        &["Renamed a.py README.md -1 +1 damaged"],
        &["different files"],
    );
    check(
        format!("--- a.py\n+++ README.md\n{hunk}"),
        &["Modified a.py README.md -1 +1 damaged"],
        &["different files"],
    );
    check(format!("--- a.py.orig\n+++ a.py\n{hunk}"), &["Modified a.py.orig a.py -1 +1"], &[]);
    check(
        format!("diff --git a/e.py b/e.py\nBinary files a/e.py and b/e.py differ\n{hunk}"),
        &["Modified e.py e.py -1 +1"],
        &[],
    );
}

proptest! {
    #[test]
    fn no_bytes_make_the_parser_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let (set, problems) = parse(&bytes);
        prop_assert!(set.files.len() + problems.len() <= bytes.len());
    }

    #[test]
    fn no_mix_of_diff_lines_makes_the_parser_panic_or_miscount(
        lines in proptest::collection::vec(prop_oneof![
            Just("diff --git a/x b/x"), Just("--- a/x"), Just("+++ b/x"), Just("--- /dev/null"),
            Just("@@ -1 +1 @@"), Just("@@ -1,3 +1,2 @@ f"), Just("@@ -0,0 +1,2 @@"), Just("@@@ -1 -1 +1 @@@"),
            Just("+a"), Just("-b"), Just(" c"), Just(""), Just("\\ No newline at end of file"),
            Just("++"), Just("--"), Just("rename from x"), Just("rename to y"), Just("deleted file mode 100644"),
            Just("Binary files a/x and b/x differ"), Just("diff --cc x"), Just("* Unmerged path x"), Just("\r"),
        ], 0..40)
    ) {
        let text = lines.join("\n");
        let (set, _) = parse(text.as_bytes());
        for file in &set.files {
            for hunk in file.hunks().iter().filter(|_| file.parents == 1) {
                let count = |kinds: [LineKind; 2]| {
                    hunk.lines.iter().filter(|line| kinds.contains(&line.kind)).count() as u32
                };
                prop_assert_eq!(count([LineKind::Context, LineKind::Removed]), hunk.old_len);
                prop_assert_eq!(count([LineKind::Context, LineKind::Added]), hunk.new_len);
            }
            review_tool::diff::apply::sides(file, Some(b"a\nb\nc\n"));
        }
    }
}
