//! A model's findings beside those of the rules and of other answers: each fault once.

use super::Placed;
use crate::finding::{Finding, Severity};
use crate::numbered::Change;

/// Findings of a model that nobody else has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Merged {
    /// The findings, in their order.
    pub placed: Vec<Placed>,
    /// How many said what a rule had said.
    pub known: usize,
    /// How many said what another answer had said.
    pub repeated: usize,
}

/// Leaves out what the rules have `found` and what is said twice.
///
/// A rule's finding stands for a model's on the same lines and of the same category, unless the model's
/// is more severe: what fails a gate is not left out for something milder. Of two of a model's
/// on one line, with one category and one title, the more severe stays.
#[must_use]
pub fn merge(placed: Vec<Placed>, found: &[Finding], change: &Change) -> Merged {
    let mut merged = Merged::default();
    for one in placed {
        let path = &change.files[one.file].path;
        if found.iter().any(|finding| finding.file == *path && is_same(finding, &one)) {
            merged.known += 1;
            continue;
        }
        let said = merged.placed.iter_mut().find(|other| {
            (other.file, other.side, other.line) == (one.file, one.side, one.line)
                && other.claim.category == one.claim.category
                && other.claim.title.eq_ignore_ascii_case(&one.claim.title)
        });
        match said {
            Some(other) => {
                let worst: Severity = other.claim.severity.min(one.claim.severity);
                other.claim.severity = worst;
                merged.repeated += 1;
            }
            None => merged.placed.push(one),
        }
    }
    merged
}

/// Whether a rule's finding and a model's name the same fault: their lines meet, or are neighbours.
fn is_same(finding: &Finding, placed: &Placed) -> bool {
    let last = finding.line_end.unwrap_or(finding.line).saturating_add(1);
    let first = finding.line.saturating_sub(1);
    finding.side == placed.side
        && finding.severity.reaches(placed.claim.severity)
        && finding.category == placed.claim.category
        && placed.line <= last
        && placed.line_end.unwrap_or(placed.line) >= first
}
