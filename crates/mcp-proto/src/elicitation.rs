//! Elicitation: what a server asks of the user, by a form or by a page to open.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

use crate::encode::{Encode, Fields, NotificationBody, Object, ResultBody, Writer, encode_fields};
use crate::form::FormSchema;
use crate::json::{JsonObject, RawJson, or_default};
use crate::meta::ResultMeta;
use crate::method::Method;
use crate::revision::Revision;
use crate::task::TaskRequest;

/// Parameters of `elicitation/create`.
///
/// Since: 2025-06-18; inside a result since 2026-07-28. Page: client/elicitation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ElicitParams {
    /// Fill in a form.
    Form(ElicitFormParams),
    /// Open a page. Since: 2025-11-25.
    Url(ElicitUrlParams),
}

/// Asks the user to fill in a form. Never for secrets.
///
/// Since: 2025-06-18. Page: client/elicitation.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ElicitFormParams {
    /// What the user is told.
    pub message: String,
    /// The form.
    pub requested_schema: FormSchema,
    /// Whether `mode` is spelled out; its absence means a form too. Since: 2025-11-25.
    #[serde(rename = "mode", default, deserialize_with = "is_present")]
    pub states_mode: bool,
    /// Asks for a task. Only: 2025-11-25.
    pub task: Option<TaskRequest>,
}

/// Asks the user to open a page.
///
/// Since: 2025-11-25. Page: client/elicitation.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ElicitUrlParams {
    /// What the user is told.
    pub message: String,
    /// The page.
    pub url: String,
    /// Names the elicitation in a later notice of completion. Required in 2025-11-25, the only
    /// revision that has it.
    pub elicitation_id: Option<String>,
    /// Asks for a task. Only: 2025-11-25.
    pub task: Option<TaskRequest>,
}

/// What the user did.
///
/// Since: 2025-06-18. Page: client/elicitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElicitAction {
    /// Agreed, and filled in the form if there was one.
    Accept,
    /// Refused.
    Decline,
    /// Went away without an answer.
    Cancel,
}

/// Result of `elicitation/create`.
///
/// Since: 2025-06-18. Page: client/elicitation.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ElicitResult {
    /// What the user did.
    pub action: ElicitAction,
    /// The filled in form: strings, numbers, booleans and, since 2025-11-25, lists of strings.
    /// Values of other types are not sent.
    pub content: Option<JsonObject>,
    /// What travels beside the result. Until: 2025-11-25.
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
    pub meta: ResultMeta,
}

/// Says that a page has done its work.
///
/// Only: 2025-11-25. Page: client/elicitation.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ElicitationComplete {
    /// The elicitation.
    pub elicitation_id: String,
}

impl ElicitParams {
    /// Asks for a form.
    #[must_use]
    pub fn form(message: impl Into<String>, form: FormSchema) -> Self {
        Self::Form(ElicitFormParams {
            message: message.into(),
            requested_schema: form,
            states_mode: true,
            task: None,
        })
    }

    /// Asks to open a page.
    #[must_use]
    pub fn url(message: impl Into<String>, url: impl Into<String>) -> Self {
        Self::Url(ElicitUrlParams::new(message, url))
    }

    /// Returns what the user is told.
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            Self::Form(form) => &form.message,
            Self::Url(url) => &url.message,
        }
    }
}

impl ElicitUrlParams {
    /// Asks to open a page.
    #[must_use]
    pub fn new(message: impl Into<String>, url: impl Into<String>) -> Self {
        Self { message: message.into(), url: url.into(), elicitation_id: None, task: None }
    }

    /// Names the elicitation.
    #[must_use]
    pub fn elicitation_id(mut self, id: impl Into<String>) -> Self {
        self.elicitation_id = Some(id.into());
        self
    }
}

impl ElicitResult {
    /// Agrees, with the filled in form.
    #[must_use]
    pub fn accept(content: JsonObject) -> Self {
        Self { content: Some(content), ..Self::without_content(ElicitAction::Accept) }
    }

    /// Agrees to open a page.
    #[must_use]
    pub fn accept_url() -> Self {
        Self::without_content(ElicitAction::Accept)
    }

    /// Refuses.
    #[must_use]
    pub fn decline() -> Self {
        Self::without_content(ElicitAction::Decline)
    }

    /// Goes away without an answer.
    #[must_use]
    pub fn cancel() -> Self {
        Self::without_content(ElicitAction::Cancel)
    }

    fn without_content(action: ElicitAction) -> Self {
        Self { action, content: None, meta: ResultMeta::default() }
    }
}

impl ElicitationComplete {
    /// Names the elicitation.
    #[must_use]
    pub fn new(elicitation_id: impl Into<String>) -> Self {
        Self { elicitation_id: elicitation_id.into() }
    }
}

impl<'de> Deserialize<'de> for ElicitParams {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Mode {
            mode: Option<String>,
        }

        let raw = RawJson::deserialize(deserializer)?;
        let mode: Mode = raw.decode().map_err(D::Error::custom)?;
        match mode.mode.as_deref() {
            None | Some("form") => raw.decode().map(Self::Form),
            Some("url") => raw.decode().map(Self::Url),
            Some(_) => return Err(D::Error::custom("an elicitation of an unknown `mode`")),
        }
        .map_err(D::Error::custom)
    }
}

fn is_present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Option::<serde::de::IgnoredAny>::deserialize(deserializer).map(|mode| mode.is_some())
}

impl Fields for ElicitParams {
    fn fields(&self, object: &mut Object<'_, '_>) {
        match self {
            Self::Form(form) => form.fields(object),
            Self::Url(url) => url.fields(object),
        }
    }
}

impl Fields for ElicitFormParams {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.since(Revision::V2025_11_25, |object| {
            if self.states_mode {
                object.field("mode", "form");
            }
        });
        object.field("message", &self.message);
        object.field("requestedSchema", &self.requested_schema);
        object.only(Revision::V2025_11_25, |object| object.optional("task", &self.task));
    }
}

impl Fields for ElicitUrlParams {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.until(Revision::V2025_06_18, |object| object.refuse("elicitation by a page"));
        object.field("mode", "url");
        object.field("message", &self.message);
        object.field("url", &self.url);
        object.only(Revision::V2025_11_25, |object| {
            match &self.elicitation_id {
                Some(id) => object.field("elicitationId", id),
                None => object.refuse("elicitation by a page without an id"),
            }
            object.optional("task", &self.task);
        });
    }
}

impl Fields for ElicitResult {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("action", &self.action);
        if let Some(content) = &self.content {
            object.nested("content", |object| {
                let lists = object.revision() >= Revision::V2025_11_25;
                for (name, value) in content.iter().filter(|(_, value)| is_answer(value, lists)) {
                    object.field(name, value);
                }
            });
        }
    }
}

/// Reports whether a form can hold the value: a string, number, boolean or list of strings.
fn is_answer(value: &RawJson, lists: bool) -> bool {
    match value.get().as_bytes().first() {
        Some(b'[') => lists && value.decode::<Vec<String>>().is_ok(),
        Some(b'{' | b'n') | None => false,
        Some(_) => true,
    }
}

impl Encode for ElicitAction {
    fn encode(&self, out: &mut Writer<'_>) {
        out.string(match self {
            Self::Accept => "accept",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
        });
    }
}

impl Fields for ElicitationComplete {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("elicitationId", &self.elicitation_id);
    }
}

encode_fields!(ElicitParams, ElicitFormParams, ElicitUrlParams, ElicitResult);

impl ResultBody for ElicitResult {
    fn meta(&self) -> &ResultMeta {
        &self.meta
    }
}

impl NotificationBody for ElicitationComplete {
    const METHOD: Method = Method::ElicitationComplete;
}
