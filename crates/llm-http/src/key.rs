//! A secret of the user's, which is shown nowhere and wiped when it is no longer needed.

use std::fmt;

use zeroize::Zeroizing;

/// An API key. Its memory is wiped when it is dropped; it prints as `***`.
#[derive(Clone)]
pub struct Key(Zeroizing<String>);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl Key {
    /// Takes a key; white space around it is not part of it. `None` where nothing is left, or where it
    /// holds what cannot stand in a header.
    #[must_use]
    pub fn new(text: String) -> Option<Self> {
        let text = Zeroizing::new(text);
        let key = text.trim();
        let fits = !key.is_empty() && key.bytes().all(|byte| (0x21..0x7f).contains(&byte));
        fits.then(|| Self(Zeroizing::new(key.to_owned())))
    }

    /// The key itself, for a header.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Masks the key in a text that others wrote: a server may quote what it was sent.
    pub(crate) fn mask(&self, text: &str) -> String {
        text.replace(self.expose(), "***")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_trimmed_checked_and_never_shown() {
        let key = Key::new(" abc-123\n".to_owned()).unwrap();
        assert_eq!((key.expose(), format!("{key:?}").as_str()), ("abc-123", "***"));
        assert_eq!(key.mask("bad key abc-123!"), "bad key ***!");
        for bad in ["", " \n", "a b", "a\r\nX-Injected: 1", "schlüssel"] {
            assert!(Key::new(bad.to_owned()).is_none(), "{bad:?}");
        }
    }
}
