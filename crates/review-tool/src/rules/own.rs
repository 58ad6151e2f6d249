//! The rules of a repository's users: `.foreread/rules/*.yml`, in ast-grep's format, with their tests.
//!
//! They come with the code, so they are bounded in number and size, and can only add findings: none may
//! take the id of an embedded rule.

use globset::GlobBuilder;

use super::{Rule, RuleError, RuleFile, RuleSet};
use crate::finding::{Category, Confidence, Severity, Side};
use crate::language::Language;
use crate::source::SideText;
use crate::syntax::SyntaxError;
use crate::syntax::document::{Document, Test, read_rules, read_tests};
use crate::view::FileView;

/// Where they stand, from the root of the repository.
pub const FOLDER: &str = ".foreread/rules";
/// Larger files are refused, in bytes.
pub const MAX_FILE: u64 = 64 << 10;
/// More rules than this are refused.
pub const MAX_RULES: usize = 200;
/// Longer ids are refused.
const MAX_ID: usize = 100;

/// Whether a path from the root is that of a rule file.
#[must_use]
pub fn is_rule_file(path: &str) -> bool {
    is_yaml(path) && !is_test_file(path)
}

/// Whether a path from the root is that of a file of tests: in a folder `tests`, or named `…-test.yml`.
#[must_use]
pub fn is_test_file(path: &str) -> bool {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    is_yaml(path) && (path.split('/').any(|name| name == "tests") || stem.ends_with("-test"))
}

fn is_yaml(path: &str) -> bool {
    let below = path.strip_prefix(FOLDER).is_some_and(|rest| rest.starts_with('/'));
    below && (path.ends_with(".yml") || path.ends_with(".yaml")) && !path.contains("__snapshots__")
}

/// Why a file of a user's cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OwnError {
    /// It is not what the format asks for.
    #[error(transparent)]
    Document(#[from] SyntaxError),
    /// A rule of it cannot run.
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// Something else, in words for its author.
    #[error("{0}")]
    Refused(String),
}

/// Reads the rules of files, given by path and text. What cannot be used is told with the path; the rest
/// is read all the same.
#[must_use]
pub fn read<'f>(
    files: impl IntoIterator<Item = (&'f str, &'f str)>,
    embedded: &RuleSet,
) -> (RuleSet, Vec<(String, OwnError)>) {
    let mut rules: Vec<Rule> = Vec::new();
    let mut faults = Vec::new();
    for (path, text) in files {
        let documents = match read_rules(text) {
            Ok(documents) => documents,
            Err(error) => {
                faults.push((path.to_owned(), error.into()));
                continue;
            }
        };
        for document in documents {
            let refuse = |why: String| (path.to_owned(), OwnError::Refused(why));
            let id = document.id.clone();
            if rules.len() == MAX_RULES {
                faults.push(refuse(format!("more than {MAX_RULES} rules are not read")));
                return (RuleSet::new(rules), faults);
            }
            if embedded.get(&id).is_some() {
                faults.push(refuse(format!("{id} is the id of an embedded rule")));
            } else if rules.iter().any(|rule| rule.id() == id) {
                faults.push(refuse(format!("{id} is the id of another rule")));
            } else if document.severity != "off" {
                match rule(document) {
                    Ok(rule) => rules.push(rule),
                    Err(error) => faults.push((path.to_owned(), error)),
                }
            }
        }
    }
    (RuleSet::new(rules), faults)
}

fn rule(document: Document) -> Result<Rule, OwnError> {
    let Document { id, language, pattern, severity, message, note, url, files, ignores } = document;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '@');
    if id.is_empty() || id.len() > MAX_ID || !id.chars().all(is_part) {
        return Err(OwnError::Refused(format!(
            "a rule needs an `id` of letters, digits and - _ . / : @, not {id:?}"
        )));
    }
    let message = if message.trim().is_empty() { id.clone() } else { message };
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let title: String = message.chars().take(80).collect();
    let note = note.unwrap_or_default();
    let suggestion = note.lines().next().unwrap_or_default().trim().to_owned();
    let page = [Some(message.clone()), Some(note), url].into_iter().flatten();
    let page: Vec<String> = page.filter(|part| !part.is_empty()).collect();
    Ok(Rule::new(RuleFile {
        title,
        category: Category::Maintainability,
        severity: match severity {
            "error" => Severity::High,
            "warning" => Severity::Medium,
            "info" => Severity::Low,
            _ => Severity::Info,
        },
        confidence: Confidence::High,
        languages: vec![language],
        scope: super::Scope::Any,
        except_paths: globs(&ignores)?,
        paths: files.map(|files| globs(&files)).transpose()?.map(|of| of.unwrap_or(NOTHING.into())),
        flaky: false,
        message: named(&message),
        suggestion,
        at: None,
        syntax: Some(pattern),
        text: None,
        flow: None,
        fix: Vec::new(),
        check: None,
        page: page.join("\n\n"),
        cases: super::file::Cases::default(),
        id,
    })?)
}

/// An expression that no path matches.
const NOTHING: &str = r"[^\x00-\xFF]";

/// One expression for all globs; `None` for none.
fn globs(globs: &[String]) -> Result<Option<String>, OwnError> {
    let mut out = Vec::new();
    for glob in globs {
        let (glob, any_case) = glob.strip_prefix("(?i)").map_or((&**glob, false), |of| (of, true));
        let glob = glob.strip_prefix("./").unwrap_or(glob);
        let glob = GlobBuilder::new(glob).case_insensitive(any_case).build();
        let glob = glob.map_err(|error| OwnError::Refused(error.to_string()))?;
        out.push(format!("(?:{})", glob.regex()));
    }
    Ok((!out.is_empty()).then(|| out.join("|")))
}

/// `$NAME` and `$$$NAME` in the form of foreread's own messages.
fn named(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find('$') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let after = from.trim_start_matches('$');
        let part = |c: char| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit();
        let end = after.find(|c| !part(c)).unwrap_or(after.len());
        if end == 0 {
            out.push('$');
            rest = &from[1..];
        } else {
            out.push_str(&format!("{{{}}}", &after[..end]));
            rest = &after[end..];
        }
    }
    out.push_str(rest);
    out
}

/// What became of one test of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The rule.
    pub id: String,
    /// How many snippets stay silent as they should.
    pub valid: usize,
    /// How many are reported as they should be.
    pub invalid: usize,
    /// What went wrong, in words.
    pub faults: Vec<String>,
}

/// Runs the tests of a file.
///
/// # Errors
/// [`OwnError`] where the file cannot be read or names a rule that is not there.
pub fn test(text: &str, rules: &RuleSet) -> Result<Vec<Outcome>, OwnError> {
    let run = |test: Test| {
        let rule = rules.get(&test.id).ok_or_else(|| {
            OwnError::Refused(format!("there is no rule {:?} in {FOLDER}", test.id))
        })?;
        let language = *rule.file.languages.first().ok_or_else(|| {
            OwnError::Refused(format!("the rule {:?} reads no language", test.id))
        })?;
        // Code of a test has no path.
        let file = RuleFile { paths: None, except_paths: None, ..rule.file.clone() };
        let alone = RuleSet::new(vec![Rule::new(file)?]);
        let mut outcome = Outcome { id: test.id, valid: 0, invalid: 0, faults: Vec::new() };
        for (at, code) in (1..).zip(&test.valid) {
            match matches(&alone, language, code).first() {
                None => outcome.valid += 1,
                Some(line) => {
                    outcome.faults.push(format!("valid {at}: reported on line {line}"));
                }
            }
        }
        for (at, code) in (1..).zip(&test.invalid) {
            match matches(&alone, language, code).is_empty() {
                false => outcome.invalid += 1,
                true => outcome.faults.push(format!("invalid {at}: not reported")),
            }
        }
        if test.valid.is_empty() && test.invalid.is_empty() {
            outcome.faults.push("there is neither `valid` nor `invalid` code".to_owned());
        }
        Ok(outcome)
    };
    read_tests(text)?.into_iter().map(run).collect()
}

/// The lines that a rule reports in code that is all new.
fn matches(alone: &RuleSet, language: Language, code: &str) -> Vec<u32> {
    let count = u32::try_from(code.lines().count()).unwrap_or(u32::MAX);
    let new = SideText::whole(code.as_bytes(), (1..=count).collect(), Vec::new());
    let path = format!("case.{}", language.extension());
    let view = FileView::new(path, None, SideText::default(), new);
    let hits = alone.check(&view, |_| true);
    hits.into_iter().filter(|(_, hit)| hit.side == Side::New).map(|(_, hit)| hit.line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: &str = "id: no-eval\nlanguage: JavaScript\nseverity: error\nmessage: do not eval $A\nnote: Parse it.\nrule:\n  pattern: eval($A)\nconstraints:\n  A: {not: {kind: string}}\nfiles: ['src/**']\nignores: ['src/old/**']\nfix: parse($A)\n";

    fn faults(text: &str) -> String {
        let (_, faults) = read([(".foreread/rules/a.yml", text)], RuleSet::embedded());
        faults.iter().map(|(path, why)| format!("{path}: {why}")).collect()
    }

    #[test]
    fn a_rule_of_ast_grep_is_read_as_it_is() {
        let (rules, faults) = read([("a.yml", RULE)], RuleSet::embedded());
        assert!(faults.is_empty(), "{faults:?}");
        let file = &rules.get("no-eval").unwrap().file;
        assert_eq!((file.severity, file.message.as_str()), (Severity::High, "do not eval {A}"));
        let found = |path: &str| {
            let new = SideText::whole(b"eval(x)\neval('1')\n", vec![1, 2], Vec::new());
            let view = FileView::new(path.to_owned(), None, SideText::default(), new);
            rules.check(&view, |_| true).len()
        };
        assert_eq!([found("src/a.js"), found("a.js"), found("src/old/a.js")], [1, 0, 0]);
        let tests =
            "id: no-eval\nvalid: ['parse(x)', 'eval(\"1\")']\ninvalid: ['eval(x)', 'f(x)']\n";
        let outcome = test(tests, &rules).unwrap().remove(0);
        assert_eq!((outcome.valid, outcome.invalid), (2, 1));
        assert_eq!(outcome.faults, ["invalid 2: not reported"]);
    }

    #[test]
    fn what_cannot_be_used_is_told_with_its_file() {
        for (text, want) in [
            ("id: a\nlanguage: JavaScript\nrule: {kind: no_such}\n", "no_such"),
            ("id: a\nlanguage: Cobol\nrule: {pattern: x}\n", "Cobol"),
            ("id: a\nlanguage: JavaScript\nrule: {pattern: x}\nspeed: 1\n", "speed"),
            ("language: JavaScript\nrule: {pattern: x}\n", "needs an `id`"),
            ("id: sql-drop\nlanguage: JavaScript\nrule: {pattern: x}\n", "an embedded rule"),
            ("id: a\nlanguage: Python\nrule: {regex: x}\n", "no kind of node"),
            (&format!("{RULE}---\n{RULE}"), "another rule"),
        ] {
            let found = faults(text);
            assert!(found.contains(want) && found.starts_with(".foreread/rules/a.yml"), "{found}");
        }
    }

    #[test]
    fn rules_and_their_tests_are_told_apart_by_path() {
        assert!(is_rule_file(".foreread/rules/a.yml") && is_rule_file(".foreread/rules/x/a.yaml"));
        for path in [".foreread/rules/tests/a.yml", ".foreread/rules/a-test.yml"] {
            assert!(is_test_file(path) && !is_rule_file(path), "{path}");
        }
        assert!(!is_rule_file("rules/a.yml") && !is_rule_file(".foreread/rules.yml"));
    }
}
