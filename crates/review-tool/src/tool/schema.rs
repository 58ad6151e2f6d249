//! JSON Schemas of arguments and results.

use mcp_proto::RawJson;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};

use crate::report::SCHEMA;

/// The schema of a type, with nothing referenced: some clients look no further than `properties`.
pub(super) fn of<T: JsonSchema>() -> RawJson {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    // The tool is described, not the Rust type.
    schema.remove("title");
    schema.remove("description");
    // No reader of schemas knows the formats of Rust's integers; the bounds stay.
    RecursiveTransform(|schema: &mut Schema| drop(schema.remove("format"))).transform(&mut schema);
    raw(&schema.to_value())
}

/// The document's schema in compact form: a message is one line.
#[expect(clippy::expect_used, reason = "the published schema is part of the program")]
pub(super) fn of_document() -> RawJson {
    raw(&serde_json::from_str(SCHEMA).expect("the published schema as JSON"))
}

#[expect(clippy::expect_used, reason = "a JSON value always has a JSON form")]
fn raw(value: &serde_json::Value) -> RawJson {
    RawJson::new(value).expect("a JSON value as JSON")
}
