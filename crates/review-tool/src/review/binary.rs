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
/// At most about this many paths are asked for at once, with about this many bytes.
const MAX_PATHS: usize = 500;
const MAX_PATH_BYTES: usize = 64 << 10;

/// The places of those binary files that hold text. With `in_work_tree`, new content that the
/// repository has not stored stands in the work tree. What cannot be told is a problem.
///
/// # Errors
/// [`ReviewError`] where git fails or the caller cancels.
pub(super) fn that_hold_text(
    files: &[FileChange<'_>],
    in_work_tree: bool,
    repo: &dyn Repo,
    control: &dyn Control,
    problems: &mut Vec<Problem>,
) -> Result<Vec<usize>, ReviewError> {
    let is_suspect = |file: &FileChange<'_>| {
        file.body == Body::Binary && !file.is_symlink() && !file.is_submodule()
    };
    let suspects: Vec<usize> = (0..files.len()).filter(|&at| is_suspect(&files[at])).collect();
    // Only the side that stays is judged: a binary file that becomes code is code.
    let judged = |file: &FileChange<'_>| {
        let id = if file.new_path.is_some() { &file.new_id } else { &file.old_id };
        id.clone().unwrap_or_else(|| "0".repeat(40))
    };
    let ids: Vec<String> = suspects.iter().map(|&at| judged(&files[at])).collect();
    let mut contents: Vec<Option<Vec<u8>>> = vec![None; suspects.len()];
    repo.contents(&ids, MAX_PROBED, control, &mut |at, content| {
        contents[at] = content.map(probe);
        true
    })?;
    let mut hold_text = Vec::new();
    for (at, stored) in suspects.into_iter().zip(contents) {
        let file = &files[at];
        let content = stored.or_else(|| {
            let path = file.new_path.as_ref().filter(|_| in_work_tree)?;
            repo.work_file(path, MAX_PROBED).map(probe)
        });
        let problem = match content.map(|content| content::kind(file.language(), &content)) {
            Some(Kind::Text) => {
                hold_text.push(at);
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
    Ok(hold_text)
}

/// The diff of the files at `places` with their content taken for text.
///
/// Asked for in portions, since a system bounds the arguments of a program; both paths of a file come
/// in one, so that a rename stays one.
///
/// # Errors
/// [`ReviewError`] where git fails or the caller cancels.
pub(super) fn as_text(
    files: &[FileChange<'_>],
    places: &[usize],
    scope: &Scope,
    repo: &dyn Repo,
    control: &dyn Control,
) -> Result<Change, ReviewError> {
    let mut whole = Change::default();
    let mut paths: Vec<RepoPath> = Vec::new();
    for (at, &place) in places.iter().enumerate() {
        paths.extend(
            [&files[place].old_path, &files[place].new_path].into_iter().flatten().cloned(),
        );
        let bytes: usize = paths.iter().map(|path| path.as_bytes().len()).sum();
        if paths.len() < MAX_PATHS && bytes < MAX_PATH_BYTES && at + 1 < places.len() {
            continue;
        }
        paths.sort();
        paths.dedup();
        let part = repo.change_as_text(scope, &paths, control)?;
        whole.diff.extend_from_slice(&part.diff);
        whole.problems.extend(part.problems);
        paths.clear();
    }
    Ok(whole)
}

/// The part of a content that tells what it is.
fn probe(mut content: Vec<u8>) -> Vec<u8> {
    content.truncate(PROBE);
    content.shrink_to_fit();
    content
}
