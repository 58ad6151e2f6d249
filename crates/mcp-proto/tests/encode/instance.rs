//! Instances of the official schemas: what any peer may send, member by member.

use mcp_proto::Revision;
use serde_json::{Map, Value, json};

use crate::schema::Schemas;

/// Which optional members an instance has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Optional {
    /// All of them.
    All,
    /// As the choices fall.
    Some,
    /// As the choices fall, and those left out are `null`, as many peers write absence.
    SomeNull,
}

/// Makes instances of one revision's definitions from arbitrary choices.
pub(crate) struct Instances<'a> {
    pub(crate) schemas: &'a Schemas,
    pub(crate) revision: Revision,
    pub(crate) choices: &'a [u8],
    /// Which optional members are there.
    pub(crate) optional: Optional,
}

impl Instances<'_> {
    fn choose(&mut self, count: usize) -> usize {
        let (first, rest) = self.choices.split_first().unwrap_or((&0, &[]));
        self.choices = rest;
        usize::from(*first) % count
    }

    /// Makes an instance of a definition.
    pub(crate) fn of(&mut self, definition: &str) -> Value {
        let schema = self.schemas.definition(self.revision, definition).clone();
        self.instance(&schema, definition, 0)
    }

    fn instance(&mut self, schema: &Value, name: &str, depth: u8) -> Value {
        if let Some(target) = schema["$ref"].as_str() {
            let definition = target.rsplit('/').next().unwrap();
            let schema = self.schemas.definition(self.revision, definition).clone();
            let name = if definition == "ProgressToken" { definition } else { name };
            return self.instance(&schema, name, depth);
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        for choice in ["anyOf", "enum"] {
            if let Some(choices) = schema[choice].as_array() {
                // The last alternative of a recursive union is the plain one.
                let last = choices.len() - 1;
                let chosen = &choices[if depth > 9 { last } else { self.choose(choices.len()) }];
                let is_value = choice == "enum";
                return if is_value { chosen.clone() } else { self.instance(chosen, name, depth) };
            }
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => kinds[self.choose(kinds.len())].clone(),
            kind => kind.clone(),
        };
        match kind.as_str() {
            Some("object") => self.object(schema, name, depth),
            // An empty list and an absent one mean the same wherever lists are optional.
            Some("array") => json!([self.instance(&schema["items"], "", depth + 1)]),
            Some("string") => self.string(name).into(),
            Some("integer") => [1, 0, 100][self.choose(3)].into(),
            Some("number") => [json!(1), json!(0.25), json!(0)][self.choose(3)].clone(),
            // A flag that is off and an absent one mean the same wherever flags are optional.
            Some("boolean") => true.into(),
            Some("null") => Value::Null,
            _ => [json!({"z": 1, "a": null}), json!([1]), json!("x")][self.choose(3)].clone(),
        }
    }

    fn object(&mut self, schema: &Value, name: &str, depth: u8) -> Value {
        let none = Map::new();
        let listed = schema["properties"].as_object().unwrap_or(&none);
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut object = Map::new();
        for (member, of) in listed {
            let is_optional = !required.contains(&member.as_str());
            // Recursion ends where members may be left out.
            let left_out = depth > 9 || (self.optional != Optional::All && self.choose(2) == 0);
            if is_optional && left_out {
                if self.optional == Optional::SomeNull && !null_matters(name, member) {
                    object.insert(member.clone(), Value::Null);
                }
                continue;
            }
            object.insert(member.clone(), self.instance(of, member, depth + 1));
        }
        if let Some(of) = schema.get("additionalProperties").filter(|of| of.is_object()) {
            let is_free = listed.is_empty() || name == "_meta";
            if is_free && depth <= 6 {
                object.insert("com.example/a".to_owned(), self.instance(of, "", depth + 1));
            }
        }
        object.into()
    }

    fn string(&mut self, name: &str) -> String {
        match name {
            "io.modelcontextprotocol/protocolVersion" => self.revision.as_str().to_owned(),
            "resultType" => "complete".to_owned(),
            _ => ["a", "", "é\n😀"][self.choose(3)].to_owned(),
        }
    }
}

/// Where `null` is a value of its own, or an error.
fn null_matters(name: &str, member: &str) -> bool {
    let by_protocol = matches!(member, "arguments" | "structuredContent" | "params");
    by_protocol || name.ends_with("MetaObject") || name == "_meta" || name == "error"
}
