//! Tools that show what a result can hold, and what a call can do while it runs.

use std::time::Duration;

use mcp_proto::{CallToolResult, Content, LoggingLevel, RawJson, ResourceContents, Tool};
use mcp_stdio::{NoArguments, SchemaError, ServerBuilder, ToolError, raw_tool, tool};

/// A picture of one red pixel.
pub(crate) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/// A sound without a sample.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

const SCHEMA: &str = r##"{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": {
    "address": {
      "$anchor": "addressDef",
      "type": "object",
      "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
    }
  },
  "properties": {
    "name": { "type": "string" },
    "address": { "$ref": "#/$defs/address" },
    "contactMethod": { "type": "string", "enum": ["phone", "email"] },
    "phone": { "type": "string" },
    "email": { "type": "string" }
  },
  "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
  "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
  "then": { "required": ["phone"] },
  "else": { "required": ["email"] },
  "additionalProperties": false
}"##;

/// The time between two steps of a tool that works for a while.
const STEP: Duration = Duration::from_millis(50);

pub(crate) fn add(builder: ServerBuilder) -> Result<ServerBuilder, Box<dyn std::error::Error>> {
    let builder = builder
        .tool(tool("test_simple_text", "Returns a text.", |_: NoArguments, _| {
            Ok::<_, ToolError>("This is a simple text response for testing.")
        }))
        .tool(tool("test_image_content", "Returns an image.", |_: NoArguments, _| {
            Ok::<_, ToolError>(Content::image(PNG, "image/png"))
        }))
        .tool(tool("test_audio_content", "Returns a sound.", |_: NoArguments, _| {
            Ok::<_, ToolError>(Content::audio(WAV, "audio/wav"))
        }))
        .tool(tool("test_embedded_resource", "Embeds a resource.", |_: NoArguments, _| {
            let text = "This is an embedded resource content.";
            Ok::<_, ToolError>(embedded("test://embedded-resource", "text/plain", text))
        }))
        .tool(tool("test_multiple_content_types", "Mixes contents.", |_: NoArguments, _| {
            let json = r#"{"test":"data","value":123}"#;
            Ok::<_, ToolError>(vec![
                Content::text("Multiple content types test:"),
                Content::image(PNG, "image/png"),
                embedded("test://mixed-content-resource", "application/json", json),
            ])
        }))
        .tool(tool("test_error_handling", "Fails.", |_: NoArguments, _| {
            let text = "This tool intentionally returns an error for testing";
            Err::<String, _>(ToolError::new(text))
        }))
        .tool(tool("test_tool_with_logging", "Logs while it runs.", |_: NoArguments, context| {
            for (step, text) in
                ["Tool execution started", "Tool processing data", "Tool execution completed"]
                    .into_iter()
                    .enumerate()
            {
                if step > 0 && context.cancelled_within(STEP) {
                    break;
                }
                context.log(LoggingLevel::Info, Some("test_tool_with_logging"), text);
            }
            Ok::<_, ToolError>("Tool with logging executed successfully")
        }))
        .tool(tool("test_logging_tool", "Logs once.", |_: NoArguments, context| {
            context.log(LoggingLevel::Info, None, "This is a log message.");
            Ok::<_, ToolError>("Logged.")
        }))
        .tool(tool("test_tool_with_progress", "Reports progress.", |_: NoArguments, context| {
            for step in [0.0, 50.0, 100.0] {
                if step > 0.0 && context.cancelled_within(STEP) {
                    break;
                }
                context.progress(step, Some(100.0), Some(&format!("Completed {step} of 100")));
            }
            Ok::<_, ToolError>("Tool with progress executed successfully")
        }));
    Ok(builder.tool(with_schema()?))
}

fn embedded(uri: &str, mime_type: &str, text: &str) -> Content {
    Content::resource(ResourceContents::text(uri, text).mime_type(mime_type))
}

fn with_schema() -> Result<impl mcp_stdio::Tool, Box<dyn std::error::Error>> {
    let definition = Tool::new("json_schema_2020_12_tool", RawJson::parse(SCHEMA)?)
        .description("Takes what a schema of many keywords allows.");
    let made: Result<_, SchemaError> = raw_tool(definition, |arguments, _| {
        Ok(CallToolResult::text(format!("Valid: {}", arguments.get())))
    });
    Ok(made?)
}
