//! What a review finds, and the closed vocabularies that a finding is described in.
//!
//! The names on the wire (`as_str`, serde) are the document's, and are part of its contract.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

macro_rules! vocabulary {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name { $($(#[$vmeta])* #[serde(rename = $text)] $variant,)+ }

        impl $name {
            /// Every member, in the order of the enum.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The name that stands in documents, rule files and arguments.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// Reads a name; `None` if it is not one of this vocabulary.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)+ _ => None }
            }
        }

        // By hand, since the derived form is a choice of constants, which some readers of tool schemas
        // do not know.
        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                Cow::Borrowed(stringify!($name))
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "enum": [$($text,)+] })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

vocabulary! {
    /// How bad a finding is. The order is the order of reports: the worst first.
    Severity {
        /// Exploitable, or loses data.
        Critical = "critical",
        /// Wrong in ordinary use.
        High = "high",
        /// Wrong in some use, or a trap for the next change.
        Medium = "medium",
        /// Worth mending, harmless today.
        Low = "low",
        /// Worth knowing.
        Info = "info",
    }
}

impl Severity {
    /// Whether this severity reaches `threshold`, that is, is the same or worse.
    #[must_use]
    pub fn reaches(self, threshold: Self) -> bool {
        self <= threshold
    }
}

vocabulary! {
    /// What kind of fault a finding names.
    Category {
        /// An attacker gains something.
        Security = "security",
        /// A credential is in the change.
        Secret = "secret",
        /// The code does something else than it says.
        Correctness = "correctness",
        /// Wrong only when several threads or tasks run.
        Concurrency = "concurrency",
        /// A failure is lost or mistreated.
        ErrorHandling = "error-handling",
        /// Something opened is not closed.
        ResourceLeak = "resource-leak",
        /// Slower or hungrier than need be.
        Performance = "performance",
        /// A test that proves less than it seems.
        Test = "test",
        /// Harder to read or change than need be.
        Maintainability = "maintainability",
        /// Something about the change itself.
        Change = "change",
    }
}

vocabulary! {
    /// How sure the reviewer is that the finding is real.
    Confidence {
        /// Nearly always right.
        High = "high",
        /// More often right than not.
        Medium = "medium",
        /// A hint.
        Low = "low",
    }
}

vocabulary! {
    /// Who found it.
    Source {
        /// The embedded rules.
        Rules = "rules",
        /// A configured model.
        Model = "model",
    }
}

vocabulary! {
    /// The side of the diff on which a line stands.
    Side {
        /// Before the change.
        Old = "old",
        /// After the change.
        New = "new",
    }
}

/// A replacement that mends a finding: whole lines `line..=line_end` of the new side become `replacement`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fix {
    /// First line replaced, 1-based, on the new side.
    pub line: u32,
    /// Last line replaced, inclusive.
    pub line_end: u32,
    /// The lines that are replaced, without their last line end: where they read otherwise, the file has
    /// moved on.
    #[serde(default)]
    pub original: String,
    /// The text that takes their place, without its last line end; empty where the lines go.
    pub replacement: String,
}

/// One fault, at one place of the reviewed change.
///
/// Findings compare in the order of reports: severity, file, line, then rule and title.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Names the finding within its document; derived from the fingerprint, so it is stable.
    pub id: String,
    /// The rule's id; `None` for a model's finding.
    pub rule: Option<String>,
    /// What kind of fault it is.
    pub category: Category,
    /// How bad it is.
    pub severity: Severity,
    /// How sure the reviewer is.
    pub confidence: Confidence,
    /// Who found it.
    pub source: Source,
    /// The changed file, relative to the root of the repository, with `/` between names.
    pub file: String,
    /// 1-based line on `side`.
    pub line: u32,
    /// Last line, inclusive, where the finding spans several.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line_end: Option<u32>,
    /// The side on which `line` is counted.
    pub side: Side,
    /// A few words.
    pub title: String,
    /// What is wrong here.
    pub description: String,
    /// What to do about it.
    pub suggestion: String,
    /// The language of the file, where it is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub language: Option<String>,
    /// The code at `line`, credentials masked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub snippet: Option<String>,
    /// A replacement that mends it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fix: Option<Fix>,
    /// Identifies the fault across edits elsewhere: made of the rule or category and the code around
    /// the line, of no prose and no line number.
    pub fingerprint: String,
}

impl PartialOrd for Finding {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Finding {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.severity
            .cmp(&other.severity)
            .then_with(|| self.file.cmp(&other.file))
            .then_with(|| self.line.cmp(&other.line))
            .then_with(|| (self.side == Side::Old).cmp(&(other.side == Side::Old)))
            .then_with(|| self.rule.cmp(&other.rule))
            .then_with(|| self.title.cmp(&other.title))
            .then_with(|| self.fingerprint.cmp(&other.fingerprint))
            .then_with(|| self.id.cmp(&other.id))
    }
}
