//! Tools that bring their own JSON Schema instead of a type. Needs the feature `json-schema`.
//!
//! Arguments are checked against the schema before the function runs. References to other documents
//! are never followed: a schema that has any is refused when the tool is made.

use jsonschema::Validator;
use mcp_proto::{CallToolResult, Outcome, Tool as ToolDefinition};

use crate::context::CallContext;
use crate::error::{SchemaError, with_sources};
use crate::tool::{Arguments, IntoToolResult, Tool, ToolError};

/// A tool made by [`raw_tool`].
pub struct RawTool<F> {
    definition: ToolDefinition,
    validator: Validator,
    run: F,
}

/// Makes a tool from a definition with its own input schema and a function.
///
/// The schema's dialect is the one its `$schema` names, and 2020-12 without one.
///
/// # Errors
///
/// Refuses a schema that is invalid in its dialect, whose dialect is unknown, or that refers to
/// another document.
pub fn raw_tool<R, F>(definition: ToolDefinition, run: F) -> Result<RawTool<F>, SchemaError>
where
    R: IntoToolResult,
    F: Fn(Arguments<'_>, &CallContext) -> Result<R, ToolError> + Send + Sync,
{
    let name = &definition.name;
    let refused = |problem| SchemaError { tool: name.clone(), problem };
    let schema = definition.input_schema.decode().map_err(|error| refused(with_sources(&error)))?;
    let validator =
        jsonschema::validator_for(&schema).map_err(|error| refused(error.to_string()))?;
    Ok(RawTool { definition, validator, run })
}

impl<R, F> Tool for RawTool<F>
where
    R: IntoToolResult,
    F: Fn(Arguments<'_>, &CallContext) -> Result<R, ToolError> + Send + Sync,
{
    fn definition(&self) -> ToolDefinition {
        self.definition.clone()
    }

    fn call(
        &self,
        arguments: Arguments<'_>,
        context: &CallContext,
    ) -> Result<Outcome<CallToolResult>, ToolError> {
        let value = arguments.decode()?;
        if let Some(error) = self.validator.iter_errors(&value).next() {
            let path = error.instance_path().to_string();
            return Err(ToolError::invalid_arguments(path.trim_start_matches('/'), error));
        }
        (self.run)(arguments, context)?.into_tool_result()
    }
}
