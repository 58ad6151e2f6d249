//! The report as workflow commands of GitHub Actions, which shows them beside the code.
//!
//! Pure: the same document gives the same bytes. A text of the change or of a model ends neither its
//! command nor one of its properties; the form and its escapes are those of GitHub's documentation,
//! "Workflow commands for GitHub Actions".

use std::fmt::Write as _;

use super::{Document, Status};
use crate::finding::{Finding, Severity, Side};
use crate::printable::printable;

/// Renders a document: a command for each finding and each problem, then the summary, a line each.
#[must_use]
pub fn render(document: &Document) -> String {
    let Document { findings, summary, .. } = document;
    let mut out = String::new();
    for problem in &summary.problems {
        let place = problem.file.as_deref().map(|file| ("file", file.to_owned()));
        let properties: Vec<_> =
            place.into_iter().chain([("title", "not reviewed".into())]).collect();
        command(&mut out, "error", &properties, &problem.message);
    }
    for finding in findings {
        command(&mut out, level(finding.severity), &properties(finding), &message(finding));
    }
    let level = match (summary.status, summary.gate.passed) {
        (Status::Partial, _) | (_, false) => "error",
        (_, true) => "notice",
    };
    command(&mut out, level, &[("title", "foreread".into())], &summary.text);
    out
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::High => "error",
        Severity::Medium => "warning",
        Severity::Low | Severity::Info => "notice",
    }
}

fn properties(finding: &Finding) -> Vec<(&'static str, String)> {
    let mut all = vec![("file", finding.file.clone())];
    // A line that was removed is no line of the file that is shown.
    if finding.side == Side::New {
        all.push(("line", finding.line.to_string()));
        all.push(("endLine", finding.line_end.unwrap_or(finding.line).to_string()));
    }
    let rule = finding.rule.as_deref().unwrap_or("model");
    all.push(("title", format!("{} ({rule})", finding.title)));
    all
}

fn message(finding: &Finding) -> String {
    let mut message = match finding.side {
        Side::New => finding.description.clone(),
        Side::Old => format!("Removed line {}: {}", finding.line, finding.description),
    };
    if !finding.suggestion.is_empty() {
        _ = write!(message, "\n{}", finding.suggestion);
    }
    message
}

fn command(out: &mut String, name: &str, properties: &[(&str, String)], message: &str) {
    let properties: Vec<String> =
        properties.iter().map(|(key, value)| format!("{key}={}", escaped(value, true))).collect();
    let message = match message.trim() {
        // A command without a message is none.
        "" => "see the title",
        message => message,
    };
    _ = writeln!(out, "::{name} {}::{}", properties.join(","), escaped(message, false));
}

/// A value in which nothing ends it: as a property, a comma and a colon would too.
fn escaped(value: &str, is_property: bool) -> String {
    let mut out = String::with_capacity(value.len());
    for (at, line) in value.split('\n').enumerate() {
        if at > 0 {
            out.push_str("%0A");
        }
        for c in printable(line).chars() {
            match c {
                '%' => out.push_str("%25"),
                '\r' => out.push_str("%0D"),
                ':' if is_property => out.push_str("%3A"),
                ',' if is_property => out.push_str("%2C"),
                c => out.push(c),
            }
        }
    }
    out
}
