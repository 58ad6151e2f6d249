//! Joins review-tool to rmcp, and does nothing else.

use mcp_proto::{NotInRevision, Revision, Wire};
use review_store::Store;
use review_tool::control::{Control, Progress};
use review_tool::rules::RuleSet;
use review_tool::{resource, tool};
use rmcp::model::*;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use tokio::{runtime::Handle, task::block_in_place};

use super::Host;

type Context = RequestContext<RoleServer>;
type Page = Option<PaginatedRequestParams>;

/// Serves everything that review-tool offers, over the reviews of a store.
pub(super) struct Server(pub(super) Store);

/// The client's hold on one call.
struct Held<'c>(&'c Context, Handle);

impl Control for Held<'_> {
    fn cancelled(&self) -> bool {
        self.0.ct.is_cancelled()
    }

    fn progress(&self, progress: Progress) {
        let Some(token) = self.0.meta.get_progress_token() else { return };
        let mut report = ProgressNotificationParam::new(token, progress.done as f64);
        report.total = progress.total.map(|total| total as f64);
        report.message = Some(progress.message);
        // A client that is gone needs no report.
        drop(self.1.block_on(self.0.peer.notify_progress(report)));
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let offered = ServerCapabilities::builder().enable_tools().enable_resources();
        ServerConfig::new(offered.enable_completions().build())
    }

    async fn list_tools(&self, _: Page, context: Context) -> Result<ListToolsResult, ErrorData> {
        let tools: Vec<_> = tool::ALL.iter().map(tool::ToolFace::definition).collect();
        Ok(ListToolsResult::with_all_items(translated(&context, |wire, out| {
            wire.value(out, &tools)
        })?))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let face = tool::ALL.iter().find(|face| face.definition().name == call.name);
        let face = face.ok_or_else(|| ErrorData::invalid_params("no such tool", None))?;
        let arguments =
            serde_json::to_string(&call.arguments.unwrap_or_default()).map_err(failed)?;
        let client = context.client_info().map(|client| client.name).unwrap_or_default();
        let host = Host::new(&self.0, client);
        let control = Held(&context, Handle::current());
        let call = tool::Call { host: &host, rules: RuleSet::embedded(), control: &control };
        let result = block_in_place(|| face.call(&arguments, call));
        Ok(CallToolResponse::Complete(translated(&context, |wire, out| {
            wire.result_value(out, &result)
        })?))
    }

    async fn list_resources(
        &self,
        _: Page,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut all = resource::fixed();
        for family in resource::templates() {
            let listed = resource::list(&family.uri_template, &self.0, RuleSet::embedded());
            all.extend(listed.map_err(failed)?);
        }
        all.sort_by(|one, other| one.uri.cmp(&other.uri));
        Ok(ListResourcesResult::with_all_items(translated(&context, |wire, out| {
            wire.value(out, &all)
        })?))
    }

    async fn list_resource_templates(
        &self,
        _: Page,
        context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let families = resource::templates();
        let families = translated(&context, |wire, out| wire.value(out, &families))?;
        Ok(ListResourceTemplatesResult::with_all_items(families))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = resource::read(&request.uri, &self.0, RuleSet::embedded()).map_err(failed)?;
        let data = Some(serde_json::json!({ "uri": request.uri }));
        let read = read.ok_or_else(|| ErrorData::resource_not_found("no such resource", data))?;
        Ok(ReadResourceResponse::Complete(translated(&context, |wire, out| {
            wire.result_value(out, &read)
        })?))
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: Context,
    ) -> Result<CompleteResult, ErrorData> {
        let reference = serde_json::to_value(&request.r#ref).and_then(serde_json::from_value);
        let reference = reference.map_err(failed)?;
        let typed = &request.argument.value;
        let completed = resource::complete(&reference, typed, &self.0, RuleSet::embedded());
        let completed = completed.map_err(failed)?;
        translated(&context, |wire, out| wire.result_value(out, &completed))
    }
}

/// Takes a value over from one stack's types into the other's, in the form of the client's revision.
fn translated<U: DeserializeOwned>(
    context: &Context,
    write: impl FnOnce(&Wire, &mut Vec<u8>) -> Result<(), NotInRevision>,
) -> Result<U, ErrorData> {
    let version = context.protocol_version();
    let revision = version.and_then(|version| Revision::parse(version.as_str()));
    let mut bytes = Vec::new();
    write(&Wire::new(revision.unwrap_or(Revision::NEWEST_HANDSHAKE)), &mut bytes)
        .map_err(failed)?;
    serde_json::from_slice(&bytes).map_err(failed)
}

fn failed(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
