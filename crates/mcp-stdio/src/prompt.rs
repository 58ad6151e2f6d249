//! Prompts: messages that a user can choose to start from.

use mcp_proto::{GetPromptResult, Outcome, Prompt as PromptDefinition, Strings};

use crate::context::CallContext;
use crate::error::RequestError;

/// Serves one prompt.
pub trait Prompt: Send + Sync {
    /// Describes the prompt. Asked once, when the server is built.
    fn definition(&self) -> PromptDefinition;

    /// Fills the prompt in. The required arguments are there.
    ///
    /// # Errors
    ///
    /// A [`RequestError`] becomes an error response.
    fn get(
        &self,
        arguments: &Strings,
        context: &CallContext,
    ) -> Result<Outcome<GetPromptResult>, RequestError>;

    /// Says whether the prompt can be seen and used at the moment.
    fn is_available(&self) -> bool {
        true
    }
}

/// Makes a prompt from a function.
pub fn prompt<R, F>(definition: PromptDefinition, get: F) -> impl Prompt
where
    R: Into<Outcome<GetPromptResult>>,
    F: Fn(&Strings, &CallContext) -> Result<R, RequestError> + Send + Sync,
{
    FunctionPrompt {
        definition,
        get: move |arguments: &Strings, context: &CallContext| {
            get(arguments, context).map(Into::into)
        },
    }
}

struct FunctionPrompt<F> {
    definition: PromptDefinition,
    get: F,
}

impl<F> Prompt for FunctionPrompt<F>
where
    F: Fn(&Strings, &CallContext) -> Result<Outcome<GetPromptResult>, RequestError> + Send + Sync,
{
    fn definition(&self) -> PromptDefinition {
        self.definition.clone()
    }

    fn get(
        &self,
        arguments: &Strings,
        context: &CallContext,
    ) -> Result<Outcome<GetPromptResult>, RequestError> {
        (self.get)(arguments, context)
    }
}
