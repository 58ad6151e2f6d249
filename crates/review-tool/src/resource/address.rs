//! The URIs of resources, read and written.

use std::fmt;

/// What every URI begins with.
const SCHEME: &str = "foreread://";
/// Longer than any id of a review or a rule.
const MAX_ID: usize = 128;

/// A place below `foreread://`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// The index of reviews.
    Reviews,
    /// One review, by its id.
    Review(String, Part),
    /// The list of rules.
    Rules,
    /// One rule, by its id.
    Rule(String),
}

/// A view of one review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The whole document.
    Document,
    /// The findings alone.
    Findings,
    /// A report for people.
    Markdown,
    /// A report for tools that read SARIF.
    Sarif,
}

impl Part {
    /// Every view.
    pub const ALL: [Self; 4] = [Self::Document, Self::Findings, Self::Markdown, Self::Sarif];

    /// What stands behind the id.
    const fn path(self) -> &'static str {
        match self {
            Self::Document => "",
            Self::Findings => "/findings",
            Self::Markdown => "/report.md",
            Self::Sarif => "/report.sarif",
        }
    }
}

impl Address {
    /// The template of rules.
    pub const RULE_TEMPLATE: &'static str = "foreread://rules/{id}";

    /// The template of a view of reviews.
    #[must_use]
    pub fn template(part: Part) -> String {
        format!("{SCHEME}reviews/{{id}}{}", part.path())
    }

    /// Reads a URI; `None` unless it is one that [`fmt::Display`] writes.
    #[must_use]
    pub fn parse(uri: &str) -> Option<Self> {
        let path = uri.strip_prefix(SCHEME)?;
        match path.split_once('/') {
            None if path == "reviews" => Some(Self::Reviews),
            None if path == "rules" => Some(Self::Rules),
            Some(("rules", id)) if is_id(id) => Some(Self::Rule(id.to_owned())),
            Some(("reviews", rest)) => {
                let end = rest.find('/').unwrap_or(rest.len());
                let (id, path) = rest.split_at(end);
                let part = Part::ALL.into_iter().find(|part| part.path() == path)?;
                is_id(id).then(|| Self::Review(id.to_owned(), part))
            }
            _ => None,
        }
    }
}

/// Whether a text has the form of an id, which needs no escaping anywhere.
fn is_id(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=MAX_ID).contains(&text.len()) && text.bytes().all(is_plain)
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reviews => write!(f, "{SCHEME}reviews"),
            Self::Review(id, part) => write!(f, "{SCHEME}reviews/{id}{}", part.path()),
            Self::Rules => write!(f, "{SCHEME}rules"),
            Self::Rule(id) => write!(f, "{SCHEME}rules/{id}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_address_reads_back() {
        let id = || "0199-a_B".to_owned();
        let views = Part::ALL.map(|part| Address::Review(id(), part));
        for address in
            views.into_iter().chain([Address::Reviews, Address::Rules, Address::Rule(id())])
        {
            assert_eq!(Address::parse(&address.to_string()), Some(address));
        }
    }

    #[test]
    fn other_texts_are_no_addresses() {
        for uri in [
            "",
            "foreread://",
            "foreread://reviews/",
            "foreread://rules/",
            "foreread://reviews/a/other",
            "foreread://reviews/a/findings/",
            "foreread://reviews/../rules",
            "foreread://reviews/%61",
            "foreread://rules/a/b",
            "file:///etc/passwd",
            "FOREREAD://rules",
        ] {
            assert_eq!(Address::parse(uri), None, "{uri}");
        }
    }

    proptest! {
        #[test]
        fn what_is_read_is_what_was_written(uri in "(foreread://)?(reviews|rules)?[/a-z.%-]{0,20}") {
            if let Some(address) = Address::parse(&uri) {
                prop_assert_eq!(address.to_string(), uri);
            }
        }
    }
}
