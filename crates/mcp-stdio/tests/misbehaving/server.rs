//! A server that misbehaves as its case says: data in, bad manners out.
//!
//! A case names what the server does at its start and at each method; whatever it does not name is done
//! well, in the way of 2025-11-25. Texts and values may hold `$id`, the id of the request at hand, and `$n`,
//! how often its method has come.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

/// What a server does.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Behaviour {
    /// Before it reads anything.
    #[serde(default)]
    start: Vec<Action>,
    /// When a message of a method comes; `tools/call#2` is only the second one.
    #[serde(default)]
    on: BTreeMap<String, Vec<Action>>,
    /// Reads and writes header blocks, and does not heed lines.
    #[serde(default)]
    content_length: bool,
    /// Goes on when its input has ended.
    #[serde(default)]
    stays: bool,
}

/// One thing that a server does.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Action {
    /// Answers with this result.
    Answer(Value),
    /// Answers with this error code.
    Error(i64),
    /// Sends this message.
    Send(Value),
    /// Sends this message that often.
    Repeat { times: u64, message: Value },
    /// Does what a server does that knows its manners.
    Well,
    /// Writes to stdout as it is.
    Write(String),
    /// Writes that many lines to stderr.
    Complain { times: u64, line: String },
    /// Answers a list with one page of that many tools, and a cursor where one is named.
    Tools { count: usize, cursor: Option<String> },
    /// Does this when the next message comes, before that is looked at.
    Later(Vec<Action>),
    /// Keeps the request until there are that many, then answers each with its own arguments, the last one
    /// first.
    Hold(usize),
    /// Ends with this code.
    Exit(u8),
    /// Ends by a signal.
    Abort,
    /// Closes its output and goes on.
    CloseOutput,
    /// Takes no notice of `SIGTERM`.
    IgnoreTermination,
    /// Starts a process that takes no notice of anything, in the group or in a session of its own.
    LeaveBehind { far: bool },
    /// Takes more and more memory.
    Eat,
    /// Reads no more.
    Hang,
}

/// Longer than any test.
const LONG: Duration = Duration::from_secs(3600);

/// Serves on stdin and stdout until the behaviour or the input ends.
pub(crate) fn serve(behaviour: &Behaviour) -> ExitCode {
    let mut server = Server {
        behaviour,
        later: Vec::new(),
        held: Vec::new(),
        counts: BTreeMap::new(),
        output: Some(Box::new(std::io::stdout())),
    };
    let nobody = Request { id: Value::Null, method: String::new(), count: 0, params: Value::Null };
    for action in &behaviour.start {
        if let Some(code) = server.act(action, &nobody) {
            return code;
        }
    }
    let mut input = std::io::stdin().lock();
    while let Some(frame) = read(&mut input, behaviour.content_length) {
        let Ok(message) = serde_json::from_slice::<Value>(&frame) else { continue };
        if let Some(code) = server.receive(&message) {
            return code;
        }
    }
    if behaviour.stays {
        loop {
            std::thread::sleep(LONG);
        }
    }
    ExitCode::SUCCESS
}

/// Reads a line, or the body behind a header block; `None` at the end.
fn read(input: &mut impl BufRead, content_length: bool) -> Option<Vec<u8>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).unwrap_or(0) == 0 {
            return None;
        }
        if !content_length {
            return Some(line.into_bytes());
        }
        if let Some(value) = line.strip_prefix("Content-Length:") {
            length = value.trim().parse().ok();
        }
        if line.trim().is_empty()
            && let Some(length) = length
        {
            let mut body = vec![0; length];
            input.read_exact(&mut body).ok()?;
            return Some(body);
        }
    }
}

/// A process that only a `SIGKILL` ends; it says when it is ready for that.
pub(crate) fn linger(far: bool) -> ExitCode {
    if far {
        // As a daemon: a session of its own, and a parent that is gone.
        let _ = rustix::process::setsid();
        let mut child = myself("linger-near");
        child.spawn().expect("a second process");
        return ExitCode::SUCCESS;
    }
    ignore_termination();
    println!("ready");
    loop {
        std::thread::sleep(LONG);
    }
}

fn myself(part: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a program"));
    command.arg(part);
    command
}

fn ignore_termination() {
    signal_hook::flag::register(signal_hook::consts::SIGTERM, std::sync::Arc::default())
        .expect("a handler");
}

struct Request {
    id: Value,
    method: String,
    count: u64,
    params: Value,
}

struct Server<'b> {
    behaviour: &'b Behaviour,
    later: Vec<Action>,
    held: Vec<Value>,
    counts: BTreeMap<String, u64>,
    output: Option<Box<dyn Write>>,
}

impl Server<'_> {
    fn receive(&mut self, message: &Value) -> Option<ExitCode> {
        let nobody = Value::Null;
        let id = message.get("id").unwrap_or(&nobody).clone();
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        let count = self.counts.entry(method.clone()).or_default();
        *count += 1;
        let request = Request { id, method, count: *count, params: message["params"].clone() };
        for action in std::mem::take(&mut self.later) {
            if let Some(code) = self.act(&action, &request) {
                return Some(code);
            }
        }
        let numbered = format!("{}#{}", request.method, request.count);
        let on = &self.behaviour.on;
        match on.get(&numbered).or_else(|| on.get(&request.method)) {
            Some(actions) => {
                for action in actions {
                    if let Some(code) = self.act(action, &request) {
                        return Some(code);
                    }
                }
            }
            None => self.well(&request),
        }
        None
    }

    fn act(&mut self, action: &Action, request: &Request) -> Option<ExitCode> {
        match action {
            Action::Answer(result) => self.answer(request, &filled(result, request)),
            Action::Error(code) => {
                let error = json!({"code": code, "message": "said the server"});
                self.send(&json!({"jsonrpc": "2.0", "id": request.id, "error": error}));
            }
            Action::Send(message) => self.send(&filled(message, request)),
            Action::Repeat { times, message } => {
                let message = filled(message, request);
                (0..*times).for_each(|_| self.send(&message));
            }
            Action::Well => self.well(request),
            Action::Write(text) => self.write(text_filled(text, request).as_bytes()),
            Action::Complain { times, line } => {
                let mut errors = std::io::stderr().lock();
                for number in 0..*times {
                    drop(writeln!(errors, "{line} {number}"));
                }
            }
            Action::Tools { count, cursor } => {
                let tools: Vec<Value> =
                    (0..*count).map(|number| tool(&format!("t{number}"))).collect();
                let mut page = json!({"tools": tools});
                if let Some(cursor) = cursor {
                    page["nextCursor"] = json!(text_filled(cursor, request));
                }
                self.answer(request, &page);
            }
            Action::Later(actions) => {
                // What is said later is about the request at hand.
                let fixed = actions.iter().map(|action| action.about(request));
                self.later.extend(fixed);
            }
            Action::Hold(until) => {
                let text = request.params["arguments"].to_string();
                let result = json!({"content": [{"type": "text", "text": text}]});
                self.held.push(json!({"jsonrpc": "2.0", "id": request.id, "result": result}));
                if self.held.len() == *until {
                    let held = std::mem::take(&mut self.held);
                    held.iter().rev().for_each(|answer| self.send(answer));
                }
            }
            Action::Exit(code) => return Some(ExitCode::from(*code)),
            Action::Abort => std::process::abort(),
            Action::CloseOutput => {
                self.output = None;
                let nowhere = std::fs::File::open("/dev/null").expect("a device");
                rustix::stdio::dup2_stdout(nowhere).expect("another output");
            }
            Action::IgnoreTermination => ignore_termination(),
            Action::LeaveBehind { far } => leave_behind(*far),
            Action::Eat => {
                let mut eaten = Vec::new();
                loop {
                    eaten.push(vec![1_u8; 1 << 20]);
                }
            }
            Action::Hang => loop {
                std::thread::sleep(LONG);
            },
        }
        None
    }

    fn well(&mut self, request: &Request) {
        let result = match request.method.as_str() {
            "initialize" => json!({
                "protocolVersion": request.params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "misbehaving", "version": "1"},
            }),
            "ping" => json!({}),
            "tools/list" => json!({"tools": [tool("echo")]}),
            "tools/call" => json!({"content": [{"type": "text", "text": "fine"}]}),
            _ if request.id.is_null() => return,
            _ => {
                let error = json!({"code": -32601, "message": "method not found"});
                return self.send(&json!({"jsonrpc": "2.0", "id": request.id, "error": error}));
            }
        };
        self.answer(request, &result);
    }

    fn answer(&mut self, request: &Request, result: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": request.id, "result": result}));
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        if self.behaviour.content_length {
            self.write(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
        } else {
            self.write(format!("{text}\n").as_bytes());
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        if let Some(output) = &mut self.output {
            drop(output.write_all(bytes).and_then(|()| output.flush()));
        }
    }
}

impl Action {
    /// The same action with the request filled in.
    fn about(&self, request: &Request) -> Self {
        match self {
            Self::Answer(result) => Self::Send(json!({
                "jsonrpc": "2.0", "id": request.id, "result": filled(result, request),
            })),
            Self::Send(message) => Self::Send(filled(message, request)),
            other => other.clone(),
        }
    }
}

fn leave_behind(far: bool) {
    let mut child = myself(if far { "linger-far" } else { "linger-near" });
    let mut child = child.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("a process");
    let mut ready = String::new();
    let output = child.stdout.take().expect("a pipe");
    std::io::BufReader::new(output).read_line(&mut ready).expect("a word");
    assert_eq!(ready, "ready\n");
}

fn tool(name: &str) -> Value {
    json!({"name": name, "description": "A tool.", "inputSchema": {"type": "object"}})
}

fn filled(value: &Value, request: &Request) -> Value {
    match value {
        Value::String(text) if text == "$id" => request.id.clone(),
        Value::String(text) => Value::String(text_filled(text, request)),
        Value::Array(items) => items.iter().map(|item| filled(item, request)).collect(),
        Value::Object(members) => {
            let members =
                members.iter().map(|(name, value)| (name.clone(), filled(value, request)));
            Value::Object(members.collect())
        }
        other => other.clone(),
    }
}

fn text_filled(text: &str, request: &Request) -> String {
    text.replace("$id", &request.id.to_string()).replace("$n", &request.count.to_string())
}
