//! From what a user types to object names.
//!
//! `git diff` is then given names alone, so no text of a caller can be an option, a path or a second
//! meaning. An unknown revision is refused; nothing falls back to another scope.

use super::run::Runner;
use crate::repo::RepoError;

/// What is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sides {
    /// The index against a commit, or against nothing before the first one.
    Index { base: Option<String> },
    /// The work tree against a commit or tree, or against the index.
    WorkTree { base: Option<String> },
    /// The work tree against nothing, before the first commit.
    FirstWorkTree { empty: String },
    /// One object against another.
    Both { base: String, head: String },
    /// A merge against its parents, as a combined diff.
    Several { objects: Vec<String> },
}

/// The commit that HEAD names; `None` before the first one.
pub(super) fn head(runner: &Runner) -> Result<Option<String>, RepoError> {
    let answer = runner.lines(&["rev-parse", "--revs-only", "--end-of-options", "HEAD"])?;
    Ok(answer.into_iter().next())
}

/// The name of the tree without entries, in the repository's hash.
pub(super) fn empty_tree(runner: &Runner) -> Result<String, RepoError> {
    let answer = runner.lines(&["hash-object", "-t", "tree", "--stdin"])?;
    answer.into_iter().next().ok_or_else(|| RepoError::Answer { command: "hash-object".to_owned() })
}

fn unknown(revision: &str) -> RepoError {
    RepoError::UnknownRevision { revision: revision.to_owned() }
}

/// The object names that one revision argument stands for, `^` before those that are excluded.
fn names(runner: &Runner, revision: &str) -> Result<Vec<String>, RepoError> {
    if revision.is_empty() || revision.starts_with('-') || revision.contains(['\0', '\n']) {
        return Err(unknown(revision));
    }
    let names = runner.lines(&["rev-parse", "--revs-only", "--end-of-options", revision])?;
    if names.is_empty() {
        return Err(unknown(revision));
    }
    for name in &names {
        let hex = name.strip_prefix('^').unwrap_or(name);
        if !matches!(hex.len(), 40 | 64) || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(RepoError::Answer { command: "rev-parse".to_owned() });
        }
        // git takes a full name at its word, and a name with a colon may be a file's.
        if hex == revision || revision.contains(':') {
            let peeled = format!("{hex}^{{tree}}");
            match runner.text(&["rev-parse", "--verify", "--quiet", "--end-of-options", &peeled]) {
                Ok(_) => {}
                Err(RepoError::Git { .. }) => return Err(unknown(revision)),
                Err(error) => return Err(error),
            }
        }
    }
    Ok(names)
}

/// Resolves revisions and ranges as `git diff` takes them.
pub(super) fn resolve(runner: &Runner, revisions: &[String]) -> Result<Sides, RepoError> {
    let (mut wanted, mut excluded) = (Vec::new(), Vec::new());
    for revision in revisions {
        let names = names(runner, revision)?;
        let bases: Vec<String> =
            names.iter().filter_map(|name| name.strip_prefix('^').map(str::to_owned)).collect();
        let mut heads: Vec<String> =
            names.into_iter().filter(|name| !name.starts_with('^')).collect();
        // `A...B` answers B, A and their merge bases; the diff is from the first base to B.
        if let Some((left, right)) = revision.split_once("...")
            && heads.len() == 2
        {
            if bases.is_empty() {
                let name = |text: &str| if text.is_empty() { "HEAD" } else { text }.to_owned();
                return Err(RepoError::NoMergeBase { left: name(left), right: name(right) });
            }
            heads.truncate(1);
            excluded.extend(bases.into_iter().take(1));
        } else if revision.ends_with("^!") && bases.is_empty() {
            // The first commit has no parent to exclude.
            excluded.push(empty_tree(runner)?);
        } else {
            excluded.extend(bases);
        }
        wanted.append(&mut heads);
    }
    match (wanted.as_slice(), excluded.as_slice()) {
        ([head], []) => Ok(Sides::WorkTree { base: Some(head.clone()) }),
        ([base, head], []) | ([head], [base]) => {
            Ok(Sides::Both { base: base.clone(), head: head.clone() })
        }
        ([], _) => Err(unknown(&revisions.join(" "))),
        _ => Ok(Sides::Several { objects: wanted.into_iter().chain(excluded).collect() }),
    }
}

/// What a commit changed: from its first parent, or from nothing, to itself.
pub(super) fn commit(runner: &Runner, text: &str) -> Result<Sides, RepoError> {
    let found = match names(runner, text)?.as_slice() {
        [one] if !one.starts_with('^') => one.clone(),
        _ => return Err(unknown(text)),
    };
    let peeled = format!("{found}^{{commit}}");
    let head =
        match runner.lines(&["rev-parse", "--verify", "--quiet", "--end-of-options", &peeled]) {
            Ok(answer) => answer.into_iter().next().ok_or_else(|| unknown(text))?,
            Err(RepoError::Git { .. }) => return Err(unknown(text)),
            Err(error) => return Err(error),
        };
    // The commit itself names its parent even where a shallow clone hides it: a commit whose parent is
    // missing must not look as if it added the whole tree.
    let content = runner.lines(&["cat-file", "commit", &head])?;
    let parent = content
        .iter()
        .take_while(|line| !line.is_empty())
        .find_map(|line| line.strip_prefix("parent ").map(str::to_owned));
    let base = parent.map_or_else(|| empty_tree(runner), Ok)?;
    Ok(Sides::Both { base, head })
}
