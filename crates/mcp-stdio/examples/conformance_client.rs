//! A client for the scenarios of the official conformance suite.
//!
//! Its arguments are the server's command; the scenario and the revision stand in the environment, as
//! `tests/conformance/FIXTURES.md` says. It also shows how a session is opened and used.

use std::error::Error;

use mcp_proto::{
    ClientCapabilities, ElicitParams, ElicitResult, ElicitationCapability, FormField, JsonObject,
    RawJson, Revision,
};
use mcp_stdio::Framing;
use mcp_stdio::child::{ChildLauncher, ChildLimits, ServerCommand};
use mcp_stdio::client::{CallOptions, CancelToken, ClientLimits, Handler, Refusal, Session};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let program = arguments.next().ok_or("name the server's command")?;
    let command = ServerCommand::new(program).args(arguments).inherit(std::env::vars_os());
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO")?;
    let version = std::env::var("MCP_CONFORMANCE_PROTOCOL_VERSION")?;
    // The suite says which revision is meant; without that, a session would find out by itself.
    let newest = Revision::parse(&version).ok_or("an unknown revision")?;
    let usable: Vec<_> = Revision::ALL.into_iter().filter(|r| r.era() == newest.era()).collect();
    let session = Session::builder("conformance-client", env!("CARGO_PKG_VERSION"))
        .framing(Framing::Line)
        .revisions(&usable)
        .limits(ClientLimits::recommended())
        .handler(Defaults)
        .open(ChildLauncher::new("suite", command, ChildLimits::recommended()))?;
    play(&session, &scenario)
}

fn play(session: &Session, scenario: &str) -> Result<(), Box<dyn Error>> {
    let options = CallOptions::default();
    let tools = session.tools(&options)?;
    match scenario {
        "tools_call" => {
            let numbers = to_raw_value(&json!({"a": 2, "b": 3}))?;
            session.call_tool("add_numbers", Some(&numbers), &options)?;
        }
        "elicitation-sep1034-client-defaults" => {
            session.call_tool("test_client_elicitation_defaults", None, &options)?;
        }
        "sep-2322-client-request-state" => {
            for tool in [
                "test_mrtr_echo_state",
                "test_mrtr_no_state",
                "test_mrtr_unrelated",
                "test_mrtr_no_result_type",
            ] {
                session.call_tool(tool, None, &options)?;
            }
        }
        "json-schema-2020-12-preservation" => {
            let tool = tools
                .iter()
                .find(|tool| tool.name == "json_schema_2020_12_tool")
                .ok_or("the tool is not listed")?;
            // The schema goes back as it came: it is kept as text and never taken apart.
            let schema = format!("{{\"schema\":{}}}", tool.input_schema.get());
            let schema = RawValue::from_string(schema)?;
            session.call_tool("json_schema_echo", Some(&schema), &options)?;
        }
        // The others look at the opening and at the list alone.
        _ => {}
    }
    Ok(())
}

/// Accepts every form as it is filled in beforehand.
struct Defaults;

impl Handler for Defaults {
    fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities::default().with_elicitation(ElicitationCapability::form())
    }

    fn elicit(&self, params: &ElicitParams, _: &CancelToken) -> Result<ElicitResult, Refusal> {
        let ElicitParams::Form(form) = params else { return Err(Refusal::Unsupported) };
        let mut content = JsonObject::new();
        for (name, field) in &form.requested_schema.properties {
            let value = match field {
                FormField::String(field) => field.default.as_ref().map(|v| json!(v)),
                FormField::Number(field) if field.is_integer => {
                    field.default.map(|v| json!(v.trunc() as i64))
                }
                FormField::Number(field) => field.default.map(|v| json!(v)),
                FormField::Boolean(field) => Some(json!(field.default.unwrap_or(true))),
                FormField::Choice(field) => field.default.as_ref().map(|v| json!(v)),
                FormField::MultiChoice(field) => field.default.as_ref().map(|v| json!(v)),
                _ => None,
            };
            if let Some(value) = value {
                let value =
                    RawJson::new(&value).map_err(|error| Refusal::Failed(error.to_string()))?;
                content.insert(name, value);
            }
        }
        Ok(ElicitResult::accept(content))
    }
}
