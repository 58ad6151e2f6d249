//! The review document: what every front end shows and every consumer reads.
//!
//! Its JSON Schema is `schema/review.schema.json`; a test holds the file to these types. Members are
//! only ever added.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::{Finding, Severity, Side};
use crate::printable::push_json;

pub mod github;
pub mod markdown;
pub mod rdjson;
pub mod sarif;
mod since;
pub mod text;

pub use since::Since;

/// The JSON Schema of [`Document`], as published.
pub const SCHEMA: &str = include_str!("../schema/review.schema.json");

/// The version of the document's shape.
pub const SCHEMA_VERSION: u32 = 1;

/// A whole review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Document {
    /// The version of the document's shape: 1.
    pub schema: u32,
    /// Free text from a model; empty without one.
    pub content: String,
    /// The findings, sorted by severity, file and line.
    pub findings: Vec<Finding>,
    /// What was reviewed and the verdict.
    pub summary: Summary,
    /// How the review was made.
    pub meta: Meta,
    /// How the findings compare with those of an earlier review; only where one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Since>,
    /// The findings that a comment or the baseline silences, in the order of findings. They are none of
    /// `findings`, and fail no gate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silenced: Vec<Silenced>,
}

/// A finding that is known and does not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Silenced {
    /// The file.
    pub file: String,
    /// The line, on `side`.
    pub line: u32,
    /// The side on which the line stands.
    pub side: Side,
    /// The rule; null for a model's.
    pub rule: Option<String>,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub title: String,
    /// The fingerprint.
    pub fingerprint: String,
    /// The reason that the comment beside the code gives; null where the baseline silences it.
    pub reason: Option<String>,
}

/// How far a review came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Everything reviewable was reviewed.
    Complete,
    /// Something was left unreviewed that should not have been; `problems` says what.
    Partial,
    /// The change holds nothing to review.
    NothingToReview,
}

/// What was reviewed and the verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// How far the review came.
    pub status: Status,
    /// How many findings are listed, for each severity.
    pub counts: Counts,
    /// The verdict.
    pub gate: Gate,
    /// Which files were reviewed, and which were not.
    pub files: Files,
    /// The summary as one line.
    pub text: String,
    /// What went wrong and what it left unreviewed.
    pub problems: Vec<Problem>,
    /// How many findings are milder than `min_severity` and so not listed; the gate counts them.
    pub hidden: u64,
    /// The fingerprints of the findings that are not listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unlisted: Vec<String>,
}

/// A number for each severity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Findings of severity critical.
    pub critical: u64,
    /// Findings of severity high.
    pub high: u64,
    /// Findings of severity medium.
    pub medium: u64,
    /// Findings of severity low.
    pub low: u64,
    /// Findings of severity info.
    pub info: u64,
}

impl Counts {
    /// Counts findings.
    #[must_use]
    pub fn of(findings: &[Finding]) -> Self {
        let mut counts = Self::default();
        for finding in findings {
            *match finding.severity {
                Severity::Critical => &mut counts.critical,
                Severity::High => &mut counts.high,
                Severity::Medium => &mut counts.medium,
                Severity::Low => &mut counts.low,
                Severity::Info => &mut counts.info,
            } += 1;
        }
        counts
    }

    /// The number for one severity.
    #[must_use]
    pub const fn get(&self, severity: Severity) -> u64 {
        match severity {
            Severity::Critical => self.critical,
            Severity::High => self.high,
            Severity::Medium => self.medium,
            Severity::Low => self.low,
            Severity::Info => self.info,
        }
    }

    /// The number over all severities.
    #[must_use]
    pub fn total(&self) -> u64 {
        Severity::ALL.iter().map(|&severity| self.get(severity)).sum()
    }
}

/// The verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Gate {
    /// The mildest severity that fails the gate; null where no finding does.
    pub fail_on: Option<Severity>,
    /// Whether the gate passed: no finding at or above `fail_on`, no budget of a policy broken, and nothing
    /// left unreviewed.
    pub passed: bool,
    /// Why it failed, or which waivers of a policy count no more; a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
}

/// Which files were reviewed, and which were not. Both are ordered by path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Files {
    /// The files that were reviewed.
    pub reviewed: Vec<String>,
    /// The files that were not, with the reason.
    pub skipped: Vec<Skipped>,
}

/// A file that was not reviewed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Skipped {
    /// The file's path.
    pub file: String,
    /// Why it was left out.
    pub reason: String,
}

/// Something that could not be read or reviewed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// The file concerned; null for the review as a whole.
    pub file: Option<String>,
    /// What went wrong and what it left unreviewed.
    pub message: String,
}

/// How the review was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Meta {
    /// Who reviewed: `embedded`, or the name of a configured provider.
    pub provider: String,
    /// The model; `rules` for the embedded reviewer.
    pub model: String,
    /// The language of the texts, as a BCP 47 tag.
    pub lang: String,
    /// What a model read and wrote.
    pub usage: Usage,
    /// What it cost, in US dollars.
    pub cost_usd: f64,
    /// Wall time of the review in milliseconds.
    pub latency_ms: u64,
    /// Whether a stored answer was used.
    pub cached: bool,
    /// When the review ended, RFC 3339 in UTC.
    pub timestamp: String,
    /// The version of foreread.
    pub version: String,
    /// Names this review.
    pub review_id: String,
    /// The scope: `staged`, `unstaged`, `all`, `range`, `commit` or `diff`.
    pub scope: String,
    /// The object name of the old side; null where it has none.
    pub base: Option<String>,
    /// The object name of the new side; null where it has none.
    pub head: Option<String>,
    /// How many findings the baseline silences; only where some are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baselined: Option<u64>,
    /// How many findings comments in the code silence; only where some are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<u64>,
    /// The rules that the repository's settings switch off or judge otherwise; only where there are some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tuned_rules: Vec<String>,
    /// How a model's findings were held against the change; only with a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claims: Option<Claims>,
    /// The tools that a model called, in order; only with a model that did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
}

/// How a model's findings were held against the change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Claims {
    /// How many findings the model stated.
    pub made: u64,
    /// Of them, how many were put on another line, by the code that they quote.
    pub moved: u64,
    /// How many were dropped, since they point at nothing that the change shows.
    pub dropped: u64,
    /// How many said what a rule or another part of the answer had said.
    pub merged: u64,
    /// How many the model itself refuted at a second look.
    pub refuted: u64,
    /// Why findings were dropped, with the nearest line that they could point at; the first few.
    pub notes: Vec<String>,
    /// Tools that were not offered: their names are not taken by providers, or there was no room.
    pub tools_left_out: Vec<String>,
}

/// One call of a tool by a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCall {
    /// The tool; that of a server as `server__tool`.
    pub tool: String,
    /// The arguments as JSON, credentials masked, cut after some hundred bytes.
    pub arguments: String,
    /// Whether the call failed.
    pub failed: bool,
    /// How many bytes it returned.
    pub bytes: u64,
    /// Whether the model was shown less than that.
    pub cut: bool,
}

impl Eq for Meta {}

/// Tokens read and written by a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Of those read, how many came from the provider's cache.
    pub cached_input_tokens: u64,
}

/// What only the caller knows of a review: which one it is, when, and by which version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Names the review.
    pub review_id: String,
    /// When it ended, RFC 3339 in UTC.
    pub timestamp: String,
    /// The version of foreread.
    pub version: String,
    /// Wall time in milliseconds.
    pub latency_ms: u64,
}

impl Document {
    /// Puts the caller's part into the document.
    pub fn stamp(&mut self, stamp: Stamp) {
        self.meta.review_id = stamp.review_id;
        self.meta.timestamp = stamp.timestamp;
        self.meta.version = stamp.version;
        self.meta.latency_ms = stamp.latency_ms;
    }

    /// Leaves out the findings milder than `least`, which then count as hidden. The verdict stays.
    pub fn hide_below(&mut self, least: Severity) {
        let listed = self.findings.partition_point(|finding| finding.severity.reaches(least));
        self.summary.hidden += (self.findings.len() - listed) as u64;
        let hidden = self.findings.drain(listed..).map(|finding| finding.fingerprint);
        self.summary.unlisted.splice(0..0, hidden);
        self.summary.counts = Counts::of(&self.findings);
    }

    /// The document as JSON, indented, with a final line feed. Characters that could steer a terminal
    /// stand as escapes.
    #[must_use]
    pub fn to_json(&self) -> String {
        escaped_json(self)
    }
}

/// A value as JSON, indented, with a final line feed. Characters that could steer a terminal stand as
/// escapes.
pub(crate) fn escaped_json(value: &impl Serialize) -> String {
    // What is shown here has string keys and finite numbers only, which serialise without fail.
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    let mut out = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        // The line feeds that are left are those of the indentation; strings hold theirs escaped.
        if c == '\n' { out.push(c) } else { push_json(&mut out, c) }
    }
    out.push('\n');
    out
}

/// The one-line summary.
#[must_use]
pub(crate) fn summary_text(
    status: Status,
    all: &[Finding],
    hidden: u64,
    gate: &Gate,
    files: &Files,
    silenced: usize,
    problems: usize,
) -> String {
    if status == Status::NothingToReview {
        return match files.skipped.len() {
            0 => "nothing to review".to_owned(),
            count => format!("nothing to review: {} skipped", plural(count as u64, "file")),
        };
    }
    let counts = Counts::of(all);
    let listed: Vec<String> = Severity::ALL
        .iter()
        .filter(|&&severity| counts.get(severity) > 0)
        .map(|&severity| format!("{} {severity}", counts.get(severity)))
        .collect();
    let mut text = match listed.len() {
        0 => "no findings".to_owned(),
        _ => format!("{}: {}", plural(counts.total(), "finding"), listed.join(", ")),
    };
    if hidden > 0 {
        text.push_str(&format!(" ({hidden} below the listed severity)"));
    }
    if silenced > 0 {
        text.push_str(&format!(" ({silenced} silenced)"));
    }
    text.push_str(&format!(" in {} reviewed", plural(files.reviewed.len() as u64, "file")));
    if !files.skipped.is_empty() {
        text.push_str(&format!(", {} skipped", files.skipped.len()));
    }
    if status == Status::Partial {
        text.push_str(&format!("; review incomplete: {}", plural(problems as u64, "problem")));
    }
    text.push_str(match (gate.passed, gate.fail_on) {
        (true, Some(_)) => "; gate passed",
        (true, None) => "",
        (false, _) => "; gate failed",
    });
    text
}

pub(crate) fn plural(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
