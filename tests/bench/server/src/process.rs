//! A server on pipes, and what the kernel says about it.

use std::fs;
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use memchr::{memchr, memchr_iter};
use serde_json::{Value, json};

/// A running server after its handshake.
pub(crate) struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    buffer: Vec<u8>,
    filled: usize,
    /// Where the line ends that was handed out last.
    taken: usize,
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing is waited for: an answer that is still being written is of no interest.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Server {
    /// Starts the program, and shakes hands at revision 2025-11-25.
    pub(crate) fn start(command: &[String]) -> Result<Self> {
        let (program, arguments) = command.split_first().context("a server needs a command")?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {program}"))?;
        let stdin = child.stdin.take().context("no stdin")?;
        let stdout = child.stdout.take().context("no stdout")?;
        let mut server =
            Self { child, stdin, stdout, buffer: vec![0; 1 << 16], filled: 0, taken: 0 };
        server.send(&request(
            0,
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": { "name": "bench", "version": "1" },
            }),
        ))?;
        let answer: Value = serde_json::from_slice(server.line()?)?;
        if answer["result"]["protocolVersion"] != "2025-11-25" {
            bail!("{program} refused the handshake: {answer}");
        }
        server.send(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")?;
        Ok(server)
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.stdin.write_all(bytes)?)
    }

    /// The next line, without its end.
    pub(crate) fn line(&mut self) -> Result<&[u8]> {
        self.buffer.copy_within(self.taken..self.filled, 0);
        self.filled -= self.taken;
        let mut looked = 0;
        loop {
            if let Some(at) = memchr(b'\n', &self.buffer[looked..self.filled]) {
                let end = looked + at;
                self.taken = end + 1;
                return Ok(&self.buffer[..end]);
            }
            looked = self.filled;
            if self.buffer.len() - self.filled < 1 << 16 {
                self.buffer.resize(self.buffer.len() * 2, 0);
            }
            self.filled += read(&mut self.stdout, &mut self.buffer[self.filled..])?;
        }
    }

    /// Reads once, and says how many lines ended.
    pub(crate) fn some_lines(&mut self) -> Result<usize> {
        let count = read(&mut self.stdout, &mut self.buffer)?;
        Ok(memchr_iter(b'\n', &self.buffer[..count]).count())
    }

    /// Processor time of all its living threads, in microseconds.
    pub(crate) fn cpu_us(&self) -> Result<f64> {
        let mut sum = 0.0;
        for task in fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            // A thread may end while it is looked at.
            let Ok(text) = fs::read_to_string(task?.path().join("schedstat")) else { continue };
            let ns = text.split(' ').next().and_then(|word| word.parse::<f64>().ok());
            sum += ns.context("no time in schedstat")? / 1e3;
        }
        Ok(sum)
    }

    /// The most memory that it had, in MiB.
    pub(crate) fn peak_mib(&self) -> Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok());
        Ok(kib.context("no VmHWM in the status")? / 1024.0)
    }
}

fn read(from: &mut ChildStdout, into: &mut [u8]) -> Result<usize> {
    match from.read(into)? {
        0 => bail!("the server closed its output"),
        count => Ok(count),
    }
}

/// A request as a line.
pub(crate) fn request(id: usize, method: &str, params: &Value) -> Vec<u8> {
    let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    format!("{message}\n").into_bytes()
}

/// A call of `echo` as a line.
pub(crate) fn echo(id: usize, text: &str) -> Vec<u8> {
    request(id, "tools/call", &json!({ "name": "echo", "arguments": { "text": text } }))
}
