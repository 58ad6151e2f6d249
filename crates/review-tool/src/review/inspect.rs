//! Runs the rules over every file of a change, on all cores, in bounded memory.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use super::Steps;
use super::across::{Asked, Patched};
use super::finish::{Candidate, candidate};
use crate::changed_names::ChangedNames;
use crate::diff::apply::{Direction, apply, sides};
use crate::diff::{FileChange, Problem, RepoPath};
use crate::error::ReviewError;
use crate::finding::{Category, Confidence};
use crate::numbered;
use crate::repo::Repo;
use crate::rules::{Hit, Rule, RuleSet, across};
use crate::suppression::{Directive, WITHOUT_EFFECT, directives};
use crate::tuning::{Tuned, is_generated};
use crate::view::{FileView, MAX_PARSED_BYTES};

/// Files in flight between the reader and the workers.
const QUEUE: usize = 16;
/// At most this many workers.
const MAX_WORKERS: usize = 8;

/// What the rules made of the files.
#[derive(Default)]
pub(super) struct Inspected {
    pub(super) candidates: Vec<Candidate>,
    pub(super) problems: Vec<Problem>,
    /// The files as a model is shown them, each with its place in the change; none without a model.
    pub(super) numbered: Vec<(usize, numbered::File)>,
    /// What only the rest of the repository can tell.
    pub(super) asked: Vec<Asked>,
    /// The files that a patch leaves.
    pub(super) patched: Patched,
    /// The comments that silence findings, by the path that findings name.
    pub(super) directives: HashMap<String, Vec<Directive>>,
    /// The places in the change of files that a tool writes; only credentials were looked for
    /// in them.
    pub(super) generated: Vec<usize>,
}

/// A file with the content it had, where that is known.
struct Job<'f, 'd> {
    at: usize,
    file: &'f FileChange<'d>,
    old: Option<Vec<u8>>,
}

/// What is wanted of each file.
#[derive(Clone, Copy)]
pub(super) struct Wants<'t> {
    pub(super) tuned: &'t Tuned,
    /// The places, ascending, of files that are looked through for credentials alone.
    pub(super) aside: &'t [usize],
    pub(super) no_rules: bool,
    pub(super) no_flaky: bool,
    /// The files as a model is shown them.
    pub(super) numbered: bool,
}

impl Wants<'_> {
    /// Whether a rule runs.
    fn runs(&self, rule: &Rule) -> bool {
        let is_off = self.no_rules || self.no_flaky && rule.file.flaky;
        !(is_off || self.tuned.is_disabled(rule.id()))
    }

    /// A hit as bad as the settings say.
    fn judged(&self, rule: &Rule, hit: Hit) -> Hit {
        Hit { severity: self.tuned.severity(rule.id()).or(hit.severity), ..hit }
    }
}

/// Inspects `files`; candidates and problems come in no order.
///
/// # Errors
/// [`ReviewError`] where contents cannot be read or the caller cancels.
pub(super) fn inspect(
    files: &[&FileChange<'_>],
    is_patch: bool,
    repo: &(dyn Repo + Sync),
    (rules, own): (&RuleSet, &RuleSet),
    wants: Wants<'_>,
    steps: &Steps<'_>,
) -> Result<Inspected, ReviewError> {
    let written = files.iter().enumerate();
    let written = written.filter(|(at, _)| wants.aside.binary_search(at).is_err());
    let written: Vec<&FileChange<'_>> = written.map(|(_, file)| *file).collect();
    let inspector = Inspector {
        is_patch,
        names: Arc::new(ChangedNames::of(&written)),
        repo,
        rules,
        own,
        wants,
        steps,
        total: files.len() as u64 + 1,
        done: AtomicU64::new(0),
        stopped: AtomicBool::new(false),
        order: Mutex::new(()),
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_WORKERS);
    let workers = workers.min(files.len());
    if workers <= 1 {
        let mut all = Inspected::default();
        inspector.feed(files, |job| {
            inspector.run(job, &mut all);
            true
        })?;
        return inspector.conclude(all);
    }
    let (sender, receiver) = mpsc::sync_channel::<Job<'_, '_>>(QUEUE);
    let receiver = Mutex::new(receiver);
    let (fed, parts) = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers)
            .map(|_| {
                scope.spawn(|| {
                    let mut part = Inspected::default();
                    loop {
                        let job = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
                        let Ok(job) = job else { return part };
                        inspector.run(job, &mut part);
                    }
                })
            })
            .collect();
        let fed = inspector.feed(files, |job| sender.send(job).is_ok());
        drop(sender);
        let parts: Vec<_> = threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        (fed, parts)
    });
    fed?;
    let mut all = Inspected::default();
    for part in parts {
        match part {
            Ok(part) => {
                all.candidates.extend(part.candidates);
                all.problems.extend(part.problems);
                all.numbered.extend(part.numbered);
                all.asked.extend(part.asked);
                all.patched.extend(part.patched);
                all.directives.extend(part.directives);
                all.generated.extend(part.generated);
            }
            Err(_) => all.problems.push(Problem::general(
                "a worker of the reviewer failed; the findings of its files are lost",
            )),
        }
    }
    inspector.conclude(all)
}

struct Inspector<'a> {
    is_patch: bool,
    names: Arc<ChangedNames>,
    repo: &'a (dyn Repo + Sync),
    rules: &'a RuleSet,
    /// The user's own, which add to the embedded ones.
    own: &'a RuleSet,
    wants: Wants<'a>,
    steps: &'a Steps<'a>,
    total: u64,
    done: AtomicU64,
    stopped: AtomicBool,
    /// Held while progress is counted and told, so that its numbers rise.
    order: Mutex<()>,
}

impl Inspector<'_> {
    /// Reads the old contents and hands over one job for each file, in order.
    fn feed<'f, 'd>(
        &self,
        files: &[&'f FileChange<'d>],
        mut give: impl FnMut(Job<'f, 'd>) -> bool,
    ) -> Result<(), ReviewError> {
        let wanted = |file: &FileChange<'_>| {
            let id = file.old_id.as_ref().filter(|id| id.bytes().any(|byte| byte != b'0'));
            // A model is shown every file, and a credential may begin outside a hunk.
            let parsed = file.language().is_some() || self.wants.numbered;
            (parsed && file.parents == 1 && !file.hunks().is_empty())
                .then_some(id)
                .flatten()
                .cloned()
        };
        let mut next = 0;
        let mut places = Vec::new();
        let mut ids = Vec::new();
        for (at, file) in files.iter().enumerate() {
            if let Some(id) = wanted(file) {
                places.push(at);
                ids.push(id);
            }
        }
        let mut sink = |at: usize, content: Option<Vec<u8>>| {
            while next < places[at] {
                if !give(Job { at: next, file: files[next], old: None }) {
                    return false;
                }
                next += 1;
            }
            next += 1;
            !self.steps.control.cancelled()
                && give(Job { at: places[at], file: files[places[at]], old: content })
        };
        let limit = MAX_PARSED_BYTES as u64;
        self.repo.contents(&ids, limit, self.steps.control, &mut sink)?;
        self.steps.check()?;
        for (at, file) in files.iter().enumerate().skip(next) {
            self.steps.check()?;
            if !give(Job { at, file, old: None }) {
                break;
            }
        }
        Ok(())
    }

    fn run(&self, job: Job<'_, '_>, out: &mut Inspected) {
        if self.stopped.load(Ordering::Relaxed) || self.steps.control.cancelled() {
            self.stopped.store(true, Ordering::Relaxed);
            return;
        }
        let path = job.file.path().into_owned();
        let (at, file) = (job.at, job.file);
        let view = self.view(job);
        let is_aside = self.wants.aside.binary_search(&at).is_ok();
        if !is_aside && is_generated(&view) && !self.wants.tuned.is_wanted(&path) {
            out.generated.push(at);
            return self.look_for_credentials(&view, out);
        }
        if is_aside {
            return self.look_for_credentials(&view, out);
        }
        if self.wants.numbered {
            out.numbered.push((at, numbered::File::of_view(file, &view)));
        }
        if view.is_too_large_to_parse() {
            out.problems.push(Problem::of_file(
                path.as_str(),
                format!(
                    "the file is larger than {MAX_PARSED_BYTES} bytes, so its syntax was not read"
                ),
            ));
        }
        self.check(&view, |_| true, out);
        let asked = self.rules.ask(&view, |rule| self.wants.runs(rule)).into_iter();
        out.asked.extend(asked.map(|(rule, question)| Asked {
            candidate: candidate(rule, self.wants.judged(rule, question.hit().clone()), &view),
            question,
        }));
        if self.is_patch && across::may_answer(&path) {
            let new = view.new_side();
            let whole =
                new.fragments().first().filter(|_| new.is_complete() && file.new_path.is_some());
            let text = whole.map(|fragment| fragment.text().to_owned());
            out.patched.insert(path.clone(), text);
        }
        self.tell(&path);
    }

    /// Runs the rules that `also` accepts, and reads the comments that silence them.
    fn check(&self, view: &FileView, also: impl Fn(&Rule) -> bool, out: &mut Inspected) {
        let wanted = |rule: &Rule| self.wants.runs(rule) && also(rule);
        let cancelled = || self.steps.control.cancelled();
        let is_known = |id: &str| [self.rules, self.own].iter().any(|set| set.get(id).is_some());
        let silencing = directives(view, &is_known);
        let mut hits = self.rules.check_until(view, wanted, &cancelled);
        // That check knows the embedded rules alone.
        hits.retain(|(rule, hit)| {
            rule.id() != WITHOUT_EFFECT || silencing.iter().all(|one| one.line != hit.line)
        });
        if !self.own.rules().is_empty() {
            hits.extend(self.own.check_until(view, wanted, &cancelled));
        }
        let judged = |(rule, hit)| candidate(rule, self.wants.judged(rule, hit), view);
        out.candidates.extend(hits.into_iter().map(judged));
        if !silencing.is_empty() {
            out.directives.insert(view.path().to_owned(), silencing);
        }
    }

    /// Looks through a file that is left out since nobody wrote it: a credential in it is as lost as
    /// elsewhere. Rules that guess by entropy would take every checksum of a lock file for one.
    fn look_for_credentials(&self, view: &FileView, out: &mut Inspected) {
        let is_sure = |rule: &Rule| {
            rule.category() == Category::Secret && rule.confidence() == Confidence::High
        };
        self.check(view, is_sure, out);
        self.tell(view.path());
    }

    /// Counts a file.
    fn tell(&self, path: &str) {
        let _turn = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.steps.say(done, Some(self.total), format!("reviewed {path}"));
    }

    fn view(&self, job: Job<'_, '_>) -> FileView {
        let Job { file, mut old, .. } = job;
        if self.is_patch && file.parents == 1 && !file.damaged && file.old_path.is_some() {
            let fits = |old: &Vec<u8>| apply(old, file.hunks(), Direction::Forward).is_ok();
            old = old.filter(fits).or_else(|| self.old_from_work_tree(file));
        }
        let (before, after, _) = sides(file, old.as_deref());
        FileView::of_change(file, before, after).within(Arc::clone(&self.names))
    }

    /// The old content of a file that a patch changes, where the work tree has either side of it.
    fn old_from_work_tree(&self, file: &FileChange<'_>) -> Option<Vec<u8>> {
        file.language()?;
        let read = |path: &Option<RepoPath>| {
            path.as_ref().and_then(|path| self.repo.work_file(path, MAX_PARSED_BYTES as u64))
        };
        let after = read(&file.new_path);
        if let Some(after) = &after
            && let Ok(before) = apply(after, file.hunks(), Direction::Reverse)
        {
            return Some(before);
        }
        let before = if file.old_path == file.new_path { after } else { read(&file.old_path) };
        before.filter(|before| apply(before, file.hunks(), Direction::Forward).is_ok())
    }

    fn conclude(&self, all: Inspected) -> Result<Inspected, ReviewError> {
        self.steps.check()?;
        if self.stopped.load(Ordering::Relaxed) { Err(ReviewError::Cancelled) } else { Ok(all) }
    }
}
