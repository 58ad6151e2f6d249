//! A server as a process of its own: signals, closed pipes, stray prints and memory.
//!
//! The test program starts itself with the argument `serve`, so the server under test is a real
//! process with nothing but the library in it.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program of tests: it fails by panicking, and one tool prints on purpose"
)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, ExitStatus, Stdio};
use std::time::Duration;

use libtest_mimic::{Arguments, Trial};
use mcp_stdio::{Framing, Limits, NoArguments, Server, Stop, ToolError, Transport, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        serve();
        return ExitCode::SUCCESS;
    }
    let tests: &[(&str, fn())] = &[
        ("every_request_piped_in_is_answered", every_request_piped_in_is_answered),
        ("a_termination_ends_an_idle_server_at_once", a_termination_ends_an_idle_server_at_once),
        ("a_termination_answers_a_call_that_goes_on", a_termination_answers_a_call_that_goes_on),
        ("a_second_termination_does_not_wait", a_second_termination_does_not_wait),
        ("a_termination_ends_a_server_that_nobody_reads", a_termination_of_one_that_nobody_reads),
        ("a_closed_stdout_ends_the_server_quietly", a_closed_stdout_ends_the_server_quietly),
        ("a_closed_stdout_and_stderr_end_it_too", a_closed_stdout_and_stderr_end_it_too),
        ("a_closed_stderr_harms_nobody", a_closed_stderr_harms_nobody),
        ("the_end_of_input_ends_a_call_that_goes_on", the_end_of_input_ends_a_call_that_goes_on),
        ("prints_and_children_of_tools_stay_off_the_wire", prints_and_children_stay_off_the_wire),
        ("a_line_without_end_needs_no_memory", a_line_without_end_needs_no_memory),
        ("unread_answers_need_bounded_memory", unread_answers_need_bounded_memory),
    ];
    // Elsewhere than on Unix nothing terminates a process that could hear of it.
    let tests = tests.iter().filter(|(name, _)| cfg!(unix) || !name.contains("termination"));
    let trials = tests.map(|(name, test)| {
        Trial::test(*name, || {
            test();
            Ok(())
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

#[derive(Deserialize, JsonSchema)]
struct Blob {
    bytes: usize,
}

fn serve() {
    let server = Server::builder("process", "1.0.0")
        .tool(tool("blob", "Returns that many bytes.", |blob: Blob, _| {
            Ok::<_, ToolError>("x".repeat(blob.bytes))
        }))
        .tool(tool("hang", "Goes on for ever.", |_: NoArguments, context| {
            while !context.cancelled_within(Duration::from_secs(3600)) {}
            Ok::<_, ToolError>("gave up")
        }))
        .tool(tool("print", "Prints.", |_: NoArguments, _| {
            println!("stray text on stdout");
            Ok::<_, ToolError>("printed")
        }))
        .tool(tool("child", "Runs a program that reads and writes.", |_: NoArguments, _| {
            let status = Command::new("cat").status()?;
            Ok::<_, ToolError>(format!("{status}"))
        }))
        .build()
        .expect("build the server");
    let limits = Limits {
        drain_grace: Duration::from_millis(200),
        stop_grace: Duration::from_millis(200),
        ..Limits::recommended()
    };
    let transport = Transport::stdio(Framing::Auto).expect("take stdio");
    assert!(Transport::stdio(Framing::Auto).is_err(), "stdio can be taken once");
    let stop = Stop::on_termination().expect("watch signals");
    server.serve(transport, &limits, &stop).expect("serve");
}

/// A server process with all three streams piped.
struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: Option<BufReader<ChildStdout>>,
}

impl Process {
    fn start() -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = child.stdout.take().map(BufReader::new);
        let mut process = Self { child, input, output };
        process.send(INITIALIZE);
        assert_eq!(process.receive()["id"], "init");
        // Signals end the server in an orderly way from its second message on.
        process.barrier();
        process
    }

    fn send(&mut self, line: &str) {
        self.input.as_mut().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn call(&mut self, id: u64, name: &str, arguments: &Value) {
        let params = json!({"name": name, "arguments": arguments});
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        self.send(&call.to_string());
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.as_mut().unwrap().read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Waits until the server has read everything sent so far.
    fn barrier(&mut self) {
        self.send(r#"{"jsonrpc":"2.0","id":"barrier","method":"ping"}"#);
        assert_eq!(self.receive()["id"], "barrier");
    }

    fn terminate(&self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    }

    /// Waits for the exit.
    fn wait(&mut self) -> (ExitStatus, String) {
        let mut stderr = String::new();
        if let Some(mut stream) = self.child.stderr.take() {
            stream.read_to_string(&mut stderr).unwrap();
        }
        let status = self.child.wait().unwrap();
        (status, stderr)
    }

    /// Fails if the process has ever held more than so many MiB; only Linux can say.
    fn assert_peak_memory(&self, mebibytes: u64) {
        if !cfg!(target_os = "linux") {
            return;
        }
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let peak: u64 = line.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(peak < mebibytes << 10, "{peak} KiB");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A test that has failed must not leave its server behind.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn every_request_piped_in_is_answered() {
    let mut process = Process::start();
    for id in 0..40 {
        process.call(id, "blob", &json!({"bytes": id * 10_000}));
    }
    process.input = None;
    let mut text = String::new();
    process.output.take().unwrap().read_to_string(&mut text).unwrap();
    let mut ids: Vec<_> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].as_u64().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..40).collect::<Vec<_>>());
    let (status, stderr) = process.wait();
    assert_eq!((status.code(), stderr.as_str()), (Some(0), ""));
}

fn a_termination_ends_an_idle_server_at_once() {
    let mut process = Process::start();
    process.terminate();
    let (status, stderr) = process.wait();
    assert_eq!((status.code(), stderr.as_str()), (Some(0), ""));
}

fn a_termination_answers_a_call_that_goes_on() {
    let mut process = Process::start();
    process.call(1, "hang", &json!({}));
    process.barrier();
    process.terminate();
    let answer = process.receive();
    assert_eq!(answer["id"], 1);
    assert_eq!(answer["error"]["code"], -32603);
    assert_eq!(process.wait().0.code(), Some(0));
}

fn a_second_termination_does_not_wait() {
    let mut process = Process::start();
    process.call(1, "hang", &json!({}));
    process.barrier();
    process.terminate();
    process.terminate();
    // Both may have come as one; then the grace passes.
    let status = process.wait().0;
    assert!(status.code() == Some(0) || status.code().is_none(), "{status}");
}

fn a_termination_of_one_that_nobody_reads() {
    let mut process = Process::start();
    // More than the pipe and the limit hold, so the server is stuck in writing or about to be.
    for id in 0..100 {
        process.call(id, "blob", &json!({"bytes": 100_000}));
    }
    process.terminate();
    let (status, stderr) = process.wait();
    assert_eq!((status.code(), stderr.as_str()), (Some(0), ""));
}

fn a_closed_stdout_ends_the_server_quietly() {
    let mut process = Process::start();
    process.output = None;
    process.send(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    let (status, stderr) = process.wait();
    assert_eq!((status.code(), stderr.as_str()), (Some(0), ""));
}

fn a_closed_stdout_and_stderr_end_it_too() {
    let mut process = Process::start();
    process.output = None;
    process.child.stderr = None;
    process.call(1, "print", &json!({}));
    assert_eq!(process.wait().0.code(), Some(0));
}

fn a_closed_stderr_harms_nobody() {
    let mut process = Process::start();
    process.child.stderr = None;
    process.call(1, "print", &json!({}));
    let answer = process.receive();
    // A print that goes nowhere may panic, as the standard library has it; the server lives.
    assert_eq!(answer["id"], 1);
    process.barrier();
    process.input = None;
    assert_eq!(process.wait().0.code(), Some(0));
}

fn the_end_of_input_ends_a_call_that_goes_on() {
    let mut process = Process::start();
    process.call(1, "hang", &json!({}));
    process.input = None;
    let answer = process.receive();
    assert_eq!(answer["id"], 1);
    assert_eq!(answer["error"]["code"], -32603);
    assert_eq!(process.wait().0.code(), Some(0));
}

fn prints_and_children_stay_off_the_wire() {
    let mut process = Process::start();
    process.call(1, "print", &json!({}));
    assert_eq!(process.receive()["result"]["content"][0]["text"], "printed");
    process.call(2, "child", &json!({}));
    assert_eq!(process.receive()["result"]["content"][0]["text"], "exit status: 0");
    process.barrier();
    process.input = None;
    let (status, stderr) = process.wait();
    assert_eq!(status.code(), Some(0));
    assert_eq!(stderr, "stray text on stdout\n");
}

fn a_line_without_end_needs_no_memory() {
    let mut process = Process::start();
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..1024 {
        process.input.as_mut().unwrap().write_all(&piece).unwrap();
    }
    process.send("");
    let answer = process.receive();
    assert_eq!(answer["error"]["code"], -32600);
    process.barrier();
    // The limit of a frame is 16 MiB, and a growing buffer is copied now and then.
    process.assert_peak_memory(64);
}

fn unread_answers_need_bounded_memory() {
    let mut process = Process::start();
    let mut input = process.input.take().unwrap();
    let (started, start) = std::sync::mpsc::channel();
    let writing = std::thread::spawn(move || {
        for id in 0..2000_u64 {
            if id == 300 {
                // More answers than the limit lets the server hold are due by now.
                started.send(()).unwrap();
            }
            let params = json!({"name": "blob", "arguments": {"bytes": 64 << 10}});
            let call =
                json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
            input.write_all(format!("{call}\n").as_bytes()).unwrap();
        }
        input
    });
    start.recv().unwrap();
    let mut ids: Vec<_> = (0..2000).map(|_| process.receive()["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..2000).collect::<Vec<_>>());
    // The input is still open, so the process is there to be asked.
    process.input = Some(writing.join().unwrap());
    process.assert_peak_memory(64);
    process.input = None;
    assert_eq!(process.wait().0.code(), Some(0));
}
