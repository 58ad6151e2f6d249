//! Finds credentials in any text, and masks them in text that leaves the process.
//!
//! One pass of an automaton looks for keywords (`ghp_`, `AKIA`, `://`, `api_key`, …); only around a
//! keyword does an expression run, over a bounded window, and what it matches is judged by its
//! randomness and against the habits of placeholders. Text without a keyword costs that one pass.
//! A value found here is never put into a message.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};
use regex::bytes::Regex;

use crate::finding::Severity;

mod assignment;
mod kinds;
mod pem;
mod placeholder;

pub use placeholder::{is_example_password, is_placeholder};

/// What a found credential is replaced with.
pub const MASK: &str = "***";

/// A sort of credential.
pub struct Kind {
    /// Stable name: lower-case words joined by `-`.
    pub id: &'static str,
    /// What a message calls it, such as `GitHub personal access token`.
    pub name: &'static str,
    /// What its leak allows.
    pub severity: Severity,
    keywords: &'static [&'static str],
    place: Place,
    pattern: &'static str,
    /// The least randomness of a value, in bits for each character.
    entropy: f32,
}

/// Where a kind's expression is tried, seen from a keyword.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At the keyword, which is spelt exactly so and begins a word.
    Prefix,
    /// From the keyword, in any case, to the end of its line; the value is group 1.
    Label,
    /// In the keyword's line, before and after it; the value is group 1 or the whole match.
    Line,
    /// Judged by code of its own.
    Block,
    /// The name of an assignment, judged by code of its own.
    Name,
}

impl Kind {
    /// Whether this is the value of an assignment, told by the name and the randomness alone.
    #[must_use]
    pub fn is_assignment(&self) -> bool {
        self.place == Place::Name
    }

    /// Whether this is a private key written over several lines.
    #[must_use]
    pub fn is_private_key(&self) -> bool {
        self.place == Place::Block
    }

    /// Whether the value alone gives the kind away, by a prefix that no other text has.
    #[must_use]
    pub fn is_unmistakable(&self) -> bool {
        self.place == Place::Prefix && self.id != "json-web-token"
    }
}

impl std::fmt::Debug for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id)
    }
}

/// A credential and where it stands.
#[derive(Debug, Clone)]
pub struct Secret {
    /// The bytes of the credential itself, without its name or quotes.
    pub range: Range<usize>,
    /// What it is.
    pub kind: &'static Kind,
}

/// Every known kind, the more specific ones first.
#[must_use]
pub fn kinds() -> &'static [Kind] {
    kinds::KINDS
}

struct Detector {
    keywords: AhoCorasick,
    /// For each keyword, the kind it belongs to.
    kind_of: Vec<usize>,
    /// For each kind its expression, compiled when its keyword first turns up.
    patterns: Vec<OnceLock<Option<Regex>>>,
}

static DETECTOR: LazyLock<Option<Detector>> = LazyLock::new(|| {
    let mut keywords = Vec::new();
    let mut kind_of = Vec::new();
    for (at, kind) in kinds().iter().enumerate() {
        for keyword in kind.keywords {
            keywords.push(*keyword);
            kind_of.push(at);
        }
    }
    let keywords = AhoCorasickBuilder::new().ascii_case_insensitive(true).build(keywords).ok()?;
    let patterns = kinds().iter().map(|_| OnceLock::new()).collect();
    Some(Detector { keywords, kind_of, patterns })
});

impl Detector {
    fn pattern(&self, at: usize) -> Option<&Regex> {
        let kind = &kinds()[at];
        let compiled = self.patterns[at].get_or_init(|| {
            let anchored = matches!(kind.place, Place::Prefix | Place::Label);
            let start = if anchored { "^" } else { "" };
            compile(&format!("{start}(?:{})", kind.pattern)).ok()
        });
        compiled.as_ref()
    }
}

fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    regex::bytes::RegexBuilder::new(pattern).unicode(false).size_limit(8 << 20).build()
}

/// The longest credential with a prefix, in bytes.
const LONGEST: usize = 8 << 10;

/// The bytes of a line looked at after a keyword, and before it in [`Place::Line`].
const AFTER: usize = 600;
const BEFORE: usize = 160;

/// Finds every credential in `text`, ascending and without overlap.
#[must_use]
pub fn find(text: &str) -> Vec<Secret> {
    search(text, Edge::Free)
}

/// What may stand before a credential with a prefix.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    /// Nothing that belongs to a word: text that merely holds the prefix is no credential.
    Free,
    /// Anything: a credential glued to other text is one all the same, and must not be shown.
    Any,
}

fn search(text: &str, edge: Edge) -> Vec<Secret> {
    let Some(detector) = &*DETECTOR else { return Vec::new() };
    let mut found: Vec<(usize, Secret)> = Vec::new();
    let mut covered = 0;
    for hit in detector.keywords.find_overlapping_iter(text) {
        let at = detector.kind_of[hit.pattern().as_usize()];
        let kind = &kinds()[at];
        let range = match kind.place {
            Place::Block => {
                // Within a key there is no other to be found.
                if hit.start() < covered {
                    continue;
                }
                let block = pem::block(text, hit.range());
                covered = block.as_ref().map_or(covered, |block| block.end);
                block
            }
            Place::Name => assignment::value(text, hit.range()),
            _ => detector
                .pattern(at)
                .and_then(|pattern| credential(kind, pattern, text, hit.range(), edge)),
        };
        if let Some(range) = range {
            found.push((at, Secret { range, kind }));
        }
    }
    // Of two that overlap the more specific kind stays, which stands first in the table.
    found.sort_by_key(|(at, secret)| (*at, secret.range.start));
    let mut kept: Vec<Secret> = Vec::with_capacity(found.len());
    for (_, secret) in found {
        let at = kept.partition_point(|other| other.range.end <= secret.range.start);
        if kept.get(at).is_none_or(|other| other.range.start >= secret.range.end) {
            kept.insert(at, secret);
        }
    }
    kept
}

fn credential(
    kind: &Kind,
    pattern: &Regex,
    text: &str,
    keyword: Range<usize>,
    edge: Edge,
) -> Option<Range<usize>> {
    let line = line_around(text, &keyword);
    let (start, end) = match kind.place {
        Place::Prefix => {
            let exact = kind.keywords.iter().any(|k| *k == &text[keyword.clone()]);
            let free = text[..keyword.start].bytes().next_back().is_none_or(|byte| !is_word(byte));
            // A keyword that begins with punctuation stands behind a word as a rule.
            let punctuation = !is_word(text.as_bytes()[keyword.start]);
            let free = free || edge == Edge::Any;
            if !exact || !(free || punctuation || behind_escape(text, keyword.start)) {
                return None;
            }
            (keyword.start, floor(text, keyword.start + LONGEST))
        }
        Place::Label => (keyword.start, line.end),
        _ => (line.start, line.end),
    };
    let window = text.get(start..end)?;
    // Near the keyword of a line there may be several candidates; the first that holds is taken.
    let bytes = window.as_bytes();
    let chosen = matches!(kind.id, "url-password" | "connection-string-password");
    let made_up = if chosen { is_example_password } else { is_placeholder };
    pattern.captures_iter(bytes).find_map(|captures| {
        let whole = captures.get(0)?;
        let value = captures.name("value").or(captures.get(1)).unwrap_or(whole);
        let next = bytes.get(whole.end());
        let ends =
            kind.place != Place::Prefix || next.is_none_or(|byte| !byte.is_ascii_alphanumeric());
        let range = value.start()..floor(window, value.end());
        let text = window.get(range.clone())?;
        let real = ends
            && placeholder::entropy(text) >= kind.entropy
            && !made_up(text)
            && (kind.id != "url-password" || placeholder::is_foreign_login(window, &captures));
        real.then(|| start + range.start..start + range.end)
    })
}

/// The part of the keyword's line that is looked at.
fn line_around(text: &str, keyword: &Range<usize>) -> Range<usize> {
    let bytes = text.as_bytes();
    let low = ceil(text, keyword.start.saturating_sub(BEFORE));
    let high = floor(text, keyword.end + AFTER);
    let start = memchr::memrchr(b'\n', &bytes[low..keyword.start]).map_or(low, |at| low + at + 1);
    let end = memchr::memchr(b'\n', &bytes[keyword.end..high]).map_or(high, |at| keyword.end + at);
    start..end
}

/// Whether the letter before `at` belongs to an escape such as `\n` rather than to a word.
fn behind_escape(text: &str, at: usize) -> bool {
    let before = &text.as_bytes()[..at];
    matches!(before, [.., b'\\', b'n' | b'r' | b't'])
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// Masks every credential in `text`. Line breaks stay, so lines keep their numbers.
///
/// A private key can only be told by its first or last line: mask a text first, then cut it.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let found = search(text, Edge::Any);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for secret in found {
        out.push_str(&text[from..secret.range.start]);
        for (at, line) in text[secret.range.clone()].split('\n').enumerate() {
            if at > 0 {
                out.push('\n');
            }
            if !line.trim().is_empty() {
                out.push_str(MASK);
            }
        }
        from = secret.range.end;
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_of_the_table_compiles_and_every_kind_has_a_name_of_its_own() {
        let mut ids: Vec<_> = kinds().iter().map(|kind| kind.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), kinds().len());
        assert!(DETECTOR.is_some());
        for kind in kinds() {
            assert!(!kind.keywords.is_empty(), "{}", kind.id);
            compile(kind.pattern).unwrap_or_else(|error| panic!("{}: {error}", kind.id));
        }
    }

    #[test]
    fn text_without_a_credential_is_borrowed() {
        assert!(matches!(redact("let a = b + c; // nothing here"), Cow::Borrowed(_)));
    }
}
