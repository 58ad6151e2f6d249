//! Comments that are meant to silence a finding, and silence nothing.

use super::{Hit, RuleSet};
use crate::suppression::written;
use crate::view::FileView;

/// The check of `suppression-without-effect`.
pub(super) fn check(view: &FileView) -> Vec<Hit> {
    let side = view.new_side();
    let added = written(view).into_iter().filter(|one| side.is_changed(one.line));
    let is_embedded = |id: &str| RuleSet::embedded().get(id).is_some();
    let faulty = added.filter_map(|one| Some((one.line, one.fault(&is_embedded)?)));
    faulty
        .map(|(line, fault)| {
            Hit::added(line).message(format!("The comment silences nothing: {fault}."))
        })
        .collect()
}
