//! From the text of an answer to claims.

use serde_json::Value;

use super::{Claim, MAX_CLAIMS};

/// Why an answer, or a part of it, could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lost {
    /// The text holds no answer at all.
    NoAnswer,
    /// The text ends within the answer.
    Cut,
    /// This many of the findings lack what a finding needs.
    Unreadable(usize),
    /// The answer has this many findings more than are taken.
    TooMany(usize),
}

impl std::fmt::Display for Lost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoAnswer => f.write_str("the answer holds no JSON object with findings"),
            Self::Cut => f.write_str("the answer is cut short"),
            Self::Unreadable(count) => {
                write!(f, "{count} of its findings lack a file, a line or a text")
            }
            Self::TooMany(count) => {
                write!(f, "the answer has {count} findings beyond the {MAX_CLAIMS} that are taken")
            }
        }
    }
}

/// What could be read of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parsed {
    /// The findings that are whole.
    pub claims: Vec<Claim>,
    /// What the model says of the change as a whole.
    pub summary: String,
    /// What could not be read; empty where everything was.
    pub lost: Vec<Lost>,
}

/// Reads an answer: JSON alone, in a code fence, or amid prose; of one that is cut short every finding
/// that is whole.
#[must_use]
pub fn parse(text: &str) -> Parsed {
    let mut reading = Reading::default();
    match serde_json::from_str::<Value>(text.trim()) {
        // A list alone is the findings alone, even if there are none.
        Ok(Value::Array(items)) => reading.findings(Value::Array(items), 0),
        Ok(value) => reading.answer(value, 0),
        Err(_) => reading.scan(text, 0),
    }
    let Reading { mut parsed, answered, cut, unreadable, too_many } = reading;
    if cut {
        parsed.lost.push(Lost::Cut);
    } else if !answered {
        parsed.lost.push(Lost::NoAnswer);
    }
    if unreadable > 0 {
        parsed.lost.push(Lost::Unreadable(unreadable));
    }
    if too_many > 0 {
        parsed.lost.push(Lost::TooMany(too_many));
    }
    parsed
}

/// How often an answer may be encoded as a text within an answer.
const MAX_DEPTH: usize = 3;

#[derive(Default)]
struct Reading {
    parsed: Parsed,
    answered: bool,
    cut: bool,
    unreadable: usize,
    too_many: usize,
}

impl Reading {
    /// Takes every value that stands in the text.
    fn scan(&mut self, text: &str, depth: usize) {
        let mut at = 0;
        while let Some(start) = text[at..].find(['{', '[']).map(|found| at + found) {
            let mut values =
                serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
            match values.next() {
                Some(Ok(value)) => {
                    at = start + values.byte_offset();
                    if is_answer(&value) {
                        self.answer(value, depth);
                    }
                }
                failed => {
                    // What begins as an answer and never ends is one that was cut; any other bracket
                    // may be prose.
                    let ended = matches!(failed, Some(Err(error)) if error.is_eof());
                    self.cut |= ended && begins_answer(&text[start..]);
                    at = start + 1;
                }
            }
        }
    }

    /// Takes a value that is an answer, or a list of findings, or one of them.
    fn answer(&mut self, value: Value, depth: usize) {
        match value {
            Value::Object(mut object) => {
                if let Some(Value::String(summary)) = object.get("summary")
                    && !Claim::is_meant(&object)
                {
                    summary.trim().clone_into(&mut self.parsed.summary);
                }
                match object.remove("findings") {
                    Some(findings) => self.findings(findings, depth),
                    None if Claim::is_meant(&object) => self.claim(&Value::Object(object)),
                    None => {}
                }
            }
            // An empty list, or one of something else, is not known to be an answer.
            Value::Array(items) if items.iter().any(is_answer) => {
                self.findings(Value::Array(items), depth);
            }
            Value::String(text) => self.again(&text, depth),
            _ => {}
        }
    }

    fn findings(&mut self, findings: Value, depth: usize) {
        match findings {
            Value::Array(items) => {
                self.answered = true;
                items.iter().for_each(|item| self.claim(item));
            }
            // Some models encode the list twice.
            Value::String(text) => self.again(&text, depth),
            _ => {
                self.answered = true;
                self.unreadable += 1;
            }
        }
    }

    /// Reads JSON that was encoded as a text.
    fn again(&mut self, text: &str, depth: usize) {
        if depth >= MAX_DEPTH {
            return;
        }
        match serde_json::from_str::<Value>(text.trim()) {
            Ok(Value::Array(items)) => self.findings(Value::Array(items), depth + 1),
            Ok(value) => self.answer(value, depth + 1),
            Err(_) => self.scan(text, depth + 1),
        }
    }

    fn claim(&mut self, item: &Value) {
        self.answered = true;
        match item.as_object().and_then(Claim::read) {
            Some(_) if self.parsed.claims.len() >= MAX_CLAIMS => self.too_many += 1,
            Some(claim) => self.parsed.claims.push(claim),
            None => self.unreadable += 1,
        }
    }
}

/// Whether a value that stands amid other text is an answer or a finding.
fn is_answer(value: &Value) -> bool {
    match value {
        Value::Object(object) => object.contains_key("findings") || Claim::is_meant(object),
        Value::Array(items) => {
            items.iter().any(|item| item.as_object().is_some_and(Claim::is_meant))
        }
        _ => false,
    }
}

/// Whether a text that does not end begins as an answer does.
fn begins_answer(text: &str) -> bool {
    const NAMES: &[&str] =
        &["summary", "findings", "file", "path", "line", "severity", "title", "side"];
    let mut rest = text.trim_start_matches(['{', '[', ' ', '\t', '\r', '\n']);
    let Some(name) = rest.strip_prefix('"') else { return rest.is_empty() };
    rest = name;
    NAMES.iter().any(|name| {
        // The name itself may be cut.
        rest.strip_prefix(name).is_some_and(|after| after.is_empty() || after.starts_with('"'))
            || name.starts_with(rest)
    })
}
