//! What a model answers: read tolerantly, then held against the diff.
//!
//! An answer can only become findings. What cannot be read or does not fit the change is counted with
//! its reason, so that a caller can tell "nothing found" from "nothing understood".

use serde_json::{Value, json};

use crate::finding::{Category, Confidence, Severity, Side};

mod claim;
mod hold;
mod merge;
mod parse;
mod verdict;

pub use claim::Claim;
pub use hold::{Dropped, Held, Placed, Reason, hold};
pub use merge::{Merged, merge};
pub use parse::{Lost, Parsed, parse};
pub use verdict::{Verdicts, verdicts};

/// The most findings that one answer may hold; what is beyond them counts as lost.
pub const MAX_CLAIMS: usize = 200;

/// The JSON Schema of an answer. Every member is required and no other allowed, as the strict modes of
/// providers want it.
#[must_use]
pub fn schema() -> Value {
    fn words<T: ToString>(all: &[T]) -> Value {
        json!({"type": "string", "enum": all.iter().map(ToString::to_string).collect::<Vec<_>>()})
    }
    let text = json!({"type": "string"});
    let number = json!({"type": "integer"});
    let members = json!({
        "file": text, "line": number, "line_end": number, "side": words(Side::ALL),
        "severity": words(Severity::ALL), "category": words(Category::ALL),
        "confidence": words(Confidence::ALL), "title": text, "description": text,
        "suggestion": text, "snippet": text,
    });
    let required: Vec<&String> =
        members.as_object().map(|all| all.keys().collect()).unwrap_or_default();
    json!({
        "type": "object",
        "properties": {
            "summary": text,
            "findings": {"type": "array", "items": {
                "type": "object",
                "properties": members,
                "required": required,
                "additionalProperties": false,
            }},
        },
        "required": ["summary", "findings"],
        "additionalProperties": false,
    })
}
