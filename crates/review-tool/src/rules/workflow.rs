//! What a change of a workflow gives to its steps: rights, actions, the text and code of outsiders.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use super::Hit;
use crate::finding::Side;
use crate::view::FileView;

macro_rules! expression {
    ($name:ident, $pattern:expr) => {
        static $name: LazyLock<Option<Regex>> =
            LazyLock::new(|| RegexBuilder::new($pattern).unicode(false).build().ok());
    };
}

expression!(USES, r#"^\s*-?\s*uses:\s*["']?([^@\s"'#]+)@([^\s"'#]+)"#);
expression!(
    FOREIGN_TEXT,
    r"\$\{\{[^}]*?\b(github\.event\.(?:issue|pull_request|discussion|comment|review|review_comment)\.(?:title|body)|github\.event\.comment\.body|github\.event\.review\.body|github\.event\.(?:head_commit|commits[^ }]*)\.(?:message|author\.(?:name|email))|github\.event\.pages[^ }]*\.page_name|github\.event\.pull_request\.head\.(?:ref|label|repo\.default_branch)|github\.head_ref|github\.event\.workflow_run\.head_(?:branch|commit\.message)|github\.event\.inputs\.\w+)\b"
);
expression!(
    FOREIGN_CODE,
    r"^\s*(?:-\s*)?(?:ref|repository):.*(?:github\.event\.pull_request\.head\.|github\.head_ref|github\.event\.workflow_run\.head_|refs/pull/)|\bgh pr checkout\b"
);
expression!(TRUSTED_TRIGGER, r"\b(pull_request_target|workflow_run)\b");

fn groups(of: &LazyLock<Option<Regex>>, line: &str) -> Option<Vec<String>> {
    let found = of.as_ref()?.captures(line.as_bytes())?;
    let text = |group: Option<regex::bytes::Match<'_>>| {
        group.map_or_else(String::new, |group| {
            String::from_utf8_lossy(group.as_bytes()).into_owned()
        })
    };
    Some(found.iter().skip(1).map(text).collect())
}

/// The lines of one side with their numbers, comments and empty lines left out.
fn lines(view: &FileView, side: Side) -> impl Iterator<Item = (u32, &str)> {
    let numbered = view
        .side(side)
        .fragments()
        .iter()
        .flat_map(|fragment| (fragment.first_line()..).zip(fragment.text().lines()));
    numbered.filter(|(_, line)| {
        let line = line.trim_start();
        !line.is_empty() && !line.starts_with('#')
    })
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// A right that a workflow gives: its scope, whether it may write, and the line.
struct Right {
    scope: String,
    line: u32,
}

/// The rights to write in every `permissions` of one side.
fn rights(view: &FileView, side: Side) -> Vec<Right> {
    let mut out = Vec::new();
    let mut block: Option<usize> = None;
    for (number, line) in lines(view, side) {
        let code = line.trim();
        if block.is_some_and(|outer| indent(line) <= outer) {
            block = None;
        }
        if let Some(value) = code.strip_prefix("permissions:") {
            match value.split('#').next().unwrap_or_default().trim() {
                "" => block = Some(indent(line)),
                "write-all" => out.push(Right { scope: "everything".to_owned(), line: number }),
                value => {
                    let inner = value.trim_matches(['{', '}', ' ']);
                    let scopes = inner.split(',').filter_map(|part| write_scope(part.trim()));
                    out.extend(scopes.map(|scope| Right { scope: scope.to_owned(), line: number }));
                }
            }
        } else if block.is_some()
            && let Some(scope) = write_scope(code)
        {
            out.push(Right { scope: scope.to_owned(), line: number });
        }
    }
    out
}

fn write_scope(entry: &str) -> Option<&str> {
    let (scope, value) = entry.split_once(':')?;
    let value = value.split('#').next().unwrap_or_default().trim().trim_matches(['"', '\'']);
    (value == "write").then_some(scope.trim())
}

/// The check of `workflow-permissions-widened`.
pub(super) fn widened(view: &FileView) -> Vec<Hit> {
    let new = view.new_side();
    let before = rights(view, Side::Old);
    let had = |scope: &str| {
        before.iter().any(|right| right.scope == scope || right.scope == "everything")
    };
    let stood = view.old_path().is_some();
    let word = |right: &Right| {
        format!(
            "The token of this workflow may now write {}, which it could not before.",
            right.scope
        )
    };
    let gained = rights(view, Side::New).into_iter().filter(|right| {
        new.is_changed(right.line) && !had(&right.scope) && (stood || right.scope == "everything")
    });
    let mut hits: Vec<Hit> =
        gained.map(|right| Hit::added(right.line).message(word(&right))).collect();
    let top = |side| {
        let mut found = lines(view, side).filter(|(_, line)| line.starts_with("permissions:"));
        found.next().map(|(number, _)| number)
    };
    let stays = lines(view, Side::New).next().is_some();
    if let Some(line) = top(Side::Old).filter(|&line| view.old_side().is_changed(line))
        && stays
        && !lines(view, Side::New).any(|(_, line)| line.trim_start().starts_with("permissions:"))
    {
        let message = "Without its permissions the workflow gets those of the repository's default, \
                       which may write everything.";
        hits.push(Hit::removed(line).message(message));
    }
    hits
}

/// The check of `workflow-action-unpinned`.
pub(super) fn unpinned(view: &FileView) -> Vec<Hit> {
    let uses = |side| {
        lines(view, side).filter_map(|(number, line)| {
            let [action, revision] = <[String; 2]>::try_from(groups(&USES, line)?).ok()?;
            (!action.starts_with("./") && !action.starts_with("docker:"))
                .then_some((number, action, revision))
        })
    };
    let before: Vec<_> = uses(Side::Old).collect();
    let now: Vec<_> = uses(Side::New).collect();
    let owner = |action: &str| action.split('/').next().unwrap_or_default().to_owned();
    let is_foreign = |action: &str| !matches!(owner(action).as_str(), "actions" | "github");
    let pins = now.iter().any(|(_, action, revision)| is_foreign(action) && is_commit(revision));
    let risky = |action: &str, revision: &str| {
        let was_commit = before.iter().any(|(_, of, old)| of == action && is_commit(old))
            && !is_commit(revision);
        let is_branch =
            matches!(revision, "main" | "master" | "develop" | "dev" | "HEAD" | "latest");
        is_branch || was_commit || pins && is_foreign(action) && !is_commit(revision)
    };
    now.iter()
        .filter(|(number, action, revision)| {
            view.new_side().is_changed(*number)
                && !before.iter().any(|(_, of, old)| of == action && old == revision)
                && risky(action, revision)
        })
        .map(|(number, action, revision)| {
            Hit::added(*number).message(format!(
                "{action}@{revision} can become other code at any time, and runs with the token and the \
                 secrets of the job."
            ))
        })
        .collect()
}

fn is_commit(revision: &str) -> bool {
    revision.len() == 40 && revision.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The lines of one side that a shell or a script engine reads.
fn script_lines(view: &FileView, side: Side) -> Vec<(u32, &str)> {
    let mut out = Vec::new();
    let mut block: Option<usize> = None;
    for (number, line) in lines(view, side) {
        // In `- run: |` the text is deeper than `run`, not than the dash.
        let dash = line.trim_start().strip_prefix("- ");
        let (at, code) = match dash {
            Some(rest) if block.is_none() => (indent(line) + 2 + indent(rest), rest.trim_start()),
            _ => (indent(line), line.trim_start()),
        };
        if block.is_some_and(|outer| indent(line) > outer) {
            out.push((number, line));
            continue;
        }
        block = None;
        let code = if dash.is_some() { dash.unwrap_or(code).trim_start() } else { code };
        let value = ["run:", "script:"].iter().find_map(|key| code.strip_prefix(key));
        if let Some(value) = value {
            if value.trim_start().starts_with(['|', '>']) {
                block = Some(at);
            } else {
                out.push((number, value));
            }
        }
    }
    out
}

/// The check of `workflow-script-injection`.
pub(super) fn script_injection(view: &FileView) -> Vec<Hit> {
    let found = |side| {
        script_lines(view, side).into_iter().filter_map(|(number, line)| {
            let name = groups(&FOREIGN_TEXT, line)?.pop()?;
            Some((number, name, super::introduced::tokens(line)))
        })
    };
    let before: Vec<String> = found(Side::Old).map(|(_, _, tokens)| tokens).collect();
    found(Side::New)
        .filter(|(number, _, tokens)| {
            view.new_side().is_changed(*number) && !before.contains(tokens)
        })
        .map(|(number, name, _)| {
            Hit::added(number).message(format!(
                "{name} is put into the script before the shell reads it, so whoever writes that text runs \
                 commands in the job."
            ))
        })
        .collect()
}

/// The check of `workflow-runs-foreign-code`: one hit, where the change completes the pair.
pub(super) fn foreign_code(view: &FileView) -> Vec<Hit> {
    let pair = |side| {
        let mut triggers = lines(view, side).take_while(|(_, line)| !line.starts_with("jobs:"));
        let trigger = triggers.find_map(|(number, line)| {
            let name = groups(&TRUSTED_TRIGGER, line)?.pop()?;
            Some((number, name))
        })?;
        let mut all = lines(view, side);
        let checkout = all.find(|(_, line)| {
            FOREIGN_CODE.as_ref().is_some_and(|code| code.is_match(line.as_bytes()))
        })?;
        Some((trigger, checkout.0))
    };
    let Some(((trigger, name), checkout)) = pair(Side::New) else { return Vec::new() };
    if pair(Side::Old).is_some() {
        return Vec::new();
    }
    let new = view.new_side();
    let line = [checkout, trigger].into_iter().find(|&line| new.is_changed(line));
    let message = format!(
        "The workflow runs with the repository's secrets ({name}) and checks out the code of the pull \
         request."
    );
    line.map(|line| Hit::added(line).message(message)).into_iter().collect()
}
