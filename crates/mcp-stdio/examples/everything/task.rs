//! Tools that go on as tasks.

use std::time::Duration;

use mcp_proto::{
    CallToolResult, ElicitParams, ElicitResult, FormField, FormSchema, InputRequest,
    InputRequiredResult, Outcome, RpcError,
};
use mcp_stdio::{CallContext, InvalidAnswer, NoArguments, ServerBuilder, ToolError, tool};
use schemars::JsonSchema;
use serde::Deserialize;

type Ended = Result<Outcome<CallToolResult>, ToolError>;

#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// Who is greeted.
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Compute {
    /// How long it takes.
    seconds: f64,
    /// What the result is called.
    label: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Delete {
    /// What would be deleted.
    filename: String,
}

pub(crate) fn add(builder: ServerBuilder) -> ServerBuilder {
    builder
        .tasks()
        .tool(tool("greet", "Greets at once.", |greet: Greet, _| {
            Ok::<_, ToolError>(format!("Hello, {}!", greet.name))
        }))
        .tool(tool("slow_compute", "Takes its time.", |compute: Compute, context| {
            let time = Duration::try_from_secs_f64(compute.seconds)?;
            let label = compute.label.unwrap_or_default();
            context.run_as_task(move |context| {
                if context.cancelled_within(time) {
                    return Err(ToolError::new("cancelled"));
                }
                text(format!("Computed {label}."))
            })
        }))
        .tool(tool("failing_job", "Fails as a task.", |_: NoArguments, context| {
            context.require_tasks()?;
            context.run_as_task(|context| {
                let _cancelled = context.cancelled_within(Duration::from_secs(1));
                Err(ToolError::new("The job failed."))
            })
        }))
        .tool(tool(
            "protocol_error_job",
            "Fails with a protocol error.",
            |_: NoArguments, context| {
                context.require_tasks()?;
                context.run_as_task(|_| {
                    Err(ToolError::protocol(RpcError::internal("The job broke the protocol.")))
                })
            },
        ))
        .tool(tool(
            "confirm_delete",
            "Asks before it deletes nothing.",
            |delete: Delete, context| {
                context.require_tasks()?;
                context.run_as_task(move |context| match confirmed(context, "confirm")? {
                    None => ask(&[("confirm", "Delete it?")]),
                    Some(true) => text(format!("Deleted {}.", delete.filename)),
                    Some(false) => text(format!("Kept {}.", delete.filename)),
                })
            },
        ))
        .tool(tool("multi_input", "Asks two things at once.", |_: NoArguments, context| {
            context.require_tasks()?;
            context.run_as_task(|context| {
                match (confirmed(context, "first")?, confirmed(context, "second")?) {
                    (Some(first), Some(second)) => text(format!("{first} and {second}")),
                    _ => ask(&[("first", "The first?"), ("second", "The second?")]),
                }
            })
        }))
        .tool(tool(
            "test_tool_with_task",
            "Asks first, then goes on.",
            |_: NoArguments, context| {
                context.require_tasks()?;
                let Some(answer) = context.answer::<ElicitResult>("name")? else {
                    let form = FormSchema::new().required("name", FormField::string());
                    let request =
                        InputRequest::Elicit(ElicitParams::form("What is your name?", form));
                    return Ok(Outcome::InputRequired(InputRequiredResult::new("name", request)));
                };
                let content = answer.content.unwrap_or_default();
                let name: String =
                    content.get("name").and_then(|name| name.decode().ok()).unwrap_or_default();
                context.run_as_task(move |_| text(format!("Hello, {name}!")))
            },
        ))
}

fn text(text: String) -> Ended {
    Ok(CallToolResult::text(text).into())
}

fn ask(questions: &[(&str, &str)]) -> Ended {
    let mut result = InputRequiredResult::default();
    for (key, message) in questions {
        let form = FormSchema::new().required("ok", FormField::boolean());
        let request = InputRequest::Elicit(ElicitParams::form(*message, form));
        result = result.with_request(*key, request);
    }
    Ok(Outcome::InputRequired(result))
}

/// Returns what the user has ticked, if there is an answer.
fn confirmed(context: &CallContext, key: &str) -> Result<Option<bool>, InvalidAnswer> {
    let answer = context.answer::<ElicitResult>(key)?;
    Ok(answer.map(|answer| {
        let content = answer.content.unwrap_or_default();
        content.get("ok").and_then(|ok| ok.decode().ok()).unwrap_or(false)
    }))
}
