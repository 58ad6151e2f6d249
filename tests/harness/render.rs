//! A transcript as text: one block for each message, in the order of the script.

use std::path::Path;

use serde_json::Value;

use super::normalize::normalize;

/// The width up to which a value stays on one line.
const WIDTH: usize = 96;

/// A transcript that is being written.
#[derive(Debug, Default)]
pub(crate) struct Transcript {
    text: String,
}

impl Transcript {
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// A line that is no message.
    pub(crate) fn note(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A message as it stands in the script.
    pub(crate) fn sent(&mut self, message: &Value) {
        self.block("-->", message);
    }

    /// A message that came, without what differs from run to run.
    pub(crate) fn received(&mut self, message: &Value, root: &Path) {
        let mut message = message.clone();
        normalize(&mut message, root);
        self.block("<--", &message);
    }

    fn block(&mut self, arrow: &str, message: &Value) {
        let id = message.get("id").map_or_else(String::new, |id| format!(" {id}"));
        let method = message["method"].as_str().unwrap_or_default();
        let (head, body) = match message {
            Value::Array(members) => {
                self.note(&format!("{arrow} batch of {}", members.len()));
                for member in members {
                    self.block(&format!("  {arrow}"), member);
                }
                return;
            }
            _ if message.get("result").is_some() => {
                (format!("response{id}"), message.get("result"))
            }
            _ if message.get("error").is_some() => (format!("error{id}"), message.get("error")),
            _ if message.get("id").is_some() => {
                (format!("request{id} {method}"), message.get("params"))
            }
            _ => (format!("notification {method}"), message.get("params")),
        };
        self.note(&format!("{arrow} {head}"));
        let Some(body) = body.filter(|body| **body != serde_json::json!({})) else { return };
        let compact = body.to_string();
        let text = if compact.len() <= WIDTH { compact } else { format!("{body:#}") };
        for line in text.lines() {
            self.note(&format!("    {line}"));
        }
    }
}
