//! Files that are a private key.

use super::Hit;
use super::added_text::{AddedText, stood_before};
use crate::secret;
use crate::view::FileView;

/// Whether the file is a key by its name.
pub(super) fn is_key_file(view: &FileView) -> bool {
    const NAMES: &[&str] =
        &["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "identity", "server.key"];
    const ENDS: &[&str] =
        &[".pem", ".key", ".ppk", ".asc", ".gpg", ".pgp", ".p8", ".pkcs8", ".priv"];
    let name = view.file_name().to_ascii_lowercase();
    NAMES.contains(&name.as_str()) || ENDS.iter().any(|end| name.ends_with(end))
}

/// The check of `secret-private-key-file`.
pub(super) fn check(view: &FileView) -> Vec<Hit> {
    if !is_key_file(view) || view.is_test() {
        return Vec::new();
    }
    let added = AddedText::of(view);
    let text = added.text();
    let key = secret::find(text).into_iter().find(|found| {
        found.kind.is_private_key() && !stood_before(view, &text[found.range.clone()])
    });
    let line = key.and_then(|key| {
        let start = text[..key.range.start].rfind("-----BEGIN").unwrap_or(key.range.start);
        added.line_at(start)
    });
    line.map(Hit::added).into_iter().collect()
}
