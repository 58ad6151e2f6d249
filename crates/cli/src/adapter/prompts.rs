//! The prompts.

use std::sync::Arc;

use mcp_proto::{GetPromptResult, Outcome, Prompt as Definition, Strings};
use mcp_stdio::{CallContext, Prompt, RequestError};
use review_tool::self_review::{self, PromptError};
use review_tool::tool::Call;

use super::host::Host;
use super::{Held, Shared, roots};

pub(super) struct SelfReview(Arc<Shared>);

impl SelfReview {
    pub(super) fn new(shared: &Arc<Shared>) -> Self {
        Self(Arc::clone(shared))
    }
}

impl Prompt for SelfReview {
    fn definition(&self) -> Definition {
        self_review::definition()
    }

    fn get(
        &self,
        arguments: &Strings,
        context: &CallContext,
    ) -> Result<Outcome<GetPromptResult>, RequestError> {
        let shared = &*self.0;
        let root = match roots::wanted(context, shared, || self_review::leaves_repo(arguments))? {
            roots::Answer::Root(root) => root,
            roots::Answer::Ask(question) => return Ok(Outcome::InputRequired(*question)),
        };
        let host = Host::new(shared, root, context);
        let call = Call { host: &host, rules: shared.rules, control: &Held(context) };
        match self_review::get(arguments, call) {
            Ok(prompt) => Ok(Outcome::Complete(prompt)),
            Err(PromptError::Argument(problem)) => Err(RequestError::invalid(problem)),
            Err(error @ PromptError::Failed(_)) => Err(error.into()),
        }
    }
}
