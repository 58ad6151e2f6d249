//! Tools that a test can hold, release and watch.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use mcp_stdio::{CallContext, NoArguments, ServerBuilder, ToolError, tool};
use schemars::JsonSchema;
use serde::Deserialize;

/// Long enough that a test fails rather than hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Echo {
    /// The text to return.
    pub(crate) text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Blob {
    bytes: usize,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nested {
    #[expect(dead_code, reason = "only decoded")]
    files: Vec<File>,
}

#[derive(Deserialize, JsonSchema)]
struct File {
    #[expect(dead_code, reason = "only decoded")]
    line: u32,
}

#[derive(Deserialize, JsonSchema)]
struct Steps {
    values: Vec<f64>,
}

/// A gate that every call of the tool `gate` waits at.
#[derive(Clone)]
pub(crate) struct Gate {
    open: Arc<(Mutex<bool>, Condvar)>,
    arrivals: Arc<Mutex<Receiver<&'static str>>>,
    arrive: Sender<&'static str>,
}

impl Gate {
    pub(crate) fn new() -> Self {
        let (arrive, arrivals) = channel();
        Self { open: Arc::default(), arrivals: Arc::new(Mutex::new(arrivals)), arrive }
    }

    pub(crate) fn open(&self) {
        *self.open.0.lock().unwrap() = true;
        self.open.1.notify_all();
    }

    /// Waits until something has happened at the gate, and says what.
    pub(crate) fn next(&self) -> &'static str {
        self.arrivals.lock().unwrap().recv_timeout(PATIENCE).expect("nothing came to the gate")
    }

    pub(crate) fn pass(&self, context: &CallContext) -> &'static str {
        self.arrive.send("arrived").unwrap();
        let mut open = self.open.0.lock().unwrap();
        while !*open {
            if context.is_cancelled() {
                self.arrive.send("cancelled").unwrap();
                return "cancelled";
            }
            open = self.open.1.wait_timeout(open, Duration::from_millis(1)).unwrap().0;
        }
        "passed"
    }
}

pub(crate) fn with_toys(builder: ServerBuilder, gate: &Gate) -> ServerBuilder {
    let gate = gate.clone();
    builder
        .tool(tool("echo", "Returns the text.", |echo: Echo, _| Ok::<_, ToolError>(echo.text)))
        .tool(tool("blob", "Returns that many bytes.", |blob: Blob, _| {
            Ok::<_, ToolError>("x".repeat(blob.bytes))
        }))
        .tool(tool("nested", "Has fields within fields.", |_: Nested, _| {
            Ok::<_, ToolError>("fits")
        }))
        .tool(tool("fail", "Fails.", |_: NoArguments, _| -> Result<String, ToolError> {
            Err(ToolError::new("no luck"))
        }))
        .tool(tool("panic", "Panics.", |_: NoArguments, _| -> Result<String, ToolError> {
            panic!("toy panic")
        }))
        .tool(tool("steps", "Reports progress.", |steps: Steps, context| {
            for value in steps.values {
                context.progress(value, Some(100.0), Some("step"));
            }
            Ok::<_, ToolError>("stepped")
        }))
        .tool(tool("gate", "Waits at the gate.", move |_: NoArguments, context| {
            Ok::<_, ToolError>(gate.pass(context))
        }))
}
