//! What the user's settings say of every review, whoever asks for it.

use review_tool::baseline::Baseline;
use review_tool::diff::RepoPath;
use review_tool::request::ReviewRequest;
use review_tool::rules::RuleSet;
use review_tool::tuning::Tuning;

use crate::exit::Usage;
use crate::settings::Settings;

/// Sets it.
///
/// # Errors
/// Settings that cannot be used.
pub(crate) fn prepare(settings: &Settings, request: &mut ReviewRequest) -> anyhow::Result<()> {
    let (review, rules) = (settings.review()?, settings.rules()?);
    if let Some(threshold) = review.fail_on {
        request.fail_on = threshold.0;
    }
    request.min_severity = review.min_severity.unwrap_or(request.min_severity);
    let tuning = Tuning { ignore: review.ignore, disable: rules.disable, severity: rules.severity };
    tuning.check(RuleSet::embedded()).map_err(|why| Usage(format!("the settings: {why}")))?;
    request.tuning = tuning;
    let kept = review.baseline.map(|path| Baseline::Kept(RepoPath::new(path.into_bytes())));
    request.baseline = kept;
    Ok(())
}
