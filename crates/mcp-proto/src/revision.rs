//! The published protocol revisions and the two ways of opening a conversation.
//!
//! The enum is closed and ordered by date. A version string that names none of its members stays a
//! string: it is compared as an opaque value, never by date arithmetic.

use std::fmt;

/// One published revision of the protocol, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Revision {
    /// `2024-11-05`.
    V2024_11_05,
    /// `2025-03-26`, the only revision with JSON-RPC batches.
    V2025_03_26,
    /// `2025-06-18`.
    V2025_06_18,
    /// `2025-11-25`, the newest that opens with a handshake.
    V2025_11_25,
    /// `2026-07-28`, stateless: every request carries its own metadata.
    V2026_07_28,
}

/// How a conversation states its revision and capabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Era {
    /// Once, by `initialize`; it then holds for the process.
    Handshake,
    /// In the `_meta` of every request.
    PerRequest,
}

impl Revision {
    /// Every revision, oldest first.
    pub const ALL: [Self; 5] = [
        Self::V2024_11_05,
        Self::V2025_03_26,
        Self::V2025_06_18,
        Self::V2025_11_25,
        Self::V2026_07_28,
    ];

    /// The newest revision that `initialize` can settle on.
    pub const NEWEST_HANDSHAKE: Self = Self::V2025_11_25;

    /// The newest revision of all.
    pub const NEWEST: Self = Self::V2026_07_28;

    /// Returns the revision that `version` names, or `None` for any other string.
    #[must_use]
    pub fn parse(version: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.as_str() == version)
    }

    /// Returns the version string used on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// Returns the era that the revision belongs to.
    #[must_use]
    pub const fn era(self) -> Era {
        match self {
            Self::V2024_11_05 | Self::V2025_03_26 | Self::V2025_06_18 | Self::V2025_11_25 => {
                Era::Handshake
            }
            Self::V2026_07_28 => Era::PerRequest,
        }
    }

    /// Reports whether a line may hold a JSON-RPC batch.
    #[must_use]
    pub const fn has_batches(self) -> bool {
        matches!(self, Self::V2025_03_26)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_revision_parses_from_its_own_name_in_order() {
        let mut sorted = Revision::ALL;
        sorted.sort_by_key(|revision| revision.as_str());
        assert_eq!(sorted, Revision::ALL);
        for revision in Revision::ALL {
            assert_eq!(Revision::parse(revision.as_str()), Some(revision));
        }
    }

    #[test]
    fn an_unknown_version_names_no_revision() {
        for version in ["", "1999-01-01", "2026-07-28 ", "draft", "DRAFT-2026-v1"] {
            assert_eq!(Revision::parse(version), None, "{version}");
        }
    }
}
