//! `foreread review`.

use std::io::Read;
use std::path::Path;

use anyhow::Context;
use review_tool::history::{Begun, Recording};
use review_tool::model::Reviewer;
use review_tool::repo::git::Git;
use review_tool::repo::{Repo, for_scope};
use review_tool::report::{Status, github, markdown, rdjson, sarif, text};
use review_tool::request::{ReviewRequest, Scope};
use review_tool::rules::RuleSet;
use review_tool::{Review, ReviewError, review_with};

use crate::args::{Format, ReviewArgs};
use crate::exit::Usage;
use crate::folders::Folders;
use crate::history::UserHistory;
use crate::models::{self, Wanted};
use crate::settings::Settings;
use crate::{exit, progress, stamp, terminal, tuning};

mod apply;
mod baseline;
mod dry_run;
mod named;

/// A diff on stdin or in a file beyond this many bytes is refused.
const MAX_DIFF: u64 = 1 << 30;

/// Reviews, shows the document and returns the exit code.
pub(crate) fn run(args: &ReviewArgs) -> anyhow::Result<u8> {
    let watch = stamp::Stopwatch::start();
    let folders = Folders::from_environment();
    let settings = Settings::load(&folders)?;
    let history = UserHistory::new(&folders, &settings)?;
    let request = request(args, &settings)?;
    let wanted = Wanted {
        provider: args.provider.as_deref(),
        model: args.model.as_deref(),
        verify: args.verify,
        no_cache: args.no_cache,
        dry_run: args.dry_run,
    };
    let chosen = models::choose(&settings, &folders, &history, wanted)?;
    if args.no_rules && chosen.is_none() {
        return Err(Usage(
            "without rules and without a model nothing is left to review with".to_owned(),
        )
        .into());
    }
    let folder = args.repo.as_deref().unwrap_or(Path::new("."));
    let repo = open(args, &request.scope)?;
    let shown = progress::Terminal::new(args.quiet);
    if args.dry_run {
        let rules = RuleSet::embedded();
        let plan = |reviewer: &Reviewer<'_>| {
            review_tool::dry_run(&request, repo.as_ref(), rules, reviewer, &shown)
        };
        let planned = chosen.as_ref().map(|chosen| chosen.lend(&folders, folder, plan));
        let (planned, problems) = planned.transpose()?.transpose()?.unwrap_or_default();
        drop(shown);
        let as_json = args.json || args.format == Format::Json;
        let show = if as_json { dry_run::json } else { dry_run::text };
        terminal::print(&show(&planned, &problems)).context("cannot write to stdout")?;
        return Ok(exit::DONE);
    }
    let scope = request.scope.as_str().to_owned();
    let begun = Begun { repo: repo.identity(), scope, ..watch.begin() };
    let recording = Recording::begin(&history, &begun);
    let run = |reviewer: Option<&Reviewer<'_>>| {
        review_with(&request, repo.as_ref(), RuleSet::embedded(), reviewer, &shown)
    };
    let mut review = match &chosen {
        Some(chosen) => chosen.lend(&folders, folder, |reviewer| run(Some(reviewer)))??,
        None => run(None)?,
    };
    drop(shown);
    review.document.stamp(watch.stamp());
    // A failure was warned of, and is none of the review.
    drop(recording.finish(&review.document));
    baseline::write(args, &review.document)?;
    let format = if args.json { Format::Json } else { args.format };
    let rendered = render(&review, format, args);
    match args.output.as_deref().filter(|path| *path != Path::new("-")) {
        None => terminal::print(&rendered).context("cannot write to stdout")?,
        Some(path) => {
            std::fs::write(path, rendered)
                .with_context(|| format!("cannot write {}", path.display()))?;
            if !args.quiet {
                terminal::say(&review_tool::printable(&review.document.summary.text));
            }
        }
    }
    if args.apply {
        apply::apply(args, &review.document)?;
    }
    let summary = &review.document.summary;
    Ok(match (summary.status, summary.gate.passed) {
        (Status::Partial, _) => exit::INCOMPLETE,
        (_, true) => exit::DONE,
        (_, false) => exit::FINDINGS,
    })
}

fn request(args: &ReviewArgs, settings: &Settings) -> anyhow::Result<ReviewRequest> {
    let scope = if let Some(path) = &args.diff_file {
        Scope::Patch(read_diff(path)?)
    } else if let Some(revision) = &args.commit {
        Scope::Commit(revision.clone())
    } else if !args.revisions.is_empty() {
        Scope::Revisions(args.revisions.clone())
    } else if args.unstaged {
        Scope::Unstaged
    } else if args.all {
        Scope::All
    } else {
        Scope::Staged
    };
    let mut request = ReviewRequest::new(scope);
    tuning::prepare(settings, &mut request)?;
    request.baseline = baseline::read(args, &request.scope)?.or(request.baseline);
    request.policy = baseline::policy(args, &request.scope)?;
    request.today = stamp::now().chars().take("YYYY-MM-DD".len()).collect();
    request.paths = args.paths.clone();
    request.no_rules = args.no_rules;
    if let Some(threshold) = args.fail_on {
        request.fail_on = threshold.0;
    }
    request.min_severity = args.min_severity.unwrap_or(request.min_severity);
    Ok(request)
}

fn read_diff(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut text = Vec::new();
    let limit = MAX_DIFF + 1;
    if path == Path::new("-") {
        std::io::stdin().lock().take(limit).read_to_end(&mut text).context("cannot read stdin")?;
    } else {
        let name = || format!("cannot read the diff {}", path.display());
        let file = std::fs::File::open(path).with_context(name)?;
        file.take(limit).read_to_end(&mut text).with_context(name)?;
    }
    anyhow::ensure!(text.len() as u64 <= MAX_DIFF, "the diff is larger than {MAX_DIFF} bytes");
    Ok(text)
}

fn open(args: &ReviewArgs, scope: &Scope) -> Result<Box<dyn Repo + Sync>, ReviewError> {
    let folder = args.repo.as_deref().unwrap_or(Path::new("."));
    let named = args.repo.is_some();
    let opened = Git::open(folder, named).map(|git| Box::new(git) as Box<dyn Repo + Sync>);
    Ok(for_scope(opened, scope, named)?)
}

fn render(review: &Review, format: Format, args: &ReviewArgs) -> String {
    match format {
        Format::Json => review.document.to_json(),
        Format::Sarif => sarif::render(&review.document, RuleSet::embedded()),
        Format::Markdown => markdown::render(&review.document),
        Format::Github => github::render(&review.document),
        Format::Rdjson => rdjson::render(&review.document),
        Format::Text => {
            let to_file = args.output.as_deref().is_some_and(|path| path != Path::new("-"));
            let color = !to_file && terminal::stdout_takes_color(args.color);
            let width = terminal::stdout_width();
            let style = text::Style { color, width, verbose: args.verbose, quiet: args.quiet };
            text::render(review, style)
        }
    }
}
