//! The forms of elicitation: a flat object of primitive fields.
//!
//! The set of fields is open: one of an unknown shape is kept as it came.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

use crate::encode::{Encode, Fields, Object, Writer, encode_fields};
use crate::json::{JsonObject, RawJson, or_default};
use crate::revision::Revision;

/// A form: its fields in order, and which of them must be filled in.
///
/// Since: 2025-06-18. Page: client/elicitation.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct FormSchema {
    /// The fields by name, in order.
    pub properties: Vec<(String, FormField)>,
    /// The names of those that must be filled in.
    pub required: Vec<String>,
    /// The schema's dialect. Since: 2025-11-25.
    pub dialect: Option<String>,
}

/// One field of a form.
///
/// Since: 2025-06-18. Page: client/elicitation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FormField {
    /// A text.
    String(StringField),
    /// A number, whole or not.
    Number(NumberField),
    /// Yes or no.
    Boolean(BooleanField),
    /// One of several values.
    Choice(ChoiceField),
    /// Any of several values. Since: 2025-11-25.
    MultiChoice(MultiChoiceField),
    /// A field of a shape that no revision defines. Sent as it came.
    Other(RawJson),
}

/// A field for a text.
///
/// Since: 2025-06-18. Page: client/elicitation.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StringField {
    /// The name to show.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// The least number of characters.
    pub min_length: Option<u64>,
    /// The greatest number of characters.
    pub max_length: Option<u64>,
    /// `email`, `uri`, `date` or `date-time`; others are not sent.
    pub format: Option<String>,
    /// The value to start from. Since: 2025-11-25.
    pub default: Option<String>,
}

/// A field for a number.
///
/// Since: 2025-06-18. Page: client/elicitation.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct NumberField {
    /// Whether the number must be whole.
    pub is_integer: bool,
    /// The name to show.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// The least number.
    pub minimum: Option<f64>,
    /// The greatest number.
    pub maximum: Option<f64>,
    /// The value to start from. Since: 2025-11-25.
    pub default: Option<f64>,
}

/// A field for yes or no.
///
/// Since: 2025-06-18. Page: client/elicitation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct BooleanField {
    /// The name to show.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// The value to start from.
    pub default: Option<bool>,
}

/// A value to choose, and what to show for it.
///
/// Since: 2025-06-18. Page: client/elicitation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Choice {
    /// The value.
    pub value: String,
    /// What to show; the value itself if absent.
    pub title: Option<String>,
}

/// How a single choice spells its titles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TitleStyle {
    /// `oneOf` with `const` and `title`, or a plain `enum` without titles. Since: 2025-11-25.
    #[default]
    OneOf,
    /// `enum` beside `enumNames`, the only form of 2025-06-18 and legacy after.
    EnumNames,
}

/// A field for one of several values.
///
/// Since: 2025-06-18. Page: client/elicitation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChoiceField {
    /// The name to show.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// The values, in order.
    pub choices: Vec<Choice>,
    /// How titles are spelled where the revision leaves a choice.
    pub style: TitleStyle,
    /// The value to start from. Since: 2025-11-25.
    pub default: Option<String>,
}

/// A field for any of several values.
///
/// Since: 2025-11-25. Page: client/elicitation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MultiChoiceField {
    /// The name to show.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// The values, in order.
    pub choices: Vec<Choice>,
    /// The least number of values to choose.
    pub min_items: Option<u64>,
    /// The greatest number of values to choose.
    pub max_items: Option<u64>,
    /// The values to start from; `None` leaves it open.
    pub default: Option<Vec<String>>,
}

impl FormSchema {
    /// Creates a form without fields.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a field that must be filled in.
    #[must_use]
    pub fn required(mut self, name: impl Into<String>, field: FormField) -> Self {
        let name = name.into();
        self.required.push(name.clone());
        self.optional(name, field)
    }

    /// Adds a field that may stay empty.
    #[must_use]
    pub fn optional(mut self, name: impl Into<String>, field: FormField) -> Self {
        self.properties.push((name.into(), field));
        self
    }
}

impl FormField {
    /// Creates a field for a text.
    #[must_use]
    pub fn string() -> Self {
        Self::String(StringField::default())
    }

    /// Creates a field for a number.
    #[must_use]
    pub fn number() -> Self {
        Self::Number(NumberField::default())
    }

    /// Creates a field for a whole number.
    #[must_use]
    pub fn integer() -> Self {
        Self::Number(NumberField { is_integer: true, ..NumberField::default() })
    }

    /// Creates a field for yes or no.
    #[must_use]
    pub fn boolean() -> Self {
        Self::Boolean(BooleanField::default())
    }

    /// Creates a field for one of several values.
    #[must_use]
    pub fn choice(choices: impl IntoIterator<Item = Choice>) -> Self {
        let choices = choices.into_iter().collect();
        Self::Choice(ChoiceField { choices, ..ChoiceField::default() })
    }

    /// Creates a field for any of several values.
    #[must_use]
    pub fn multi_choice(choices: impl IntoIterator<Item = Choice>) -> Self {
        let choices = choices.into_iter().collect();
        Self::MultiChoice(MultiChoiceField { choices, ..MultiChoiceField::default() })
    }

    /// Sets the name to show. A field of an unknown shape stays as it is.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        if let Some((slot, _)) = self.texts() {
            *slot = Some(title.into());
        }
        self
    }

    /// Says what the field is for. A field of an unknown shape stays as it is.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        if let Some((_, slot)) = self.texts() {
            *slot = Some(description.into());
        }
        self
    }

    fn texts(&mut self) -> Option<(&mut Option<String>, &mut Option<String>)> {
        match self {
            Self::String(field) => Some((&mut field.title, &mut field.description)),
            Self::Number(field) => Some((&mut field.title, &mut field.description)),
            Self::Boolean(field) => Some((&mut field.title, &mut field.description)),
            Self::Choice(field) => Some((&mut field.title, &mut field.description)),
            Self::MultiChoice(field) => Some((&mut field.title, &mut field.description)),
            Self::Other(_) => None,
        }
    }
}

impl Choice {
    /// Creates a value that shows as itself.
    #[must_use]
    pub fn new(value: impl Into<String>) -> Self {
        Self { value: value.into(), title: None }
    }

    /// Creates a value that shows as `title`.
    #[must_use]
    pub fn titled(value: impl Into<String>, title: impl Into<String>) -> Self {
        Self { value: value.into(), title: Some(title.into()) }
    }
}

impl<'de> Deserialize<'de> for FormSchema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Shape {
            properties: JsonObject,
            #[serde(default, deserialize_with = "or_default")]
            required: Vec<String>,
            #[serde(rename = "$schema")]
            dialect: Option<String>,
        }

        let shape = Shape::deserialize(deserializer)?;
        let fields =
            shape.properties.iter().map(|(name, raw)| Ok((name.to_owned(), raw.decode()?)));
        let properties =
            fields.collect::<Result<_, serde_json::Error>>().map_err(D::Error::custom)?;
        Ok(Self { properties, required: shape.required, dialect: shape.dialect })
    }
}

/// Every member that some kind of field has.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FieldShape {
    r#type: String,
    title: Option<String>,
    description: Option<String>,
    r#enum: Option<Vec<String>>,
    enum_names: Option<Vec<String>>,
    one_of: Option<Vec<ChoiceShape>>,
    items: Option<ItemsShape>,
    minimum: Option<f64>,
    maximum: Option<f64>,
    min_items: Option<u64>,
    max_items: Option<u64>,
    default: Option<RawJson>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ItemsShape {
    r#enum: Option<Vec<String>>,
    any_of: Option<Vec<ChoiceShape>>,
}

#[derive(Deserialize)]
struct ChoiceShape {
    r#const: String,
    title: Option<String>,
}

impl FieldShape {
    fn default<T: for<'de> Deserialize<'de>>(&self) -> Result<Option<T>, serde_json::Error> {
        self.default.as_ref().map(RawJson::decode).transpose()
    }

    fn number(self, is_integer: bool) -> Result<FormField, serde_json::Error> {
        Ok(FormField::Number(NumberField {
            is_integer,
            minimum: self.minimum,
            maximum: self.maximum,
            default: self.default()?,
            title: self.title,
            description: self.description,
        }))
    }

    fn choice(self) -> Result<FormField, serde_json::Error> {
        let default = self.default()?;
        let style =
            if self.enum_names.is_some() { TitleStyle::EnumNames } else { TitleStyle::OneOf };
        let choices = match self.one_of {
            Some(choices) => titled(choices),
            None => {
                let mut names = self.enum_names.unwrap_or_default().into_iter();
                let values = self.r#enum.unwrap_or_default().into_iter();
                values.map(|value| Choice { value, title: names.next() }).collect()
            }
        };
        let (title, description) = (self.title, self.description);
        Ok(FormField::Choice(ChoiceField { title, description, choices, style, default }))
    }

    fn multi_choice(self, items: ItemsShape) -> Result<FormField, serde_json::Error> {
        let default = self.default()?;
        let choices = match items.any_of {
            Some(choices) => titled(choices),
            None => items.r#enum.unwrap_or_default().into_iter().map(Choice::new).collect(),
        };
        Ok(FormField::MultiChoice(MultiChoiceField {
            title: self.title,
            description: self.description,
            choices,
            min_items: self.min_items,
            max_items: self.max_items,
            default,
        }))
    }
}

fn titled(choices: Vec<ChoiceShape>) -> Vec<Choice> {
    let choices = choices.into_iter();
    choices.map(|choice| Choice { value: choice.r#const, title: choice.title }).collect()
}

impl<'de> Deserialize<'de> for FormField {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        let Ok(mut shape) = raw.decode::<FieldShape>() else {
            return Ok(Self::Other(raw));
        };
        match shape.r#type.as_str() {
            "string" if shape.r#enum.is_some() || shape.one_of.is_some() => shape.choice(),
            "string" => raw.decode().map(Self::String),
            "number" => shape.number(false),
            "integer" => shape.number(true),
            "boolean" => raw.decode().map(Self::Boolean),
            "array" => match shape.items.take() {
                Some(items) if items.r#enum.is_some() || items.any_of.is_some() => {
                    shape.multi_choice(items)
                }
                _ => return Ok(Self::Other(raw)),
            },
            _ => return Ok(Self::Other(raw)),
        }
        .map_err(D::Error::custom)
    }
}

impl Fields for FormSchema {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.since(Revision::V2025_11_25, |object| object.optional("$schema", &self.dialect));
        object.field("type", "object");
        object.nested("properties", |object| {
            for (name, field) in &self.properties {
                object.field(name, field);
            }
        });
        object.list("required", &self.required);
    }
}

impl Encode for FormField {
    fn encode(&self, out: &mut Writer<'_>) {
        match self {
            Self::String(field) => out.object(|object| field.fields(object)),
            Self::Number(field) => out.object(|object| field.fields(object)),
            Self::Boolean(field) => out.object(|object| field.fields(object)),
            Self::Choice(field) => out.object(|object| field.fields(object)),
            Self::MultiChoice(_) if out.revision() < Revision::V2025_11_25 => {
                out.refuse("a form field with several values");
            }
            Self::MultiChoice(field) => out.object(|object| field.fields(object)),
            Self::Other(raw) => raw.encode(out),
        }
    }
}

fn texts(object: &mut Object<'_, '_>, title: &Option<String>, description: &Option<String>) {
    object.optional("title", title);
    object.optional("description", description);
}

impl Fields for StringField {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("type", "string");
        texts(object, &self.title, &self.description);
        object.optional("minLength", &self.min_length);
        object.optional("maxLength", &self.max_length);
        if let Some(format @ ("email" | "uri" | "date" | "date-time")) = self.format.as_deref() {
            object.field("format", format);
        }
        object.since(Revision::V2025_11_25, |object| object.optional("default", &self.default));
    }
}

impl Fields for NumberField {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("type", if self.is_integer { "integer" } else { "number" });
        texts(object, &self.title, &self.description);
        object.optional("minimum", &self.minimum);
        object.optional("maximum", &self.maximum);
        object.since(Revision::V2025_11_25, |object| object.optional("default", &self.default));
    }
}

impl Fields for BooleanField {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("type", "boolean");
        texts(object, &self.title, &self.description);
        object.optional("default", &self.default);
    }
}

impl Fields for ChoiceField {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("type", "string");
        texts(object, &self.title, &self.description);
        let has_titles = self.choices.iter().any(|choice| choice.title.is_some());
        let modern = object.revision() >= Revision::V2025_11_25;
        if has_titles && modern && self.style == TitleStyle::OneOf {
            object.field("oneOf", self.choices.as_slice());
        } else {
            values(object, &self.choices);
            if has_titles {
                let titles: Vec<&str> = self.choices.iter().map(Choice::shown).collect();
                object.field("enumNames", &titles);
            }
        }
        object.since(Revision::V2025_11_25, |object| object.optional("default", &self.default));
    }
}

impl Fields for MultiChoiceField {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("type", "array");
        texts(object, &self.title, &self.description);
        object.nested("items", |object| {
            if self.choices.iter().any(|choice| choice.title.is_some()) {
                object.field("anyOf", self.choices.as_slice());
            } else {
                object.field("type", "string");
                values(object, &self.choices);
            }
        });
        object.optional("minItems", &self.min_items);
        object.optional("maxItems", &self.max_items);
        object.optional("default", &self.default);
    }
}

fn values(object: &mut Object<'_, '_>, choices: &[Choice]) {
    let values: Vec<&str> = choices.iter().map(|choice| choice.value.as_str()).collect();
    object.field("enum", &values);
}

impl Choice {
    fn shown(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.value)
    }
}

impl Fields for Choice {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("const", &self.value);
        object.field("title", self.shown());
    }
}

encode_fields!(FormSchema, Choice);
