//! Help and error messages, word for word.

use super::staged_clean;
use crate::harness::program::Program;
use crate::harness::snapshots;

/// What a command line answers: exit code and both streams.
fn answer(arguments: &[&str]) -> String {
    let ended = Program::new(&staged_clean(), arguments).run();
    let shown = |name: &str, text: String| match text.is_empty() {
        true => String::new(),
        false => format!("--- {name}\n{text}"),
    };
    let code = ended.code.map_or_else(|| "none".to_owned(), |code| code.to_string());
    format!(
        "$ foreread {}\nexit: {code}\n{}{}",
        arguments.join(" "),
        shown("stdout", ended.out()),
        shown("stderr", ended.err())
    )
}

fn assert_answer(name: &str, arguments: &[&str]) {
    let text = answer(arguments).replace(env!("CARGO_PKG_VERSION"), "[version]");
    snapshots("cli").bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn help_names_every_command() {
    assert_answer("help", &["--help"]);
}

#[test]
fn help_of_review_names_every_option() {
    assert_answer("help-review", &["review", "--help"]);
}

#[test]
fn short_help_of_review_fits_a_screen() {
    assert_answer("help-review-short", &["review", "-h"]);
}

#[test]
fn help_of_rules_names_every_option() {
    assert_answer("help-rules", &["rules", "list", "--help"]);
}

#[test]
fn the_version_is_one_line() {
    assert_answer("version", &["--version"]);
}

#[test]
fn without_a_command_the_commands_are_shown() {
    assert_answer("no-command", &[]);
}

#[test]
fn an_unknown_option_is_named_with_its_nearest() {
    assert_answer("unknown-option", &["review", "--jsn"]);
}

#[test]
fn an_unknown_command_is_named_with_its_nearest() {
    assert_answer("unknown-command", &["reveiw"]);
}

#[test]
fn an_unknown_severity_is_named_with_all_that_there_are() {
    assert_answer("unknown-severity", &["review", "--fail-on", "severe"]);
}

#[test]
fn an_unknown_revision_is_named_with_the_way_out() {
    assert_answer("unknown-revision", &["review", "main..no-such-branch"]);
}

#[test]
fn an_unknown_rule_is_named_with_the_way_out() {
    assert_answer("unknown-rule", &["rules", "explain", "no-such-rule"]);
}

#[test]
fn two_scopes_are_refused() {
    assert_answer("two-scopes", &["review", "--staged", "--all"]);
}
