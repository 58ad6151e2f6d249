//! The tools of `crates/mcp-stdio/examples/bench_server.rs`, served by rmcp.
//!
//! Without arguments as rmcp's own examples do it; with `--best` over its pipes and a runtime of one
//! thread, the fastest form that it has.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt, transport};
use serde_json::{Value, json};
use tokio::runtime::Builder;

struct Bench;

fn tool(name: &'static str, argument: &str, kind: &str) -> Tool {
    let schema = json!({
        "type": "object", "properties": { argument: { "type": kind } }, "required": [argument],
    });
    let schema: JsonObject = schema.as_object().cloned().unwrap_or_default();
    Tool::new(name, name, Arc::new(schema))
}

impl ServerHandler for Bench {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(vec![
            tool("echo", "text", "string"),
            tool("blob", "bytes", "integer"),
            tool("sleep", "ms", "integer"),
        ]))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut arguments = call.arguments.unwrap_or_default();
        let mut take = |name: &str| arguments.remove(name);
        let number = |value: Option<Value>| value.and_then(|value| value.as_u64());
        let text = match &*call.name {
            "echo" => take("text").and_then(|text| match text {
                Value::String(text) => Some(text),
                _ => None,
            }),
            "blob" => number(take("bytes")).map(|bytes| "x".repeat(bytes as usize)),
            "sleep" => match number(take("ms")) {
                Some(ms) => Some(tokio::select! {
                    () = tokio::time::sleep(Duration::from_millis(ms)) => "slept".to_owned(),
                    () = context.ct.cancelled() => "cancelled".to_owned(),
                }),
                None => None,
            },
            _ => None,
        };
        let text = text.ok_or_else(|| ErrorData::invalid_params("no such call", None))?;
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

fn main() -> anyhow::Result<()> {
    let best = std::env::args().any(|argument| argument == "--best");
    let mut runtime =
        if best { Builder::new_current_thread() } else { Builder::new_multi_thread() };
    runtime.enable_all().build()?.block_on(async {
        if best {
            Bench.serve(transport::stdio_pipes()).await?.waiting().await?;
        } else {
            Bench.serve(transport::stdio()).await?.waiting().await?;
        }
        anyhow::Ok(())
    })
}
