//! The report as Markdown, for a page or a comment that people read.
//!
//! Pure: the same document gives the same bytes. Texts of the change and of a model are data: they
//! become neither markup nor HTML, and break out of no code block.

use std::fmt::Write as _;

use super::{Document, Since};
use crate::finding::{Finding, Severity, Side};
use crate::printable::printable;

/// The most files that are named as skipped.
const MAX_SKIPPED: usize = 50;

/// Renders a document, with a final line feed.
#[must_use]
pub fn render(document: &Document) -> String {
    let Document { summary, meta, findings, content, since, .. } = document;
    let verdict = if summary.gate.passed { "passed" } else { "failed" };
    let gate = match summary.gate.fail_on {
        Some(severity) => format!("{verdict} (fails on {severity} or worse)"),
        None => format!("{verdict} (fails on no finding)"),
    };
    let mut out = format!("# Review: {}\n\n", text(&summary.text));
    let line = |out: &mut String, name: &str, value: &str| {
        _ = writeln!(out, "- {name}: {value}");
    };
    line(&mut out, "Gate", &gate);
    line(&mut out, "Scope", &text(&meta.scope));
    for (name, object) in [("Base", &meta.base), ("Head", &meta.head)] {
        if let Some(object) = object {
            line(&mut out, name, &code(object));
        }
    }
    let reviewer = format!("{} ({})", text(&meta.provider), text(&meta.model));
    line(&mut out, "Reviewed by", &reviewer);
    line(&mut out, "Ended", &text(&meta.timestamp));
    line(&mut out, "Review", &code(&meta.review_id));
    if let Some(Since { review_id, new, still, gone }) = since {
        let (new, still, gone) = (new.len(), still.len(), gone.len());
        let counts = format!("{new} new, {gone} gone, {still} still there");
        line(&mut out, &format!("Since {}", code(review_id)), &counts);
    }
    if !content.trim().is_empty() {
        _ = write!(out, "\n{}\n", text(content));
    }
    if !summary.problems.is_empty() {
        out.push_str("\n## Not reviewed\n\n");
    }
    for problem in &summary.problems {
        let file = problem.file.as_deref().map(|file| format!("{}: ", code(file)));
        _ = writeln!(out, "- {}{}", file.unwrap_or_default(), text(&problem.message));
    }
    let mut last: Option<Severity> = None;
    for finding in findings {
        if last != Some(finding.severity) {
            _ = write!(out, "\n## {}\n", heading(finding.severity));
            last = Some(finding.severity);
        }
        out.push_str(&block(finding));
    }
    let skipped = &summary.files.skipped;
    if !skipped.is_empty() {
        out.push_str("\n## Skipped files\n\n");
    }
    for file in skipped.iter().take(MAX_SKIPPED) {
        _ = writeln!(out, "- {}: {}", code(&file.file), text(&file.reason));
    }
    if skipped.len() > MAX_SKIPPED {
        _ = writeln!(out, "- and {} more", skipped.len() - MAX_SKIPPED);
    }
    out
}

const fn heading(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "Critical",
        Severity::High => "High",
        Severity::Medium => "Medium",
        Severity::Low => "Low",
        Severity::Info => "Info",
    }
}

fn block(finding: &Finding) -> String {
    let place = code(&format!("{}:{}", finding.file, finding.line));
    let side = if finding.side == Side::Old { " (removed line)" } else { "" };
    let rule = finding.rule.as_deref().unwrap_or("model");
    let mut out = format!("\n### {}\n\n{place}{side}, {}, ", text(&finding.title), code(rule));
    _ = writeln!(out, "{}, confidence {}", finding.category, finding.confidence);
    if let Some(snippet) = &finding.snippet {
        out.push_str(&code_block(snippet, finding.language.as_deref()));
    }
    if !finding.description.is_empty() {
        _ = write!(out, "\nWhat is wrong: {}\n", text(&finding.description));
    }
    if !finding.suggestion.is_empty() {
        _ = write!(out, "\nWhat to do: {}\n", text(&finding.suggestion));
    }
    if let Some(fix) = &finding.fix {
        let lines = match fix.line == fix.line_end {
            true => format!("line {}", fix.line),
            false => format!("lines {} to {}", fix.line, fix.line_end),
        };
        _ = write!(out, "\nIn place of {lines}:\n");
        out.push_str(&code_block(&fix.replacement, finding.language.as_deref()));
    }
    out
}

/// A text on one line, in which nothing is markup.
fn text(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    let mut out = String::with_capacity(line.len());
    for c in printable(&line).chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '&' | '$')
        {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A text on one line as code.
fn code(text: &str) -> String {
    let line = printable(&text.replace(['\n', '\r'], " ")).into_owned();
    let fence = "`".repeat(longest_run(&line) + 1);
    // A space on both sides is taken away again, and keeps a backtick from joining the fence.
    let pad =
        if line.starts_with('`') || line.ends_with('`') || line.is_empty() { " " } else { "" };
    format!("{fence}{pad}{line}{pad}{fence}")
}

fn code_block(code: &str, language: Option<&str>) -> String {
    let lines: Vec<_> = code.lines().map(printable).collect();
    let code = lines.join("\n");
    let fence = "`".repeat(longest_run(&code).max(2) + 1);
    format!("\n{fence}{}\n{code}\n{fence}\n", language.unwrap_or_default())
}

/// The length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
