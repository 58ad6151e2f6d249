//! How a request ends, or asks for input first, and how a result says so.

use serde::Deserialize;
use serde::de::Error as _;
use serde_json::value::RawValue;

use crate::encode::{Fields, Object, ResultBody};
use crate::input_required::InputRequiredResult;
use crate::json::present;
use crate::meta::ResultMeta;
use crate::page::CacheHint;
use crate::task::CreateTaskResult;

/// How a request that may need several attempts ends this one.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome<T> {
    /// With its result.
    Complete(T),
    /// With a question. Has no form on the wire before 2026-07-28.
    InputRequired(InputRequiredResult),
    /// With a task that goes on. Since: 2025-11-25.
    Task(CreateTaskResult),
}

impl<T> Outcome<T> {
    /// Decodes a result by its `resultType`; an absent one means a complete result.
    ///
    /// # Errors
    /// Fails when the result does not have the shape of its type, or when its type is unknown.
    pub fn from_raw<'de>(raw: &'de RawValue) -> Result<Self, serde_json::Error>
    where
        T: Deserialize<'de>,
    {
        match ResultType::of(raw)? {
            ResultType::Complete => serde_json::from_str(raw.get()).map(Self::Complete),
            ResultType::InputRequired => serde_json::from_str(raw.get()).map(Self::InputRequired),
            ResultType::Task => serde_json::from_str(raw.get()).map(Self::Task),
            ResultType::Other(other) => {
                Err(serde_json::Error::custom(format!("unknown `resultType` {other:?}")))
            }
        }
    }
}

impl<T> From<T> for Outcome<T> {
    fn from(result: T) -> Self {
        Self::Complete(result)
    }
}

impl<T: ResultBody> Fields for Outcome<T> {
    fn fields(&self, object: &mut Object<'_, '_>) {
        match self {
            Self::Complete(result) => result.fields(object),
            Self::InputRequired(result) => result.fields(object),
            Self::Task(result) => result.fields(object),
        }
    }
}

impl<T: ResultBody> ResultBody for Outcome<T> {
    fn meta(&self) -> &ResultMeta {
        match self {
            Self::Complete(result) => result.meta(),
            Self::InputRequired(result) => result.meta(),
            Self::Task(result) => result.meta(),
        }
    }

    fn cache(&self) -> Option<CacheHint> {
        match self {
            Self::Complete(result) => result.cache(),
            Self::InputRequired(_) | Self::Task(_) => None,
        }
    }

    fn result_type(&self) -> &str {
        match self {
            Self::Complete(result) => result.result_type(),
            Self::InputRequired(result) => result.result_type(),
            Self::Task(result) => result.result_type(),
        }
    }
}

/// What a result is, as it says itself. Receivers look here before they decode the rest.
///
/// Since: 2026-07-28. Page: basic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultType {
    /// The request's result. Also what a result without a `resultType` is.
    Complete,
    /// A question.
    InputRequired,
    /// A task, from the tasks extension.
    Task,
    /// Anything else, which is an invalid response unless an extension defines it.
    Other(String),
}

impl ResultType {
    /// Reads the type of a result.
    ///
    /// # Errors
    /// Fails when `resultType` is present and not a string.
    pub fn of(result: &RawValue) -> Result<Self, serde_json::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Shape {
            #[serde(default, deserialize_with = "present")]
            result_type: Option<String>,
            /// How 2025-11-25 answers a request that became a task.
            task: Option<serde::de::IgnoredAny>,
            content: Option<serde::de::IgnoredAny>,
        }

        let shape: Shape = serde_json::from_str(result.get())?;
        Ok(match shape.result_type.as_deref() {
            None if shape.task.is_some() && shape.content.is_none() => Self::Task,
            None | Some("complete") => Self::Complete,
            Some("input_required") => Self::InputRequired,
            Some("task") => Self::Task,
            Some(other) => Self::Other(other.to_owned()),
        })
    }
}
