//! The answer to a second look: which findings the model refutes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// What a second look says of findings, by their number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdicts(BTreeMap<u64, bool>);

impl Verdicts {
    /// The JSON Schema of the answer.
    #[must_use]
    pub fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {"verdicts": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "finding": {"type": "integer"},
                    "reason": {"type": "string"},
                    "verdict": {"type": "string", "enum": ["stands", "refuted"]},
                },
                "required": ["finding", "reason", "verdict"],
                "additionalProperties": false,
            }}},
            "required": ["verdicts"],
            "additionalProperties": false,
        })
    }

    /// Whether a finding was refuted; `None` where nothing was said of it.
    #[must_use]
    pub fn refuted(&self, finding: u64) -> Option<bool> {
        self.0.get(&finding).copied()
    }
}

/// Reads the answer to a second look. Only the word `refuted` refutes; a finding that is judged twice
/// differently stands.
#[must_use]
pub fn verdicts(text: &str) -> Verdicts {
    let mut found = BTreeMap::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(['{', '[']).map(|found| at + found) {
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                at = start + values.byte_offset();
                take(&value, &mut found);
            }
            _ => at = start + 1,
        }
    }
    Verdicts(found)
}

fn take(value: &Value, found: &mut BTreeMap<u64, bool>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| take(item, found)),
        Value::Object(object) => {
            if let Some(verdicts) = object.get("verdicts") {
                return take(verdicts, found);
            }
            let number = object.get("finding").and_then(Value::as_u64);
            let verdict = object.get("verdict").and_then(Value::as_str);
            if let (Some(number), Some(verdict)) = (number, verdict) {
                let refuted = verdict == "refuted";
                found.entry(number).and_modify(|all| *all &= refuted).or_insert(refuted);
            }
        }
        _ => {}
    }
}
