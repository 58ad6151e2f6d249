//! Rules of a repository's own: written as ast-grep writes them, tested, and beyond the reach of the change
//! under review.

use super::{places, review};
use crate::harness::program::Program;
use crate::harness::repo::Repo;

const RULE: &str = "id: no-eval\nlanguage: JavaScript\nseverity: error\nmessage: parse $A\nnote: Parse it.\n\
                    rule: {pattern: load($A)}\n";
const TEST: &str = "id: no-eval\nvalid: ['parse(x)']\ninvalid: ['load(x)']\n";

#[test]
fn rules_are_listed_explained_and_tested() {
    let repo = Repo::new();
    let run = |arguments: &str| Program::new(&repo, arguments.split_whitespace()).run();
    assert!(run("rules test").exits(2).err().contains("no rules"));
    repo.write(".foreread/rules/a.yml", RULE).write(".foreread/rules/tests/a.yml", TEST);
    let tested = run("rules test").exits(0);
    assert_eq!(tested.out(), "pass  no-eval  1 valid, 1 invalid\n1 passed, 0 failed\n");
    assert!(run("rules list").exits(0).out().contains("no-eval"));
    assert!(run("rules explain no-eval").exits(0).out().contains("Parse it."));
    repo.write(".foreread/rules/tests/a.yml", TEST.replace("'parse(x)'", "'load(1)'"));
    let failed = run("rules test").exits(1);
    assert!(failed.out().contains("valid 1: reported on line 1"), "{}", failed.out());
    repo.write(".foreread/rules/b.yml", "id: b\nlanguage: JavaScript\nrule: {kind: none}\n");
    assert!(run("rules test").exits(2).err().contains(".foreread/rules/b.yml"));
}

#[test]
fn a_rule_counts_as_it_stood_before_the_change() {
    let repo = Repo::new();
    repo.write(".foreread/rules/a.yml", RULE).commit("start");
    repo.write("a.js", "load(1);\n").stage();
    let found = |arguments: &str, code: i32| {
        places(&review(&repo, &format!("--json {arguments}")).run().exits(code).document())
    };
    assert_eq!(found("", 1), ["a.js:1 no-eval"]);
    // A change that takes the rule away is still held to it, and one that breaks it is not read.
    repo.write(".foreread/rules/a.yml", "id: no-eval\n").commit("without");
    assert_eq!(found("--commit HEAD", 1), ["a.js:1 no-eval"]);
    assert_eq!(found("HEAD~1..HEAD", 1), ["a.js:1 no-eval"]);
}

#[test]
fn rules_that_cannot_be_used_leave_the_review_incomplete() {
    let repo = Repo::new();
    repo.write(".foreread/rules/a.yml", RULE.replace("no-eval", "sql-drop")).commit("start");
    repo.write("a.js", "load(1);\n").stage();
    let document = review(&repo, "--json").run().exits(3).document();
    let problem = document["summary"]["problems"][0]["message"].as_str().unwrap();
    assert!(problem.contains("sql-drop is the id of an embedded rule"), "{problem}");
}
