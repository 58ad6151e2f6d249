//! Tools: what a handler gets, and what it gives back.
//!
//! A tool knows nothing of ids, methods or revisions. Most are written with [`tool`], from a
//! function whose first parameter says what the arguments are; [`Tool`] is for those that bring
//! their own schema.

use std::fmt::Display;
use std::marker::PhantomData;

use mcp_proto::{
    CallToolResult, ClientCapabilities, Content, Outcome, RawJson, RpcError,
    Tool as ToolDefinition, ToolAnnotations,
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::context::CallContext;
use crate::error::with_sources;
use crate::schema;

/// Answers calls of one tool.
pub trait Tool: Send + Sync {
    /// Describes the tool. Asked once, when the server is built.
    fn definition(&self) -> ToolDefinition;

    /// Runs the tool.
    ///
    /// Calls run at the same time on several threads. A long one asks
    /// [`CallContext::is_cancelled`] now and then and gives up when it says so; whatever it returns
    /// then is dropped.
    ///
    /// # Errors
    ///
    /// A [`ToolError`] of any kind; see there what the client gets to see.
    fn call(
        &self,
        arguments: Arguments<'_>,
        context: &CallContext,
    ) -> Result<Outcome<CallToolResult>, ToolError>;

    /// Says whether the tool can be seen and called at the moment.
    ///
    /// Whoever changes the answer announces it with
    /// [`Notifier::tools_changed`](crate::Notifier::tools_changed).
    fn is_available(&self) -> bool {
        true
    }
}

/// The arguments of a call, still as the client wrote them.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'a>(Option<&'a str>);

impl<'a> Arguments<'a> {
    pub(crate) fn new(json: Option<&'a str>) -> Self {
        Self(json)
    }

    /// Returns the JSON object; `{}` when the client sent none.
    #[must_use]
    pub fn get(self) -> &'a str {
        self.0.unwrap_or("{}")
    }

    /// Decodes the arguments into a type.
    ///
    /// # Errors
    ///
    /// Names the field, by its path, that does not fit.
    pub fn decode<T: DeserializeOwned>(self) -> Result<T, ToolError> {
        // Keeping track of the path costs time that only a failure is worth.
        serde_json::from_str(self.get()).or_else(|_| self.decode_with_path())
    }

    fn decode_with_path<T: DeserializeOwned>(self) -> Result<T, ToolError> {
        let mut json = serde_json::Deserializer::from_str(self.get());
        serde_path_to_error::deserialize(&mut json).map_err(|error| {
            let path = error.path().to_string();
            let problem = error.into_inner().to_string();
            // The position counts within the arguments, which are only a part of the line.
            let problem = problem.split(" at line ").next().unwrap_or_default();
            ToolError::invalid_arguments(&path, problem)
        })
    }
}

/// The arguments of a tool that takes none.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoArguments {}

/// Says how a call failed.
#[derive(Debug)]
pub struct ToolError(pub(crate) ToolFailure);

#[derive(Debug)]
pub(crate) enum ToolFailure {
    /// The model gets to read it and can try again.
    Message(String),
    Protocol(RpcError),
}

impl ToolError {
    /// Fails the call with a text for the model: it becomes a result that is marked as an error.
    pub fn new(message: impl Display) -> Self {
        Self(ToolFailure::Message(message.to_string()))
    }

    /// Rejects the arguments, naming the field by its path, such as `files[2].name`.
    pub fn invalid_arguments(path: &str, problem: impl Display) -> Self {
        if path.is_empty() || path == "." {
            return Self::new(format_args!("invalid arguments: {problem}"));
        }
        Self::new(format_args!("invalid arguments: `{path}`: {problem}"))
    }

    /// Fails the request itself instead of the tool: the client gets an error response.
    #[must_use]
    pub fn protocol(error: RpcError) -> Self {
        Self(ToolFailure::Protocol(error))
    }

    /// Refuses a call that needs something the client has not declared.
    #[must_use]
    pub fn missing_capability(required: &ClientCapabilities) -> Self {
        Self::protocol(RpcError::missing_client_capability(required))
    }
}

/// Any error becomes a text for the model, its sources included.
impl<E: std::error::Error> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self(ToolFailure::Message(with_sources(&error)))
    }
}

/// What a tool function may return: text, content, structured data or an outcome.
pub trait IntoToolResult {
    /// Turns the value into the outcome of a call.
    ///
    /// # Errors
    ///
    /// Fails when the value has no JSON form.
    fn into_tool_result(self) -> Result<Outcome<CallToolResult>, ToolError>;
}

impl IntoToolResult for CallToolResult {
    fn into_tool_result(self) -> Result<Outcome<CallToolResult>, ToolError> {
        Ok(Outcome::Complete(self))
    }
}

impl IntoToolResult for Outcome<CallToolResult> {
    fn into_tool_result(self) -> Result<Self, ToolError> {
        Ok(self)
    }
}

impl IntoToolResult for String {
    fn into_tool_result(self) -> Result<Outcome<CallToolResult>, ToolError> {
        Ok(Outcome::Complete(CallToolResult::text(self)))
    }
}

impl IntoToolResult for &str {
    fn into_tool_result(self) -> Result<Outcome<CallToolResult>, ToolError> {
        self.to_owned().into_tool_result()
    }
}

impl IntoToolResult for Content {
    fn into_tool_result(self) -> Result<Outcome<CallToolResult>, ToolError> {
        vec![self].into_tool_result()
    }
}

impl IntoToolResult for Vec<Content> {
    fn into_tool_result(self) -> Result<Outcome<CallToolResult>, ToolError> {
        Ok(Outcome::Complete(CallToolResult::new(self)))
    }
}

/// Data that is sent both as structured content and, for older clients, as JSON text.
#[derive(Clone, Copy, Debug)]
pub struct Structured<T>(pub T);

impl<T: Serialize> IntoToolResult for Structured<T> {
    fn into_tool_result(self) -> Result<Outcome<CallToolResult>, ToolError> {
        Ok(Outcome::Complete(CallToolResult::structured(RawJson::new(&self.0)?)))
    }
}

/// Makes a tool from a function.
///
/// The input schema is generated from the type of the function's first parameter, and arguments
/// are decoded into that type before the function runs: what does not fit is refused with the path
/// of the field.
pub fn tool<A, R, F>(
    name: impl Into<String>,
    description: impl Into<String>,
    run: F,
) -> FunctionTool<A, F>
where
    A: DeserializeOwned + JsonSchema,
    R: IntoToolResult,
    F: Fn(A, &CallContext) -> Result<R, ToolError> + Send + Sync,
{
    let definition =
        ToolDefinition::new(name, schema::of_arguments::<A>()).description(description);
    FunctionTool { definition, run, arguments: PhantomData }
}

/// A tool made by [`tool`].
pub struct FunctionTool<A, F> {
    definition: ToolDefinition,
    run: F,
    arguments: PhantomData<fn(A)>,
}

impl<A, F> FunctionTool<A, F> {
    /// Sets the name that people see.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.definition = self.definition.title(title);
        self
    }

    /// Says how the tool behaves, for example that it only reads.
    #[must_use]
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.definition = self.definition.annotations(annotations);
        self
    }

    /// Declares the type of the structured content.
    #[must_use]
    pub fn output<T: JsonSchema>(mut self) -> Self {
        self.definition = self.definition.output_schema(schema::of::<T>());
        self
    }
}

impl<A, R, F> Tool for FunctionTool<A, F>
where
    A: DeserializeOwned + JsonSchema,
    R: IntoToolResult,
    F: Fn(A, &CallContext) -> Result<R, ToolError> + Send + Sync,
{
    fn definition(&self) -> ToolDefinition {
        self.definition.clone()
    }

    fn call(
        &self,
        arguments: Arguments<'_>,
        context: &CallContext,
    ) -> Result<Outcome<CallToolResult>, ToolError> {
        (self.run)(arguments.decode()?, context)?.into_tool_result()
    }
}
