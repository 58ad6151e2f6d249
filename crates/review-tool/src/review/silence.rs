//! Takes out the findings that a comment or the baseline silences.

use std::collections::HashMap;

use super::Excerpt;
use crate::baseline::Baseline;
use crate::finding::Finding;
use crate::report::Silenced;
use crate::suppression::Directive;

/// Parts findings, which have their fingerprints, from those that do not count. Both keep their order.
pub(super) fn silence(
    findings: Vec<Finding>,
    excerpts: Vec<Excerpt>,
    directives: &HashMap<String, Vec<Directive>>,
    baseline: Option<&Baseline>,
) -> (Vec<(Finding, Excerpt)>, Vec<Silenced>) {
    let mut silenced = Vec::new();
    let mut kept = Vec::new();
    for (finding, excerpt) in findings.into_iter().zip(excerpts) {
        let beside = directives.get(&finding.file).into_iter().flatten();
        let comment = beside.into_iter().find(|directive| directive.silences(&finding));
        let is_known = baseline.is_some_and(|known| known.holds(&finding.fingerprint));
        let reason = match comment {
            Some(directive) => Some(directive.reason.clone()),
            None if is_known => None,
            None => {
                kept.push((finding, excerpt));
                continue;
            }
        };
        silenced.push(Silenced {
            file: finding.file,
            line: finding.line,
            side: finding.side,
            rule: finding.rule,
            severity: finding.severity,
            title: finding.title,
            fingerprint: finding.fingerprint,
            reason,
        });
    }
    (kept, silenced)
}
