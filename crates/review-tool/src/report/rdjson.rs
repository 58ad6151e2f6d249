//! The report as reviewdog's diagnostics (`rdjson`), for the code hosts that reviewdog speaks to.
//!
//! Pure: the same document gives the same bytes. Names of members, and what a range means, are those
//! of reviewdog's `proto/rdf/reviewdog.proto`.

use serde::Serialize;

use super::{Document, escaped_json};
use crate::finding::{Finding, Fix, Severity, Side};

#[derive(Serialize)]
struct DiagnosticResult {
    source: Source,
    severity: &'static str,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Serialize)]
struct Source {
    name: &'static str,
    url: &'static str,
}

#[derive(Serialize)]
struct Diagnostic {
    message: String,
    location: Location,
    severity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<Code>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suggestions: Vec<Suggestion>,
}

#[derive(Serialize)]
struct Location {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
}

/// Lines from the first to the last; with columns, up to but without the end.
#[derive(Serialize)]
struct Range {
    start: Position,
    end: Position,
}

#[derive(Serialize)]
struct Position {
    line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
}

#[derive(Serialize)]
struct Code {
    value: String,
}

#[derive(Serialize)]
struct Suggestion {
    range: Range,
    text: String,
}

/// Renders a document, indented, with a final line feed. Characters that could steer a terminal stand
/// as escapes. What was not reviewed is a diagnostic of its own.
#[must_use]
pub fn render(document: &Document) -> String {
    let problems = document.summary.problems.iter().map(|problem| Diagnostic {
        message: format!("not reviewed: {}", problem.message),
        location: Location { path: problem.file.clone().unwrap_or_default(), range: None },
        severity: "ERROR",
        code: None,
        suggestions: Vec::new(),
    });
    let diagnostics: Vec<_> = problems.chain(document.findings.iter().map(diagnostic)).collect();
    let severities = ["ERROR", "WARNING", "INFO"];
    let worst =
        severities.into_iter().find(|&level| diagnostics.iter().any(|d| d.severity == level));
    escaped_json(&DiagnosticResult {
        source: Source { name: "foreread", url: env!("CARGO_PKG_REPOSITORY") },
        severity: worst.unwrap_or("UNKNOWN_SEVERITY"),
        diagnostics,
    })
}

fn diagnostic(finding: &Finding) -> Diagnostic {
    let mut message = format!("{}: {}", finding.title, finding.description);
    let range = match finding.side {
        Side::New => {
            let line = |line| Position { line, column: None };
            let last = finding.line_end.unwrap_or(finding.line);
            Some(Range { start: line(finding.line), end: line(last) })
        }
        // A line that was removed is no line of the file that is shown.
        Side::Old => {
            message = format!("removed line {}: {message}", finding.line);
            None
        }
    };
    if !finding.suggestion.is_empty() {
        message = format!("{message}\n{}", finding.suggestion);
    }
    Diagnostic {
        message,
        location: Location { path: finding.file.clone(), range },
        severity: level(finding.severity),
        code: finding.rule.clone().map(|value| Code { value }),
        suggestions: finding.fix.iter().map(suggestion).collect(),
    }
}

/// The lines of a fix with their ends, so that nothing is left of those that go.
fn suggestion(fix: &Fix) -> Suggestion {
    let start = |line| Position { line, column: Some(1) };
    let text = match fix.replacement.as_str() {
        "" => String::new(),
        text => format!("{text}\n"),
    };
    Suggestion {
        range: Range { start: start(fix.line), end: start(fix.line_end.saturating_add(1)) },
        text,
    }
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::High => "ERROR",
        Severity::Medium => "WARNING",
        Severity::Low | Severity::Info => "INFO",
    }
}
