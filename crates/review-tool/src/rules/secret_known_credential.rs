//! Credentials of a known format in added lines.

use super::added_text::{AddedText, is_prose, stood_before};
use super::{Hit, secret_private_key_file};
use crate::secret;
use crate::view::FileView;

/// The check of `secret-known-credential`.
pub(super) fn check(view: &FileView) -> Vec<Hit> {
    let added = AddedText::of(view);
    let text = added.text();
    let mut hits = Vec::new();
    for found in secret::find(text) {
        let kind = found.kind;
        let value = &text[found.range.clone()];
        let from = if kind.is_private_key() {
            text[..found.range.start].rfind("-----BEGIN").unwrap_or(found.range.start)
        } else {
            found.range.start
        };
        let Some(line) = added.line_at(from) else { continue };
        // What may be an example of its form is one in tests and prose.
        let example = is_prose(view) || view.in_test(line);
        if kind.is_assignment()
            || example && (!kind.is_unmistakable() || kind.id == "stripe-test-key")
            || kind.is_private_key() && secret_private_key_file::is_key_file(view)
            || stood_before(view, value)
        {
            continue;
        }
        let message = format!("Whoever reads this code can use what it holds: {}.", kind.name);
        hits.push(Hit::added(line).message(message).severity(kind.severity));
    }
    hits
}
