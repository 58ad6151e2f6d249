//! Resources, prompts, completion, and tools that announce changes.

use mcp_proto::{
    CompleteParams, CompleteResult, Content, GetPromptResult, Prompt, PromptArgument,
    PromptMessage, ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Strings,
};
use mcp_stdio::{
    CallContext, NoArguments, RequestError, ServerBuilder, ToolError, prompt, resource,
    resource_template, tool,
};

use super::content::PNG;

pub(crate) fn add(builder: ServerBuilder) -> ServerBuilder {
    let builder = resources(builder);
    let builder = prompts(builder);
    builder
        .completion(|params: &CompleteParams, _: &CallContext| {
            let typed = &params.argument.value;
            let known = ["paris", "park", "party", "test value 1", "test value 2"];
            Ok(CompleteResult::new(known.into_iter().filter(|value| value.starts_with(typed))))
        })
        .tool(tool(
            "test_trigger_tool_change",
            "Announces other tools.",
            |_: NoArguments, context| {
                context.notifier().tools_changed();
                Ok::<_, ToolError>("Announced.")
            },
        ))
        .tool(tool(
            "test_trigger_prompt_change",
            "Announces other prompts.",
            |_: NoArguments, context| {
                context.notifier().prompts_changed();
                Ok::<_, ToolError>("Announced.")
            },
        ))
}

fn resources(builder: ServerBuilder) -> ServerBuilder {
    builder
        .resource(resource(
            Resource::new("test://static-text", "Static text").mime_type("text/plain"),
            |_| {
                let text = "This is the content of the static text resource.";
                Ok(one(ResourceContents::text("test://static-text", text).mime_type("text/plain")))
            },
        ))
        .resource(resource(
            Resource::new("test://static-binary", "Static image").mime_type("image/png"),
            |_| Ok(one(ResourceContents::blob("test://static-binary", PNG).mime_type("image/png"))),
        ))
        .resource(resource(
            Resource::new("test://watched-resource", "Watched text").mime_type("text/plain"),
            |_| {
                let text = "Subscribe to be told of changes.";
                Ok(one(ResourceContents::text("test://watched-resource", text)))
            },
        ))
        .resource_template(resource_template(
            ResourceTemplate::new("test://template/{id}/data", "Data by id")
                .mime_type("application/json"),
            |resource, _| {
                let id = resource.value("id");
                let json = serde_json::json!({
                    "id": id, "templateTest": true, "data": format!("Data for ID: {id}")
                });
                let contents = ResourceContents::text(resource.uri(), json.to_string());
                Ok(one(contents.mime_type("application/json")))
            },
        ))
}

fn prompts(builder: ServerBuilder) -> ServerBuilder {
    builder
        .prompt(prompt(
            Prompt::new("test_simple_prompt").description("A prompt without arguments."),
            |_, _| Ok(user([Content::text("This is a simple prompt for testing.")])),
        ))
        .prompt(prompt(
            Prompt::new("test_prompt_with_arguments")
                .description("A prompt with two arguments.")
                .argument(PromptArgument::required("arg1").description("The first."))
                .argument(PromptArgument::required("arg2").description("The second.")),
            |arguments, _| {
                let (one, two) = (value(arguments, "arg1")?, value(arguments, "arg2")?);
                let text = format!("Prompt with arguments: arg1='{one}', arg2='{two}'");
                Ok(user([Content::text(text)]))
            },
        ))
        .prompt(prompt(
            Prompt::new("test_prompt_with_embedded_resource")
                .description("A prompt that embeds a resource.")
                .argument(PromptArgument::required("resourceUri").description("Its URI.")),
            |arguments, _| {
                let uri = value(arguments, "resourceUri")?;
                let text = "Embedded resource content for testing.";
                let contents = ResourceContents::text(uri, text).mime_type("text/plain");
                Ok(user([
                    Content::resource(contents),
                    Content::text("Please process the embedded resource above."),
                ]))
            },
        ))
        .prompt(prompt(
            Prompt::new("test_prompt_with_image").description("A prompt with an image."),
            |_, _| {
                Ok(user([
                    Content::image(PNG, "image/png"),
                    Content::text("Please analyze the image above."),
                ]))
            },
        ))
}

fn one(contents: ResourceContents) -> ReadResourceResult {
    ReadResourceResult::new(vec![contents])
}

fn user<const N: usize>(contents: [Content; N]) -> GetPromptResult {
    GetPromptResult::new(contents.map(PromptMessage::user).into())
}

fn value<'a>(arguments: &'a Strings, name: &str) -> Result<&'a str, RequestError> {
    arguments
        .get(name)
        .ok_or_else(|| RequestError::invalid(format!("argument {name:?} is missing")))
}
