//! Files that git calls binary though their content is text.
//!
//! An attribute can mark any file as binary, and attributes come with the change. What holds no zero
//! byte is read again as text, so that one line in `.gitattributes` cannot keep code from review.

use super::cancelled;
use crate::control::Control;
use crate::diff::{Body, FileChange, Problem, RepoPath};
use crate::error::ReviewError;
use crate::repo::{Change, Repo};
use crate::request::Scope;

/// git looks for a zero byte in this much of a content.
const PROBE: usize = 8000;
/// A content beyond this many bytes is not probed.
const MAX_PROBED: u64 = 64 << 20;

/// The diff, as text, of those files among the binary ones that hold text.
///
/// # Errors
/// [`ReviewError`] where git fails or the caller cancels.
pub(super) fn diff_as_text(
    files: &[FileChange<'_>],
    scope: &Scope,
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
    let mut ids = Vec::new();
    let mut owner = Vec::new();
    for (at, file) in suspects.iter().enumerate() {
        for id in [&file.old_id, &file.new_id].into_iter().flatten() {
            if id.bytes().any(|byte| byte != b'0') {
                ids.push(id.clone());
                owner.push(at);
            }
        }
    }
    let mut looks_binary = vec![false; suspects.len()];
    let mut seen = vec![false; suspects.len()];
    repo.contents(&ids, MAX_PROBED, control, &mut |at, content| {
        if let Some(content) = content {
            seen[owner[at]] = true;
            looks_binary[owner[at]] |= has_zero(&content);
        }
        true
    })
    .map_err(cancelled)?;
    let mut paths: Vec<RepoPath> = Vec::new();
    for (at, file) in suspects.iter().enumerate() {
        // The new content of a changed work tree is stored nowhere else.
        if let Some(path) = &file.new_path
            && let Some(content) = repo.work_file(path, MAX_PROBED)
        {
            seen[at] = true;
            looks_binary[at] |= has_zero(&content);
        }
        if !seen[at] {
            problems.push(Problem::of_file(
                file.path(),
                "git calls the file binary and its content cannot be looked at; it was not reviewed",
            ));
        } else if !looks_binary[at] {
            paths.extend(file.old_path.iter().cloned());
            paths.extend(file.new_path.iter().cloned());
        }
    }
    if paths.is_empty() {
        return Ok(Change::default());
    }
    paths.sort();
    paths.dedup();
    repo.change_as_text(scope, &paths, control).map_err(cancelled)
}

fn has_zero(content: &[u8]) -> bool {
    content[..content.len().min(PROBE)].contains(&0)
}
