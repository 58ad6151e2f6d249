//! Servers that do what a test says: each start takes the next script.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use mcp_stdio::client::{
    CallOptions, ClientError, ClientLimits, Ended, Handler, Launch, Link, NoHandler, Output, Peer,
    Session,
};
use mcp_stdio::{FrameEvent, FrameReader, FrameWriter, Framing};
use serde_json::{Value, json};

/// What one start of the server does, on a thread of its own.
pub(crate) type Script = Box<dyn FnOnce(&mut Server) + Send>;

/// One running server.
pub(crate) struct Server {
    input: FrameReader<Box<dyn Read + Send>>,
    pub(crate) output: Option<Box<dyn Write + Send>>,
    framing: Framing,
}

impl Server {
    /// The next message of the client; `None` when it has closed the input.
    pub(crate) fn next(&mut self) -> Option<Value> {
        let mut frame = Vec::new();
        match self.input.read_frame(&mut frame).unwrap()? {
            FrameEvent::Message => {
                Some(serde_json::from_slice(&frame).expect("JSON of the client"))
            }
            other => panic!("the client wrote {other:?}"),
        }
    }

    /// The next request, whose method is checked.
    pub(crate) fn expect(&mut self, method: &str) -> Value {
        let message = self.next().unwrap_or_else(|| panic!("the end instead of {method}"));
        assert_eq!(message["method"], method, "{message}");
        message
    }

    pub(crate) fn raw(&mut self, bytes: impl AsRef<[u8]>) {
        let output = self.output.as_mut().expect("an open output");
        // A client that has gone is a part of some tests.
        drop(output.write_all(bytes.as_ref()).and_then(|()| output.flush()));
    }

    pub(crate) fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        self.frame(&message.to_string());
    }

    /// Sends a text as a message, whatever it is.
    pub(crate) fn frame(&mut self, message: &str) {
        let mut frame = Vec::new();
        FrameWriter::new(&mut frame, self.framing).write_frame(message.as_bytes()).unwrap();
        self.raw(frame);
    }

    pub(crate) fn result(&mut self, request: &Value, result: Value) {
        self.send(json!({"id": request["id"], "result": result}));
    }

    pub(crate) fn error(&mut self, request: &Value, code: i64, data: Value) {
        let mut error = json!({"code": code, "message": "no"});
        if !data.is_null() {
            error["data"] = data;
        }
        self.send(json!({"id": request["id"], "error": error}));
    }

    /// Opens as a server of the newest revision.
    pub(crate) fn stateless(&mut self) {
        let probe = self.expect("server/discover");
        self.result(&probe, discovered(&["2026-07-28"]));
    }

    /// Opens as a server of a revision with a handshake, which refuses the probe.
    pub(crate) fn handshake(&mut self, version: &str) {
        let probe = self.expect("server/discover");
        self.error(&probe, -32601, Value::Null);
        self.initialize(version);
    }

    pub(crate) fn initialize(&mut self, version: &str) -> Value {
        let request = self.expect("initialize");
        self.result(&request, initialized(version));
        self.expect("notifications/initialized");
        request
    }

    /// Reads until the client closes the input.
    pub(crate) fn drain(&mut self) {
        while self.next().is_some() {}
    }
}

pub(crate) fn capabilities() -> Value {
    json!({
        "tools": {"listChanged": true},
        "resources": {"subscribe": true, "listChanged": true},
        "prompts": {},
        "completions": {},
        "logging": {}
    })
}

pub(crate) fn discovered(versions: &[&str]) -> Value {
    json!({
        "resultType": "complete", "supportedVersions": versions, "capabilities": capabilities(),
        "ttlMs": 0, "cacheScope": "private"
    })
}

pub(crate) fn initialized(version: &str) -> Value {
    json!({
        "protocolVersion": version, "capabilities": capabilities(),
        "serverInfo": {"name": "toy", "version": "1"}
    })
}

/// Starts the scripts, one after the other.
#[derive(Clone)]
pub(crate) struct Scripts {
    inner: Arc<Inner>,
}

struct Inner {
    scripts: Mutex<Vec<Script>>,
    key: Option<String>,
    started: AtomicUsize,
    framings: Mutex<Vec<Framing>>,
    stopped: Arc<AtomicUsize>,
}

impl Scripts {
    pub(crate) fn new(scripts: Vec<Script>) -> Self {
        Self::remembered(scripts, None)
    }

    pub(crate) fn remembered(mut scripts: Vec<Script>, key: Option<&str>) -> Self {
        scripts.reverse();
        let inner = Inner {
            scripts: Mutex::new(scripts),
            key: key.map(str::to_owned),
            started: AtomicUsize::new(0),
            framings: Mutex::default(),
            stopped: Arc::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    pub(crate) fn one(script: impl FnOnce(&mut Server) + Send + 'static) -> Self {
        Self::new(vec![Box::new(script)])
    }

    /// How often a server was started.
    pub(crate) fn started(&self) -> usize {
        self.inner.started.load(Ordering::SeqCst)
    }

    /// How many servers were ended by the session.
    pub(crate) fn stopped(&self) -> usize {
        self.inner.stopped.load(Ordering::SeqCst)
    }

    pub(crate) fn framings(&self) -> Vec<Framing> {
        self.inner.framings.lock().unwrap().clone()
    }
}

impl Launch for Scripts {
    fn launch(&self, framing: Framing) -> io::Result<Link> {
        let script = self.inner.scripts.lock().unwrap().pop();
        let script = script.ok_or_else(|| io::Error::other("no more scripts"))?;
        self.inner.started.fetch_add(1, Ordering::SeqCst);
        self.inner.framings.lock().unwrap().push(framing);
        let (near_input, far_output) = io::pipe()?;
        let (far_input, near_output) = io::pipe()?;
        let mut server = Server {
            input: FrameReader::new(Box::new(far_input), framing, 64 << 20),
            output: Some(Box::new(far_output)),
            framing,
        };
        let thread = thread::spawn(move || script(&mut server));
        let peer =
            Thread { stopped: Arc::clone(&self.inner.stopped), ended: AtomicBool::new(false) };
        // A script that fails must fail its test, so somebody has to look at how it ended.
        drop(thread);
        Ok(Link::new(near_input, Pipe(near_output), peer))
    }

    fn name(&self) -> &str {
        "scripted"
    }

    fn memory_key(&self) -> Option<String> {
        self.inner.key.clone()
    }
}

struct Pipe(io::PipeWriter);

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Output for Pipe {}

struct Thread {
    stopped: Arc<AtomicUsize>,
    ended: AtomicBool,
}

impl Peer for Thread {
    fn ended(&self) -> Ended {
        Ended {
            status: Some("exit status: 7".to_owned()),
            stderr: vec!["last words".to_owned()],
            ..Ended::default()
        }
    }

    fn shutdown(&self) {
        if !self.ended.swap(true, Ordering::SeqCst) {
            self.stopped.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn kill(&self) {
        self.shutdown();
    }
}

/// Limits that end no test by themselves, and cost none any time.
pub(crate) fn limits() -> ClientLimits {
    ClientLimits {
        probe_timeout: PATIENCE,
        restart_backoff: Duration::ZERO,
        healthy_after: Duration::MAX,
        input_backoff: Duration::ZERO,
        ..ClientLimits::recommended()
    }
}

/// Long enough that a test fails rather than hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) fn open(scripts: &Scripts) -> Result<Session, ClientError> {
    open_with(scripts, limits(), NoHandler)
}

pub(crate) fn open_with(
    scripts: &Scripts,
    limits: ClientLimits,
    handler: impl Handler + 'static,
) -> Result<Session, ClientError> {
    Session::builder("test", "1").limits(limits).handler(handler).open(scripts.clone())
}

pub(crate) fn plain() -> CallOptions<'static> {
    CallOptions::default()
}

/// The text of a tool's result.
pub(crate) fn text(result: &mcp_proto::CallToolResult) -> String {
    result
        .content
        .iter()
        .filter_map(|content| match content {
            mcp_proto::Content::Text(text) => Some(text.text.as_str()),
            _ => None,
        })
        .collect()
}

pub(crate) fn said(text: &str) -> Value {
    json!({"resultType": "complete", "content": [{"type": "text", "text": text}]})
}
