//! The report as SARIF 2.1.0, for code hosts and editors that show findings beside the code.
//!
//! Pure: the same document gives the same bytes. Names of members are those of the standard.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Document, Silenced, Status, escaped_json};
use crate::finding::{Category, Confidence, Finding, Severity, Side};
use crate::rules::page::RulePage;
use crate::rules::{Rule, RuleSet};

/// Where the standard's schema is published.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// The base of all paths: the root of the repository.
const ROOT: &str = "%SRCROOT%";
/// The kind of our fingerprints.
const FINGERPRINT: &str = "foreread/v1";
/// How much of an id names a kind of model finding.
const MODEL: &str = "model/";

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool<'a>,
    automation_details: Automation,
    invocations: [Invocation<'a>; 1],
    column_kind: &'static str,
    results: Vec<SarifResult<'a>>,
    properties: &'a super::Summary,
}

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'a> {
    name: &'static str,
    semantic_version: &'a str,
    information_uri: &'static str,
    rules: Vec<Descriptor>,
}

/// A kind of finding.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    id: String,
    short_description: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<Help>,
    default_configuration: Configuration,
    properties: RuleProperties,
}

/// A rule's page.
#[derive(Serialize)]
struct Help {
    text: String,
    markdown: String,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct RuleProperties {
    tags: Vec<&'static str>,
    precision: &'static str,
    #[serde(rename = "security-severity", skip_serializing_if = "Option::is_none")]
    security_severity: Option<&'static str>,
}

#[derive(Serialize)]
struct Automation {
    id: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation<'a> {
    execution_successful: bool,
    end_time_utc: &'a str,
    tool_execution_notifications: Vec<Notification<'a>>,
}

#[derive(Serialize)]
struct Notification<'a> {
    level: &'static str,
    message: Text,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<Location<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult<'a> {
    rule_id: String,
    rule_index: usize,
    level: &'static str,
    message: Text,
    locations: [Location<'a>; 1],
    partial_fingerprints: BTreeMap<&'static str, &'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<Fix<'a>>,
    /// Empty, and so said to be none, for a finding that counts.
    suppressions: Vec<Suppression<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    properties: Option<ResultProperties<'a>>,
}

#[derive(Serialize)]
struct Suppression<'a> {
    kind: &'static str,
    justification: &'a str,
}

#[derive(Serialize)]
struct ResultProperties<'a> {
    id: &'a str,
    category: Category,
    severity: Severity,
    confidence: Confidence,
    side: Side,
    #[serde(skip_serializing_if = "str::is_empty")]
    suggestion: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location<'a> {
    physical_location: Place<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Place<'a> {
    artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Artifact {
    uri: String,
    uri_base_id: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region<'a> {
    start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<Snippet<'a>>,
}

#[derive(Serialize)]
struct Snippet<'a> {
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Fix<'a> {
    description: Text,
    artifact_changes: [Change<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Change<'a> {
    artifact_location: Artifact,
    replacements: [Replacement<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replacement<'a> {
    deleted_region: Region<'a>,
    inserted_content: Inserted,
}

#[derive(Serialize)]
struct Inserted {
    text: String,
}

#[derive(Serialize)]
struct Text {
    text: String,
}

/// Renders a document, indented, with a final line feed. Characters that could steer a terminal stand
/// as escapes. `rules` describe the kinds of findings; one that is not among them is described by what
/// the finding says.
#[must_use]
pub fn render(document: &Document, rules: &RuleSet) -> String {
    let mut kinds = Vec::new();
    let results = document.findings.iter().map(|finding| result(finding, rules, &mut kinds));
    let mut results: Vec<_> = results.collect();
    results.extend(document.silenced.iter().map(|one| silenced(one, rules, &mut kinds)));
    let Document { summary, meta, .. } = document;
    let notifications = summary.problems.iter().map(|problem| Notification {
        level: "error",
        message: Text { text: problem.message.clone() },
        locations: problem.file.iter().map(|file| location(file, None)).collect(),
    });
    let log = Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: "foreread",
                    semantic_version: &meta.version,
                    information_uri: env!("CARGO_PKG_REPOSITORY"),
                    rules: kinds,
                },
            },
            automation_details: Automation {
                id: format!("foreread/{}/{}", meta.scope, meta.review_id),
            },
            invocations: [Invocation {
                execution_successful: summary.status != Status::Partial,
                end_time_utc: &meta.timestamp,
                tool_execution_notifications: notifications.collect(),
            }],
            column_kind: "utf16CodeUnits",
            results,
            properties: summary,
        }],
    };
    escaped_json(&log)
}

fn result<'a>(
    finding: &'a Finding,
    rules: &RuleSet,
    kinds: &mut Vec<Descriptor>,
) -> SarifResult<'a> {
    let id = match &finding.rule {
        Some(rule) => rule.clone(),
        None => format!("{MODEL}{}", finding.category),
    };
    let rule_index = index(kinds, &id, || {
        let described = Described {
            rule: finding.rule.as_deref(),
            title: &finding.title,
            category: finding.category,
            severity: finding.severity,
            confidence: finding.confidence,
        };
        descriptor(&id, &described, rules)
    });
    let region = Region {
        start_line: finding.line,
        start_column: None,
        end_line: finding.line_end,
        end_column: None,
        snippet: finding.snippet.as_deref().map(|text| Snippet { text }),
    };
    let message = match finding.side {
        Side::New => format!("{}: {}", finding.title, finding.description),
        // The line is counted in the file as it was.
        Side::Old => format!("{} (removed line): {}", finding.title, finding.description),
    };
    SarifResult {
        rule_id: id,
        rule_index,
        level: level(finding.severity),
        message: Text { text: message },
        locations: [location(&finding.file, Some(region))],
        partial_fingerprints: BTreeMap::from([(FINGERPRINT, finding.fingerprint.as_str())]),
        fixes: fix(finding).into_iter().collect(),
        suppressions: Vec::new(),
        properties: Some(ResultProperties {
            id: &finding.id,
            category: finding.category,
            severity: finding.severity,
            confidence: finding.confidence,
            side: finding.side,
            suggestion: &finding.suggestion,
        }),
    }
}

/// A finding that does not count, with what silences it.
fn silenced<'a>(
    one: &'a Silenced,
    rules: &RuleSet,
    kinds: &mut Vec<Descriptor>,
) -> SarifResult<'a> {
    let known = one.rule.as_deref().and_then(|id| rules.get(id));
    let category = known.map_or(Category::Maintainability, Rule::category);
    let id = one.rule.clone().unwrap_or_else(|| format!("{MODEL}{category}"));
    let rule_index = index(kinds, &id, || {
        let finding = Described {
            rule: one.rule.as_deref(),
            title: &one.title,
            category,
            severity: one.severity,
            confidence: known.map_or(Confidence::Medium, Rule::confidence),
        };
        descriptor(&id, &finding, rules)
    });
    let region = Region {
        start_line: one.line,
        start_column: None,
        end_line: None,
        end_column: None,
        snippet: None,
    };
    let suppression = match &one.reason {
        Some(reason) => Suppression { kind: "inSource", justification: reason },
        None => Suppression { kind: "external", justification: "known to the baseline" },
    };
    SarifResult {
        rule_id: id,
        rule_index,
        level: level(one.severity),
        message: Text { text: one.title.clone() },
        locations: [location(&one.file, Some(region))],
        partial_fingerprints: BTreeMap::from([(FINGERPRINT, one.fingerprint.as_str())]),
        fixes: Vec::new(),
        suppressions: vec![suppression],
        properties: None,
    }
}

/// The place of a kind of finding among those that are described, where it is put if it is new.
fn index(kinds: &mut Vec<Descriptor>, id: &str, make: impl FnOnce() -> Descriptor) -> usize {
    kinds.iter().position(|kind| kind.id == id).unwrap_or_else(|| {
        kinds.push(make());
        kinds.len() - 1
    })
}

/// What a kind is described by where no rule does.
struct Described<'a> {
    rule: Option<&'a str>,
    title: &'a str,
    category: Category,
    severity: Severity,
    confidence: Confidence,
}

/// Describes a kind of finding; its level is that of the rule, not of one finding.
fn descriptor(id: &str, finding: &Described<'_>, rules: &RuleSet) -> Descriptor {
    let page = finding.rule.and_then(|id| rules.get(id)).map(RulePage::of);
    let help = page.as_ref().filter(|page| !page.page.is_empty());
    let help = help.map(|page| Help { text: page.page.clone(), markdown: page.page.clone() });
    let rule = page.map(|page| page.summary);
    let (title, category, severity, confidence) = match (rule, finding.rule) {
        (Some(rule), _) => (rule.title, rule.category, rule.severity, rule.confidence),
        (None, Some(_)) => {
            (finding.title.to_owned(), finding.category, finding.severity, finding.confidence)
        }
        (None, None) => {
            let title = format!("{} found by a model", finding.category);
            (title, finding.category, finding.severity, Confidence::Medium)
        }
    };
    let is_security = matches!(category, Category::Security | Category::Secret);
    let mut tags = vec![category.as_str()];
    if category == Category::Secret {
        // What code hosts go by when they show security findings apart.
        tags.push(Category::Security.as_str());
    }
    Descriptor {
        id: id.to_owned(),
        short_description: Text { text: title },
        help,
        default_configuration: Configuration { level: level(severity) },
        properties: RuleProperties {
            tags,
            precision: confidence.as_str(),
            security_severity: is_security.then(|| score(severity)),
        },
    }
}

fn fix(finding: &Finding) -> Option<Fix<'_>> {
    let fix = finding.fix.as_ref()?;
    let region = Region {
        start_line: fix.line,
        start_column: Some(1),
        end_line: Some(fix.line_end.saturating_add(1)),
        end_column: Some(1),
        snippet: None,
    };
    let text =
        if fix.replacement.is_empty() { String::new() } else { format!("{}\n", fix.replacement) };
    let replacement = Replacement { deleted_region: region, inserted_content: Inserted { text } };
    Some(Fix {
        description: Text { text: finding.suggestion.clone() },
        artifact_changes: [Change {
            artifact_location: artifact(&finding.file),
            replacements: [replacement],
        }],
    })
}

fn location<'a>(file: &str, region: Option<Region<'a>>) -> Location<'a> {
    Location { physical_location: Place { artifact_location: artifact(file), region } }
}

/// The path as a relative URI: all but unreserved characters and slashes are percent-encoded.
fn artifact(file: &str) -> Artifact {
    let mut uri = String::new();
    for byte in file.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    Artifact { uri, uri_base_id: ROOT }
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::High => "error",
        Severity::Medium => "warning",
        Severity::Low | Severity::Info => "note",
    }
}

/// A number of the scale from 0 to 10 that code hosts sort security findings by.
const fn score(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "9.5",
        Severity::High => "8.0",
        Severity::Medium => "5.5",
        Severity::Low => "3.0",
        Severity::Info => "0.5",
    }
}
