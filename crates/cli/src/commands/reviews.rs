//! `foreread reviews`.

use std::path::Path;

use anyhow::Context;
use review_store::Keep;
use review_tool::history::{Entry, History, Query, State};
use review_tool::printable;
use review_tool::repo::Repo;
use review_tool::repo::git::Git;
use review_tool::report::{Document, github, markdown, rdjson, sarif, text};
use review_tool::rules::RuleSet;
use review_tool::{Review, ReviewError};
use serde_json::json;

use crate::args::{ColorChoice, Format, ReviewsArgs, ReviewsCommand};
use crate::exit::{self, Usage};
use crate::folders::Folders;
use crate::history::UserHistory;
use crate::settings::Settings;
use crate::{stamp, terminal};

/// Shorter beginnings of ids name too many reviews.
const SHORTEST_PREFIX: usize = 4;

/// Lists, prints or drops past reviews.
pub(crate) fn run(args: &ReviewsArgs) -> anyhow::Result<u8> {
    let folders = Folders::from_environment();
    let history = UserHistory::new(&folders, &Settings::load(&folders)?)?;
    let text = match &args.command {
        ReviewsCommand::List { repo, limit, json } => {
            list(&history, repo.as_deref(), *limit as usize, *json)?
        }
        ReviewsCommand::Show { id, format, json } => {
            show(&history, id, if *json { Format::Json } else { *format })?
        }
        ReviewsCommand::Prune { count, age } => {
            let kept = history.keep();
            let keep = Keep { age: age.unwrap_or(kept.age), count: count.unwrap_or(kept.count) };
            let dropped = history.store()?.prune(keep, &stamp::now())?;
            format!("{dropped} dropped\n")
        }
    };
    terminal::print(&text).context("cannot write to stdout")?;
    Ok(exit::DONE)
}

fn list(
    history: &dyn History,
    repo: Option<&Path>,
    limit: usize,
    as_json: bool,
) -> anyhow::Result<String> {
    let repo = match repo {
        None => None,
        Some(folder) => Git::open(folder, true).map_err(ReviewError::from)?.identity(),
    };
    let listing = history.list(&Query { repo, before: None, limit })?;
    if as_json {
        return Ok(format!("{:#}\n", json!({"reviews": listing.entries, "more": listing.more})));
    }
    let mut text: String = listing.entries.iter().map(line).collect();
    if listing.more {
        text.push_str("older ones follow; --limit lists more\n");
    }
    Ok(text)
}

fn line(entry: &Entry) -> String {
    let outcome = entry.result();
    let repo = entry.repo.as_deref().unwrap_or("-");
    // Seconds are enough for a person.
    let started = entry.started.split('.').next().unwrap_or_default().replace('T', " ");
    let line = format!("{}  {started}  {:8}  {repo}  {outcome}", entry.id, entry.scope);
    format!("{}\n", printable(&line))
}

fn show(history: &dyn History, id: &str, format: Format) -> anyhow::Result<String> {
    let document = document(history, id)?;
    Ok(match format {
        Format::Json => document.to_json(),
        Format::Sarif => sarif::render(&document, RuleSet::embedded()),
        Format::Markdown => markdown::render(&document),
        Format::Github => github::render(&document),
        Format::Rdjson => rdjson::render(&document),
        Format::Text => {
            let style = text::Style {
                color: terminal::stdout_takes_color(ColorChoice::Auto),
                width: terminal::stdout_width(),
                verbose: true,
                quiet: false,
            };
            text::render(&Review::of_document(document), style)
        }
    })
}

/// Reads the review whose id is or begins with `id`.
fn document(history: &dyn History, id: &str) -> anyhow::Result<Document> {
    let kept = match history.get(id)? {
        Some(kept) => Some(kept),
        None if id.len() >= SHORTEST_PREFIX => match &history.ids(id, 2)?.0[..] {
            [one] => history.get(one)?,
            [] => None,
            _ => {
                return Err(
                    Usage(format!("several reviews begin with {id:?}; name more of it")).into()
                );
            }
        },
        None => None,
    };
    let missing = || Usage(format!("there is no review {id:?}; foreread reviews list names them"));
    let kept = kept.ok_or_else(missing)?;
    kept.document.ok_or_else(|| {
        let problem = match kept.entry.state {
            State::Running => "is still running",
            _ => "was cut off before it had a result; review the change once more",
        };
        anyhow::anyhow!("review {} {problem}", kept.entry.id)
    })
}
