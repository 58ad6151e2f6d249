//! Files that say what counts in a review, and that may lie in the repository under review: a change must
//! not bring the file that it is judged by.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use review_tool::control::Uncontrolled;
use review_tool::diff::RepoPath;
use review_tool::printable;
use review_tool::repo::git::Git;
use review_tool::repo::{Repo, Stored};
use review_tool::request::Scope;

use crate::args::ReviewArgs;
use crate::exit::Usage;
use crate::terminal;

/// A file that the user named.
pub(super) enum Named {
    /// Its text.
    Text(String),
    /// A file of the repository, to be read from the old side of the range or commit.
    AtBase(RepoPath),
}

/// Reads the file `path`, which is a `what`. In the repository, it is read from the base of a range or a
/// commit, else from HEAD where that has it.
///
/// # Errors
/// A file that cannot be read, or is larger than `limit` bytes.
pub(super) fn read(
    args: &ReviewArgs,
    scope: &Scope,
    path: &Path,
    what: &str,
    limit: u64,
) -> anyhow::Result<Named> {
    let unusable =
        |why: &str| Usage(format!("the {what} {} cannot be used: {why}", path.display()));
    if let Some((git, inside)) = in_repository(args, path) {
        if matches!(scope, Scope::Revisions(_) | Scope::Commit(_)) {
            return Ok(Named::AtBase(inside));
        }
        let kept = git.file_at(None, &inside, limit, &Uncontrolled)?;
        if kept != Stored::Absent {
            let text = kept.text().map_err(|why| unusable(&why))?.unwrap_or_default();
            if !args.quiet && !from_disk(path, limit).is_ok_and(|now| now == text) {
                let shown = path.display().to_string();
                let shown = printable(&shown);
                terminal::say(&format!(
                    "the {what} {shown} counts as HEAD has it; commit what has changed in it"
                ));
            }
            return Ok(Named::Text(text));
        }
    }
    let name = || Usage(format!("cannot read the {what} {}", path.display()));
    let text = from_disk(path, limit).with_context(name)?;
    if text.len() as u64 > limit {
        return Err(unusable(&format!("it is larger than {limit} bytes")).into());
    }
    Ok(Named::Text(text))
}

fn from_disk(path: &Path, limit: u64) -> std::io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(limit + 1).read_to_string(&mut text)?;
    Ok(text)
}

/// The repository and the path from its root, where the file lies in it.
fn in_repository(args: &ReviewArgs, path: &Path) -> Option<(Git, RepoPath)> {
    let folder = args.repo.as_deref().unwrap_or(Path::new("."));
    let git = Git::open(folder, args.repo.is_some()).ok()?;
    let root = git.root()?.canonicalize().ok()?;
    // The file itself may be gone from the work tree.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let whole: PathBuf = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
    let inside = whole.strip_prefix(&root).ok()?.join(path.file_name()?);
    let names: Option<Vec<&str>> = inside.iter().map(std::ffi::OsStr::to_str).collect();
    let inside = RepoPath::new(names?.join("/").into_bytes());
    Some((git, inside))
}
