//! The pipeline, straight down: diff, files, rules, findings, verdict.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::baseline::{self, Baseline};
use crate::control::{Control, Progress};
use crate::diff::{Body, FileChange, Hunk, Problem};
use crate::error::ReviewError;
use crate::finding::Finding;
use crate::model::{self, ModelError, Outcome, Planned, Reviewer, Toolbox};
use crate::nearest::nearest;
use crate::numbered;
use crate::policy::{self, Policy, Terms};
use crate::printable::printable;
use crate::reply::{self, Claim, Dropped};
use crate::repo::{Place, Repo};
use crate::report::{Claims, Document, Files, Skipped};
use crate::request::{ReviewRequest, Scope};
use crate::rules::RuleSet;
use crate::suppression::Directive;
use crate::tuning::{Project, Tuned};

mod across;
mod binary;
mod finish;
mod inspect;
mod own;
mod reading;
mod silence;
mod verdict;

use finish::Candidate;

pub use finish::Excerpt;
pub use reading::Reading;

/// A review with what a renderer needs beside the document.
#[derive(Debug, Clone)]
pub struct Review {
    /// The document. The caller's [`Stamp`](crate::report::Stamp) is still to be put in.
    pub document: Document,
    /// The code around each listed finding, in the order of the findings.
    pub excerpts: Vec<Excerpt>,
}

impl Review {
    /// A review of which only the document is left: of the code, it shows the lines that the findings
    /// name.
    #[must_use]
    pub fn of_document(document: Document) -> Self {
        let excerpts = document.findings.iter().map(|finding| Excerpt {
            first_line: finding.line,
            lines: vec![finding.snippet.clone().unwrap_or_default()],
        });
        Self { excerpts: excerpts.collect(), document }
    }
}

/// Reviews a change with the embedded rules.
///
/// # Errors
/// [`ReviewError`] where no document can be made: the change cannot be read, or the caller cancelled.
/// Whatever is lost on the way to a document makes its status `partial` instead.
pub fn review(
    request: &ReviewRequest,
    repo: &(dyn Repo + Sync),
    rules: &RuleSet,
    control: &dyn Control,
) -> Result<Review, ReviewError> {
    review_with(request, repo, rules, None, control)
}

/// Reviews a change with the embedded rules and, where there is one, a model.
///
/// # Errors
/// As [`review`]. A model that fails makes the status `partial`.
pub fn review_with(
    request: &ReviewRequest,
    repo: &(dyn Repo + Sync),
    rules: &RuleSet,
    reviewer: Option<&Reviewer<'_>>,
    control: &dyn Control,
) -> Result<Review, ReviewError> {
    let steps = Steps { control };
    let reading = open(request, repo, &steps)?;
    let mut seen = look(&reading, request, repo, rules, reviewer.is_some(), &steps)?;
    let files = reviewer.and_then(|_| files(&reading, request, repo));
    let purpose = reviewer.map(|_| purpose(&reading, repo, control)).unwrap_or_default();
    let outcome = reviewer
        .map(|reviewer| ask(&mut seen, reviewer, files.as_ref(), &purpose, &steps))
        .transpose()?;
    let said = reviewer.map(|reviewer| reviewer.model.identity()).zip(outcome);
    let said = said.map(|(identity, outcome)| Said {
        provider: &identity.provider,
        model: &identity.model,
        outcome,
    });
    Ok(close(request, &reading, seen, said))
}

/// What a model that the caller runs itself says of a change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statement {
    /// The program that runs it, as it calls itself.
    pub model: String,
    /// What it says of the change as a whole.
    pub content: String,
    /// What it found.
    pub claims: Vec<Claim>,
}

/// Reviews a change with the embedded rules and what another model found in it.
///
/// # Errors
/// As [`review`], and [`ReviewError::Refused`] where a finding points at nothing that the change shows.
pub fn review_statement(
    request: &ReviewRequest,
    repo: &(dyn Repo + Sync),
    rules: &RuleSet,
    statement: Statement,
    control: &dyn Control,
) -> Result<Review, ReviewError> {
    let steps = Steps { control };
    let reading = open(request, repo, &steps)?;
    let mut seen = look(&reading, request, repo, rules, true, &steps)?;
    let made = statement.claims.len() as u64;
    let held = reply::hold(statement.claims, &seen.change);
    if !held.dropped.is_empty() {
        let findings = held.dropped.iter().map(|dropped| refusal(dropped, &seen.change));
        return Err(ReviewError::Refused { findings: findings.collect() });
    }
    let moved = held.placed.iter().filter(|placed| placed.moved).count() as u64;
    let merged = reply::merge(held.placed, &seen.found(), &seen.change);
    let placed = merged.placed.iter();
    seen.candidates.extend(placed.filter_map(|one| finish::of_model(one, &seen.change)));
    let merged = (merged.known + merged.repeated) as u64;
    let outcome = Outcome {
        content: statement.content,
        claims: Claims { made, moved, merged, ..Claims::default() },
        ..Outcome::default()
    };
    let said = Said { provider: HOST, model: &statement.model, outcome };
    Ok(close(request, &reading, seen, Some(said)))
}

/// Why a finding is refused, and the nearest place that could be meant.
fn refusal(dropped: &Dropped, change: &numbered::Change) -> String {
    let text = printable(&dropped.to_string()).into_owned();
    if dropped.reason != reply::Reason::File {
        return text;
    }
    let paths = || change.files.iter().map(numbered::File::shown_path);
    let known: Vec<String> = paths().collect();
    match nearest(&dropped.claim.file, known.iter().map(String::as_str)) {
        Some(near) => format!("{text}; the nearest is {near}"),
        None => format!("{text}; it has {}", few(&known)),
    }
}

/// The first of some names.
fn few(names: &[String]) -> String {
    const FEW: usize = 5;
    let mut text = names.iter().take(FEW).cloned().collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => text.push_str("none that can be reviewed"),
        count if count > FEW => text.push_str(&format!(" and {} more", count - FEW)),
        _ => {}
    }
    text
}

/// The provider of findings that the caller's own model made.
const HOST: &str = "host";

/// What a model said, and which one it was.
struct Said<'a> {
    provider: &'a str,
    model: &'a str,
    outcome: Outcome,
}

/// Makes the document of what was found.
fn close(
    request: &ReviewRequest,
    reading: &Reading<'_>,
    seen: Seen,
    said: Option<Said<'_>>,
) -> Review {
    let (findings, excerpts) = finish::finish(seen.candidates);
    let (kept, silenced) =
        silence::silence(findings, excerpts, &seen.directives, seen.baseline.as_ref());
    let (findings, excerpts): (Vec<_>, Vec<_>) = kept.into_iter().unzip();
    let about = verdict::About {
        base: reading.base.clone(),
        head: reading.head.clone(),
        silenced,
        tuned_rules: seen.project.tuned_rules(),
        terms: seen.terms,
    };
    let mut document = verdict::conclude(request, findings, seen.files, seen.problems, about);
    if let Some(Said { provider, model, outcome }) = said {
        document.content = outcome.content;
        let meta = &mut document.meta;
        provider.clone_into(&mut meta.provider);
        model.clone_into(&mut meta.model);
        meta.usage = outcome.usage;
        meta.cost_usd = outcome.cost_usd;
        meta.cached = outcome.cached;
        meta.claims = Some(outcome.claims);
        meta.tool_calls = outcome.calls;
    }
    let excerpts = excerpts.into_iter().take(document.findings.len()).collect();
    Review { document, excerpts }
}

/// A change as a model is shown it.
#[derive(Debug, Clone)]
pub struct Presented {
    /// The files with numbered lines, credentials masked.
    pub change: numbered::Change,
    /// What the rules found in it.
    pub found: Vec<Finding>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// What the repository's settings say to a model; data, as the change is.
    pub guidance: Option<String>,
}

/// Reads a change for a model that the caller runs itself.
///
/// # Errors
/// As [`review`].
pub fn present(
    request: &ReviewRequest,
    repo: &(dyn Repo + Sync),
    rules: &RuleSet,
    control: &dyn Control,
) -> Result<Presented, ReviewError> {
    let steps = Steps { control };
    let reading = open(request, repo, &steps)?;
    let seen = look(&reading, request, repo, rules, true, &steps)?;
    let guidance = seen.project.guidance.clone();
    Ok(Presented { found: seen.found(), change: seen.change, problems: seen.problems, guidance })
}

/// What [`review_with`] would ask its model, and what it would leave out. Nothing is sent.
///
/// # Errors
/// As [`review`].
pub fn dry_run(
    request: &ReviewRequest,
    repo: &(dyn Repo + Sync),
    rules: &RuleSet,
    reviewer: &Reviewer<'_>,
    control: &dyn Control,
) -> Result<(Vec<Planned>, Vec<Problem>), ReviewError> {
    let steps = Steps { control };
    let reading = open(request, repo, &steps)?;
    let seen = look(&reading, request, repo, rules, true, &steps)?;
    let found = seen.found();
    let files = files(&reading, request, repo);
    let purpose = purpose(&reading, repo, control);
    let about = about(&found, files.as_ref(), &purpose, seen.project.guidance.as_deref());
    let (planned, left_out) = reviewer.planned(&seen.change, about);
    let mut problems = seen.problems;
    problems.extend(left_out);
    Ok((planned, problems))
}

fn open<'r>(
    request: &'r ReviewRequest,
    repo: &dyn Repo,
    steps: &Steps<'_>,
) -> Result<Reading<'r>, ReviewError> {
    steps.say(0, None, "reading the change");
    Reading::open(request, repo, steps.control)
}

/// What the rules made of a change, before any verdict.
struct Seen {
    files: Files,
    problems: Vec<Problem>,
    candidates: Vec<Candidate>,
    /// The change as a model is shown it; empty without one.
    change: numbered::Change,
    /// The comments that silence findings, by file.
    directives: HashMap<String, Vec<Directive>>,
    /// What the repository says of its reviews.
    project: Project,
    /// The findings that are known.
    baseline: Option<Baseline>,
    /// What the gate bears.
    terms: Option<Terms>,
}

impl Seen {
    /// What the rules found, in the order of reports: it is part of what a model is asked.
    fn found(&self) -> Vec<Finding> {
        let found = self.candidates.iter().map(|candidate| candidate.finding().clone());
        let mut found: Vec<Finding> = found.collect();
        found.sort();
        found
    }
}

/// Runs the rules over the change.
fn look(
    reading: &Reading<'_>,
    request: &ReviewRequest,
    repo: &(dyn Repo + Sync),
    rules: &RuleSet,
    by_model: bool,
    steps: &Steps<'_>,
) -> Result<Seen, ReviewError> {
    let (changed, mut problems) = reading.files(repo, steps.control)?;
    let base = reading.base.as_deref();
    let (project, unusable) =
        Project::of_change(request, base, &changed, (repo, rules), steps.control)?;
    problems.extend(unusable);
    let tuned = Tuned::new(&request.tuning, &project.tuning);
    let (own, unusable) = own::of_change(request, base, rules, repo, steps.control)?;
    problems.extend(unusable);
    let baseline = match &request.baseline {
        Some(Baseline::AtBase(path)) => {
            let (known, unusable) = baseline::at_base(base, path, repo, steps.control)?;
            problems.extend(unusable);
            Some(known)
        }
        Some(Baseline::Kept(path)) => {
            let of = (&request.scope, base);
            let (known, unusable) = baseline::kept(of, path, repo, steps.control)?;
            problems.extend(unusable);
            Some(known)
        }
        given => given.clone(),
    };
    let terms = match &request.policy {
        Some(Policy::AtBase(path)) => {
            let (terms, unusable) = policy::at_base(base, path, repo, steps.control)?;
            problems.extend(unusable);
            Some(terms)
        }
        Some(Policy::Of(terms)) => Some(terms.clone()),
        None => None,
    };
    let mut files = Files::default();
    let mut skip = |file: &FileChange<'_>, reason: String| {
        files.skipped.push(Skipped { file: file.path().into_owned(), reason });
    };
    let mut wanted: Vec<&FileChange<'_>> = Vec::new();
    let mut aside: Vec<usize> = Vec::new();
    for file in &changed {
        if let Some(reason) = skip_reason(file) {
            skip(file, reason.to_owned());
            continue;
        }
        if let Some(reason) = tuned.ignored(&file.path()) {
            skip(file, reason);
            if !tuned.is_left_out_unasked(&file.path()) {
                continue;
            }
            aside.push(wanted.len());
        }
        wanted.push(file);
    }
    let wants = inspect::Wants {
        tuned: &tuned,
        aside: &aside,
        no_rules: request.no_rules,
        no_flaky: request.no_flaky,
        numbered: by_model,
    };
    let mut inspected =
        inspect::inspect(&wanted, reading.is_patch(), repo, (rules, &own), wants, steps)?;
    problems.extend(inspected.problems);
    if !inspected.asked.is_empty() {
        let place = place(reading, request);
        let (asked, patched) = (inspected.asked, &inspected.patched);
        let (broken, more) = across::answered(asked, patched, &place, repo, steps.control)?;
        inspected.candidates.extend(broken);
        problems.extend(more);
    }
    inspected.generated.sort_unstable();
    for &at in &inspected.generated {
        skip(wanted[at], GENERATED.to_owned());
    }
    let reviewed = wanted.iter().enumerate();
    let reviewed = reviewed.filter(|(at, _)| {
        inspected.generated.binary_search(at).is_err() && aside.binary_search(at).is_err()
    });
    files.reviewed = reviewed.map(|(_, file)| file.path().into_owned()).collect();
    files.reviewed.sort();
    files.reviewed.dedup();
    files.skipped.sort();
    inspected.numbered.sort_by_key(|(at, _)| *at);
    let shown = inspected.numbered.into_iter().map(|(_, file)| file).collect();
    let change = numbered::Change { files: shown };
    Ok(Seen {
        files,
        problems,
        candidates: inspected.candidates,
        change,
        directives: inspected.directives,
        project,
        baseline,
        terms,
    })
}

/// What is said of a file that a tool writes.
const GENERATED: &str = "generated code, as its head says before and after the change";

/// The files that a model may look at: those of the new side. None without a repository.
fn files<'r>(
    reading: &Reading<'_>,
    request: &ReviewRequest,
    repo: &'r (dyn Repo + Sync),
) -> Option<model::Files<'r>> {
    repo.identity()?;
    Some(model::Files::new(repo, place(reading, request)))
}

/// Where the new side of a change stands.
fn place(reading: &Reading<'_>, request: &ReviewRequest) -> Place {
    match (&reading.head, &request.scope) {
        (Some(head), _) => Place::Tree(head.clone()),
        (None, Scope::Staged) => Place::Index,
        (None, _) => Place::WorkTree,
    }
}

/// What the model is told beside the change.
fn about<'a>(
    found: &'a [Finding],
    files: Option<&'a model::Files<'_>>,
    purpose: &'a str,
    guidance: Option<&'a str>,
) -> model::About<'a> {
    let own_tools = files.map(|files| files as &dyn Toolbox);
    model::About { found, own_tools, guidance, purpose: Some(purpose) }
}

/// What the author says that the change is for. It only helps a model, so its lack is no problem.
fn purpose(reading: &Reading<'_>, repo: &dyn Repo, control: &dyn Control) -> String {
    let (Some(base), Some(head)) = (&reading.base, &reading.head) else { return String::new() };
    repo.purpose(base, head, control).unwrap_or_default()
}

/// Asks the model, and puts its findings beside those of the rules.
fn ask(
    seen: &mut Seen,
    reviewer: &Reviewer<'_>,
    files: Option<&model::Files<'_>>,
    purpose: &str,
    steps: &Steps<'_>,
) -> Result<Outcome, ReviewError> {
    let found = seen.found();
    let about = about(&found, files, purpose, seen.project.guidance.as_deref());
    // The rules have counted each file, and one step more.
    let done = AtomicU64::new(seen.files.reviewed.len() as u64 + 1);
    let turn = Mutex::new(());
    let say = |message: String| {
        let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        steps.say(done, None, message);
    };
    let mut outcome = reviewer
        .run(&seen.change, about, steps.control, &say)
        .map_err(|_: ModelError| ReviewError::Cancelled)?;
    let placed = outcome.placed.iter();
    seen.candidates.extend(placed.filter_map(|one| finish::of_model(one, &seen.change)));
    seen.problems.append(&mut outcome.problems);
    Ok(outcome)
}

/// Why a file is not reviewed, where its kind is not text.
fn skip_reason(file: &FileChange<'_>) -> Option<&'static str> {
    if file.is_submodule() && file.hunks().iter().all(is_commit_line) {
        Some("a submodule: its commit changed, its content is another repository's")
    } else if file.is_symlink() && file.hunks().iter().all(is_link_target) {
        Some("a symbolic link")
    } else if file.body == Body::Binary {
        Some("binary content")
    } else {
        None
    }
}

/// Whether a hunk is what git writes for a submodule. A mode alone makes no submodule of code.
fn is_commit_line(hunk: &Hunk<'_>) -> bool {
    hunk.lines.iter().all(|line| line.text.starts_with(b"Subproject commit "))
}

/// Whether a hunk is what git writes for a symbolic link: one path, without a line end.
fn is_link_target(hunk: &Hunk<'_>) -> bool {
    let single = |len: u32| len <= 1;
    single(hunk.old_len) && single(hunk.new_len)
}

/// Progress and cancellation of one review.
struct Steps<'c> {
    control: &'c dyn Control,
}

impl Steps<'_> {
    fn say(&self, done: u64, total: Option<u64>, message: impl Into<Cow<'static, str>>) {
        self.control.progress(Progress { done, total, message: message.into().into_owned() });
    }

    fn check(&self) -> Result<(), ReviewError> {
        if self.control.cancelled() { Err(ReviewError::Cancelled) } else { Ok(()) }
    }
}
