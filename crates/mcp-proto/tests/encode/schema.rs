//! The official schemas as judges, closed.
//!
//! As published they accept any further member, so they would not notice a member sent to a
//! revision that does not have it. Here every object that lists its members accepts only those.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock};

use jsonschema::Validator;
use mcp_proto::Revision;
use serde_json::{Value, json};

/// The five schemas, with a validator for each definition that has been asked for.
pub(crate) struct Schemas {
    documents: BTreeMap<Revision, Value>,
    validators: Mutex<BTreeMap<(Revision, String), &'static Validator>>,
}

impl Schemas {
    /// Returns the schemas, read once.
    pub(crate) fn load() -> &'static Self {
        static SCHEMAS: OnceLock<Schemas> = OnceLock::new();
        SCHEMAS.get_or_init(|| {
            let texts = [
                include_str!("../schema/2024-11-05/schema.json"),
                include_str!("../schema/2025-03-26/schema.json"),
                include_str!("../schema/2025-06-18/schema.json"),
                include_str!("../schema/2025-11-25/schema.json"),
                include_str!("../schema/2026-07-28/schema.json"),
            ];
            let parsed = texts.map(|text| {
                let mut document: Value = serde_json::from_str(text).unwrap();
                let definitions = document.clone();
                merge(&mut document, &definitions);
                close(&mut document, "");
                document
            });
            let documents = Revision::ALL.into_iter().zip(parsed).collect();
            Self { documents, validators: Mutex::default() }
        })
    }

    /// Reports whether a revision defines a name.
    pub(crate) fn has(&self, revision: Revision, definition: &str) -> bool {
        self.documents[&revision][keyword(revision)].get(definition).is_some()
    }

    /// Returns what a revision defines under a name.
    pub(crate) fn definition(&self, revision: Revision, definition: &str) -> &Value {
        &self.documents[&revision][keyword(revision)][definition]
    }

    /// Fails unless `instance` is what `definition` says.
    pub(crate) fn check(&self, revision: Revision, definition: &str, instance: &Value) {
        let validator = {
            let mut validators = self.validators.lock().unwrap();
            *validators
                .entry((revision, definition.to_owned()))
                .or_insert_with(|| Box::leak(Box::new(self.validator(revision, definition))))
        };
        if let Err(error) = validator.validate(instance) {
            panic!("{revision} {definition}: {error} at {}\n{instance}", error.instance_path());
        }
    }

    fn validator(&self, revision: Revision, definition: &str) -> Validator {
        assert!(self.has(revision, definition), "{revision} has no {definition}");
        let keyword = keyword(revision);
        let document = &self.documents[&revision];
        let root = json!({
            "$schema": document["$schema"],
            "$ref": format!("#/{keyword}/{definition}"),
            keyword: document[keyword],
        });
        jsonschema::options().should_validate_formats(false).build(&root).unwrap()
    }
}

/// Turns every `allOf` into one object schema, since a closed part would refuse the others'
/// members. A later part wins where two list one member.
fn merge(schema: &mut Value, document: &Value) {
    match schema {
        Value::Object(members) => {
            members.values_mut().for_each(|member| merge(member, document));
            let Some(Value::Array(parts)) = members.remove("allOf") else { return };
            let mut merged = json!({ "type": "object", "properties": {}, "required": [] });
            for mut part in parts {
                if let Some(target) = part["$ref"].as_str() {
                    part = document.pointer(&target[1..]).unwrap().clone();
                }
                let listed = part["properties"].as_object().unwrap().clone();
                merged["properties"].as_object_mut().unwrap().extend(listed);
                let required = merged["required"].as_array_mut().unwrap();
                for name in part["required"].as_array().into_iter().flatten() {
                    if !required.contains(name) {
                        required.push(name.clone());
                    }
                }
            }
            *schema = merged;
        }
        Value::Array(items) => items.iter_mut().for_each(|item| merge(item, document)),
        _ => {}
    }
}

/// Forbids members that an object schema does not list; `name` is where the schema stands.
fn close(schema: &mut Value, name: &str) {
    match schema {
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                close(member, name);
            }
            if is_open(name) || members.get("type").is_none_or(|kind| kind != "object") {
                return;
            }
            let Some(listed) = members.get_mut("properties").and_then(Value::as_object_mut) else {
                return;
            };
            // The envelope, which the definitions before 2025-11-25 leave out, and the `_meta` of
            // parameters, which they leave to prose.
            if name == "params" {
                listed.entry("_meta").or_insert(json!({ "type": "object" }));
            } else if listed.contains_key("method") {
                listed.entry("jsonrpc").or_insert(json!({ "const": "2.0" }));
                listed.entry("id").or_insert(json!({ "type": ["string", "integer"] }));
            }
            // The tasks extension adds to the filter of listen requests.
            if name == "SubscriptionFilter" {
                let ids = json!({ "type": "array", "items": { "type": "string" } });
                listed.insert("taskIds".to_owned(), ids);
            }
            members.entry("additionalProperties").or_insert(false.into());
        }
        Value::Array(items) => items.iter_mut().for_each(|item| close(item, "")),
        _ => {}
    }
}

/// Metadata and JSON Schemas are open by their nature.
fn is_open(name: &str) -> bool {
    name.ends_with("MetaObject") || matches!(name, "_meta" | "inputSchema" | "outputSchema")
}

fn keyword(revision: Revision) -> &'static str {
    if revision < Revision::V2025_11_25 { "definitions" } else { "$defs" }
}
