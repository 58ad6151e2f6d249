//! Request ids and progress tokens: a string or an integer, with the JSON type kept.
//!
//! `1` and `"1"` differ. An integer of any size is kept digit for digit; one that fits 64 bits
//! costs no allocation. `1.0` counts as the integer 1, as it does for JSON Schema.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

/// The id of a request: a string or an integer.
///
/// Since: 2024-11-05. Page: basic.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(Repr);

/// The name under which a requestor wants progress reports: a string or an integer.
///
/// Since: 2024-11-05. Page: basic/patterns/progress.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProgressToken(Repr);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Repr {
    Integer(i64),
    /// Digits, with a sign where negative, of an integer beyond 64 bits.
    Digits(Box<str>),
    Text(Box<str>),
}

macro_rules! string_or_integer {
    ($name:ident, $what:literal) => {
        impl $name {
            /// Returns the value when it is a string.
            #[must_use]
            pub fn as_str(&self) -> Option<&str> {
                match &self.0 {
                    Repr::Text(text) => Some(text),
                    Repr::Integer(_) | Repr::Digits(_) => None,
                }
            }

            /// Returns the value when it is an integer that fits 64 signed bits.
            #[must_use]
            pub fn as_i64(&self) -> Option<i64> {
                match self.0 {
                    Repr::Integer(value) => Some(value),
                    Repr::Digits(_) | Repr::Text(_) => None,
                }
            }

            /// Reads the value from JSON, or `None` when it is neither string nor integer.
            #[must_use]
            pub fn from_raw(raw: &RawValue) -> Option<Self> {
                Repr::from_json(raw.get()).map(Self)
            }

            pub(crate) fn write(&self, out: &mut Vec<u8>) {
                self.0.write(out);
            }
        }

        impl From<i64> for $name {
            fn from(value: i64) -> Self {
                Self(Repr::Integer(value))
            }
        }

        impl From<u32> for $name {
            fn from(value: u32) -> Self {
                Self(Repr::Integer(value.into()))
            }
        }

        impl From<u64> for $name {
            fn from(value: u64) -> Self {
                Self(match i64::try_from(value) {
                    Ok(value) => Repr::Integer(value),
                    Err(_) => Repr::Digits(value.to_string().into()),
                })
            }
        }

        impl From<&str> for $name {
            fn from(value: &str) -> Self {
                Self(Repr::Text(value.into()))
            }
        }

        impl From<String> for $name {
            fn from(value: String) -> Self {
                Self(Repr::Text(value.into()))
            }
        }

        /// Writes the JSON form, so that `1` and `"1"` stay apart.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut json = Vec::new();
                self.0.write(&mut json);
                f.write_str(&String::from_utf8_lossy(&json))
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let raw = Box::<RawValue>::deserialize(deserializer)?;
                Self::from_raw(&raw)
                    .ok_or_else(|| D::Error::custom(concat!($what, " must be a string or integer")))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match &self.0 {
                    Repr::Integer(value) => serializer.serialize_i64(*value),
                    Repr::Text(text) => serializer.serialize_str(text),
                    Repr::Digits(digits) => RawValue::from_string(digits.to_string())
                        .map_err(serde::ser::Error::custom)?
                        .serialize(serializer),
                }
            }
        }
    };
}

string_or_integer!(RequestId, "a request id");
string_or_integer!(ProgressToken, "a progress token");

/// The token that reports on a request may be the request's own id.
impl From<RequestId> for ProgressToken {
    fn from(id: RequestId) -> Self {
        Self(id.0)
    }
}

impl Repr {
    /// Reads one valid JSON value.
    fn from_json(json: &str) -> Option<Self> {
        if json.starts_with('"') {
            return serde_json::from_str::<String>(json).ok().map(|text| Self::Text(text.into()));
        }
        let integer = match json.split_once('.') {
            Some((integer, fraction)) if fraction.bytes().all(|b| b == b'0') => integer,
            Some(_) => return None,
            None => json,
        };
        if let Ok(value) = integer.parse::<i64>() {
            return Some(Self::Integer(value));
        }
        let digits = integer.strip_prefix('-').unwrap_or(integer);
        let is_integer = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        is_integer.then(|| Self::Digits(integer.into()))
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Integer(value) => crate::encode::write_integer(out, *value),
            Self::Digits(digits) => out.extend_from_slice(digits.as_bytes()),
            Self::Text(text) => crate::encode::write_string(out, text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Option<RequestId> {
        serde_json::from_str(json).ok()
    }

    #[test]
    fn ids_come_back_with_their_json_type() {
        for json in [
            "0",
            "1",
            "-7",
            "\"\"",
            "\"1\"",
            "\"a\\\"b\\n\"",
            "9007199254740993",
            "9223372036854775807",
            "-9223372036854775808",
            "18446744073709551615",
            "123456789012345678901234567890",
            "-123456789012345678901234567890",
        ] {
            let id = read(json).unwrap();
            assert_eq!(id.to_string(), json);
            assert_eq!(serde_json::to_string(&id).unwrap(), json);
        }
    }

    #[test]
    fn an_integer_written_with_a_zero_fraction_is_that_integer() {
        assert_eq!(read("1.0"), Some(RequestId::from(1_i64)));
        assert_eq!(read("-0"), Some(RequestId::from(0_i64)));
    }

    #[test]
    fn other_values_are_no_ids() {
        for json in ["null", "true", "1.5", "1e3", "1.0e0", "[]", "{}", "[1]"] {
            assert_eq!(read(json), None, "{json}");
        }
    }

    #[test]
    fn string_and_integer_ids_differ() {
        assert_ne!(read("7"), read("\"7\""));
        assert_eq!(RequestId::from(u64::MAX), read("18446744073709551615").unwrap());
    }
}
