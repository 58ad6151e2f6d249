//! A JSON writer that knows the revision it writes for.
//!
//! Output is compact and free of line breaks by construction. Once a value has been refused, the
//! buffer is cut back to where the message began.

use serde_json::value::RawValue;

use crate::encode::{Fields, NotInRevision};
use crate::id::{ProgressToken, RequestId};
use crate::json::{JsonObject, RawJson, has_line_break};
use crate::revision::Revision;

/// A value that can be written as JSON.
pub trait Encode {
    /// Writes exactly one JSON value.
    fn encode(&self, out: &mut Writer<'_>);
}

/// Writes JSON values for one revision.
pub struct Writer<'b> {
    buffer: &'b mut Vec<u8>,
    revision: Revision,
    refused: Option<NotInRevision>,
}

/// Writes the members of one JSON object.
pub struct Object<'w, 'b> {
    out: &'w mut Writer<'b>,
    is_empty: bool,
}

impl<'b> Writer<'b> {
    pub(super) fn write(
        buffer: &'b mut Vec<u8>,
        revision: Revision,
        value: impl FnOnce(&mut Self),
    ) -> Result<(), NotInRevision> {
        let start = buffer.len();
        let mut writer = Self { buffer, revision, refused: None };
        value(&mut writer);
        match writer.refused {
            None => Ok(()),
            Some(refused) => {
                writer.buffer.truncate(start);
                Err(refused)
            }
        }
    }

    /// Returns the revision that is being written.
    #[must_use]
    pub const fn revision(&self) -> Revision {
        self.revision
    }

    /// Gives up the whole message: `what` has no form in this revision.
    pub fn refuse(&mut self, what: &str) {
        if self.refused.is_none() {
            self.refused = Some(NotInRevision::new(what, self.revision));
        }
        // Keeps the text well-formed until the message is dropped.
        self.buffer.extend_from_slice(b"null");
    }

    /// Writes an object.
    pub fn object(&mut self, fields: impl FnOnce(&mut Object<'_, 'b>)) {
        self.buffer.push(b'{');
        fields(&mut Object { out: self, is_empty: true });
        self.buffer.push(b'}');
    }

    /// Writes an array.
    pub fn array<'i, T: Encode + ?Sized + 'i>(&mut self, items: impl IntoIterator<Item = &'i T>) {
        self.buffer.push(b'[');
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.buffer.push(b',');
            }
            item.encode(self);
        }
        self.buffer.push(b']');
    }

    /// Writes a string.
    pub fn string(&mut self, text: &str) {
        write_string(self.buffer, text);
    }
}

impl<'b> Object<'_, 'b> {
    /// Returns the revision that is being written.
    #[must_use]
    pub const fn revision(&self) -> Revision {
        self.out.revision
    }

    /// Gives up the whole message: `what` has no form in this revision.
    pub fn refuse(&mut self, what: &str) {
        self.name("refused");
        self.out.refuse(what);
    }

    /// Writes a member.
    pub fn field<T: Encode + ?Sized>(&mut self, name: &str, value: &T) {
        self.name(name);
        value.encode(self.out);
    }

    /// Writes a member whose value is `null`.
    pub fn null(&mut self, name: &str) {
        self.name(name);
        self.out.buffer.extend_from_slice(b"null");
    }

    /// Writes a member if there is a value.
    pub fn optional<T: Encode>(&mut self, name: &str, value: &Option<T>) {
        if let Some(value) = value {
            self.field(name, value);
        }
    }

    /// Writes a list if it has items.
    pub fn list<T: Encode>(&mut self, name: &str, items: &[T]) {
        if !items.is_empty() {
            self.field(name, items);
        }
    }

    /// Runs `fields` in `first` and every later revision.
    pub fn since(&mut self, first: Revision, fields: impl FnOnce(&mut Self)) {
        if self.out.revision >= first {
            fields(self);
        }
    }

    /// Runs `fields` in `last` and every earlier revision.
    pub fn until(&mut self, last: Revision, fields: impl FnOnce(&mut Self)) {
        if self.out.revision <= last {
            fields(self);
        }
    }

    /// Runs `fields` in `only` and no other revision.
    pub fn only(&mut self, only: Revision, fields: impl FnOnce(&mut Self)) {
        if self.out.revision == only {
            fields(self);
        }
    }

    /// Writes a member that is an object.
    pub fn nested(&mut self, name: &str, fields: impl FnOnce(&mut Object<'_, 'b>)) {
        self.name(name);
        self.out.object(fields);
    }

    /// Writes a member that is an object, unless it turns out to have no members.
    pub fn nested_unless_empty(&mut self, name: &str, fields: impl FnOnce(&mut Object<'_, 'b>)) {
        let before = (self.out.buffer.len(), self.is_empty);
        self.name(name);
        self.out.buffer.push(b'{');
        let mut object = Object { out: self.out, is_empty: true };
        fields(&mut object);
        if object.is_empty {
            self.out.buffer.truncate(before.0);
            self.is_empty = before.1;
        } else {
            self.out.buffer.push(b'}');
        }
    }

    /// Writes every member of an open set.
    pub fn members(&mut self, members: &JsonObject) {
        for (name, value) in members.iter() {
            self.field(name, value);
        }
    }

    fn name(&mut self, name: &str) {
        if !self.is_empty {
            self.out.buffer.push(b',');
        }
        self.is_empty = false;
        write_string(self.out.buffer, name);
        self.out.buffer.push(b':');
    }
}

/// Writes one value outside a message; what the revision refuses is an error.
pub(crate) fn try_to_raw(
    revision: Revision,
    value: impl FnOnce(&mut Writer<'_>),
) -> Result<RawJson, NotInRevision> {
    let mut buffer = Vec::new();
    Writer::write(&mut buffer, revision, value)?;
    let text = String::from_utf8_lossy(&buffer);
    RawJson::parse(&text).map_err(|_| NotInRevision::new("a value without a JSON form", revision))
}

/// Writes one value outside a message, for values that every revision can express.
pub(crate) fn to_raw(revision: Revision, value: impl FnOnce(&mut Writer<'_>)) -> RawJson {
    try_to_raw(revision, value).unwrap_or_else(|_| RawJson::from(RawValue::NULL))
}

/// Appends a JSON string.
///
/// Texts of many megabytes pass through here, so eight bytes are looked at together and clean
/// stretches are copied whole. Against byte by byte that is twice as fast on prose and no slower
/// on source code.
pub(crate) fn write_string(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    out.push(b'"');
    let (mut copied, mut read) = (0, 0);
    while read < bytes.len() {
        if let Some(word) = bytes[read..].first_chunk::<8>() {
            match first_escape(*word) {
                Some(offset) => read += offset,
                None => {
                    read += word.len();
                    continue;
                }
            }
        }
        if needs_escape(bytes[read]) {
            out.extend_from_slice(&bytes[copied..read]);
            write_escape(out, bytes[read]);
            copied = read + 1;
        }
        read += 1;
    }
    out.extend_from_slice(&bytes[copied..]);
    out.push(b'"');
}

/// Finds the first of eight bytes that needs an escape.
const fn first_escape(word: [u8; 8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;

    /// Sets the top bit of every byte that is below `limit`. A borrow may set it in later bytes
    /// too, never in an earlier one, and only the first counts.
    const fn below(word: u64, limit: u8) -> u64 {
        word.wrapping_sub(ONES * limit as u64) & !word & TOPS
    }

    let word = u64::from_le_bytes(word);
    let quotes = below(word ^ (ONES * b'"' as u64), 1);
    let backslashes = below(word ^ (ONES * b'\\' as u64), 1);
    let found = below(word, 0x20) | quotes | backslashes;
    if found == 0 { None } else { Some(found.trailing_zeros() as usize / 8) }
}

const fn needs_escape(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

fn write_escape(out: &mut Vec<u8>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            let digits = [HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 0x0f)]];
            out.extend_from_slice(b"\\u00");
            return out.extend_from_slice(&digits);
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

/// Appends a JSON integer.
pub(crate) fn write_integer(out: &mut Vec<u8>, value: i64) {
    write_serialized(out, &value);
}

fn write_serialized<T: serde::Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    // Appending to memory cannot fail, nor can strings and integers fail to serialize.
    let written = serde_json::to_writer(out, value);
    debug_assert!(written.is_ok());
}

impl<T: Encode + ?Sized> Encode for &T {
    fn encode(&self, out: &mut Writer<'_>) {
        (**self).encode(out);
    }
}

impl<T: Encode + ?Sized> Encode for Box<T> {
    fn encode(&self, out: &mut Writer<'_>) {
        (**self).encode(out);
    }
}

impl<T: Encode> Encode for [T] {
    fn encode(&self, out: &mut Writer<'_>) {
        out.array(self);
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn encode(&self, out: &mut Writer<'_>) {
        out.array(self);
    }
}

impl Encode for str {
    fn encode(&self, out: &mut Writer<'_>) {
        out.string(self);
    }
}

impl Encode for String {
    fn encode(&self, out: &mut Writer<'_>) {
        out.string(self);
    }
}

impl Encode for bool {
    fn encode(&self, out: &mut Writer<'_>) {
        out.buffer.extend_from_slice(if *self { b"true" } else { b"false" });
    }
}

impl Encode for i64 {
    fn encode(&self, out: &mut Writer<'_>) {
        write_integer(out.buffer, *self);
    }
}

impl Encode for u64 {
    fn encode(&self, out: &mut Writer<'_>) {
        write_serialized(out.buffer, self);
    }
}

impl Encode for f64 {
    fn encode(&self, out: &mut Writer<'_>) {
        /// Integers up to here have one exact form as a float.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if !self.is_finite() {
            out.refuse("a number that is not finite");
        } else if self.fract() == 0.0 && self.abs() <= EXACT {
            // Written as peers write it: `50`, not `50.0`. The bound makes the cast exact.
            #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
            write_integer(out.buffer, *self as i64);
        } else {
            write_serialized(out.buffer, self);
        }
    }
}

impl Encode for RequestId {
    fn encode(&self, out: &mut Writer<'_>) {
        self.write(out.buffer);
    }
}

impl Encode for ProgressToken {
    fn encode(&self, out: &mut Writer<'_>) {
        self.write(out.buffer);
    }
}

impl Encode for RawJson {
    fn encode(&self, out: &mut Writer<'_>) {
        out.buffer.extend_from_slice(self.get().as_bytes());
    }
}

impl Encode for RawValue {
    fn encode(&self, out: &mut Writer<'_>) {
        RawText(self.get()).encode(out);
    }
}

/// Text that is JSON already.
pub(crate) struct RawText<'a>(pub(crate) &'a str);

impl Encode for RawText<'_> {
    fn encode(&self, out: &mut Writer<'_>) {
        if has_line_break(self.0) {
            let text = self.0.bytes().filter(|byte| !matches!(byte, b'\n' | b'\r'));
            out.buffer.extend(text);
        } else {
            out.buffer.extend_from_slice(self.0.as_bytes());
        }
    }
}

impl Encode for JsonObject {
    fn encode(&self, out: &mut Writer<'_>) {
        out.object(|object| object.members(self));
    }
}

impl Fields for JsonObject {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.members(self);
    }
}

/// Writes types that are objects.
macro_rules! encode_fields {
    ($($name:ty),+ $(,)?) => {
        $(impl crate::encode::Encode for $name {
            fn encode(&self, out: &mut crate::encode::Writer<'_>) {
                out.object(|object| crate::encode::Fields::fields(self, object));
            }
        })+
    };
}
pub(crate) use encode_fields;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn strings_are_escaped_as_serde_json_does(text in "[\\x00-\\x7f\u{e9}\u{2028}\u{1f600}]{0,100}") {
            let mut out = Vec::new();
            write_string(&mut out, &text);
            prop_assert_eq!(out, serde_json::to_vec(&text).unwrap());
        }
    }

    #[test]
    fn every_character_that_needs_an_escape_gets_it_wherever_it_stands() {
        for byte in 0..0x80_u8 {
            for before in [0, 1, 30, 31, 32, 33, 64] {
                let text = format!("{}{}x", "a".repeat(before), char::from(byte));
                let mut out = Vec::new();
                write_string(&mut out, &text);
                assert_eq!(out, serde_json::to_vec(&text).unwrap());
            }
        }
    }
}
