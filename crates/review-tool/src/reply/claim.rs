//! A finding as a model states it, before it is held against the diff.

use serde_json::{Map, Value};

use crate::finding::{Category, Confidence, Severity, Side};
use crate::secret::redact;

/// The most characters of a title.
const MAX_TITLE: usize = 200;
/// The most characters of any other text.
const MAX_TEXT: usize = 4000;

/// A finding as a model states it. Nothing in it is known to be true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The path of the file.
    pub file: String,
    /// The line that it points at.
    pub line: u32,
    /// The last line, if not the same.
    pub line_end: Option<u32>,
    /// The side; `None` where none was said.
    pub side: Option<Side>,
    /// How bad it is.
    pub severity: Severity,
    /// What kind of fault it is.
    pub category: Category,
    /// How sure the model says it is.
    pub confidence: Confidence,
    /// The fault in a few words, on one line.
    pub title: String,
    /// How it goes wrong.
    pub description: String,
    /// What to do instead.
    pub suggestion: String,
    /// The code of the line as the model copied it.
    pub snippet: Option<String>,
}

impl Claim {
    /// Reads an object of an answer, forgiving what a model is known to vary: other names of members,
    /// numbers as text, synonyms of severities. `None` where file, line or any text is missing.
    #[must_use]
    pub fn read(object: &Map<String, Value>) -> Option<Self> {
        let text = |names: &[&str]| {
            let found = names.iter().find_map(|name| object.get(*name)?.as_str());
            found.map(str::trim).filter(|text| !text.is_empty())
        };
        let (mut file, mut line) = (
            text(&["file", "path", "filename", "file_path"])?,
            number(object, &["line", "line_start", "start_line", "line_number"]),
        );
        if line.is_none()
            && let Some((path, at)) = file.rsplit_once(':')
        {
            line = at.parse().ok();
            file = if line.is_some() { path } else { file };
        }
        let line = line?;
        let description = text(&["description", "message", "body", "explanation", "details"]);
        let title = text(&["title", "summary", "name"]).or(description)?;
        let title = title.lines().next().unwrap_or_default();
        let word = |name: &str| text(&[name]).unwrap_or_default().to_ascii_lowercase();
        Some(Self {
            file: file.to_owned(),
            line,
            line_end: number(object, &["line_end", "end_line"]).filter(|end| *end > line),
            side: Side::parse(&word("side")),
            severity: severity(&word("severity")),
            category: category(&word("category")),
            confidence: Confidence::parse(&word("confidence")).unwrap_or(Confidence::Medium),
            title: cut(&redact(title), MAX_TITLE),
            description: cut(&redact(description.unwrap_or(title)), MAX_TEXT),
            suggestion: cut(
                &redact(text(&["suggestion", "fix", "recommendation"]).unwrap_or_default()),
                MAX_TEXT,
            ),
            snippet: text(&["snippet", "evidence", "code", "quote"])
                .map(|text| cut(text, MAX_TEXT)),
        })
    }

    /// Whether an object of an answer is meant as a finding.
    pub(super) fn is_meant(object: &Map<String, Value>) -> bool {
        let has = |names: &[&str]| names.iter().any(|name| object.contains_key(*name));
        has(&["file", "path", "filename", "file_path"])
            && has(&["line", "line_start", "title", "description", "message", "severity"])
    }
}

/// A line number: a number, or text such as `12`, `L12` or `12-15`.
fn number(object: &Map<String, Value>, names: &[&str]) -> Option<u32> {
    let value = names.iter().find_map(|name| object.get(*name).filter(|value| !value.is_null()))?;
    match value {
        Value::Number(number) => number
            .as_u64()
            .or_else(|| {
                number
                    .as_f64()
                    .filter(|n| n.fract() == 0.0 && (0.0..1e9).contains(n))
                    .map(|n| n as u64)
            })
            .and_then(|number| u32::try_from(number).ok()),
        Value::String(text) => {
            let digits = text.trim().trim_start_matches(['L', 'l', '+', '-', '#', ' ']);
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            digits[..end].parse().ok()
        }
        Value::Array(both) => {
            both.first().and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok())
        }
        _ => None,
    }
}

/// The severity of the rubric that a word means; one that means none is neither hidden nor a blocker.
fn severity(word: &str) -> Severity {
    Severity::parse(word).unwrap_or(match word {
        "blocker" | "fatal" | "severe" => Severity::Critical,
        "error" | "major" | "important" => Severity::High,
        "minor" | "trivial" => Severity::Low,
        "note" | "nit" | "information" | "informational" | "hint" => Severity::Info,
        _ => Severity::Medium,
    })
}

fn category(word: &str) -> Category {
    let word = word.replace(['_', ' '], "-");
    Category::parse(&word).unwrap_or(match word.as_str() {
        "secrets" | "credential" | "credentials" => Category::Secret,
        "race" | "race-condition" | "deadlock" | "threading" => Category::Concurrency,
        "error" | "errors" | "exception" | "exceptions" | "robustness" => Category::ErrorHandling,
        "leak" | "memory" | "memory-leak" | "resource" | "resources" => Category::ResourceLeak,
        "tests" | "testing" => Category::Test,
        "style" | "readability" | "documentation" | "design" => Category::Maintainability,
        "vulnerability" | "injection" => Category::Security,
        "efficiency" => Category::Performance,
        _ => Category::Correctness,
    })
}

fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
