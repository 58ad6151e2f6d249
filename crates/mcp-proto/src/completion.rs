//! Completion: values that a prompt's or template's argument may take.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

use crate::encode::{Encode, Fields, Object, ResultBody, Writer, encode_fields};
use crate::json::or_default;
use crate::meta::ResultMeta;
use crate::revision::Revision;
use crate::strings::Strings;

/// The greatest number of values in one result.
pub const COMPLETION_LIMIT: usize = 100;

/// What an argument belongs to.
///
/// Since: 2024-11-05. Page: server/utilities/completion.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompletionRef {
    /// A prompt.
    Prompt {
        /// Its name.
        name: String,
        /// The name to show. Since: 2025-06-18.
        title: Option<String>,
    },
    /// A resource or a template of resources.
    Resource {
        /// The URI or the template.
        uri: String,
    },
}

/// The argument to complete.
///
/// Since: 2024-11-05. Page: server/utilities/completion.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CompletionArgument {
    /// Its name.
    pub name: String,
    /// What has been typed so far.
    pub value: String,
}

/// Parameters of `completion/complete`.
///
/// Since: 2024-11-05. Page: server/utilities/completion.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct CompleteParams {
    /// What the argument belongs to.
    #[serde(rename = "ref")]
    pub reference: CompletionRef,
    /// The argument.
    pub argument: CompletionArgument,
    /// What is known besides. Since: 2025-06-18.
    pub context: Option<CompletionContext>,
}

/// What is known besides the argument to complete.
///
/// Since: 2025-06-18. Page: server/utilities/completion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct CompletionContext {
    /// The arguments already chosen.
    #[serde(default, deserialize_with = "or_default")]
    pub arguments: Strings,
}

/// The values found.
///
/// Since: 2024-11-05. Page: server/utilities/completion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Completion {
    /// The values, best first. Only the first 100 are sent.
    pub values: Vec<String>,
    /// How many there are in all.
    pub total: Option<u64>,
    /// Whether there are more than were sent.
    pub has_more: Option<bool>,
}

/// Result of `completion/complete`.
///
/// Since: 2024-11-05. Page: server/utilities/completion.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct CompleteResult {
    /// The values found.
    pub completion: Completion,
    /// What travels beside the result.
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
    pub meta: ResultMeta,
}

impl CompletionRef {
    /// Names a prompt.
    #[must_use]
    pub fn prompt(name: impl Into<String>) -> Self {
        Self::Prompt { name: name.into(), title: None }
    }

    /// Names a resource or a template.
    #[must_use]
    pub fn resource(uri: impl Into<String>) -> Self {
        Self::Resource { uri: uri.into() }
    }
}

impl CompleteParams {
    /// Asks to complete `value` of the argument `name`.
    #[must_use]
    pub fn new(
        reference: CompletionRef,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Self {
        let argument = CompletionArgument { name: name.into(), value: value.into() };
        Self { reference, argument, context: None }
    }

    /// Tells which arguments are already chosen.
    #[must_use]
    pub fn context(mut self, arguments: Strings) -> Self {
        self.context = Some(CompletionContext { arguments });
        self
    }

    /// Returns the value already chosen for another argument.
    #[must_use]
    pub fn chosen(&self, name: &str) -> Option<&str> {
        self.context.as_ref()?.arguments.get(name)
    }
}

impl CompleteResult {
    /// Creates a result from all values, best first.
    ///
    /// What exceeds the limit is counted but not sent.
    #[must_use]
    pub fn new(values: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let mut values: Vec<String> = values.into_iter().map(Into::into).collect();
        let total = values.len();
        values.truncate(COMPLETION_LIMIT);
        let completion = Completion {
            total: u64::try_from(total).ok(),
            has_more: Some(total > values.len()),
            values,
        };
        Self { completion, meta: ResultMeta::default() }
    }
}

impl<'de> Deserialize<'de> for CompletionRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Shape {
            r#type: String,
            name: Option<String>,
            title: Option<String>,
            uri: Option<String>,
        }

        let shape = Shape::deserialize(deserializer)?;
        match shape.r#type.as_str() {
            "ref/prompt" => {
                let name = shape.name.ok_or_else(|| D::Error::missing_field("name"))?;
                Ok(Self::Prompt { name, title: shape.title })
            }
            "ref/resource" => {
                let uri = shape.uri.ok_or_else(|| D::Error::missing_field("uri"))?;
                Ok(Self::Resource { uri })
            }
            _ => Err(D::Error::custom("`ref.type` must be `ref/prompt` or `ref/resource`")),
        }
    }
}

impl Encode for CompletionRef {
    fn encode(&self, out: &mut Writer<'_>) {
        out.object(|object| match self {
            Self::Prompt { name, title } => {
                object.field("type", "ref/prompt");
                object.field("name", name);
                object.since(Revision::V2025_06_18, |object| object.optional("title", title));
            }
            Self::Resource { uri } => {
                object.field("type", "ref/resource");
                object.field("uri", uri);
            }
        });
    }
}

impl Fields for CompletionArgument {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("name", &self.name);
        object.field("value", &self.value);
    }
}

impl Fields for CompleteParams {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("ref", &self.reference);
        object.field("argument", &self.argument);
        object.since(Revision::V2025_06_18, |object| object.optional("context", &self.context));
    }
}

impl Fields for CompletionContext {
    fn fields(&self, object: &mut Object<'_, '_>) {
        if !self.arguments.is_empty() {
            object.field("arguments", &self.arguments);
        }
    }
}

impl Fields for Completion {
    fn fields(&self, object: &mut Object<'_, '_>) {
        let sent = &self.values[..self.values.len().min(COMPLETION_LIMIT)];
        object.field("values", sent);
        object.optional("total", &self.total);
        if sent.len() < self.values.len() {
            object.field("hasMore", &true);
        } else {
            object.optional("hasMore", &self.has_more);
        }
    }
}

impl Fields for CompleteResult {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("completion", &self.completion);
    }
}

encode_fields!(CompletionArgument, CompletionContext, Completion);

impl ResultBody for CompleteResult {
    fn meta(&self) -> &ResultMeta {
        &self.meta
    }
}
