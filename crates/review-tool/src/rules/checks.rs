//! The register of checks: the rules that are code rather than a pattern.

use super::lost::{access, condition, guard, lock, operand, release};
use super::{
    Check, assertion_removed, copied, dockerfile, js_floating_promise, manifest,
    merge_conflict_marker, secret_env_file, secret_high_entropy_assignment,
    secret_known_credential, secret_private_key_file, suppression_without_effect, test_removed,
    workflow,
};

/// Every check, ordered by the id of its rule.
static CHECKS: &[(&str, Check)] = &[
    ("access-check-removed", access::check),
    ("assertion-removed", assertion_removed::check),
    ("await-removed", lock::waits),
    ("check-removed", guard::values),
    ("comparison-loosened", condition::comparisons),
    ("condition-loosened", condition::loosened),
    ("copied-name-unchanged", copied::check),
    ("dependency-from-elsewhere", manifest::from_elsewhere),
    ("dependency-lowered", manifest::lowered),
    ("dependency-unpinned", manifest::unpinned),
    ("docker-image-unpinned", dockerfile::unpinned),
    ("docker-root-user", dockerfile::root_user),
    ("error-check-removed", operand::failures),
    ("exit-removed", condition::exits),
    ("js-floating-promise", js_floating_promise::check),
    ("limit-removed", operand::limits),
    ("lock-removed", lock::locks),
    ("merge-conflict-marker", merge_conflict_marker::check),
    ("protection-switched-off", operand::protections),
    ("release-removed", release::check),
    ("sanitizer-removed", operand::sanitizers),
    ("secret-env-file", secret_env_file::check),
    ("secret-high-entropy-assignment", secret_high_entropy_assignment::check),
    ("secret-known-credential", secret_known_credential::check),
    ("secret-private-key-file", secret_private_key_file::check),
    ("suppression-without-effect", suppression_without_effect::check),
    ("switch-break-removed", condition::breaks),
    ("test-removed", test_removed::check),
    ("transaction-removed", lock::transactions),
    ("workflow-action-unpinned", workflow::unpinned),
    ("workflow-permissions-widened", workflow::widened),
    ("workflow-runs-foreign-code", workflow::foreign_code),
    ("workflow-script-injection", workflow::script_injection),
];

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
