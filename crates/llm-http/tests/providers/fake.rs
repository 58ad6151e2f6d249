//! A server on this machine that answers as providers do, faults included, and keeps what it received.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// No wait of a test is longer; none of a test that passes comes near it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// How an answer ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// As it should.
    Done,
    /// The connection is closed in the middle.
    Cut,
    /// Nothing more is sent until the peer closes.
    Hang,
}

/// One answer.
#[derive(Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) end: End,
}

impl Reply {
    pub(crate) fn sse(body: &str) -> Self {
        Self::of(200, "text/event-stream; charset=utf-8", body)
    }

    pub(crate) fn lines(body: &str) -> Self {
        Self::of(200, "application/x-ndjson", body)
    }

    pub(crate) fn of(status: u16, kind: &str, body: &str) -> Self {
        let headers = vec![("content-type".to_owned(), kind.to_owned())];
        Self { status, headers, body: body.as_bytes().to_vec(), end: End::Done }
    }

    pub(crate) fn status(status: u16, body: &str) -> Self {
        Self::of(status, "application/json", body)
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn end(self, end: End) -> Self {
        Self { end, ..self }
    }
}

/// A request as it came in.
#[derive(Clone)]
pub(crate) struct Received {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Received {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn has_header(&self, name: &str, value: &str) -> bool {
        let wanted = format!("{name}: {value}");
        self.head.lines().any(|line| line.eq_ignore_ascii_case(&wanted))
    }
}

type Answers = dyn Fn(usize, &Received) -> Reply + Send + Sync;

#[derive(Default)]
struct Crowd {
    here: usize,
    peak: usize,
    /// How many must be here before any is answered.
    wanted: usize,
}

struct Shared {
    answers: Box<Answers>,
    received: Mutex<Vec<Received>>,
    crowd: Mutex<Crowd>,
    moved: Condvar,
    closed: Sender<()>,
}

/// The server. Its threads end with the test's process.
pub(crate) struct Fake {
    pub(crate) url: String,
    shared: Arc<Shared>,
    closed: Receiver<()>,
}

impl Fake {
    /// Answers the requests in turn; the last answer again and again.
    pub(crate) fn with(replies: Vec<Reply>) -> Self {
        Self::by(0, move |at, _| replies[at.min(replies.len() - 1)].clone())
    }

    /// Answers by the request, once `crowd` of them are waiting.
    pub(crate) fn by(
        crowd: usize,
        answers: impl Fn(usize, &Received) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (sender, closed) = channel();
        let shared = Arc::new(Shared {
            answers: Box::new(answers),
            received: Mutex::default(),
            crowd: Mutex::new(Crowd { wanted: crowd, ..Crowd::default() }),
            moved: Condvar::new(),
            closed: sender,
        });
        let own = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let shared = Arc::clone(&own);
                thread::spawn(move || drop(serve(&stream.unwrap(), &shared)));
            }
        });
        Self { url, shared, closed }
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.shared.received.lock().unwrap().clone()
    }

    /// The most requests that were waiting at once.
    pub(crate) fn peak(&self) -> usize {
        self.shared.crowd.lock().unwrap().peak
    }

    /// Waits until a request has come in.
    pub(crate) fn wait_for_request(&self) {
        let crowd = self.shared.crowd.lock().unwrap();
        let (_crowd, waited) =
            self.shared.moved.wait_timeout_while(crowd, PATIENCE, |crowd| crowd.peak == 0).unwrap();
        assert!(!waited.timed_out(), "no request came");
    }

    /// Waits until the peer of an answer that hangs has closed its connection.
    pub(crate) fn wait_for_close(&self) {
        self.closed.recv_timeout(PATIENCE).expect("the connection is still open");
    }
}

fn serve(stream: &TcpStream, shared: &Shared) -> std::io::Result<()> {
    let mut input = BufReader::new(stream);
    let mut head = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 || line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    let received = Received { head, body };
    let at = {
        let mut all = shared.received.lock().unwrap();
        all.push(received.clone());
        all.len() - 1
    };
    {
        let mut crowd = shared.crowd.lock().unwrap();
        crowd.here += 1;
        crowd.peak = crowd.peak.max(crowd.here);
        shared.moved.notify_all();
        let full = |crowd: &mut Crowd| crowd.peak < crowd.wanted;
        drop(shared.moved.wait_timeout_while(crowd, PATIENCE, full).unwrap());
    }
    let reply = (shared.answers)(at, &received);
    shared.crowd.lock().unwrap().here -= 1;
    let mut output = stream;
    write!(output, "HTTP/1.1 {} Something\r\ntransfer-encoding: chunked\r\n", reply.status)?;
    for (name, value) in &reply.headers {
        write!(output, "{name}: {value}\r\n")?;
    }
    output.write_all(b"\r\n")?;
    // In pieces that fall where they fall, as on a real network.
    for piece in reply.body.chunks(1000) {
        write!(output, "{:x}\r\n", piece.len())?;
        output.write_all(piece)?;
        output.write_all(b"\r\n")?;
    }
    match reply.end {
        End::Done => output.write_all(b"0\r\n\r\n")?,
        End::Cut => stream.shutdown(Shutdown::Both)?,
        End::Hang => {
            output.flush()?;
            let mut rest = [0; 16];
            let _closed: std::io::Result<usize> = input.read(&mut rest);
            let _ = shared.closed.send(());
        }
    }
    Ok(())
}
