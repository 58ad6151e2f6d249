//! What a rule says of itself to whoever asks.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Rule, RuleSet, page};
use crate::finding::{Category, Confidence, Severity};
use crate::nearest::nearest;

/// One rule in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RuleSummary {
    /// Names the rule, in findings too.
    pub id: String,
    /// A few words.
    pub title: String,
    /// What kind of fault it reports.
    pub category: Category,
    /// How bad what it reports is, unless a finding says otherwise.
    pub severity: Severity,
    /// How sure it is.
    pub confidence: Confidence,
    /// The languages it reads; none for a rule that reads every file.
    pub languages: Vec<String>,
}

impl RuleSummary {
    /// Sums a rule up.
    #[must_use]
    pub fn of(rule: &Rule) -> Self {
        Self {
            id: rule.id().to_owned(),
            title: rule.file.title.clone(),
            category: rule.category(),
            severity: rule.severity(),
            confidence: rule.confidence(),
            languages: rule.file.languages.iter().map(|one| one.as_str().to_owned()).collect(),
        }
    }
}

/// One rule with its page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RulePage {
    /// What a list says of it.
    #[serde(flatten)]
    pub summary: RuleSummary,
    /// The page, as Markdown.
    pub page: String,
}

impl RulePage {
    /// Reads the page of a rule.
    #[must_use]
    pub fn of(rule: &Rule) -> Self {
        let embedded = page(rule.id()).filter(|_| rule.file.page.is_empty());
        let page = embedded.unwrap_or_else(|| rule.file.page.clone()).trim_end().to_owned();
        Self { summary: RuleSummary::of(rule), page }
    }

    /// The page with its head, as Markdown with a final line feed.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let RuleSummary { id, title, category, severity, confidence, .. } = &self.summary;
        format!(
            "# {id}: {title}\n\n{category}, severity {severity}, confidence {confidence}\n\n{}\n",
            self.page
        )
    }
}

impl RuleSet {
    /// What to say where there is no rule of that id: the nearest one, if any is near.
    #[must_use]
    pub fn unknown(&self, id: &str) -> String {
        let hint = nearest(id, self.rules().iter().map(Rule::id))
            .map(|near| format!("did you mean {near:?}?"))
            .unwrap_or_else(|| "foreread rules list names them all".to_owned());
        format!("there is no rule {id:?}; {hint}")
    }
}
