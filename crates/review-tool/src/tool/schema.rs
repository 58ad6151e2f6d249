//! JSON Schemas of arguments and results.

use mcp_proto::RawJson;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use crate::report::SCHEMA;

/// The schema of a type, with nothing referenced: some clients look no further than `properties`.
pub(super) fn of<T: JsonSchema>() -> RawJson {
    raw(&generate::<T>().to_value())
}

fn generate<T: JsonSchema>() -> Schema {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    // The tool is described, not the Rust type.
    schema.remove("title");
    schema.remove("description");
    // No reader of schemas knows the formats of Rust's integers; the bounds stay.
    RecursiveTransform(|schema: &mut Schema| drop(schema.remove("format"))).transform(&mut schema);
    schema
}

/// The schema of an object that has the members of both types.
pub(super) fn of_both<A: JsonSchema, B: JsonSchema>() -> RawJson {
    let mut schema = generate::<A>();
    let other = generate::<B>();
    for name in ["properties", "required"] {
        let Some(more) = other.get(name).cloned() else { continue };
        match (schema.get_mut(name), more) {
            (Some(Value::Object(own)), Value::Object(more)) => own.extend(more),
            (Some(Value::Array(own)), Value::Array(more)) => own.extend(more),
            (_, more) => drop(schema.insert(name.to_owned(), more)),
        }
    }
    raw(&schema.to_value())
}

/// The document's schema in compact form: a message is one line.
#[expect(clippy::expect_used, reason = "the published schema is part of the program")]
pub(super) fn of_document() -> RawJson {
    raw(&serde_json::from_str(SCHEMA).expect("the published schema as JSON"))
}

#[expect(clippy::expect_used, reason = "a JSON value always has a JSON form")]
fn raw(value: &Value) -> RawJson {
    RawJson::new(value).expect("a JSON value as JSON")
}
