//! Fences around what others wrote. A fence is named by a keyed hash of its content, so nobody who
//! writes the content can write the end of its fence.

use std::fmt;

use hmac::{Hmac, Mac};
use sha2::Sha256;

/// A key of the user's, from which fences get their names.
#[derive(Clone, PartialEq, Eq)]
pub struct FenceKey([u8; 32]);

impl fmt::Debug for FenceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FenceKey(***)")
    }
}

impl FenceKey {
    /// Takes 32 random bytes that nobody but the user knows.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Puts `content` between the lines of a fence. `about` is ours, and says what the content is.
    #[must_use]
    pub fn fence(&self, about: &str, content: &str) -> String {
        let name = self.name(content);
        let end = if content.ends_with('\n') || content.is_empty() { "" } else { "\n" };
        format!("<data-{name} about=\"{about}\">\n{content}{end}</data-{name}>\n")
    }

    /// The key, for other keyed hashes of the user's.
    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    fn name(&self, content: &str) -> String {
        // The key has the length of a block at most, which always makes a valid one.
        let Ok(mac) = Hmac::<Sha256>::new_from_slice(&self.0) else { return String::new() };
        let digest = mac.chain_update(content).finalize().into_bytes();
        digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_has_a_name_that_only_the_key_gives() {
        let (ours, other) = (FenceKey::new([1; 32]), FenceKey::new([2; 32]));
        let fenced = ours.fence("a", "text");
        assert_eq!(fenced, ours.fence("a", "text"));
        assert_ne!(fenced, other.fence("a", "text"));
        let (first, rest) = fenced.split_once('\n').unwrap();
        let name = &first["<data-".len()..first.find(' ').unwrap()];
        assert_eq!(name.len(), 24);
        assert_eq!(rest, format!("text\n</data-{name}>\n"));
        assert!(!ours.fence("a", &fenced).starts_with(first), "the name is of the content");
        assert_eq!(format!("{ours:?}"), "FenceKey(***)");
    }
}
