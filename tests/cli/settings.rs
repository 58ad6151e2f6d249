//! The user's settings, as their owner meets them.

use super::{review, staged_fault};
use crate::harness::program::Program;
use crate::harness::repo::Repo;

fn settings(repo: &Repo, text: &str) {
    let folder = repo.home().join("config/foreread");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), text).unwrap();
}

#[test]
fn a_flag_beats_a_variable_and_a_variable_beats_the_file() {
    let repo = staged_fault();
    settings(&repo, "[review]\nfail_on = \"low\"\n");
    review(&repo, "--json").run().exits(1);
    let run =
        |arguments: &str| review(&repo, arguments).env("FOREREAD_REVIEW_FAIL_ON", "critical").run();
    run("--json").exits(0);
    run("--json --fail-on medium").exits(1);
}

#[test]
fn unusable_settings_stop_a_review_as_wrong_usage() {
    let repo = staged_fault();
    for (text, want) in [
        ("[review]\nfail_om = \"low\"\n", "did you mean `review.fail_on`?"),
        ("[review]\nfail_on = \"lowest\"\n", "review.fail_on"),
        ("[review\n", "is not TOML"),
    ] {
        settings(&repo, text);
        let message = review(&repo, "--json").run().exits(2).err();
        assert!(message.contains(want) && message.contains("config.toml"), "{message}");
    }
}

#[test]
fn settings_are_set_shown_and_unset() {
    let repo = staged_fault();
    let config = |arguments: &[&str]| Program::new(&repo, [&["config"], arguments].concat()).run();
    config(&["set", "review.fail_on", "low"]).exits(0);
    let shown = config(&["show"]).exits(0).out();
    assert!(shown.starts_with("review.fail_on = \"low\"  # "), "{shown}");
    review(&repo, "--json").run().exits(1);
    config(&["unset", "review.fail_on"]).exits(0);
    assert!(config(&["show"]).exits(0).out().starts_with("nothing is set"));
    let message = config(&["set", "review.fial_on", "low"]).exits(2).err();
    assert!(message.contains("review.fail_on"), "{message}");
}
