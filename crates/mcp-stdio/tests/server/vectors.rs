//! The dispatch vectors of `vectors.mcp`: which answer which message gets in which state.

use mcp_proto::{
    CallToolResult, ElicitParams, ElicitResult, FormField, FormSchema, GetPromptResult,
    InputRequest, InputRequiredResult, LoggingLevel, Outcome, Prompt, ReadResourceResult,
    RequestState, Resource, ResourceContents,
};
use mcp_stdio::{CallContext, NoArguments, Server, ToolError, prompt, resource, tool};
use serde_json::{Value, json};

use crate::client::{Client, modern};
use crate::toys::{Gate, PATIENCE, with_toys};

const VECTORS: &str = include_str!("vectors.mcp");

/// One vector: its id, the states to run it in, its steps.
struct Vector {
    id: &'static str,
    states: Vec<&'static str>,
    steps: Vec<&'static str>,
}

fn vectors() -> Vec<Vector> {
    let mut vectors: Vec<Vector> = Vec::new();
    let lines = VECTORS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    for line in lines {
        if line.starts_with("DV-") {
            let (id, states) = line.split_once(' ').unwrap();
            vectors.push(Vector { id, states: states.split(", ").collect(), steps: Vec::new() });
        } else {
            vectors.last_mut().unwrap().steps.push(line);
        }
    }
    vectors
}

fn ask(context: &CallContext) -> Result<Outcome<CallToolResult>, ToolError> {
    if context.answer::<ElicitResult>("sure")?.is_some() && context.state() == Some("asked") {
        return Ok(CallToolResult::text("asked").into());
    }
    let form = FormSchema::new().required("ok", FormField::boolean());
    let request = InputRequest::Elicit(ElicitParams::form("Sure?", form));
    let question = InputRequiredResult::new("sure", request);
    Ok(Outcome::InputRequired(question.with_state(RequestState::new("asked"))))
}

fn server() -> Server {
    let builder = Server::builder("vectors", "1")
        .logging()
        .announces_tools()
        .announces_prompts()
        .resource(resource(Resource::new("x://a", "A"), |_| {
            Ok(ReadResourceResult::new(vec![ResourceContents::text("x://a", "a")]))
        }))
        .prompt(prompt(Prompt::new("p"), |_, _| Ok(GetPromptResult::new(Vec::new()))))
        .tool(tool("ask", "Asks.", |_: NoArguments, context| ask(context)))
        .tool(tool("log", "Logs.", |_: NoArguments, context| {
            context.log(LoggingLevel::Error, None, "logged");
            Ok::<_, ToolError>("done")
        }))
        .tool(tool("work", "Works until it is cancelled.", |_: NoArguments, context| {
            context.progress(1.0, None, None);
            while !context.cancelled_within(PATIENCE) {}
            context.progress(2.0, None, None);
            Ok::<_, ToolError>("too late")
        }))
        .tool(tool("change_prompts", "Announces prompts.", |_: NoArguments, context| {
            context.notifier().prompts_changed();
            Ok::<_, ToolError>("announced")
        }));
    with_toys(builder, &Gate::new()).build().unwrap()
}

/// Whether a message has all that is expected of it.
fn fits(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Object(found), Value::Object(wanted)) => wanted
            .iter()
            .all(|(name, wanted)| fits(found.get(name).unwrap_or(&Value::Null), wanted)),
        (Value::Array(found), Value::Array(wanted)) => {
            found.len() == wanted.len()
                && found.iter().zip(wanted).all(|(found, wanted)| fits(found, wanted))
        }
        (found, Value::String(any)) if any == "*" => !found.is_null(),
        (Value::Number(found), Value::Number(wanted)) => found.as_f64() == wanted.as_f64(),
        (found, wanted) => found == wanted,
    }
}

fn in_state(state: &str) -> Client {
    let mut client = Client::new(server());
    match state.split_once(' ') {
        Some(("legacy", revision)) => {
            let answer = client.initialize(revision);
            assert_eq!(answer["result"]["protocolVersion"], revision);
        }
        None if state == "modern" => {
            let params = json!({"_meta": modern(json!({}))});
            let answer =
                client.ask(json!({"id": "first", "method": "server/discover", "params": params}));
            assert_eq!(answer["result"]["resultType"], "complete");
        }
        None if state == "fresh" => {}
        _ => panic!("no state {state}"),
    }
    client
}

fn run(vector: &Vector, state: &str) {
    let mut client = in_state(state);
    let meta = modern(json!({})).to_string();
    let mut request_state = String::new();
    for step in &vector.steps {
        let shown = format!("{} in {state}: {step}", vector.id);
        let filled = step.replace("$M", &meta).replace("$state", &request_state);
        if let Some(text) = filled.strip_prefix("--> last ") {
            client.raw(text);
            client.close_output();
        } else if let Some(text) = filled.strip_prefix("--> ") {
            client.raw(format!("{text}\n"));
        } else if let Some(text) = filled.strip_prefix("<-- ") {
            let wanted: Value = serde_json::from_str(text).expect(&shown);
            let found = client.try_receive().unwrap_or_else(|| panic!("{shown}: the end"));
            assert!(fits(&found, &wanted), "{shown}\n  found {found}");
            if let Some(state) = found["result"]["requestState"].as_str() {
                state.clone_into(&mut request_state);
            }
        } else if filled == "silence" {
            assert_eq!(client.until_barrier(), Vec::<Value>::new(), "{shown}");
        } else if filled == "eof" {
            client.close_output();
        } else {
            panic!("{shown}: no such step");
        }
    }
    assert_eq!(client.close(), Vec::<Value>::new(), "{} in {state}", vector.id);
}

#[test]
fn every_dispatch_vector_goes_as_it_is_written() {
    for vector in vectors() {
        for state in &vector.states {
            run(&vector, state);
        }
    }
}

#[test]
fn no_dispatch_vector_is_left_out() {
    let mut ids: Vec<_> = vectors().iter().map(|vector| vector.id).collect();
    ids.dedup();
    let wanted: Vec<_> = (1..=44).map(|number| format!("DV-{number:02}")).collect();
    assert_eq!(ids, wanted);
}
