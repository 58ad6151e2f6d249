//! The client of mcp-stdio.

use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use mcp_proto::{Content, Era};
use mcp_stdio::child::{ChildLauncher, ChildLimits, ServerCommand};
use mcp_stdio::client::{CallOptions, Session};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use crate::work::{IN_FLIGHT, Measured, Meter, Work};

pub fn run(work: Work, server: &str, era: Era) -> Result<Measured> {
    let begun = Instant::now();
    let launcher =
        ChildLauncher::new("echo", ServerCommand::new(server), ChildLimits::recommended());
    let session = Session::builder("bench", "1").era(era).open(launcher)?;
    session.tools(&CallOptions::default())?;
    if work == Work::Open {
        let mut meter = Meter::start();
        meter.add(begun.elapsed());
        return Ok(meter.stop());
    }
    let text = work.text();
    let arguments = to_raw_value(&json!({ "text": text }))?;
    for _ in 0..if work == Work::Large { 4 } else { 2000 } {
        call(&session, &arguments, &text)?;
    }
    let mut meter = Meter::start();
    let until = Instant::now() + work.time();
    if work == Work::Parallel {
        let (session, arguments, text) = (&session, arguments.as_ref(), text.as_str());
        let times: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..IN_FLIGHT)
                .map(|_| scope.spawn(move || calls(session, arguments, text, until)))
                .collect();
            threads.into_iter().map(|thread| thread.join()).collect()
        });
        for times in times {
            meter.extend(times.map_err(|_| anyhow!("a thread panicked"))??);
        }
    } else {
        meter.extend(calls(&session, &arguments, &text, until)?);
    }
    Ok(meter.stop())
}

fn calls(
    session: &Session,
    arguments: &RawValue,
    text: &str,
    until: Instant,
) -> Result<Vec<Duration>> {
    let mut times = Vec::with_capacity(1 << 16);
    loop {
        let begun = Instant::now();
        if begun >= until {
            return Ok(times);
        }
        call(session, arguments, text)?;
        times.push(begun.elapsed());
    }
}

fn call(session: &Session, arguments: &RawValue, text: &str) -> Result<()> {
    let result = session.call_tool("echo", Some(arguments), &CallOptions::default())?;
    match result.content.as_slice() {
        [Content::Text(content)] if content.text == text => Ok(()),
        other => Err(anyhow!("a wrong answer: {other:?}")),
    }
}
