//! A counter, the example that the official Rust SDK begins with.

use std::sync::atomic::{AtomicI64, Ordering};

use rmcp::handler::server::wrapper::Parameters;
use rmcp::{ServiceExt, tool, tool_router};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Step {
    by: i64,
}

struct Counter(AtomicI64);

#[tool_router(server_handler)]
impl Counter {
    #[tool(description = "Adds to the counter and returns it")]
    fn add(&self, Parameters(Step { by }): Parameters<Step>) -> String {
        (self.0.fetch_add(by, Ordering::SeqCst) + by).to_string()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let service = Counter(AtomicI64::new(0)).serve(rmcp::transport::stdio()).await?;
    service.waiting().await?;
    Ok(())
}
