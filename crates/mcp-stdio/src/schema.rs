//! JSON Schemas generated from Rust types.

use mcp_proto::RawJson;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
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
    RecursiveTransform(drop_number_format).transform(&mut schema);
    schema
}

/// Drops formats such as `uint32`: no dialect knows them, and some validators warn of each.
fn drop_number_format(schema: &mut Schema) {
    let is_number = |kind: &serde_json::Value| kind == "integer" || kind == "number";
    let is_numeric = schema.get("type").is_some_and(|kind| {
        is_number(kind) || kind.as_array().is_some_and(|kinds| kinds.iter().any(is_number))
    });
    if is_numeric {
        schema.remove("format");
    }
}

#[expect(clippy::expect_used, reason = "a schema is a JSON value and has a JSON form")]
fn raw(schema: &Schema) -> RawJson {
    RawJson::new(schema).expect("serialize a schema")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Numbers {
        count: u32,
        ratio: Option<f64>,
        nested: Vec<Inner>,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Inner {
        line: i64,
    }

    #[test]
    fn schemas_refer_to_nothing_and_name_no_rust_types() {
        let schema: serde_json::Value = of_arguments::<Numbers>().decode().unwrap();
        let inner = serde_json::json!({
            "type": "object",
            "properties": {"line": {"type": "integer"}},
            "required": ["line"]
        });
        assert_eq!(
            schema,
            serde_json::json!({
                "type": "object",
                "properties": {
                    "count": {"type": "integer", "minimum": 0},
                    "nested": {"type": "array", "items": inner},
                    "ratio": {"type": ["number", "null"]}
                },
                "required": ["count", "nested"]
            })
        );
    }

    #[test]
    fn arguments_are_always_an_object() {
        #[derive(JsonSchema)]
        #[serde(untagged)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        enum Either {
            One { one: String },
            Two { two: String },
        }

        let schema: serde_json::Value = of_arguments::<Either>().decode().unwrap();
        assert_eq!(schema["type"], "object");
        assert_eq!(schema["anyOf"].as_array().unwrap().len(), 2);
    }
}
