//! JSON that the protocol carries without a type of its own.
//!
//! Both types keep the text they were given, member order included, except that raw line breaks
//! are gone: they can only stand between tokens there, and a message must fit one line.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

/// One JSON value, kept as text.
#[derive(Clone)]
pub struct RawJson(Box<RawValue>);

impl RawJson {
    /// Serializes `value` into compact JSON.
    ///
    /// # Errors
    /// Fails when `value` has no JSON form, such as a map whose keys are not strings.
    pub fn new<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        // A nested `RawValue` may bring line breaks along, so the result is checked too.
        serde_json::value::to_raw_value(value).map(Self::from)
    }

    /// Accepts JSON text as it stands.
    ///
    /// # Errors
    /// Fails when `text` is not exactly one JSON value.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str::<Box<RawValue>>(text).map(Self::from)
    }

    /// Returns the JSON text, free of raw line breaks.
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// Decodes the value into a type.
    ///
    /// # Errors
    /// Fails when the value does not have the type's shape.
    pub fn decode<'de, T: Deserialize<'de>>(&'de self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.get())
    }

    /// Reports whether the value is a JSON object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.get().starts_with('{')
    }
}

impl From<Box<RawValue>> for RawJson {
    fn from(raw: Box<RawValue>) -> Self {
        if !has_line_break(raw.get()) {
            return Self(raw);
        }
        let one_line: String = raw.get().chars().filter(|c| !matches!(c, '\n' | '\r')).collect();
        // Line breaks in JSON stand between tokens only, so what is left is the same value.
        RawValue::from_string(one_line).map_or(Self(raw), Self)
    }
}

impl From<&RawValue> for RawJson {
    fn from(raw: &RawValue) -> Self {
        Self::from(raw.to_owned())
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

/// Compares texts: two spellings of one value differ.
impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self::from)
    }
}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// A JSON object whose members are kept in order, each as text.
#[derive(Clone, Default, PartialEq)]
pub struct JsonObject(Vec<(String, RawJson)>);

impl JsonObject {
    /// Creates an object without members.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Keeps the last of several members with one name, as most JSON readers do.
    pub(crate) fn from_members(mut members: Vec<(String, RawJson)>) -> Self {
        if members.len() > 1 {
            // Sorting finds repeated names without a quadratic scan over a hostile object.
            let mut order: Vec<usize> = (0..members.len()).collect();
            order.sort_by(|a, b| members[*a].0.cmp(&members[*b].0).then(a.cmp(b)));
            let mut is_last = vec![true; members.len()];
            for pair in order.windows(2) {
                is_last[pair[0]] = members[pair[0]].0 != members[pair[1]].0;
            }
            let mut is_last = is_last.into_iter();
            members.retain(|_| is_last.next().unwrap_or(true));
        }
        Self(members)
    }

    /// Adds or replaces a member.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: RawJson) -> Self {
        self.insert(name, value);
        self
    }

    /// Adds a member, or replaces the one of that name in its place.
    pub fn insert(&mut self, name: impl Into<String>, value: RawJson) {
        let name = name.into();
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some(member) => member.1 = value,
            None => self.0.push((name, value)),
        }
    }

    /// Returns the member of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&RawJson> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Visits the members in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawJson)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Reports whether there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

impl fmt::Debug for JsonObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<N: Into<String>> FromIterator<(N, RawJson)> for JsonObject {
    fn from_iter<I: IntoIterator<Item = (N, RawJson)>>(members: I) -> Self {
        let mut object = Self::new();
        for (name, value) in members {
            object.insert(name, value);
        }
        object
    }
}

impl<'de> Deserialize<'de> for JsonObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor)
    }
}

impl Serialize for JsonObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = JsonObject;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonObject, A::Error> {
        let mut members: Vec<(String, RawJson)> = Vec::new();
        while let Some((name, value)) = map.next_entry::<String, RawJson>()? {
            members.push((name, value));
        }
        Ok(JsonObject::from_members(members))
    }
}

/// The name of a member, borrowed where it has no escapes.
pub(crate) struct Name<'a>(pub(crate) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(NameVisitor)
    }
}

struct NameVisitor;

impl<'de> Visitor<'de> for NameVisitor {
    type Value = Name<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member name")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Name<'de>, E> {
        Ok(Name(Cow::Borrowed(name)))
    }

    fn visit_str<E>(self, name: &str) -> Result<Name<'de>, E> {
        Ok(Name(Cow::Owned(name.to_owned())))
    }
}

/// Decodes a member that keeps `null` apart from absence: present is `Some`, whatever it holds.
///
/// For use with `#[serde(default, deserialize_with = "present")]`.
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// Decodes an optional member for which `null`, as many peers write absence, means the default.
pub(crate) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Decodes an optional member from a closed set, for which a value of a later revision counts as
/// absent: a hint that is not understood must not cost the whole message.
pub(crate) fn known<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: for<'raw> Deserialize<'raw>,
{
    RawJson::deserialize(deserializer).map(|raw| raw.decode().ok())
}

/// Decodes an optional member whose value must be an object.
pub(crate) fn optional_object<'de, D>(deserializer: D) -> Result<Option<RawJson>, D::Error>
where
    D: Deserializer<'de>,
{
    match Option::<RawJson>::deserialize(deserializer)? {
        Some(raw) if !raw.is_object() => Err(D::Error::custom("expected an object")),
        raw => Ok(raw),
    }
}

/// Decodes a member whose value must be an object.
pub(crate) fn required_object<'de, D>(deserializer: D) -> Result<RawJson, D::Error>
where
    D: Deserializer<'de>,
{
    let raw = RawJson::deserialize(deserializer)?;
    if raw.is_object() { Ok(raw) } else { Err(D::Error::custom("expected an object")) }
}

pub(crate) fn has_line_break(text: &str) -> bool {
    text.as_bytes().contains(&b'\n') || text.as_bytes().contains(&b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_text_keeps_member_order_and_loses_line_breaks() {
        let raw = RawJson::parse("{\r\n  \"z\": 1,\n  \"a\": \"x\\ny\"\n}").unwrap();
        assert_eq!(raw.get(), "{  \"z\": 1,  \"a\": \"x\\ny\"}");
    }

    #[test]
    fn either_line_break_alone_is_enough() {
        assert_eq!(RawJson::parse("[1,\r2]").unwrap().get(), "[1,2]");
        assert_eq!(RawJson::parse("[1,\n2]").unwrap().get(), "[1,2]");
    }

    #[test]
    fn raw_text_is_one_value() {
        for text in ["", "{", "1 2", "nul", "\"\u{1}\""] {
            assert!(RawJson::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_last_of_two_members_with_one_name_wins() {
        let object: JsonObject = serde_json::from_str(r#"{"a":1,"b":2,"a":3}"#).unwrap();
        assert_eq!(serde_json::to_string(&object).unwrap(), r#"{"b":2,"a":3}"#);
    }
}
