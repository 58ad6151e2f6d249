//! Files that git calls binary though their content is text.
//!
//! An attribute can mark any file as binary, and so can one zero byte in a comment; both come with the
//! change. So a file in a language that the reviewer reads is read again as text whatever it holds, and
//! any other file that holds no zero byte. What cannot be read so is a problem, not a skipped file.

use crate::content::{self, Kind, PROBE};
use crate::control::Control;
use crate::diff::{Body, FileChange, Problem, RepoPath};
use crate::error::ReviewError;
use crate::repo::{Change, Repo};
use crate::request::Scope;

/// A content beyond this many bytes is not probed.
const MAX_PROBED: u64 = 64 << 20;

/// The diff, as text, of those files among the binary ones that hold text. With `in_work_tree`, new
/// content that the repository has not stored stands in the work tree.
///
/// # Errors
/// [`ReviewError`] where git fails or the caller cancels.
pub(super) fn diff_as_text(
    files: &[FileChange<'_>],
    scope: &Scope,
    in_work_tree: bool,
    repo: &dyn Repo,
    control: &dyn Control,
    problems: &mut Vec<Problem>,
) -> Result<Change, ReviewError> {
    let suspects: Vec<&FileChange<'_>> = files
        .iter()
        .filter(|file| file.body == Body::Binary && !file.is_symlink() && !file.is_submodule())
        .collect();
    if suspects.is_empty() {
        return Ok(Change::default());
    }
    // Only the side that stays is judged: a binary file that becomes code is code.
    let judged = |file: &FileChange<'_>| {
        let id = if file.new_path.is_some() { &file.new_id } else { &file.old_id };
        id.clone().unwrap_or_else(|| "0".repeat(40))
    };
    let ids: Vec<String> = suspects.iter().map(|file| judged(file)).collect();
    let mut contents: Vec<Option<Vec<u8>>> = vec![None; suspects.len()];
    repo.contents(&ids, MAX_PROBED, control, &mut |at, content| {
        contents[at] = content.map(probe);
        true
    })?;
    let mut paths: Vec<RepoPath> = Vec::new();
    for (file, stored) in suspects.iter().zip(contents) {
        let content = stored.or_else(|| {
            let path = file.new_path.as_ref().filter(|_| in_work_tree)?;
            repo.work_file(path, MAX_PROBED).map(probe)
        });
        let problem = match content.map(|content| content::kind(file.language(), &content)) {
            Some(Kind::Text) => {
                paths.extend(file.old_path.iter().cloned());
                paths.extend(file.new_path.iter().cloned());
                continue;
            }
            Some(Kind::Binary) => continue,
            Some(Kind::Utf16) => "the file is UTF-16, which was not reviewed: store it as UTF-8",
            None => {
                "git calls the file binary and its content cannot be looked at; it was not reviewed"
            }
        };
        problems.push(Problem::of_file(file.path(), problem));
    }
    if paths.is_empty() {
        return Ok(Change::default());
    }
    paths.sort();
    paths.dedup();
    Ok(repo.change_as_text(scope, &paths, control)?)
}

/// The part of a content that tells what it is.
fn probe(mut content: Vec<u8>) -> Vec<u8> {
    content.truncate(PROBE);
    content.shrink_to_fit();
    content
}
