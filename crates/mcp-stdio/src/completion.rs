//! Completion of arguments while a user types them.

use mcp_proto::{CompleteParams, CompleteResult};

use crate::context::CallContext;
use crate::error::RequestError;

/// Suggests values for the arguments of prompts and the variables of resource templates.
///
/// A reference to a prompt or template that the server does not have never gets here.
pub trait Complete: Send + Sync {
    /// Suggests values, best first. An argument without suggestions gets an empty list.
    ///
    /// # Errors
    ///
    /// A [`RequestError`] becomes an error response.
    fn complete(
        &self,
        params: &CompleteParams,
        context: &CallContext,
    ) -> Result<CompleteResult, RequestError>;
}

impl<F> Complete for F
where
    F: Fn(&CompleteParams, &CallContext) -> Result<CompleteResult, RequestError> + Send + Sync,
{
    fn complete(
        &self,
        params: &CompleteParams,
        context: &CallContext,
    ) -> Result<CompleteResult, RequestError> {
        self(params, context)
    }
}
