//! A change that means harm: control characters, credentials, settings of its own.

use std::ffi::OsString;

use super::{FAULT, places, review};
use crate::harness::program::{Ended, Program};
use crate::harness::repo::Repo;

/// Every way in which a review can be shown.
const SHAPES: [&str; 5] =
    ["--color never", "--color always --verbose", "--quiet", "--json", "--verbose --color never"];

/// Asserts that no byte of a run steers a terminal, colours apart where they were asked for.
#[track_caller]
fn assert_harmless(ended: &Ended, may_colour: bool) {
    for (name, text) in [("stdout", ended.out()), ("stderr", ended.err())] {
        let mut rest = text.as_str();
        while let Some(at) = rest.find(|c: char| {
            (c.is_control() && c != '\n' && c != '\t')
                || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}')
        }) {
            rest = &rest[at..];
            let is_colour = rest.strip_prefix("\u{1b}[").is_some_and(|sequence| {
                sequence
                    .trim_start_matches(|c: char| c.is_ascii_digit() || c == ';')
                    .starts_with('m')
            });
            assert!(
                may_colour && is_colour,
                "{name}: {:?} in {text:?}",
                &rest[..rest.len().min(20)]
            );
            rest = &rest[1..];
        }
    }
}

#[test]
fn control_characters_in_code_are_never_printed_raw() {
    let repo = Repo::new();
    // Escapes, a title, C1 controls, a reversal, an invisible space, a step back.
    let trick = "\u{1b}]0;owned\u{7}\u{1b}[31m\u{9b}2J\u{202e}\u{200b}\u{8}\r";
    let code = format!("def f(a=[]):  # {trick} x\n    return '{trick}'\n");
    repo.write("a.py", code).stage();
    for shape in SHAPES {
        let ended = review(&repo, &format!("{shape} --fail-on medium")).run().exits(1);
        assert!(ended.out().contains("python-mutable-default"), "{shape}: {}", ended.out());
        assert_harmless(&ended, shape.contains("always"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn control_characters_in_file_names_are_never_printed_raw() {
    use std::os::unix::ffi::OsStringExt;
    let repo = Repo::new();
    for name in [
        &b"\x1b[2J\x07.py"[..],
        b"new\nline.py",
        b"tab\tquote\"back\\slash.py",
        b"spaces in the name .py",
        b"\xe2\x80\xaegpj.py",
        b"latin-\xe9.py",
        b"-option.py",
    ] {
        repo.write(OsString::from_vec(name.to_vec()), FAULT);
        let binary = [name, b".bin"].concat();
        repo.write(OsString::from_vec(binary), b"\0\x01\x02");
    }
    repo.stage();
    for shape in SHAPES {
        let ended = review(&repo, &format!("{shape} --fail-on medium")).run().exits(1);
        let found = ended.out().matches("python-mutable-default").count();
        assert!(found >= 7, "{shape}: {found} of 7\n{}", ended.out());
        assert_harmless(&ended, shape.contains("always"));
    }
}

#[test]
fn control_characters_in_arguments_are_never_printed_raw() {
    let repo = Repo::new();
    repo.write("a.py", FAULT).commit("start");
    for arguments in [
        &["review", "\u{1b}[31mrevision"][..],
        &["review", "--commit", "\u{1b}[31mrevision"],
        &["review", "--repo", "\u{1b}[31mfolder"],
        &["review", "--diff-file", "\u{1b}[31mfile"],
        &["review", "--output", "\u{1b}[31mno/file"],
        &["rules", "explain", "\u{1b}[31mrule"],
    ] {
        let ended = Program::new(&repo, arguments).run();
        assert!(matches!(ended.code, Some(2 | 3)), "{arguments:?}: {ended:?}");
        assert_harmless(&ended, false);
    }
}

/// Credentials put together when the test runs, so that no file of the project holds one.
fn credentials() -> Vec<String> {
    let letters = |length: usize, mut seed: u32| -> String {
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[(seed >> 27) as usize])
        };
        (0..length).map(|_| next()).collect()
    };
    vec![
        format!("{}{}", concat!("AK", "IA"), letters(16, 3)),
        format!("{}{}", concat!("gh", "p_"), letters(36, 5)),
    ]
}

#[test]
fn a_credential_is_printed_in_no_form() {
    let secrets = credentials();
    let lines: String = secrets.iter().map(|secret| format!("token = \"{secret}\"\n")).collect();
    let functions =
        secrets.iter().map(|secret| format!("def f(a=[], token=\"{secret}\"):\n    pass\n"));
    for (place, before, after) in [
        ("added", String::new(), functions.collect::<String>()),
        ("context", lines.clone(), format!("{lines}def f(a=[]):\n    return a\n")),
        ("removed", lines.clone(), FAULT.to_owned()),
    ] {
        let repo = Repo::new();
        repo.write("settings.py", before).commit("start");
        repo.write("settings.py", after).stage();
        repo.write("change.diff", repo.git(["diff", "--cached"]).stdout);
        let shapes = SHAPES.map(|shape| format!("{shape} --staged"));
        let scopes = ["--json HEAD", "--diff-file change.diff"].map(str::to_owned);
        for arguments in shapes.into_iter().chain(scopes) {
            let ended = review(&repo, &arguments).run();
            assert!(ended.out().contains("python-mutable-default"), "{place} {arguments}");
            assert_hidden(&secrets, &ended.out(), &format!("{place} {arguments}"));
            assert_hidden(&secrets, &ended.err(), &format!("{place} {arguments}, stderr"));
        }
        let ended = review(&repo, "--json --output out").run();
        assert_hidden(&secrets, &ended.err(), &format!("{place}, stderr beside a file"));
        let written = std::fs::read_to_string(repo.path().join("out")).unwrap();
        assert_hidden(&secrets, &written, &format!("{place}, a file"));
    }
}

#[track_caller]
fn assert_hidden(secrets: &[String], text: &str, place: &str) {
    for secret in secrets {
        assert!(!text.contains(secret), "{place}:\n{text}");
    }
}

#[test]
fn an_added_credential_is_named_by_kind_and_line() {
    for secret in credentials() {
        let repo = Repo::new();
        repo.write("settings.py", format!("x = 1\ntoken = \"{secret}\"\n")).stage();
        let document = review(&repo, "--json").run().exits(1).document();
        assert_eq!(document["findings"][0]["category"], "secret", "{document:#}");
        assert_eq!(document["findings"][0]["line"], 2);
    }
}

#[cfg(unix)]
#[test]
fn settings_of_the_repository_choose_no_program() {
    let repo = Repo::new();
    repo.write("a.py", "x = 1\n").write(".gitattributes", "*.py diff=trap filter=trap\n");
    repo.commit("start");
    let marker = repo.root().join("ran");
    let trap = format!("touch {}; cat", marker.display());
    for (name, value) in [
        ("diff.external", trap.as_str()),
        ("diff.trap.command", &trap),
        ("diff.trap.textconv", &trap),
        ("core.pager", &trap),
        ("pager.diff", &trap),
        ("core.fsmonitor", &trap),
    ] {
        repo.git(["config", name, value]);
    }
    std::fs::write(repo.path().join("a.py"), FAULT).unwrap();
    for scope in ["--unstaged", "HEAD", "--all", "--staged"] {
        let document = review(&repo, &format!("--json {scope}")).run().document();
        if scope != "--staged" {
            assert_eq!(places(&document), ["a.py:1 python-mutable-default"], "{scope}");
        }
        assert!(!marker.exists(), "{scope}: the repository's settings ran a program");
    }
}

#[test]
fn a_line_that_poses_as_a_header_hides_nothing() {
    let repo = Repo::new();
    repo.write("a.py", "x = 1\n").commit("start");
    repo.write("a.py", format!("x = 1\n++ b/vendor/x.py\n-- a/other.py\n@@ -1 +1 @@\n{FAULT}"));
    let document = review(&repo, "--json --all").run().document();
    assert_eq!(places(&document), ["a.py:5 python-mutable-default"]);
}
