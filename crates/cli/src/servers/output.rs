//! Whether a tool keeps to the schema that it gave for its results (TO-32).

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use jsonschema::Validator;
use mcp_proto::{CallToolResult, RawJson, Tool};
use serde_json::Value;

/// How long a result is checked. A schema is its server's, and a few lines of one can ask for years.
const PATIENCE: Duration = Duration::from_secs(1);

/// What is wrong with a structured result by the tool's own schema, in one line; `None` where nothing is, or
/// where there is nothing to compare. What is named may steer a terminal.
///
/// References to other documents are not followed: a schema that has any cannot be checked.
pub(crate) fn problem(tool: &Tool, result: &CallToolResult) -> Option<String> {
    // TO-37: a tool that failed owes no data.
    let data = result.structured_content.clone().filter(|_| !result.failed())?;
    let schema = tool.output_schema.clone()?;
    let (told, verdict) = mpsc::channel();
    let checking = thread::Builder::new().name("output-schema".to_owned()).spawn(move || {
        // Nobody listens any more once the time is over.
        drop(told.send(check(&schema, &data)));
    });
    if let Err(error) = checking {
        return Some(format!("cannot be checked: {error}"));
    }
    match verdict.recv_timeout(PATIENCE) {
        Ok(verdict) => verdict.err(),
        Err(_) => Some("cannot be checked in a reasonable time".to_owned()),
    }
}

fn check(schema: &RawJson, data: &RawJson) -> Result<(), String> {
    let unusable = |problem: String| format!("cannot be checked: {problem}");
    let schema: Value = schema.decode().map_err(|error| unusable(error.to_string()))?;
    let data: Value = data.decode().map_err(|error| unusable(error.to_string()))?;
    let validator: Validator =
        jsonschema::validator_for(&schema).map_err(|error| unusable(error.to_string()))?;
    let Some(error) = validator.iter_errors(&data).next() else { return Ok(()) };
    let place = match error.instance_path().to_string() {
        root if root.is_empty() => String::new(),
        path => format!(" at {path}"),
    };
    Err(format!("is not what its outputSchema promises{place}: {error}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problem_of(schema: &Value, result: &Value) -> Option<String> {
        let tool = json!({"name": "t", "inputSchema": {"type": "object"}, "outputSchema": schema});
        let tool: Tool = serde_json::from_value(tool).unwrap();
        problem(&tool, &serde_json::from_value(result.clone()).unwrap())
    }

    #[test]
    fn a_result_is_held_against_the_schema_of_its_tool() {
        let schema = json!({"type": "object", "properties": {"sum": {"type": "integer"}}});
        let data = |sum: Value| json!({"content": [], "structuredContent": {"sum": sum}});
        assert_eq!(problem_of(&schema, &data(json!(3))), None);
        let problem = problem_of(&schema, &data(json!("3"))).unwrap();
        assert_eq!(
            problem,
            "is not what its outputSchema promises at /sum: \"3\" is not of type \"integer\""
        );
    }

    #[test]
    fn what_makes_no_promise_breaks_none() {
        let schema = json!({"type": "object", "required": ["sum"]});
        let failed = json!({"content": [], "structuredContent": {}, "isError": true});
        assert_eq!(problem_of(&schema, &failed), None);
        assert_eq!(problem_of(&schema, &json!({"content": []})), None);
        assert_eq!(problem_of(&Value::Null, &json!({"structuredContent": {}})), None);
    }

    #[test]
    fn no_other_document_is_fetched_for_a_schema() {
        for reference in ["http://127.0.0.1:9/schema", "file:///etc/hostname"] {
            let problem =
                problem_of(&json!({"$ref": reference}), &json!({"structuredContent": {}}));
            let problem = problem.unwrap();
            assert!(problem.starts_with("cannot be checked: "), "{problem}");
        }
        // One that refers to itself alone says nothing and ends.
        assert_eq!(problem_of(&json!({"$ref": "#"}), &json!({"structuredContent": {}})), None);
    }
}
