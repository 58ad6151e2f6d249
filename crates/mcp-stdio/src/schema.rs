//! JSON Schemas generated from Rust types.

use mcp_proto::RawJson;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

/// Returns the schema of a tool's arguments, which is always one of an object.
pub(crate) fn of_arguments<T: JsonSchema>() -> RawJson {
    let mut schema = generate::<T>();
    // The tool itself is described, not the type of its arguments.
    schema.remove("description");
    // An enum of argument sets is described by its variants alone.
    schema.ensure_object().entry("type").or_insert_with(|| "object".into());
    raw(&schema)
}

/// Returns the schema of a type.
pub(crate) fn of<T: JsonSchema>() -> RawJson {
    raw(&generate::<T>())
}

fn generate<T: JsonSchema>() -> Schema {
    // Clients of the first revisions look no further than `properties`, so nothing is referenced.
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    // The name of the Rust type means nothing to a client.
    schema.remove("title");
    schema
}

#[expect(clippy::expect_used, reason = "a schema is a JSON value and has a JSON form")]
fn raw(schema: &Schema) -> RawJson {
    RawJson::new(schema).expect("serialize a schema")
}
