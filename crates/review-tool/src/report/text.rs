//! The report for a person: a block for each finding with the code around it, then the summary.
//!
//! Everything that came from the change is made printable first; a report holds no control character
//! but the line feed and, where styled, the renderer's own colours.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::{Document, Status};
use crate::finding::{Finding, Severity, Side};
use crate::printable::printable;
use crate::review::{Excerpt, Review};

/// How a report looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether to colour by ANSI escapes.
    pub color: bool,
    /// The width of the terminal in columns.
    pub width: usize,
    /// Whether to name the files that were skipped, and why.
    pub verbose: bool,
    /// Whether to leave out everything but the findings.
    pub quiet: bool,
}

/// Renders a review, with a final line feed. Empty for a quiet report without findings.
#[must_use]
pub fn render(review: &Review, style: Style) -> String {
    let renderer = if style.color { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.decor_style(DecorStyle::Ascii).term_width(style.width);
    let mut out = String::new();
    for (finding, excerpt) in review.document.findings.iter().zip(&review.excerpts) {
        out.push_str(&block(finding, excerpt, &renderer));
        out.push_str("\n\n");
    }
    if !style.quiet {
        out.push_str(&closing(&review.document, &renderer, style.verbose));
    }
    out
}

fn level(severity: Severity) -> Level<'static> {
    let level = match severity {
        Severity::Critical | Severity::High => Level::ERROR,
        Severity::Medium => Level::WARNING,
        Severity::Low => Level::INFO,
        Severity::Info => Level::NOTE,
    };
    level.with_name(Some(severity.as_str()))
}

fn block(finding: &Finding, excerpt: &Excerpt, renderer: &Renderer) -> String {
    let lines: Vec<_> = excerpt.lines.iter().map(|line| printable(line).into_owned()).collect();
    let source = lines.join("\n");
    let index = finding.line.saturating_sub(excerpt.first_line) as usize;
    let start: usize = lines.iter().take(index).map(|line| line.len() + 1).sum();
    let line = lines.get(index).map_or("", String::as_str);
    let indent = line.len() - line.trim_start().len();
    let span = start + indent..start + line.trim_end().len().max(indent);
    let title = level(finding.severity).primary_title(printable(&finding.title).into_owned());
    let title = title.id(finding.rule.as_deref().unwrap_or("model"));
    let path = printable(&finding.file).into_owned();
    let label = (finding.side == Side::Old).then_some("removed by the change");
    let snippet = Snippet::source(source)
        .line_start(excerpt.first_line as usize)
        .path(path)
        .fold(false)
        .annotation(AnnotationKind::Primary.span(span).label(label));
    let mut group = title.element(snippet);
    for (level, text) in [(Level::NOTE, &finding.description), (Level::HELP, &finding.suggestion)] {
        if !text.is_empty() {
            group = group.element(level.message(printable(text).into_owned()));
        }
    }
    renderer.render(&[group])
}

fn closing(document: &Document, renderer: &Renderer, verbose: bool) -> String {
    let summary = &document.summary;
    let mut out = String::new();
    for problem in &summary.problems {
        let place = problem.file.as_deref().map(|file| format!("{}: ", printable(file)));
        let text = format!("{}{}", place.unwrap_or_default(), printable(&problem.message));
        let group = Group::with_title(Level::ERROR.with_name(Some("problem")).primary_title(text));
        out.push_str(&renderer.render(&[group]));
        out.push('\n');
    }
    if verbose {
        for skipped in &summary.files.skipped {
            out.push_str(&format!("skipped {}: {}\n", printable(&skipped.file), skipped.reason));
        }
    }
    let level = match (summary.gate.passed, summary.status) {
        (false, _) | (_, Status::Partial) => Level::ERROR,
        (true, _) => Level::HELP,
    };
    let title =
        level.with_name(Some("foreread")).primary_title(printable(&summary.text).into_owned());
    out.push_str(&renderer.render(&[Group::with_title(title)]));
    out.push('\n');
    out
}
