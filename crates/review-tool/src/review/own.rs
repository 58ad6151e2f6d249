//! The rules of the repository's users, as they count for a review.

use crate::control::Control;
use crate::diff::Problem;
use crate::error::ReviewError;
use crate::repo::{Place, Repo, Sought};
use crate::request::{ReviewRequest, Scope};
use crate::rules::{RuleSet, own};

/// Reads them: of a range or a commit from before the change, so that a change cannot rid itself of a
/// rule. What cannot be used is a problem.
pub(super) fn of_change(
    request: &ReviewRequest,
    base: Option<&str>,
    embedded: &RuleSet,
    repo: &dyn Repo,
    control: &dyn Control,
) -> Result<(RuleSet, Vec<Problem>), ReviewError> {
    let place = match (&request.scope, base) {
        _ if request.no_rules => None,
        (Scope::Revisions(_) | Scope::Commit(_), base) => {
            base.map(|base| Place::Tree(base.to_owned()))
        }
        (Scope::Staged, _) => Some(Place::Index),
        _ => Some(Place::WorkTree),
    };
    let Some(place) = place else { return Ok((RuleSet::new(Vec::new()), Vec::new())) };
    // A rule without this word is none.
    let words = ["rule".to_owned()];
    let places = [format!(":(top,literal){}", own::FOLDER)];
    let found = repo.search(&place, Sought { words: &words, places: &places }, control)?;
    let mut problems = Vec::new();
    let mut files = Vec::new();
    for file in &found {
        let path = file.path.display().into_owned();
        if !own::is_rule_file(&path) {
            continue;
        }
        let fits = file.content.len() as u64 <= own::MAX_FILE;
        match std::str::from_utf8(&file.content) {
            Ok(text) if fits => files.push((path, text)),
            Ok(_) => problems.push(Problem::of_file(
                path,
                format!("rules of more than {} bytes are not read", own::MAX_FILE),
            )),
            Err(_) => problems.push(Problem::of_file(path, "the rules are not UTF-8")),
        }
    }
    let (rules, faults) = own::read(files.iter().map(|(path, text)| (&**path, *text)), embedded);
    problems.extend(faults.into_iter().map(|(path, why)| {
        Problem::of_file(path, format!("the rules of this file cannot be used: {why}"))
    }));
    Ok((rules, problems))
}
