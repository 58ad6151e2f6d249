//! Asks the rest of the repository what rules want to know of it, in one search for each kind of file.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::finish::Candidate;
use crate::control::Control;
use crate::diff::Problem;
use crate::error::ReviewError;
use crate::repo::{Place, Repo, RepoError, Sought};
use crate::rules::across::{Question, Text};

/// At most so many words are searched for: more names than this change when code is rebuilt.
const MAX_WORDS: usize = 60;

/// A finding that stands if an answer says so.
pub(super) struct Asked {
    pub(super) candidate: Candidate,
    pub(super) question: Question,
}

/// The files as a patch leaves them, by path: `None` where its text is not known, or it is gone. Empty
/// for a change of the repository itself, whose state can be read.
pub(super) type Patched = HashMap<String, Option<String>>;

/// The findings that the files of `place` bear out.
///
/// # Errors
/// [`ReviewError::Cancelled`]. A search that fails is a problem.
pub(super) fn answered(
    asked: Vec<Asked>,
    patched: &Patched,
    place: &Place,
    repo: &(dyn Repo + Sync),
    control: &dyn Control,
) -> Result<(Vec<Candidate>, Vec<Problem>), ReviewError> {
    let mut groups: BTreeMap<Vec<String>, Vec<Asked>> = BTreeMap::new();
    for one in asked {
        groups.entry(one.question.places().to_vec()).or_default().push(one);
    }
    let mut out = Vec::new();
    let mut problems = Vec::new();
    for (places, group) in groups {
        let mut words: Vec<String> =
            group.iter().flat_map(|one| one.question.words()).cloned().collect();
        words.sort();
        words.dedup();
        words.truncate(MAX_WORDS);
        let found = match repo.search(place, Sought { words: &words, places: &places }, control) {
            Ok(found) => found,
            Err(RepoError::Cancelled) => return Err(ReviewError::Cancelled),
            Err(error) => {
                let what = "the rest of the repository was not searched for what the change breaks";
                problems.push(Problem::general(format!("{what}: {error}")));
                continue;
            }
        };
        let found = found.into_iter().map(|file| Text {
            path: file.path.display().into_owned(),
            content: String::from_utf8_lossy(&file.content).into_owned(),
        });
        let mut files: Vec<Text> = found.filter(|file| !patched.contains_key(&file.path)).collect();
        let patched = patched.iter().filter_map(|(path, content)| {
            Some(Text { path: path.clone(), content: content.clone()? })
        });
        files.extend(patched);
        files.sort_by(|a, b| a.path.cmp(&b.path));
        for one in group {
            if control.cancelled() {
                return Err(ReviewError::Cancelled);
            }
            let is_searched = one.question.words().iter().all(|word| words.contains(word));
            if let Some(message) = one.question.answer(&files).filter(|_| is_searched) {
                out.push(one.candidate.described(&message));
            }
        }
    }
    let mut told = HashSet::new();
    out.retain(|candidate: &Candidate| {
        let finding = candidate.finding();
        told.insert((finding.rule.clone(), finding.file.clone(), finding.side, finding.line))
    });
    Ok((out, problems))
}
