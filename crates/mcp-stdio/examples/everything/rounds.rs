//! Tools and a prompt that need several rounds, with and without a state between them.

use mcp_proto::Content;
use mcp_proto::{
    CallToolResult, CreateMessageResult, ElicitParams, ElicitResult, FormField, FormSchema,
    GetPromptResult, InputRequest, InputRequiredResult, ListRootsResult, Outcome, Prompt,
    PromptMessage, RequestState,
};
use mcp_stdio::{CallContext, InvalidAnswer, NoArguments, ServerBuilder, ToolError, prompt, tool};

use super::ask::{ask, sample, text_of};

type Asked = Result<Outcome<CallToolResult>, ToolError>;

pub(crate) fn add(builder: ServerBuilder) -> ServerBuilder {
    builder
        .tool(tool(
            "test_input_required_result_elicitation",
            "Asks for a name.",
            |_: NoArguments, context| -> Asked {
                match field(context, "user_name", "name")? {
                    Some(name) => done(format!("Hello, {name}!")),
                    None => Ok(ask(
                        "user_name",
                        form("What is your name?", "name", FormField::string()),
                    )),
                }
            },
        ))
        .tool(tool(
            "test_input_required_result_sampling",
            "Asks a model.",
            |_: NoArguments, context| -> Asked {
                match context.answer::<CreateMessageResult>("capital_question")? {
                    Some(answer) => done(format!("The model says: {}", text_of(&answer))),
                    None => {
                        Ok(ask("capital_question", sample("What is the capital of France?", 100)))
                    }
                }
            },
        ))
        .tool(tool(
            "test_input_required_result_list_roots",
            "Asks for the roots.",
            |_: NoArguments, context| -> Asked {
                match context.answer::<ListRootsResult>("client_roots")? {
                    Some(answer) => done(format!("The client has {} roots.", answer.roots.len())),
                    None => Ok(ask("client_roots", InputRequest::ListRoots)),
                }
            },
        ))
        .tool(tool(
            "test_input_required_result_request_state",
            "Keeps a state.",
            |_: NoArguments, context| confirmed(context, "state-ok"),
        ))
        .tool(tool(
            "test_input_required_result_tampered_state",
            "Keeps a state that is sealed.",
            |_: NoArguments, context| confirmed(context, "the state came back unchanged"),
        ))
        .tool(tool(
            "test_input_required_result_multiple_inputs",
            "Asks for three things.",
            |_: NoArguments, context| -> Asked {
                let name = field(context, "user_name", "name")?;
                let greeting = context.answer::<CreateMessageResult>("greeting")?;
                let roots = context.answer::<ListRootsResult>("client_roots")?;
                let (Some(name), Some(greeting), Some(roots)) = (name, greeting, roots) else {
                    let question = InputRequiredResult::new(
                        "user_name",
                        form("What is your name?", "name", FormField::string()),
                    )
                    .with_request("greeting", sample("Generate a greeting.", 50))
                    .with_request("client_roots", InputRequest::ListRoots)
                    .with_state(RequestState::new("multiple"));
                    return Ok(Outcome::InputRequired(question));
                };
                done(format!("{name}: {}, {} roots", text_of(&greeting), roots.roots.len()))
            },
        ))
        .tool(tool(
            "test_input_required_result_multi_round",
            "Asks twice.",
            |_: NoArguments, context| -> Asked {
                let (key, question, name) = match context.state() {
                    None => ("step1", "What is your name?", "name"),
                    Some("step1") => ("step2", "What is your favourite colour?", "color"),
                    Some(state) => {
                        let color = field(context, "step2", "color")?.unwrap_or_default();
                        let name = state.trim_start_matches("step2:");
                        return done(format!("{name} likes {color}."));
                    }
                };
                multi_round(context, key, question, name)
            },
        ))
        .tool(tool(
            "test_input_required_result_capabilities",
            "Asks what the client can answer.",
            |_: NoArguments, context| -> Asked {
                let declared = context.client_capabilities();
                if declared.sampling.is_some() {
                    return match context.answer::<CreateMessageResult>("sample")? {
                        Some(answer) => done(text_of(&answer)),
                        None => Ok(ask("sample", sample("Say something.", 50))),
                    };
                }
                if declared.elicitation.is_some() {
                    return match field(context, "name", "name")? {
                        Some(name) => done(name),
                        None => {
                            Ok(ask("name", form("What is your name?", "name", FormField::string())))
                        }
                    };
                }
                done("The client can be asked nothing.".to_owned())
            },
        ))
        .prompt(prompt(
            Prompt::new("test_input_required_result_prompt")
                .description("A prompt that asks first."),
            |_, context| {
                let text = match field(context, "user_context", "context")? {
                    None => {
                        let request = form("What is it about?", "context", FormField::string());
                        let question = InputRequiredResult::new("user_context", request);
                        return Ok(Outcome::InputRequired(question));
                    }
                    Some(context) => format!("Consider this: {context}"),
                };
                let message = PromptMessage::user(Content::text(text));
                Ok(Outcome::Complete(GetPromptResult::new(vec![message])))
            },
        ))
}

fn done(text: String) -> Asked {
    Ok(CallToolResult::text(text).into())
}

fn form(message: &str, name: &str, field: FormField) -> InputRequest {
    InputRequest::Elicit(ElicitParams::form(message, FormSchema::new().required(name, field)))
}

/// Returns one text field of a form, if the user has filled it in.
fn field(context: &CallContext, key: &str, name: &str) -> Result<Option<String>, InvalidAnswer> {
    let answer = context.answer::<ElicitResult>(key)?;
    let content = answer.and_then(|answer| answer.content);
    Ok(content.and_then(|content| content.get(name)?.decode().ok()))
}

fn confirmed(context: &CallContext, text: &str) -> Asked {
    if context.answer::<ElicitResult>("confirm")?.is_some() && context.state() == Some("asked") {
        return done(text.to_owned());
    }
    let question = InputRequiredResult::new("confirm", form("Go on?", "ok", FormField::boolean()))
        .with_state(RequestState::new("asked"));
    Ok(Outcome::InputRequired(question))
}

/// Asks the next question, or the same one again if its answer is missing.
fn multi_round(context: &CallContext, key: &str, question: &str, name: &str) -> Asked {
    let request = form(question, name, FormField::string());
    let question = InputRequiredResult::new(key, request);
    let state = match (context.state(), field(context, "step1", "name")?) {
        (Some("step1"), Some(name)) => format!("step2:{name}"),
        _ => "step1".to_owned(),
    };
    Ok(Outcome::InputRequired(question.with_state(RequestState::new(state))))
}
