//! The register of checks: the rules that are code rather than a pattern.

use super::{Check, js_floating_promise};

/// Every check, ordered by the id of its rule.
static CHECKS: &[(&str, Check)] = &[("js-floating-promise", js_floating_promise::check)];

/// The check of that name.
pub(super) fn find(name: &str) -> Option<Check> {
    CHECKS.binary_search_by(|(id, _)| (*id).cmp(name)).ok().map(|at| CHECKS[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_ordered_by_name() {
        assert!(CHECKS.is_sorted_by_key(|(id, _)| id));
    }
}
