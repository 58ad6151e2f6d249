//! A provider of models on this machine, which speaks OpenAI's chat and keeps what it received.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

use super::program::PATIENCE;

/// How a request is answered.
#[derive(Clone)]
pub(crate) enum Reply {
    /// With a text.
    Text(String),
    /// With a call of a tool.
    Call(&'static str, Value),
    /// With a status and nothing else.
    Status(u16),
    /// Not at all, until the caller closes.
    Never,
}

/// A request as it came in.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) head: String,
    pub(crate) body: String,
}

/// The provider. Its threads end with the process of the tests.
pub(crate) struct Provider {
    pub(crate) url: String,
    received: Arc<Mutex<Vec<Received>>>,
    came: Receiver<()>,
    closed: Receiver<()>,
}

impl Provider {
    /// Answers requests in turn; the last answer again and again.
    pub(crate) fn with(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let (came_sender, came) = channel();
        let (closed_sender, closed) = channel();
        let kept = Arc::clone(&received);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (replies, kept) = (replies.clone(), Arc::clone(&kept));
                let (came, closed) = (came_sender.clone(), closed_sender.clone());
                thread::spawn(move || serve(&stream.unwrap(), &replies, &kept, &came, &closed));
            }
        });
        Self { url, received, came, closed }
    }

    /// Answers every request with these findings.
    pub(crate) fn finding(findings: &[Value]) -> Self {
        Self::with(vec![Reply::Text(json!({"summary": "Seen.", "findings": findings}).to_string())])
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// Settings that name this provider as `mine`, with more lines for its section.
    pub(crate) fn settings(&self, more: &str) -> String {
        format!(
            "provider = \"mine\"\n[providers.mine]\nkind = \"openai-compatible\"\nmodel = \"m1\"\nbase_url = \"{}\"\n{more}\n",
            self.url
        )
    }

    pub(crate) fn wait_for_request(&self) {
        self.came.recv_timeout(PATIENCE).expect("no request came");
    }

    pub(crate) fn wait_for_close(&self) {
        self.closed.recv_timeout(PATIENCE).expect("the connection is still open");
    }
}

/// A finding as a model states it.
pub(crate) fn stated(file: &str, line: u32, severity: &str, snippet: &str) -> Value {
    json!({"file": file, "line": line, "line_end": line, "side": "new", "severity": severity,
        "category": "security", "confidence": "high", "title": "stated by the model",
        "description": "d", "suggestion": "s", "snippet": snippet})
}

fn serve(
    stream: &TcpStream,
    replies: &[Reply],
    kept: &Mutex<Vec<Received>>,
    came: &Sender<()>,
    closed: &Sender<()>,
) {
    let mut input = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    if input.read_exact(&mut body).is_err() {
        return;
    }
    let at = {
        let mut kept = kept.lock().unwrap();
        kept.push(Received { head, body: String::from_utf8(body).unwrap() });
        kept.len() - 1
    };
    let reply = replies[at.min(replies.len() - 1)].clone();
    let chunk = |delta: Value, reason: Value| {
        let chunk = json!({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]});
        format!("data: {chunk}\n\n")
    };
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 100}});
    let end = format!("data: {usage}\n\ndata: [DONE]\n\n");
    let (status, text) = match reply {
        Reply::Text(text) => {
            let (content, stop) =
                (chunk(json!({"content": text}), Value::Null), chunk(json!({}), json!("stop")));
            (200, format!("{content}{stop}{end}"))
        }
        Reply::Call(name, arguments) => {
            let function = json!({"name": name, "arguments": arguments.to_string()});
            let call = json!({"tool_calls": [{"index": 0, "id": "call-1", "type": "function", "function": function}]});
            (
                200,
                format!(
                    "{}{}{end}",
                    chunk(call, Value::Null),
                    chunk(json!({}), json!("tool_calls"))
                ),
            )
        }
        Reply::Status(status) => (status, "{}".to_owned()),
        Reply::Never => {
            let _ = came.send(());
            let _closed: std::io::Result<usize> = input.read(&mut [0; 16]);
            let _ = closed.send(());
            return;
        }
    };
    let mut output = stream;
    let length = text.len();
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: text/event-stream\r\nretry-after: 0\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    drop(output.write_all(head.as_bytes()).and_then(|()| output.write_all(text.as_bytes())));
    let _ = came.send(());
}
