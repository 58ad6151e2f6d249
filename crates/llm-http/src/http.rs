//! One POST and its streamed answer, on a thread of its own so that the caller never waits on a socket.
//!
//! Dropping the [`Lines`] of a request closes its connection at once.

use std::io::{BufReader, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, SystemTime};

use ureq::http::{HeaderValue, Response};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Body, Proxy};
use zeroize::Zeroizing;

use crate::provider::Timing;
use crate::retry;
use crate::sse::{Event, Events, Framing};

/// An answer of more bytes breaks off.
const MAX_ANSWER: u64 = 32 << 20;
/// So much of a refusal is read.
const MAX_REFUSAL: u64 = 64 << 10;
/// Events between the socket and the caller.
const QUEUE: usize = 64;

/// A header, whose value may hold a key.
pub(crate) type Header = (&'static str, Zeroizing<String>);

/// Where an address leads.
pub(crate) struct Place {
    pub(crate) host: String,
    pub(crate) is_https: bool,
    pub(crate) is_local: bool,
}

impl Place {
    /// Reads an address; `None` where it is not one of http or https with a host.
    pub(crate) fn of(url: &str) -> Option<Self> {
        let uri: ureq::http::Uri = url.parse().ok()?;
        let is_https = match uri.scheme_str()? {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let host = uri.host().filter(|host| !host.is_empty())?.to_ascii_lowercase();
        let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
        let is_local = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
        Some(Self { host, is_https, is_local })
    }
}

/// An address without a login in it, for messages.
pub(crate) fn without_login(url: &str) -> String {
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
            let host = rest[..end].rsplit('@').next().unwrap_or_default();
            format!("{scheme}://{host}{}", &rest[end..])
        }
        None => url.to_owned(),
    }
}

/// What of the settings cannot be used.
pub(crate) enum SetUp {
    Proxy,
    Certificates,
}

/// Makes requests to one endpoint.
pub(crate) struct Client {
    url: String,
    proxy: Option<Proxy>,
    tls: TlsConfig,
    timing: Timing,
}

impl Client {
    pub(crate) fn new(
        proxy: Option<&str>,
        ca: Option<&[u8]>,
        timing: Timing,
    ) -> Result<Self, SetUp> {
        let proxy = proxy.map(Proxy::new).transpose().map_err(|_| SetUp::Proxy)?;
        let mut tls = TlsConfig::builder();
        if let Some(pem) = ca {
            let roots: Vec<Certificate<'static>> = parse_pem(pem)
                .filter_map(|item| match item {
                    Ok(PemItem::Certificate(certificate)) => Some(certificate),
                    _ => None,
                })
                .collect();
            if roots.is_empty() {
                return Err(SetUp::Certificates);
            }
            tls = tls.root_certs(RootCerts::from(roots));
        }
        Ok(Self { url: String::new(), proxy, tls: tls.build(), timing })
    }

    pub(crate) fn to(self, url: String) -> Self {
        Self { url, ..self }
    }

    /// Starts a request.
    pub(crate) fn post(
        &self,
        headers: Vec<Header>,
        body: Vec<u8>,
        framing: Framing,
    ) -> Result<Lines, String> {
        // One agent for each request: shutting it down closes just this connection. The environment is
        // not asked for a proxy, and a redirection would take the key elsewhere.
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections(0)
            .proxy(self.proxy.clone())
            .tls_config(self.tls.clone())
            .user_agent(concat!("foreread/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(self.timing.connect))
            .timeout_connect(Some(self.timing.connect))
            .timeout_per_read(Some(self.timing.idle))
            .timeout_per_write(Some(self.timing.idle))
            .timeout_per_call(Some(self.timing.total))
            .build();
        let agent = Agent::new_with_config(config);
        let (sender, receiver) = sync_channel(QUEUE);
        let (url, own) = (self.url.clone(), agent.clone());
        thread::Builder::new()
            .name("llm-http".to_owned())
            .spawn(move || {
                let last = run(&own, &url, headers, &body, framing, &sender);
                drop(sender.send(last));
            })
            .map_err(|error| format!("cannot start a thread: {error}"))?;
        Ok(Lines { receiver, agent })
    }
}

/// What comes of a request, in order. Everything but an event is the last.
#[derive(Debug)]
pub(crate) enum Line {
    Event(Event),
    /// An answer that was not streamed.
    Whole(String),
    /// The server refused.
    Refused {
        status: u16,
        wait: Option<Duration>,
        text: String,
    },
    /// No answer came at all.
    Unreachable(String),
    /// The answer broke off.
    Broken(String),
    /// The stream came to its end.
    End,
}

/// The answer to a request, as it comes.
pub(crate) struct Lines {
    receiver: Receiver<Line>,
    agent: Agent,
}

impl Lines {
    /// What comes next; `None` if nothing does within `time`.
    pub(crate) fn next(&self, time: Duration) -> Option<Line> {
        match self.receiver.recv_timeout(time) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                Some(Line::Broken("the connection was lost".to_owned()))
            }
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.agent.clone().shutdown();
    }
}

/// Makes the request; hands over events as they come and returns what comes last.
fn run(
    agent: &Agent,
    url: &str,
    headers: Vec<Header>,
    body: &[u8],
    framing: Framing,
    sender: &SyncSender<Line>,
) -> Line {
    let accept = match framing {
        Framing::Sse => "text/event-stream",
        Framing::Lines => "application/x-ndjson",
    };
    let mut request =
        agent.post(url).header("content-type", "application/json").header("accept", accept);
    for (name, value) in headers {
        let Ok(mut value) = HeaderValue::from_str(&value) else {
            return Line::Unreachable(format!("the header {name} has a value that cannot be sent"));
        };
        value.set_sensitive(true);
        request = request.header(name, value);
    }
    let response = match request.send(body) {
        Ok(response) => response,
        Err(error) => return Line::Unreachable(explain(&error)),
    };
    let status = response.status().as_u16();
    if status != 200 {
        let header = |name: &str| header(&response, name);
        let wait = retry::asked(header, SystemTime::now());
        let text = text(response, MAX_REFUSAL).unwrap_or_default();
        return Line::Refused { status, wait, text };
    }
    let kind = header(&response, "content-type").unwrap_or_default().to_ascii_lowercase();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_owned();
    let streams = match framing {
        Framing::Sse => kind == "text/event-stream",
        Framing::Lines => kind == "application/x-ndjson" || kind == "application/json",
    };
    if !streams && kind == "application/json" {
        return match text(response, MAX_ANSWER) {
            Ok(text) => Line::Whole(text),
            Err(error) => Line::Broken(broke(&error)),
        };
    }
    if !streams {
        let kind = if kind.is_empty() { "no content type".to_owned() } else { kind };
        return Line::Unreachable(format!(
            "the answer is {kind}, not a stream of events; is base_url right?"
        ));
    }
    let reader = response.into_body().into_with_config().limit(u64::MAX).reader();
    let mut events = Events::new(BufReader::new(reader.take(MAX_ANSWER)), framing);
    loop {
        match events.next() {
            Ok(Some(event)) => {
                if sender.send(Line::Event(event)).is_err() {
                    return Line::End;
                }
            }
            Ok(None) => return Line::End,
            Err(error) => return Line::Broken(broke(&error)),
        }
    }
}

fn header(response: &Response<Body>, name: &str) -> Option<String> {
    response.headers().get(name)?.to_str().ok().map(str::to_owned)
}

fn text(response: Response<Body>, limit: u64) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    let reader = response.into_body().into_with_config().limit(u64::MAX).reader();
    reader.take(limit).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn broke(error: &std::io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>());
    inner.map_or_else(|| error.to_string(), explain)
}

fn explain(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Timeout(what) => format!("no answer in time ({what})"),
        ureq::Error::HostNotFound => "the host is not known".to_owned(),
        error => error.to_string(),
    }
}
