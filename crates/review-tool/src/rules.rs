//! The embedded rules: what each says of itself, how it is run, and the register of all of them.
//!
//! A rule is one YAML file under `rules/`, which holds its vocabulary, its page, its cases and, where
//! syntax decides, its pattern. A rule that a pattern cannot express names a check: a function in a
//! file of its own under `src/rules/`. Rules look at what a change adds or removes; the whole file is
//! context.

use std::sync::OnceLock;

use crate::finding::{Category, Confidence, Fix, Severity, Side};
use crate::language::Language;
use crate::syntax::Query;
use crate::view::FileView;

pub mod across;
mod added_text;
mod assertion_removed;
mod c_resources;
mod checks;
mod copied;
mod dockerfile;
mod edit;
mod file;
mod fix;
mod flow;
mod go_errors;
mod go_lock_not_released;
mod go_unclosed;
mod introduced;
mod js_floating_promise;
mod lost;
mod manifest;
mod merge_conflict_marker;
mod off_by_one;
pub mod own;
pub mod page;
mod python_file_not_closed;
mod python_missing_await;
mod python_missing_f_prefix;
mod repeated_condition;
mod request_to_sink;
mod scans;
mod secret_env_file;
mod secret_high_entropy_assignment;
mod secret_known_credential;
mod secret_private_key_file;
mod shell_injection;
mod sql_injection;
mod suppression_without_effect;
mod test_case;
mod test_removed;
mod text;
mod trace;
mod workflow;

pub use file::{Case, RuleError, RuleFile, Scope};
pub use fix::Edit;
pub use flow::Flow;
pub(crate) use flow::is_function;
pub use text::TextPattern;

/// The sources of the embedded rules, ordered by path.
static SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/rules.in"));

/// A place that a rule found, before it becomes a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// 1-based line on `side`; it stands on that side alone.
    pub line: u32,
    /// Last line, where the hit spans several.
    pub line_end: Option<u32>,
    /// The side on which the line stands.
    pub side: Side,
    /// What is wrong here, if the rule's own message does not say it all.
    pub message: Option<String>,
    /// How bad it is here, if not as the rule says.
    pub severity: Option<Severity>,
    /// A replacement that mends it.
    pub fix: Option<Fix>,
}

impl Hit {
    /// A hit on an added line.
    #[must_use]
    pub fn added(line: u32) -> Self {
        Self { line, line_end: None, side: Side::New, message: None, severity: None, fix: None }
    }

    /// A hit on a removed line.
    #[must_use]
    pub fn removed(line: u32) -> Self {
        Self { side: Side::Old, ..Self::added(line) }
    }

    /// Replaces the rule's message.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Replaces the rule's severity.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }
}

/// A rule that is not a pattern: looks at one file and returns its hits, in any order.
pub type Check = fn(&FileView) -> Vec<Hit>;

/// A rule ready to run.
pub struct Rule {
    /// What its file says.
    pub file: RuleFile,
    paths: Option<regex::bytes::Regex>,
    except_paths: Option<regex::bytes::Regex>,
    run: Run,
}

enum Run {
    Check(Check),
    Scan(scans::Scan),
    Ask(across::Ask),
    /// Compiled when a file that it reads is first met.
    Text(OnceLock<Option<text::TextQuery>>),
    /// Compiled for each language when it is first met: most reviews see one or two.
    Pattern(Vec<(Language, OnceLock<Option<Query>>)>),
}

impl Rule {
    /// Compiles a rule file.
    ///
    /// # Errors
    /// [`RuleError`] where the file is incomplete, names an unknown check or has a bad pattern.
    pub fn new(file: RuleFile) -> Result<Self, RuleError> {
        let rule = Self::deferred(file)?;
        if let (Run::Pattern(queries), Some(pattern)) = (&rule.run, &rule.file.syntax) {
            for (language, query) in queries {
                let compiled = Query::compile(*language, pattern)
                    .map_err(|error| rule.file.error(error.to_string()))?;
                query.get_or_init(|| Some(compiled));
            }
        }
        if !rule.file.fix.is_empty() && rule.file.syntax.is_none() {
            return Err(rule.file.error("only a pattern has a fix".to_owned()));
        }
        let mut edits = rule.file.fix.iter();
        edits
            .try_for_each(Edit::check)
            .map_err(|error| rule.file.error(format!("fix: {error}")))?;
        if let (Run::Text(query), Some(pattern)) = (&rule.run, &rule.file.text) {
            let compiled = text::TextQuery::compile(pattern)
                .map_err(|error| rule.file.error(format!("text: {error}")))?;
            query.get_or_init(|| Some(compiled));
        }
        Ok(rule)
    }

    /// Takes a rule whose patterns are known to compile, and compiles them when they are needed.
    fn deferred(file: RuleFile) -> Result<Self, RuleError> {
        let run = match (&file.check, &file.syntax, &file.text) {
            (Some(name), None, None) => {
                match (checks::find(name), scans::find(name), across::find(name)) {
                    (Some(check), _, _) => Run::Check(check),
                    (None, Some(scan), _) => Run::Scan(scan),
                    (None, None, Some(ask)) => Run::Ask(ask),
                    (None, None, None) => {
                        return Err(file.error(format!("there is no check {name:?}")));
                    }
                }
            }
            (None, None, Some(_)) => Run::Text(OnceLock::new()),
            (None, Some(_), None) => {
                if file.languages.is_empty() {
                    return Err(file.error("a pattern needs languages".to_owned()));
                }
                let languages = file.languages.iter();
                Run::Pattern(languages.map(|&language| (language, OnceLock::new())).collect())
            }
            _ => {
                return Err(
                    file.error("exactly one of syntax, text and check is needed".to_owned())
                );
            }
        };
        let expression = |name: &str, pattern: &Option<String>| {
            let compile =
                |pattern: &String| regex::bytes::RegexBuilder::new(pattern).unicode(false).build();
            let compiled = pattern.as_ref().map(compile).transpose();
            compiled.map_err(|error| file.error(format!("{name}: {error}")))
        };
        let paths = expression("paths", &file.paths)?;
        let except_paths = expression("except_paths", &file.except_paths)?;
        Ok(Self { file, paths, except_paths, run })
    }

    /// The stable name.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.file.id
    }

    /// What kind of fault it finds.
    #[must_use]
    pub fn category(&self) -> Category {
        self.file.category
    }

    /// How bad its findings are, unless settings say otherwise.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.file.severity
    }

    /// How sure it is.
    #[must_use]
    pub fn confidence(&self) -> Confidence {
        self.file.confidence
    }

    /// The pattern for one language; `None` for a rule without one.
    fn query(&self, language: Language) -> Option<&Query> {
        let (Run::Pattern(queries), Some(pattern)) = (&self.run, &self.file.syntax) else {
            return None;
        };
        let (_, query) = queries.iter().find(|(of, _)| *of == language)?;
        query.get_or_init(|| Query::compile(language, pattern).ok()).as_ref()
    }

    /// The text pattern; `None` for a rule without one.
    fn text_query(&self) -> Option<&text::TextQuery> {
        let (Run::Text(query), Some(pattern)) = (&self.run, &self.file.text) else { return None };
        query.get_or_init(|| text::TextQuery::compile(pattern).ok()).as_ref()
    }

    fn reads(&self, view: &FileView) -> bool {
        let speaks = self.file.languages.is_empty()
            || view.language().is_some_and(|language| self.file.languages.contains(&language));
        let matches = |path: &regex::bytes::Regex| path.is_match(view.path().as_bytes());
        speaks
            && self.paths.as_ref().is_none_or(matches)
            && !self.except_paths.as_ref().is_some_and(matches)
    }
}

/// An ordered set of rules.
pub struct RuleSet {
    rules: Vec<Rule>,
}

impl RuleSet {
    /// Orders `rules` by id.
    #[must_use]
    pub fn new(mut rules: Vec<Rule>) -> Self {
        rules.sort_by(|a, b| a.file.id.cmp(&b.file.id));
        Self { rules }
    }

    /// The embedded rules, read at the first call, without their pages and cases.
    ///
    /// A rule that does not compile is left out here and fails the project's own tests.
    pub fn embedded() -> &'static Self {
        static SET: OnceLock<RuleSet> = OnceLock::new();
        SET.get_or_init(|| {
            let rules = embedded_sources()
                .filter_map(|(_, text)| RuleFile::read(head(text)).and_then(Rule::deferred).ok())
                .collect();
            Self::new(rules)
        })
    }

    /// Every rule, ordered by id.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The rule of that id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Rule> {
        self.rules
            .binary_search_by(|rule| rule.file.id.as_str().cmp(id))
            .ok()
            .map(|at| &self.rules[at])
    }

    /// Runs every rule that `wanted` accepts over one file. Hits come grouped by rule in the order of
    /// ids, ascending by line within each, one for each rule, side and line.
    pub fn check<'r>(
        &'r self,
        view: &FileView,
        wanted: impl Fn(&Rule) -> bool,
    ) -> Vec<(&'r Rule, Hit)> {
        self.check_until(view, wanted, &|| false)
    }

    /// As [`RuleSet::check`], but breaks off once `cancelled` says so; what it returns then is not all.
    /// Asked at every node of a syntax tree, so it must be cheap.
    pub fn check_until<'r>(
        &'r self,
        view: &FileView,
        wanted: impl Fn(&Rule) -> bool,
        cancelled: &dyn Fn() -> bool,
    ) -> Vec<(&'r Rule, Hit)> {
        let rules: Vec<&Rule> =
            self.rules.iter().filter(|rule| rule.reads(view) && wanted(rule)).collect();
        let mut hits = introduced::check(&rules, view, cancelled);
        for (at, rule) in rules.iter().enumerate() {
            if let Run::Check(check) = rule.run
                && !cancelled()
            {
                hits.extend(check(view).into_iter().map(|hit| (at, hit)));
            }
        }
        hits.retain(|(at, hit)| rules[*at].may_report(hit, view));
        hits.sort_by_key(|(at, hit)| (*at, hit.side, hit.line));
        hits.dedup_by_key(|(at, hit)| (*at, hit.side, hit.line));
        hits.into_iter().map(|(at, hit)| (rules[at], hit)).collect()
    }

    /// What the rules that `wanted` accepts want to know of the rest of the repository before they
    /// report anything of this file, in the order of ids.
    pub fn ask<'r>(
        &'r self,
        view: &FileView,
        wanted: impl Fn(&Rule) -> bool,
    ) -> Vec<(&'r Rule, across::Question)> {
        let mut out = Vec::new();
        for rule in &self.rules {
            let Run::Ask(ask) = rule.run else { continue };
            if rule.reads(view) && wanted(rule) {
                let asked = ask(view).into_iter();
                let asked = asked.filter(|question| rule.may_report(question.hit(), view));
                out.extend(asked.map(|question| (rule, question)));
            }
        }
        out
    }
}

impl Rule {
    /// Whether a hit stands where the rule looks: on a changed line of code that people wrote.
    fn may_report(&self, hit: &Hit, view: &FileView) -> bool {
        let RuleFile { scope, languages, .. } = &self.file;
        view.side(hit.side).is_changed(hit.line)
            && (languages.is_empty() || !is_machine_made(view, hit))
            && (*scope == Scope::Any
                || (*scope == Scope::Test)
                    == (view.is_test() || hit.side == Side::New && view.in_test(hit.line)))
    }
}

/// Longer lines, in bytes, come out of minifiers and bundlers.
const MAX_WRITTEN_LINE: usize = 1000;

/// Whether the line of a hit is nothing that a person wrote: what is wrong with it is wrong elsewhere.
fn is_machine_made(view: &FileView, hit: &Hit) -> bool {
    view.side(hit.side).line(hit.line).is_some_and(|line| line.len() > MAX_WRITTEN_LINE)
}

/// The page of an embedded rule, as Markdown.
#[must_use]
pub fn page(id: &str) -> Option<String> {
    let name = format!("/{id}.yml");
    let (_, text) = embedded_sources().find(|(path, _)| path.ends_with(&name))?;
    RuleFile::read(text).ok().map(|file| file.page)
}

/// A rule file without its page and cases, which come last and which no review needs.
fn head(text: &str) -> &str {
    text.find("\npage:").map_or(text, |at| &text[..=at])
}

/// The path below `rules/` and the text of every embedded rule file, ordered by path.
pub fn embedded_sources() -> impl Iterator<Item = (&'static str, &'static str)> {
    SOURCES.iter().copied()
}
