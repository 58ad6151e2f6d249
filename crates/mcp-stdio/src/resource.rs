//! Resources: single ones under a fixed URI, and families under a template.

use mcp_proto::{
    Outcome, ReadResourceResult, Resource as ResourceDefinition,
    ResourceTemplate as TemplateDefinition,
};

use crate::context::CallContext;
use crate::error::RequestError;
use crate::template::TemplateMatch;

/// Serves one resource.
pub trait Resource: Send + Sync {
    /// Describes the resource. Asked once, when the server is built.
    fn definition(&self) -> ResourceDefinition;

    /// Reads the resource.
    ///
    /// # Errors
    ///
    /// A [`RequestError`] becomes an error response.
    fn read(&self, context: &CallContext) -> Result<Outcome<ReadResourceResult>, RequestError>;

    /// Says whether the resource can be seen and read at the moment.
    fn is_available(&self) -> bool {
        true
    }
}

/// Serves all resources whose URIs match a template.
pub trait ResourceTemplate: Send + Sync {
    /// Describes the resources. Asked once, when the server is built.
    ///
    /// The template may hold `{name}`, which matches up to the next `/`, and `{+name}`, which
    /// matches any text.
    fn definition(&self) -> TemplateDefinition;

    /// Says whether there is a resource under a URI that matches the template. Asked when a client
    /// subscribes to it.
    fn exists(&self, _resource: &TemplateMatch) -> bool {
        true
    }

    /// Lists the resources that are known now, in any order. Templates need not list any.
    fn list(&self) -> Vec<ResourceDefinition> {
        Vec::new()
    }

    /// Reads the resource of a URI that matches the template.
    ///
    /// # Errors
    ///
    /// [`RequestError::not_found`] when there is no such resource, any other when it cannot be
    /// read.
    fn read(
        &self,
        resource: &TemplateMatch,
        context: &CallContext,
    ) -> Result<Outcome<ReadResourceResult>, RequestError>;
}

/// Makes a resource from a function.
pub fn resource<R, F>(definition: ResourceDefinition, read: F) -> impl Resource
where
    R: Into<Outcome<ReadResourceResult>>,
    F: Fn(&CallContext) -> Result<R, RequestError> + Send + Sync,
{
    FunctionResource {
        definition,
        read: move |context: &CallContext| read(context).map(Into::into),
    }
}

/// Makes a family of resources from a function.
pub fn resource_template<R, F>(definition: TemplateDefinition, read: F) -> impl ResourceTemplate
where
    R: Into<Outcome<ReadResourceResult>>,
    F: Fn(&TemplateMatch, &CallContext) -> Result<R, RequestError> + Send + Sync,
{
    FunctionTemplate {
        definition,
        read: move |resource: &TemplateMatch, context: &CallContext| {
            read(resource, context).map(Into::into)
        },
    }
}

struct FunctionResource<F> {
    definition: ResourceDefinition,
    read: F,
}

impl<F> Resource for FunctionResource<F>
where
    F: Fn(&CallContext) -> Result<Outcome<ReadResourceResult>, RequestError> + Send + Sync,
{
    fn definition(&self) -> ResourceDefinition {
        self.definition.clone()
    }

    fn read(&self, context: &CallContext) -> Result<Outcome<ReadResourceResult>, RequestError> {
        (self.read)(context)
    }
}

struct FunctionTemplate<F> {
    definition: TemplateDefinition,
    read: F,
}

impl<F> ResourceTemplate for FunctionTemplate<F>
where
    F: Fn(&TemplateMatch, &CallContext) -> Result<Outcome<ReadResourceResult>, RequestError>
        + Send
        + Sync,
{
    fn definition(&self) -> TemplateDefinition {
        self.definition.clone()
    }

    fn read(
        &self,
        resource: &TemplateMatch,
        context: &CallContext,
    ) -> Result<Outcome<ReadResourceResult>, RequestError> {
        (self.read)(resource, context)
    }
}
