//! The change that a request names, read whole: git's diff, and as text what only attributes call binary.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use super::binary::{self, Suspect};
use crate::content::PROBE;
use crate::control::Control;
use crate::diff::{self, Body, FileChange, Problem, RepoPath};
use crate::error::ReviewError;
use crate::repo::{Change, Repo};
use crate::request::{ReviewRequest, Scope};

/// A change as read, before any rule sees it. Holds the diff; [`Reading::files`] borrows from it.
pub struct Reading<'r> {
    scope: &'r Scope,
    text: Cow<'r, [u8]>,
    /// The diff, as text, of files that git calls binary; filled when the files are asked for.
    as_text: OnceCell<Change>,
    /// The object name of the old side, where it has one.
    pub base: Option<String>,
    /// The object name of the new side, where it has one.
    pub head: Option<String>,
    problems: Vec<Problem>,
}

impl<'r> Reading<'r> {
    /// Reads the change of `request`.
    ///
    /// # Errors
    /// [`ReviewError`] where the change cannot be read or the caller cancels.
    pub fn open(
        request: &'r ReviewRequest,
        repo: &dyn Repo,
        control: &dyn Control,
    ) -> Result<Self, ReviewError> {
        let scope = &request.scope;
        if let Scope::Patch(text) = scope {
            if !request.paths.is_empty() {
                return Err(ReviewError::PathsWithPatch);
            }
            let text = Cow::Borrowed(text.as_slice());
            return Ok(Self::new(scope, text, Change::default()));
        }
        let mut change = repo.change(scope, &request.paths, control)?;
        let text = Cow::Owned(std::mem::take(&mut change.diff));
        Ok(Self::new(scope, text, change))
    }

    fn new(scope: &'r Scope, text: Cow<'r, [u8]>, change: Change) -> Self {
        let Change { base, head, problems, .. } = change;
        Self { scope, text, as_text: OnceCell::new(), base, head, problems }
    }

    /// Whether the change was given as text, so that no object of the repository need belong to it.
    #[must_use]
    pub fn is_patch(&self) -> bool {
        matches!(self.scope, Scope::Patch(_))
    }

    /// The changed files in the order of the diff, and what could not be read. A file that git calls
    /// binary though its content is text comes with its hunks.
    ///
    /// # Errors
    /// [`ReviewError`] where git fails, the caller cancels, or the text is no diff at all.
    pub fn files(
        &self,
        repo: &dyn Repo,
        control: &dyn Control,
    ) -> Result<(Vec<FileChange<'_>>, Vec<Problem>), ReviewError> {
        let (set, mut problems) = diff::parse(&self.text);
        let mut files = set.files;
        problems.extend(self.problems.iter().cloned());
        let is_blank = || self.text.iter().all(u8::is_ascii_whitespace);
        if files.is_empty() && problems.is_empty() && !is_blank() {
            return Err(ReviewError::NotADiff);
        }
        let mut hidden = HashMap::new();
        if !self.is_patch() {
            let in_work_tree = self.head.is_none() && *self.scope != Scope::Staged;
            let suspects =
                binary::that_hold_text(&files, in_work_tree, repo, control, &mut problems)?;
            let change = binary::as_text(&files, &suspects, self.scope, repo, control)?;
            let change = self.as_text.get_or_init(|| change);
            let (text, more) = diff::parse(&change.diff);
            problems.extend(more);
            problems.extend(change.problems.iter().cloned());
            let mut shown: HashMap<Paths, FileChange<'_>> =
                text.files.into_iter().map(|file| (paths(&file), file)).collect();
            for Suspect { at, is_sure, otherwise } in suspects {
                let file = shown
                    .remove(&paths(&files[at]))
                    .filter(|file| file.body != Body::Binary && (is_sure || is_text(file)));
                match (file, otherwise) {
                    (Some(file), _) => files[at] = file,
                    (None, Some(message)) => drop(hidden.insert(at, message)),
                    (None, None) => {}
                }
            }
        }
        let known: HashSet<String> = problems.iter().filter_map(|p| p.file.clone()).collect();
        for (at, file) in files.iter().enumerate() {
            let is_code = file.body == Body::Binary && file.language().is_some();
            let message = hidden.get(&at).copied().or(is_code.then_some(HIDDEN));
            if let Some(message) = message.filter(|_| !known.contains(&*file.path())) {
                problems.push(Problem::of_file(file.path(), message));
            }
        }
        Ok((files, problems))
    }
}

/// What is said of content that is text and was not shown as such.
pub(super) const HIDDEN: &str =
    "the change has the file as binary, so its content was not reviewed";

/// Whether a file that was taken for text is some: it has no zero byte where git looks for one.
fn is_text(file: &FileChange<'_>) -> bool {
    let mut left = PROBE;
    let lines = file.hunks().iter().flat_map(|hunk| &hunk.lines);
    let mut probed = lines.take_while(|line| {
        let goes_on = left > 0;
        left = left.saturating_sub(line.text.len() + 1);
        goes_on
    });
    !probed.any(|line| line.text.contains(&0))
}

type Paths = (Option<RepoPath>, Option<RepoPath>);

fn paths(file: &FileChange<'_>) -> Paths {
    (file.old_path.clone(), file.new_path.clone())
}
