//! Tools that ask the client once and say what it answered.

use mcp_proto::{
    BooleanField, Choice, ClientCapabilities, CreateMessageParams, CreateMessageResult,
    ElicitParams, ElicitResult, FormField, FormSchema, InputRequest, InputRequiredResult,
    NumberField, Outcome, SamplingContent, SamplingMessage, StringField, TitleStyle,
};
use mcp_stdio::{CallContext, NoArguments, ServerBuilder, ToolError, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use mcp_proto::CallToolResult;

/// What a tool of this module comes to.
type Asked = Result<Outcome<CallToolResult>, ToolError>;

#[derive(Deserialize, JsonSchema)]
struct Sampling {
    /// What the model is asked.
    prompt: String,
}

#[derive(Deserialize, JsonSchema)]
struct Elicitation {
    /// What the user is told.
    message: String,
}

pub(crate) fn add(builder: ServerBuilder) -> ServerBuilder {
    builder
        .tool(tool("test_sampling", "Asks a model.", |arguments: Sampling, context| -> Asked {
            match context.answer::<CreateMessageResult>("sample")? {
                Some(answer) => {
                    let text = format!("LLM response: {}", text_of(&answer));
                    Ok(CallToolResult::text(text).into())
                }
                None => Ok(ask("sample", sample(&arguments.prompt, 100))),
            }
        }))
        .tool(tool("test_elicitation", "Asks the user.", |arguments: Elicitation, context| {
            elicit(context, "User response", || {
                let form = FormSchema::new()
                    .required("username", FormField::string().description("The user's name"))
                    .required("email", FormField::string().description("The user's address"));
                ElicitParams::form(&arguments.message, form)
            })
        }))
        .tool(tool(
            "test_elicitation_sep1034_defaults",
            "Asks with defaults.",
            |_: NoArguments, context| {
                elicit(context, "Elicitation completed", || {
                    ElicitParams::form("Please check the values.", defaults())
                })
            },
        ))
        .tool(tool(
            "test_elicitation_sep1330_enums",
            "Asks for choices.",
            |_: NoArguments, context| {
                elicit(context, "Elicitation completed", || {
                    ElicitParams::form("Please choose.", choices())
                })
            },
        ))
        .tool(tool(
            "test_streaming_elicitation",
            "Asks the user in every era.",
            |_: NoArguments, context| {
                elicit(context, "Elicitation completed", || {
                    let form = FormSchema::new().required("confirmed", FormField::boolean());
                    ElicitParams::form("Go on?", form)
                })
            },
        ))
        .tool(tool(
            "test_missing_capability",
            "Needs sampling.",
            |_: NoArguments, context| -> Asked {
                let sampling = ClientCapabilities::default().with_sampling();
                if context.client_capabilities().sampling.is_none() {
                    return Err(ToolError::missing_capability(&sampling));
                }
                Ok(CallToolResult::text("The client supports sampling.").into())
            },
        ))
}

/// Asks for one thing.
pub(crate) fn ask(key: &str, request: InputRequest) -> Outcome<CallToolResult> {
    Outcome::InputRequired(InputRequiredResult::new(key, request))
}

/// Asks a model for an answer of at most so many tokens.
pub(crate) fn sample(prompt: &str, max_tokens: u64) -> InputRequest {
    let message = SamplingMessage::user(SamplingContent::text(prompt));
    InputRequest::CreateMessage(Box::new(CreateMessageParams::new(vec![message], max_tokens)))
}

/// Returns the text of a model's answer.
pub(crate) fn text_of(answer: &CreateMessageResult) -> String {
    let blocks = answer.content.as_slice().iter();
    blocks.filter_map(SamplingContent::as_text).collect::<Vec<_>>().join("\n")
}

fn elicit(context: &CallContext, title: &str, form: impl FnOnce() -> ElicitParams) -> Asked {
    let Some(answer) = context.answer::<ElicitResult>("form")? else {
        return Ok(ask("form", InputRequest::Elicit(form())));
    };
    let action = format!("{:?}", answer.action).to_lowercase();
    let content = answer.content.map_or_else(|| "{}".to_owned(), |content| format!("{content:?}"));
    Ok(CallToolResult::text(format!("{title}: action={action}, content={content}")).into())
}

fn defaults() -> FormSchema {
    let mut name = StringField::default();
    name.default = Some("John Doe".to_owned());
    let mut age = NumberField::default();
    age.is_integer = true;
    age.default = Some(30.0);
    let mut score = NumberField::default();
    score.default = Some(95.5);
    let mut verified = BooleanField::default();
    verified.default = Some(true);
    let mut status = FormField::choice(["active", "inactive", "pending"].map(Choice::new));
    if let FormField::Choice(status) = &mut status {
        status.default = Some("active".to_owned());
    }
    FormSchema::new()
        .optional("name", FormField::String(name))
        .optional("age", FormField::Number(age))
        .optional("score", FormField::Number(score))
        .optional("status", status)
        .optional("verified", FormField::Boolean(verified))
}

fn choices() -> FormSchema {
    let titled = || {
        [
            Choice::titled("value1", "First Option"),
            Choice::titled("value2", "Second Option"),
            Choice::titled("value3", "Third Option"),
        ]
    };
    let untitled = || ["option1", "option2", "option3"].map(Choice::new);
    let mut legacy = FormField::choice(titled());
    if let FormField::Choice(legacy) = &mut legacy {
        legacy.style = TitleStyle::EnumNames;
    }
    FormSchema::new()
        .optional("untitledSingle", FormField::choice(untitled()))
        .optional("titledSingle", FormField::choice(titled()))
        .optional("legacyEnum", legacy)
        .optional("untitledMulti", FormField::multi_choice(untitled()))
        .optional("titledMulti", FormField::multi_choice(titled()))
}
