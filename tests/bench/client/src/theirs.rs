//! The client of rmcp.

use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use rmcp::model::{CallToolRequestParams, ClientConfig, JsonObject};
use rmcp::transport::TokioChildProcess;
use rmcp::{RoleClient, ServiceExt};
use serde_json::json;
use tokio::process::Command;

use crate::work::{IN_FLIGHT, Measured, Meter, Work};

pub async fn run(work: Work, server: &str) -> Result<Measured> {
    let begun = Instant::now();
    let client =
        ClientConfig::default().serve(TokioChildProcess::new(Command::new(server))?).await?;
    client.list_all_tools().await?;
    if work == Work::Open {
        let mut meter = Meter::start();
        meter.add(begun.elapsed());
        return Ok(meter.stop());
    }
    let text = work.text();
    let arguments = JsonObject::from_iter([("text".to_owned(), json!(text))]);
    for _ in 0..if work == Work::Large { 4 } else { 2000 } {
        call(client.peer(), &arguments, &text).await?;
    }
    let mut meter = Meter::start();
    let until = Instant::now() + work.time();
    if work == Work::Parallel {
        let tasks: Vec<_> = (0..IN_FLIGHT)
            .map(|_| {
                let (peer, arguments, text) =
                    (client.peer().clone(), arguments.clone(), text.clone());
                tokio::spawn(async move { calls(&peer, &arguments, &text, until).await })
            })
            .collect();
        for task in tasks {
            meter.extend(task.await??);
        }
    } else {
        let times = calls(client.peer(), &arguments, &text, until).await;
        meter.extend(times?);
    }
    let measured = meter.stop();
    client.cancel().await?;
    Ok(measured)
}

async fn calls(
    peer: &rmcp::Peer<RoleClient>,
    arguments: &JsonObject,
    text: &str,
    until: Instant,
) -> Result<Vec<Duration>> {
    let mut times = Vec::with_capacity(1 << 16);
    loop {
        let begun = Instant::now();
        if begun >= until {
            return Ok(times);
        }
        call(peer, arguments, text).await?;
        times.push(begun.elapsed());
    }
}

async fn call(peer: &rmcp::Peer<RoleClient>, arguments: &JsonObject, text: &str) -> Result<()> {
    let params = CallToolRequestParams::new("echo").with_arguments(arguments.clone());
    let result = peer.call_tool(params).await?;
    let got = result.content.first().and_then(|content| content.as_text());
    match got {
        Some(content) if content.text == text => Ok(()),
        _ => Err(anyhow!("a wrong answer")),
    }
}
