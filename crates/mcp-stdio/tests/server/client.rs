//! A client in the same process, which sends what a test says and shows what came back.

use std::io::{Read, Write};
use std::thread::JoinHandle;

use mcp_stdio::{FrameEvent, FrameReader, Framing, Limits, Server, Stop, Transport};
use serde_json::{Value, json};

pub(crate) struct Client {
    output: Option<Box<dyn Write + Send>>,
    input: FrameReader<Box<dyn Read + Send>>,
    server: Option<JoinHandle<()>>,
    next_barrier: u64,
    pub(crate) stop: Stop,
}

/// The metadata of a request that stands alone.
pub(crate) fn modern(capabilities: Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities
    })
}

impl Client {
    pub(crate) fn new(server: Server) -> Self {
        Self::with_limits(server, Limits::recommended())
    }

    pub(crate) fn with_limits(server: Server, limits: Limits) -> Self {
        let (near, far) = Transport::memory(Framing::Auto).unwrap();
        let stop = Stop::new();
        let thread = std::thread::spawn({
            let stop = stop.clone();
            move || server.serve(near, &limits, &stop).unwrap()
        });
        let (input, output) = far.into_streams();
        let input = FrameReader::new(input, Framing::Line, 256 << 20);
        Self { output: Some(output), input, server: Some(thread), next_barrier: 0, stop }
    }

    /// A client that has shaken hands.
    pub(crate) fn connected(server: Server, version: &str) -> Self {
        let mut client = Self::new(server);
        client.initialize(version);
        client
    }

    pub(crate) fn initialize(&mut self, version: &str) -> Value {
        self.initialize_with(version, json!({}))
    }

    pub(crate) fn initialize_with(&mut self, version: &str, capabilities: Value) -> Value {
        self.send_initialize(version, capabilities);
        let answer = self.receive();
        self.send(json!({"method": "notifications/initialized"}));
        answer
    }

    pub(crate) fn send_initialize(&mut self, version: &str, capabilities: Value) {
        self.send(json!({
            "id": "init",
            "method": "initialize",
            "params": {
                "protocolVersion": version,
                "capabilities": capabilities,
                "clientInfo": {"name": "test", "version": "1"}
            }
        }));
    }

    pub(crate) fn raw(&mut self, bytes: impl AsRef<[u8]>) {
        self.output.as_mut().unwrap().write_all(bytes.as_ref()).unwrap();
    }

    /// Sends a message; `jsonrpc` is added.
    pub(crate) fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        self.raw(format!("{message}\n"));
    }

    pub(crate) fn receive(&mut self) -> Value {
        self.try_receive().expect("the server has closed the connection")
    }

    pub(crate) fn try_receive(&mut self) -> Option<Value> {
        let mut frame = Vec::new();
        match self.input.read_frame(&mut frame).unwrap()? {
            FrameEvent::Message => Some(serde_json::from_slice(&frame).unwrap()),
            other => panic!("{other:?}"),
        }
    }

    /// Reads one message as it stands on the wire.
    pub(crate) fn receive_raw(&mut self, frame: &mut Vec<u8>) {
        assert_eq!(self.input.read_frame(frame).unwrap(), Some(FrameEvent::Message));
    }

    pub(crate) fn ask(&mut self, message: Value) -> Value {
        self.send(message);
        self.receive()
    }

    pub(crate) fn call(&mut self, id: impl Into<Value>, name: &str, arguments: Value) {
        let params = json!({"name": name, "arguments": arguments});
        self.send(json!({"id": id.into(), "method": "tools/call", "params": params}));
    }

    /// Returns everything that comes before the answer to a ping sent now.
    pub(crate) fn until_barrier(&mut self) -> Vec<Value> {
        self.next_barrier += 1;
        let id = json!(format!("barrier-{}", self.next_barrier));
        self.send(json!({"id": id, "method": "ping"}));
        let mut before = Vec::new();
        loop {
            let message = self.receive();
            if message["id"] == id {
                return before;
            }
            before.push(message);
        }
    }

    /// Closes the client's side of the connection without waiting.
    pub(crate) fn close_output(&mut self) {
        self.output = None;
    }

    /// Closes the end that answers are read from.
    pub(crate) fn close_input(&mut self) {
        self.input = FrameReader::new(Box::new(std::io::empty()), Framing::Line, 0);
    }

    pub(crate) fn take_sender(&mut self) -> Box<dyn Write + Send> {
        self.output.take().unwrap()
    }

    /// Ends the input and returns everything that still comes; the server has returned by then.
    pub(crate) fn close(mut self) -> Vec<Value> {
        self.close_output();
        // Drains while the server winds down, or it could not write its last answers.
        let mut rest = Vec::new();
        while let Some(message) = self.try_receive() {
            rest.push(message);
        }
        self.server.take().unwrap().join().unwrap();
        rest
    }

    /// Waits until the server has returned.
    pub(crate) fn join(&mut self) {
        self.server.take().unwrap().join().unwrap();
    }
}
