//! Every embedded rule holds what its file says: it compiles, has a page, fires where its cases say
//! and nowhere else.
//!
//! `RULE=<part of an id>` in the environment runs the rules whose id contains it.

#![expect(clippy::disallowed_methods, reason = "the filter comes from the environment")]
#![expect(clippy::panic, reason = "a rule file that cannot be read is the failure to report")]

use review_tool::diff::{self, apply::sides};
use review_tool::finding::{Fix, Side};
use review_tool::rules::across::Text;
use review_tool::rules::{Case, Rule, RuleFile, RuleSet, Scope, embedded_sources};
use review_tool::view::FileView;

fn rules() -> Vec<(&'static str, RuleFile)> {
    let wanted = std::env::var("RULE").unwrap_or_default();
    embedded_sources()
        .map(|(path, text)| match RuleFile::read(text) {
            Ok(file) => (path, file),
            Err(error) => panic!("{path}: {error}"),
        })
        .filter(|(_, file)| file.id.contains(&wanted))
        .collect()
}

fn path_of(file: &RuleFile, case: &Case) -> String {
    if let Some(path) = &case.path {
        return path.clone();
    }
    let extension = match file.languages.first() {
        Some(language) => language.extension(),
        None => "txt",
    };
    let folder = if file.scope == Scope::Test { "tests" } else { "src" };
    format!("{folder}/case.{extension}")
}

/// The view of a case: its texts, compared line by line with the `similar` crate.
fn view(path: &str, case: &Case) -> FileView {
    let (old, new) = (case.old.as_deref(), case.new.as_deref());
    let header = |text: Option<&str>, side: &str| match text {
        Some(_) => format!("{side}/{path}"),
        None => "/dev/null".to_owned(),
    };
    let text = similar::TextDiff::from_lines(old.unwrap_or_default(), new.unwrap_or_default())
        .unified_diff()
        .header(&header(old, "a"), &header(new, "b"))
        .to_string();
    let (set, problems) = diff::parse(text.as_bytes());
    assert!(problems.is_empty(), "{problems:?}\n{text}");
    let change = set.files.first().unwrap_or_else(|| panic!("the case changes nothing:\n{text}"));
    let (before, after, mismatch) = sides(change, old.map(str::as_bytes));
    assert_eq!(mismatch, None, "{text}");
    FileView::new(path.to_owned(), old.map(|_| path.to_owned()), before, after)
}

fn lines(set: &RuleSet, id: &str, view: &FileView, beside: &[Text]) -> (Vec<u32>, Vec<u32>) {
    let mut hits = set.check(view, |rule| rule.id() == id);
    let content = view.new_side().fragments().iter().map(|part| part.text()).collect();
    let mut files = vec![Text { path: view.path().to_owned(), content }];
    files.extend_from_slice(beside);
    let asked = set.ask(view, |rule| rule.id() == id).into_iter();
    let answered = asked.filter(|(_, question)| question.answer(&files).is_some());
    hits.extend(answered.map(|(rule, question)| (rule, question.hit().clone())));
    let on =
        |side| hits.iter().filter(|(_, hit)| hit.side == side).map(|(_, hit)| hit.line).collect();
    (on(Side::New), on(Side::Old))
}

#[test]
fn rules_fire_where_their_cases_say_and_nowhere_else() {
    let mut faults = Vec::new();
    for (_, file) in rules() {
        let rule = match Rule::new(file.clone()) {
            Ok(rule) => rule,
            Err(error) => {
                faults.push(error.to_string());
                continue;
            }
        };
        let set = RuleSet::new(vec![rule]);
        let cases = file.cases.fires.iter().map(|case| (true, case));
        let cases = cases.chain(file.cases.silent.iter().map(|case| (false, case)));
        for (at, (fires, case)) in cases.enumerate() {
            let path = path_of(&file, case);
            let found = lines(&set, &file.id, &view(&path, case), &case.beside);
            let want = (case.lines.clone(), case.old_lines.clone());
            if found != want || fires == (want.0.is_empty() && want.1.is_empty()) {
                let text = case.new.as_deref().or(case.old.as_deref()).unwrap_or_default();
                faults.push(format!(
                    "{} case {at} ({path}): found new {:?} old {:?}, want new {:?} old {:?}\n{text}",
                    file.id, found.0, found.1, want.0, want.1
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A text with some of its lines replaced.
fn fixed(text: &str, fix: &Fix) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (first, last) = (fix.line as usize - 1, fix.line_end as usize);
    let new = match fix.replacement.as_str() {
        "" => String::new(),
        text => format!("{text}\n"),
    };
    lines.splice(first..last, [new.as_str()]);
    lines.concat()
}

fn syntax_errors(view: &FileView) -> usize {
    let nodes = view.trees(Side::New).flat_map(|(_, tree)| tree.root().descendants());
    nodes.filter(|node| node.is(&["ERROR"])).count()
}

#[test]
fn a_fix_silences_its_rule_and_leaves_code() {
    let (mut faults, mut fixes) = (Vec::new(), 0);
    for (_, file) in rules().into_iter().filter(|(_, file)| !file.fix.is_empty()) {
        let before = fixes;
        let set = RuleSet::new(vec![Rule::new(file.clone()).unwrap_or_else(|e| panic!("{e}"))]);
        for case in &file.cases.fires {
            let path = path_of(&file, case);
            let seen = view(&path, case);
            let hits = set.check(&seen, |_| true);
            for fix in hits.iter().filter_map(|(_, hit)| hit.fix.as_ref()) {
                fixes += 1;
                let text = fixed(case.new.as_deref().unwrap_or_default(), fix);
                let mended = Case { new: Some(text.clone()), old: None, ..case.clone() };
                let after = view(&path, &mended);
                let left = set.check(&after, |_| true).len();
                if left + 1 != hits.len() || syntax_errors(&after) > syntax_errors(&seen) {
                    faults.push(format!("{}: {fix:?} leaves {left} findings:\n{text}", file.id));
                }
            }
        }
        if fixes == before {
            faults.push(format!("{}: no case has a fix", file.id));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(fixes > 0 || std::env::var_os("RULE").is_some());
}

#[test]
fn rule_files_are_complete_and_named_after_their_id() {
    const HEADINGS: [&str; 4] = ["## What it finds", "## Why", "## Example", "## Limits"];
    for (path, file) in rules() {
        let name = path.rsplit('/').next().unwrap_or(path);
        assert_eq!(name, format!("{}.yml", file.id), "the file is named after its rule");
        let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(file.id.chars().all(word), "{}: lower-case words joined by -", file.id);
        let mut at = 0;
        for heading in HEADINGS {
            let found = file.page[at..].find(heading);
            at += found.unwrap_or_else(|| panic!("{}: no heading {heading:?} in order", file.id));
        }
        assert!(file.cases.fires.len() >= 3, "{}: three firing cases at least", file.id);
        assert!(file.cases.silent.len() >= 3, "{}: three silent cases at least", file.id);
        for text in [&file.title, &file.message, &file.suggestion] {
            assert!(!text.trim().is_empty() && !text.contains('\n'), "{}: one line each", file.id);
        }
    }
}

#[test]
fn embedded_rules_all_compile_and_have_ids_of_their_own() {
    let set = RuleSet::embedded();
    assert_eq!(set.rules().len(), embedded_sources().count());
    for ((_, file), (_, text)) in rules().iter().zip(embedded_sources()) {
        let rule = set.get(&file.id).unwrap_or_else(|| panic!("{} is embedded", file.id));
        assert_eq!(rule.file.message, file.message);
        assert_eq!(review_tool::rules::page(&file.id).as_ref(), Some(&file.page));
        let keys = text.lines().filter(|line| line.starts_with(char::is_alphabetic));
        let last: Vec<_> = keys.skip_while(|line| !line.starts_with("page:")).collect();
        assert!(matches!(last[..], [_, "cases:"]), "{}: page and cases come last", file.id);
    }
    assert!(set.rules().is_sorted_by(|a, b| a.id() < b.id()));
}

#[test]
fn a_line_that_a_machine_wrote_is_read_for_secrets_alone() {
    let filler = "f(1);".repeat(250);
    let token = concat!("ghp_q7Wd2LkZ9xRtYv4BnM6sHc3P", "fJg8Ea1UoK5i");
    let text = format!("{filler}debugger;var t='{token}'\ndebugger;\n");
    let case = Case {
        path: None,
        old: None,
        new: Some(text),
        lines: Vec::new(),
        old_lines: Vec::new(),
        beside: Vec::new(),
    };
    let set = RuleSet::embedded();
    let view = view("src/a.js", &case);
    let on = |id: &str| lines(set, id, &view, &[]).0;
    assert_eq!(on("javascript-debugger-statement"), [2]);
    assert_eq!(on("secret-known-credential"), [1]);
}
