//! The resources.

use std::sync::Arc;

use mcp_proto::{Outcome, ReadResourceResult, Resource as Definition};
use mcp_stdio::{CallContext, RequestError, Resource, ResourceTemplate, TemplateMatch};
use review_tool::resource::{self, Address};

use super::Shared;

/// A resource under a URI of its own.
pub(super) struct Fixed {
    definition: Definition,
    shared: Arc<Shared>,
}

impl Fixed {
    pub(super) fn new(definition: Definition, shared: &Arc<Shared>) -> Self {
        Self { definition, shared: Arc::clone(shared) }
    }
}

impl Resource for Fixed {
    fn definition(&self) -> Definition {
        self.definition.clone()
    }

    fn read(&self, _: &CallContext) -> Result<Outcome<ReadResourceResult>, RequestError> {
        read(&self.shared, &self.definition.uri)
    }
}

/// Resources whose URIs follow a template.
pub(super) struct Family {
    definition: mcp_proto::ResourceTemplate,
    shared: Arc<Shared>,
}

impl Family {
    pub(super) fn new(definition: mcp_proto::ResourceTemplate, shared: &Arc<Shared>) -> Self {
        Self { definition, shared: Arc::clone(shared) }
    }
}

impl ResourceTemplate for Family {
    fn definition(&self) -> mcp_proto::ResourceTemplate {
        self.definition.clone()
    }

    fn exists(&self, resource: &TemplateMatch) -> bool {
        // Where the history fails, reading says why.
        resource::exists(resource.uri(), &self.shared.history, self.shared.rules).unwrap_or(true)
    }

    fn list(&self) -> Vec<Definition> {
        let Shared { history, rules, rule_list, .. } = &*self.shared;
        let template = &self.definition.uri_template;
        // Without a history there are none to list; whoever reads one is told why.
        let list = || resource::list(template, history, rules).unwrap_or_default();
        if template == Address::RULE_TEMPLATE {
            return rule_list.get_or_init(list).clone();
        }
        list()
    }

    fn read(
        &self,
        resource: &TemplateMatch,
        _: &CallContext,
    ) -> Result<Outcome<ReadResourceResult>, RequestError> {
        read(&self.shared, resource.uri())
    }
}

fn read(shared: &Shared, uri: &str) -> Result<Outcome<ReadResourceResult>, RequestError> {
    let read = resource::read(uri, &shared.history, shared.rules)?;
    read.map(Outcome::Complete).ok_or_else(RequestError::not_found)
}
