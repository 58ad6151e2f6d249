//! The tools.

use std::sync::Arc;

use mcp_proto::{CallToolResult, Outcome};
use mcp_stdio::{Arguments, CallContext, Tool, ToolError};
use review_tool::tool::{Call, ToolFace};

use super::host::Host;
use super::{Held, Shared, roots};

pub(super) struct ReviewTool {
    face: ToolFace,
    shared: Arc<Shared>,
}

impl ReviewTool {
    pub(super) fn new(face: ToolFace, shared: &Arc<Shared>) -> Self {
        Self { face, shared: Arc::clone(shared) }
    }
}

impl Tool for ReviewTool {
    fn definition(&self) -> mcp_proto::Tool {
        self.face.definition()
    }

    fn call(
        &self,
        arguments: Arguments<'_>,
        context: &CallContext,
    ) -> Result<Outcome<CallToolResult>, ToolError> {
        let arguments = arguments.get();
        let shared = &*self.shared;
        let root = match roots::wanted(context, shared, || self.face.leaves_repo(arguments))? {
            roots::Answer::Root(root) => root,
            roots::Answer::Ask(question) => return Ok(Outcome::InputRequired(*question)),
        };
        let host = Host::new(shared, root, context);
        let call = Call { host: &host, rules: shared.rules, control: &Held(context) };
        Ok(self.face.call(arguments, call).into())
    }
}
