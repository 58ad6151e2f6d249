//! Runs a script against the program over pipes.
//!
//! Nothing sleeps: every step waits for a message, each wait is bounded, and a barrier request shows
//! that nothing else came.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Child;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use serde_json::{Map, Value, json};

use super::program::{PATIENCE, Program, collect, ended};
use super::render::Transcript;
use super::repo::Repo;
use super::script::{Framing, STATELESS, Script, Step, fill, fill_text};
use super::{tests_folder, validate};

/// The id of the opening request, which scripts leave to the harness.
const OPENING: &str = "opening";

/// Runs a script and returns its transcript.
pub(crate) fn drive(script: &Script, revision: &'static str, framing: Framing) -> String {
    let repo = match &script.repo {
        None => Repo::without_git(),
        Some(name) => prepare(name),
    };
    let mut run = Run::start(&repo, revision, framing);
    if script.has_opening && revision != STATELESS {
        run.open();
    }
    for step in &script.steps {
        run.step(step);
    }
    run.conclude()
}

/// A repository from a folder of `data/`.
fn prepare(name: &str) -> Repo {
    let data = tests_folder().join("data").join(name);
    let repo = Repo::new();
    repo.copy(&data.join("base")).commit("base").copy(&data.join("staged")).stage();
    repo
}

/// A request that was sent.
struct Sent {
    id: Value,
    method: String,
    /// The revision that its own metadata claims.
    claim: Option<String>,
    progress_token: Option<Value>,
    answered: bool,
}

struct Run<'r> {
    repo: &'r Repo,
    revision: &'static str,
    framing: Framing,
    /// What a successful `initialize` has settled.
    session: Option<String>,
    child: Option<Child>,
    stdin: Option<Sender<Vec<u8>>>,
    frames: Receiver<Result<Vec<u8>, String>>,
    stderr: Receiver<Vec<u8>>,
    sent: Vec<Sent>,
    /// Messages that no step has taken yet.
    pending: VecDeque<Value>,
    /// Reports of progress, which may come at any time while their call runs.
    progress: Vec<Value>,
    barriers: usize,
    /// The id of the server's last request.
    asked: Option<Value>,
    transcript: Transcript,
}

impl<'r> Run<'r> {
    fn start(repo: &'r Repo, revision: &'static str, framing: Framing) -> Self {
        let mut child = Program::new(repo, ["mcp"]).spawn();
        let (stdin, input) = channel::<Vec<u8>>();
        let mut pipe = child.stdin.take().unwrap();
        thread::spawn(move || {
            for bytes in input {
                if pipe.write_all(&bytes).and_then(|()| pipe.flush()).is_err() {
                    break;
                }
            }
        });
        let frames = frames(framing, child.stdout.take().unwrap());
        let stderr = collect(child.stderr.take().unwrap());
        Self {
            repo,
            revision,
            framing,
            session: None,
            child: Some(child),
            stdin: Some(stdin),
            frames,
            stderr,
            sent: Vec::new(),
            pending: VecDeque::new(),
            progress: Vec::new(),
            barriers: 0,
            asked: None,
            transcript: Transcript::default(),
        }
    }

    fn open(&mut self) {
        let params = json!({
            "protocolVersion": self.revision,
            "capabilities": {},
            "clientInfo": {"name": "transcripts", "version": "1"},
        });
        let request = json!({"id": OPENING, "method": "initialize", "params": params});
        self.send(request.as_object().unwrap());
        let response = self.response(&OPENING.into());
        assert_eq!(response["result"]["protocolVersion"], self.revision, "{response:#}");
        self.send(json!({"method": "notifications/initialized"}).as_object().unwrap());
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Send(message) => {
                self.transcript.sent(&Value::Object(message.clone()));
                self.send(message);
            }
            Step::Line(text) => {
                self.transcript.note(&format!("--> line {text}"));
                let text = fill_text(text, self.revision, self.repo);
                if let Ok(message) = serde_json::from_str(&text) {
                    self.note_sent(&message);
                }
                self.write_frame(text.as_bytes());
            }
            Step::Raw { bytes, times, shown } => {
                self.transcript.note(&format!("--> raw {shown}"));
                let bytes = bytes.repeat(*times);
                for line in bytes.split(|byte| *byte == b'\n') {
                    // A byte order mark before the first message is none of it.
                    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
                    if let Ok(message) = serde_json::from_slice(line) {
                        self.note_sent(&message);
                    }
                }
                self.write(bytes);
            }
            Step::Response(id) => {
                let response = self.response(id);
                self.show(&response);
            }
            Step::ResponseWithoutId => {
                let is_it = |message: &Value| {
                    message.get("error").is_some() && message.get("id").is_none_or(Value::is_null)
                };
                let response = self.take("an error without an id", is_it);
                self.show(&response);
            }
            Step::Notification(method) => {
                let is_it = |message: &Value| message["method"] == *method;
                let notification = self.take(method, is_it);
                self.show(&notification);
            }
            Step::Progress { token, all: false } => {
                while !self
                    .progress
                    .iter()
                    .any(|report| report["params"]["progressToken"] == *token)
                {
                    let want = format!("progress for {token}");
                    let message = self.receive().unwrap_or_else(|| self.fail(&want));
                    self.sort(message);
                }
                self.transcript.note(&format!("<-- progress {token}"));
            }
            Step::Progress { token, all: true } => {
                let call =
                    self.sent.iter().find(|sent| sent.progress_token.as_ref() == Some(token));
                assert!(call.is_some_and(|call| call.answered), "{token}: its call still runs");
                let reports = self.progress.iter();
                let reports: Vec<Value> = reports
                    .filter(|report| report["params"]["progressToken"] == *token)
                    .cloned()
                    .collect();
                assert!(!reports.is_empty(), "no progress for {token}");
                for report in reports {
                    self.show(&report);
                }
            }
            Step::Batch => {
                let mut batch = self.take("a batch", Value::is_array);
                batch.as_array_mut().unwrap().sort_by_key(|member| member["id"].to_string());
                self.show(&batch);
            }
            Step::Asked(method) => {
                let is_it =
                    |message: &Value| message["method"] == *method && message.get("id").is_some();
                let request = self.take(method, is_it);
                self.asked = Some(request["id"].clone());
                self.transcript.note(&format!("<-- request {method}"));
            }
            Step::Reply(result) => {
                let id = self.asked.take().expect("a reply follows a request");
                let mut result = result.clone();
                fill(&mut result, self.revision, self.repo);
                self.transcript.note("--> reply");
                let reply = json!({"jsonrpc": "2.0", "id": id, "result": result});
                self.write_frame(reply.to_string().as_bytes());
            }
            Step::Run(arguments) => {
                let ended = Program::new(self.repo, arguments).run();
                let code = ended.code.expect("the other process ends by itself");
                self.transcript.note(&format!("--- run {}: exit {code}", arguments.join(" ")));
            }
            Step::Barrier => self.barrier(),
            Step::Eof => {
                self.transcript.note("--> eof");
                self.stdin = None;
            }
        }
    }

    fn show(&mut self, message: &Value) {
        self.transcript.received(message, self.repo.root());
    }

    /// Sends a message with the members that the protocol wants in every one.
    fn send(&mut self, message: &Map<String, Value>) {
        let mut message = message.clone();
        message.insert("jsonrpc".to_owned(), "2.0".into());
        if self.revision == STATELESS
            && message.contains_key("id")
            && message.contains_key("method")
        {
            let params = message.entry("params").or_insert_with(|| json!({}));
            let meta = params.as_object_mut().unwrap().entry("_meta").or_insert_with(|| json!({}));
            let meta = meta.as_object_mut().unwrap();
            for (name, value) in
                [("protocolVersion", json!("$revision")), ("clientCapabilities", json!({}))]
            {
                meta.entry(format!("io.modelcontextprotocol/{name}")).or_insert(value);
            }
        }
        let mut message = Value::Object(message);
        fill(&mut message, self.revision, self.repo);
        self.note_sent(&message);
        self.write_frame(message.to_string().as_bytes());
    }

    /// Remembers the requests of a message, so that their answers can be checked.
    fn note_sent(&mut self, message: &Value) {
        if let Value::Array(members) = message {
            members.iter().for_each(|member| self.note_sent(member));
        }
        let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) else {
            return;
        };
        if !(id.is_string() || id.is_i64() || id.is_u64()) {
            return;
        }
        let meta = &message["params"]["_meta"];
        let claim = meta["io.modelcontextprotocol/protocolVersion"].as_str();
        self.sent.push(Sent {
            id: id.clone(),
            method: method.to_owned(),
            claim: claim.map(str::to_owned),
            progress_token: meta.get("progressToken").cloned(),
            answered: false,
        });
    }

    fn write_frame(&mut self, text: &[u8]) {
        self.write(match self.framing {
            Framing::Line => [text, b"\n"].concat(),
            Framing::ContentLength => {
                [format!("Content-Length: {}\r\n\r\n", text.len()).as_bytes(), text].concat()
            }
        });
    }

    fn write(&mut self, bytes: Vec<u8>) {
        let stdin = self.stdin.as_ref().expect("nothing is sent after eof");
        // A server that has gone is seen by whoever waits for its answer.
        drop(stdin.send(bytes));
    }

    fn barrier(&mut self) {
        self.barriers += 1;
        let id = format!("barrier-{}", self.barriers);
        let method = if self.revision == STATELESS { "server/discover" } else { "ping" };
        self.send(json!({"id": id, "method": method}).as_object().unwrap());
        let response = self.response(&id.as_str().into());
        assert!(response.get("result").is_some(), "the barrier failed: {response:#}");
        self.transcript.note(&format!("--- barrier {}", self.barriers));
        let unread = self.unread();
        assert!(unread.is_empty(), "came before the barrier: {unread:#?}");
    }

    /// What no step has taken. That the list of resources has changed follows from any review and may
    /// be said once for several, so it counts only where a step waits for it.
    fn unread(&self) -> Vec<&Value> {
        let is_list = |one: &&Value| one["method"] == "notifications/resources/list_changed";
        self.pending.iter().filter(|one| !is_list(one)).collect()
    }

    fn response(&mut self, id: &Value) -> Value {
        let is_it = |message: &Value| {
            message.get("method").is_none() && message.get("id").is_some_and(|other| other == id)
        };
        self.take(&format!("the response {id}"), is_it)
    }

    /// Waits for a message; others stay for the steps that want them.
    fn take(&mut self, want: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Some(at) = self.pending.iter().position(&is_it) {
                return self.pending.remove(at).unwrap();
            }
            let message = self.receive().unwrap_or_else(|| self.fail(want));
            self.sort(message);
        }
    }

    /// Receives one message and checks it; `None` at the end of stdout.
    fn receive(&mut self) -> Option<Value> {
        let frame = match self.frames.recv_timeout(PATIENCE) {
            Ok(Ok(frame)) => frame,
            Ok(Err(problem)) => self.fail(&problem),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return None,
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => self.fail("any message in time"),
        };
        let message = validate::frame(self.session.as_deref(), &frame);
        self.check(&message);
        Some(message)
    }

    fn check(&mut self, message: &Value) {
        if let Value::Array(members) = message {
            assert!(!members.is_empty(), "an empty batch");
            members.iter().for_each(|member| self.check(member));
            return;
        }
        let session = self.session.clone().unwrap_or_else(|| match self.revision {
            // Before any revision is settled, errors take the form of the newest handshake.
            STATELESS => STATELESS.to_owned(),
            _ => "2025-11-25".to_owned(),
        });
        if message.get("method").is_some() {
            if message.get("id").is_some() {
                return validate::request(&session, message);
            }
            return self.check_notification(&session, message);
        }
        let id = message.get("id");
        let matches = |sent: &&mut Sent| id == Some(&sent.id) && !sent.answered;
        let Some(sent) = self.sent.iter_mut().find(matches) else {
            let is_unreadable = id.is_none_or(Value::is_null);
            assert!(
                message.get("error").is_some() && (is_unreadable || !self.was_answered(id)),
                "answers no request, or one for the second time: {message:#}"
            );
            return validate::response(&session, None, message);
        };
        sent.answered = true;
        if sent.method == "initialize"
            && let Some(settled) = message["result"]["protocolVersion"].as_str()
        {
            self.session = Some(settled.to_owned());
        }
        let (method, claim) = (sent.method.clone(), sent.claim.clone());
        let revision = match claim {
            Some(_) if self.session != claim => STATELESS.to_owned(),
            _ => self.session.clone().unwrap_or(session),
        };
        validate::response(&revision, Some(&method), message);
    }

    fn was_answered(&self, id: Option<&Value>) -> bool {
        self.sent.iter().any(|sent| Some(&sent.id) == id && sent.answered)
    }

    fn check_notification(&self, session: &str, message: &Value) {
        let token = message["params"].get("progressToken");
        let call =
            self.sent.iter().find(|sent| token.is_some() && sent.progress_token.as_ref() == token);
        let claims = call.is_some_and(|call| call.claim.as_deref() == Some(STATELESS));
        validate::notification(if claims { STATELESS } else { session }, message);
        if message["method"] != "notifications/progress" {
            return;
        }
        let call = call.unwrap_or_else(|| panic!("progress nobody asked for: {message:#}"));
        assert!(!call.answered, "progress after the answer: {message:#}");
        let earlier = self.progress.iter().rfind(|one| one["params"].get("progressToken") == token);
        let value = |report: &Value| report["params"]["progress"].as_f64().unwrap();
        if let Some(earlier) = earlier {
            assert!(value(earlier) < value(message), "{earlier} does not rise to {message}");
        }
    }

    fn sort(&mut self, message: Value) {
        if message["method"] == "notifications/progress" {
            self.progress.push(message);
        } else {
            self.pending.push_back(message);
        }
    }

    /// Reads to the end and returns the transcript.
    fn conclude(mut self) -> String {
        while let Some(message) = self.receive() {
            self.sort(message);
        }
        let unread = self.unread();
        assert!(unread.is_empty(), "nobody read {unread:#?}\n{}", self.transcript.text());
        let stderr = self.stderr.recv_timeout(PATIENCE).expect("stderr does not end");
        let status = ended(self.child.take().unwrap());
        let code = status.code().map_or_else(|| status.to_string(), |code| code.to_string());
        let stderr = String::from_utf8_lossy(&stderr).into_owned();
        let stderr = if stderr.is_empty() { "empty".to_owned() } else { format!("\n{stderr}") };
        self.transcript.note(&format!("--- exit: {code}  stderr: {stderr}"));
        std::mem::take(&mut self.transcript).into_text()
    }

    /// Ends a run in which something that must come did not.
    fn fail(&mut self, want: &str) -> ! {
        if let Some(child) = &mut self.child {
            drop(child.kill());
        }
        let stderr = self.stderr.recv_timeout(PATIENCE).unwrap_or_default();
        panic!(
            "{want} did not come\nunread: {:#?}\nstderr: {}\nso far:\n{}",
            self.pending,
            String::from_utf8_lossy(&stderr),
            self.transcript.text()
        )
    }
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        // A run that failed leaves no process behind.
        if let Some(child) = &mut self.child {
            drop(child.kill());
            drop(child.wait());
        }
    }
}

/// Cuts stdout into frames on a thread of its own.
fn frames(
    framing: Framing,
    stdout: impl Read + Send + 'static,
) -> Receiver<Result<Vec<u8>, String>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut stdout = BufReader::new(stdout);
        loop {
            let frame = match framing {
                Framing::Line => line_frame(&mut stdout),
                Framing::ContentLength => header_frame(&mut stdout),
            };
            match frame {
                Ok(None) => return,
                Ok(Some(frame)) => drop(sender.send(Ok(frame))),
                Err(problem) => return drop(sender.send(Err(problem))),
            }
        }
    });
    receiver
}

fn line_frame(stdout: &mut impl BufRead) -> Result<Option<Vec<u8>>, String> {
    let mut line = Vec::new();
    let count = stdout.read_until(b'\n', &mut line).map_err(|error| error.to_string())?;
    match line.pop() {
        _ if count == 0 => Ok(None),
        Some(b'\n') => Ok(Some(line)),
        _ => Err(format!("a line end after {}", String::from_utf8_lossy(&line))),
    }
}

fn header_frame(stdout: &mut impl BufRead) -> Result<Option<Vec<u8>>, String> {
    let mut header = String::new();
    if stdout.read_line(&mut header).map_err(|error| error.to_string())? == 0 {
        return Ok(None);
    }
    let length = header.strip_prefix("Content-Length: ").and_then(|rest| rest.strip_suffix("\r\n"));
    let length = length.and_then(|digits| digits.parse().ok());
    let length: usize = length.ok_or_else(|| format!("a header in {header:?}"))?;
    let mut blank = [0; 2];
    stdout.read_exact(&mut blank).map_err(|error| error.to_string())?;
    let mut body = vec![0; length];
    stdout.read_exact(&mut body).map_err(|error| error.to_string())?;
    if blank == *b"\r\n" { Ok(Some(body)) } else { Err("a blank line after the header".to_owned()) }
}
