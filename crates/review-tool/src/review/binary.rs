//! Files that git calls binary though their content is text.
//!
//! An attribute can mark any file as binary, and so can one zero byte in a comment; both come with the
//! change. So a file in a language that the reviewer reads is read again as text whatever it holds, and
//! any other file that holds no zero byte. What cannot be read so is a problem, not a skipped file.

use crate::content::{self, Kind, PROBE};
use crate::control::Control;
use crate::diff::{Body, FileChange, Problem, RepoPath, Status};
use crate::error::ReviewError;
use crate::repo::{Change, Repo};
use crate::request::Scope;

/// A content beyond this many bytes is not probed.
const MAX_PROBED: u64 = 64 << 20;
/// A file of the work tree that looks binary is tried as text up to this many bytes.
const MAX_TRIED: usize = 1 << 20;
/// At most about this many paths are asked for at once, with about this many bytes.
const MAX_PATHS: usize = 500;
const MAX_PATH_BYTES: usize = 64 << 10;

/// A file that git calls binary and that is to be read as text.
pub(super) struct Suspect {
    /// Its place among the files.
    pub(super) at: usize,
    /// Whether its content was seen to be text, so that it is whatever the diff of it holds.
    pub(super) is_sure: bool,
    /// What to say if it turns out to be no text after all; `None` where that is no fault.
    pub(super) otherwise: Option<&'static str>,
}

const UNKNOWN: &str =
    "git calls the file binary and its content cannot be looked at; it was not reviewed";
const UTF16: &str = "the file is UTF-16, which was not reviewed: store it as UTF-8";

/// The binary files that hold text, or may. With `in_work_tree`, new content that the
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
) -> Result<Vec<Suspect>, ReviewError> {
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
        let is_stored = stored.is_some();
        let content = stored.or_else(|| {
            let path = file.new_path.as_ref().filter(|_| in_work_tree)?;
            repo.work_file(path, MAX_PROBED)
        });
        let Some(content) = content else {
            problems.push(Problem::of_file(file.path(), UNKNOWN));
            continue;
        };
        // The work tree may have another encoding than git compares.
        let is_unsure = !is_stored && content.len() <= MAX_TRIED && content::is_wide(&content);
        let kind = content::kind(file.language(), &content);
        let otherwise = match kind {
            Kind::Text => Some(super::reading::HIDDEN),
            Kind::Binary if is_unsure => None,
            Kind::Utf16 if is_unsure => Some(UTF16),
            Kind::Binary => continue,
            Kind::Utf16 => {
                problems.push(Problem::of_file(file.path(), UTF16));
                continue;
            }
        };
        hold_text.push(Suspect { at, is_sure: kind == Kind::Text, otherwise });
    }
    Ok(hold_text)
}

/// The diff of the suspects with their content taken for text.
///
/// Asked for in portions, since a system bounds the arguments of a program. What moved is asked for by
/// itself: beside other files git could find another origin for it.
///
/// # Errors
/// [`ReviewError`] where git fails or the caller cancels.
pub(super) fn as_text(
    files: &[FileChange<'_>],
    suspects: &[Suspect],
    scope: &Scope,
    repo: &dyn Repo,
    control: &dyn Control,
) -> Result<Change, ReviewError> {
    let is_moved = |file: &FileChange<'_>| matches!(file.status, Status::Renamed | Status::Copied);
    let (moved, staying): (Vec<_>, Vec<_>) =
        suspects.iter().map(|suspect| &files[suspect.at]).partition(|file| is_moved(file));
    let paths = |file: &FileChange<'_>| -> Vec<RepoPath> {
        [&file.old_path, &file.new_path].into_iter().flatten().cloned().collect()
    };
    let mut whole = Change::default();
    let mut ask = |paths: &[RepoPath], moved| -> Result<(), ReviewError> {
        let part = repo.change_as_text(scope, paths, moved, control)?;
        whole.diff.extend_from_slice(&part.diff);
        whole.problems.extend(part.problems);
        Ok(())
    };
    let mut portion: Vec<RepoPath> = Vec::new();
    let mut bytes = 0;
    for file in staying {
        let more = paths(file);
        bytes += more.iter().map(|path| path.as_bytes().len()).sum::<usize>();
        portion.extend(more);
        if portion.len() >= MAX_PATHS || bytes >= MAX_PATH_BYTES {
            ask(&portion, false)?;
            (portion, bytes) = (Vec::new(), 0);
        }
    }
    if !portion.is_empty() {
        ask(&portion, false)?;
    }
    for file in moved {
        ask(&paths(file), true)?;
    }
    Ok(whole)
}

/// The part of a content that tells what it is.
fn probe(mut content: Vec<u8>) -> Vec<u8> {
    content.truncate(PROBE);
    content.shrink_to_fit();
    content
}
