//! What a session does with each server, and what must come of it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_proto::CallToolResult;
use mcp_stdio::child::{ChildLauncher, ChildLimits, ServerCommand};
use mcp_stdio::client::{CallOptions, ClientError, ClientLimits, Session};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::server::Behaviour;
use crate::traces::{MARKER, children, marked, wait_until_empty};

/// What a server does and what must come of it. A case without an error succeeds.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) server: Behaviour,
    /// How the opening fails.
    #[serde(default)]
    pub(crate) opening: Option<String>,
    /// How the listing of tools fails.
    #[serde(default)]
    pub(crate) list: Option<String>,
    /// How many tools are listed.
    #[serde(default)]
    pub(crate) tools: Option<usize>,
    /// How the call fails.
    #[serde(default)]
    pub(crate) error: Option<String>,
    /// How often it is called in a row, failing alike.
    #[serde(default = "once")]
    pub(crate) repeat: usize,
    /// How it fails after that.
    #[serde(default)]
    pub(crate) last_error: Option<String>,
    /// What a further call answers.
    #[serde(default)]
    pub(crate) then: Option<String>,
    /// How many calls run at once, each with arguments of its own to be answered with.
    #[serde(default)]
    pub(crate) parallel: usize,
    /// How long a call waits.
    #[serde(default = "patience")]
    pub(crate) timeout_ms: u64,
}

const fn once() -> usize {
    1
}

/// Far more than any answer needs that comes at all.
const fn patience() -> u64 {
    60_000
}

/// What a server may hold, far above what one needs that does not eat.
const MEMORY: u64 = 128 << 20;

/// How much more this process may hold after a case than before the first one.
const GROWTH: u64 = 48 << 20;

pub(crate) fn all() -> Vec<Case> {
    serde_json::from_str(include_str!("cases.json")).unwrap()
}

pub(crate) fn named(name: &str) -> Case {
    all().into_iter().find(|case| case.name == name).unwrap()
}

/// A hundred servers are started, used and dropped, twenty at a time.
pub(crate) fn a_hundred_servers() {
    let names = ["answers-twice", "leaves-a-daemon", "crashes-in-a-loop", "floods-stderr"];
    let cases: Vec<Case> = names.iter().map(|name| named(name)).collect();
    around("a-hundred-servers", |marker| {
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|| {
                    while let number @ 0..100 = next.fetch_add(1, Ordering::Relaxed) {
                        session(&cases[number % cases.len()], marker);
                    }
                });
            }
        });
    });
}

pub(crate) fn run(case: &Case) {
    around(&case.name, |marker| session(case, marker));
}

/// Does something with servers that carry a marker, and fails when anything is left of it.
fn around(name: &str, work: impl FnOnce(&str)) {
    static BEFORE: OnceLock<(usize, u64)> = OnceLock::new();
    let &(threads, memory) = BEFORE.get_or_init(|| (count_threads(), resident()));
    let marker = format!("{name}-{}", std::process::id());
    work(&marker);
    // A session is closed when its drop returns, and so is everything that the server has started.
    assert_eq!(marked(&marker), [""; 0], "processes are left");
    assert_eq!(children(std::process::id()), [""; 0], "children are left");
    wait_until_empty("threads", || {
        let left = count_threads();
        if left <= threads { Vec::new() } else { vec![format!("{left} of {threads}")] }
    });
    let now = resident();
    assert!(now < memory + GROWTH, "{} MiB grew to {} MiB", memory >> 20, now >> 20);
}

fn session(case: &Case, marker: &str) {
    let command = ServerCommand::new(std::env::current_exe().unwrap())
        .args(["serve", &case.name])
        .env(MARKER, marker)
        .inherit(std::env::vars_os());
    let grace = Duration::from_millis(50);
    let child = ChildLimits { exit_grace: grace, term_grace: grace, memory: Some(MEMORY) };
    let limits = ClientLimits {
        probe_timeout: Duration::from_millis(500),
        restart_backoff: Duration::from_millis(1),
        ..ClientLimits::recommended()
    };
    let opened = Session::builder("cases", "1").limits(limits).open(ChildLauncher::new(
        case.name.as_str(),
        command,
        child,
    ));
    let session = match &case.opening {
        Some(want) => return fails(opened.map(drop), want),
        None => opened.unwrap(),
    };
    let tools = session.tools(&CallOptions::default());
    match (&case.list, case.tools) {
        (Some(want), _) => fails(tools.map(drop), want),
        (None, Some(count)) => assert_eq!(tools.unwrap().len(), count),
        (None, None) => drop(tools.unwrap()),
    }
    if case.parallel > 0 {
        return in_parallel(&session, case.parallel);
    }
    for _ in 0..case.repeat {
        let called = call(&session, case.timeout_ms);
        match &case.error {
            Some(want) => fails(called.map(drop), want),
            None => assert!(!called.unwrap().content.is_empty()),
        }
    }
    if let Some(want) = &case.last_error {
        fails(call(&session, case.timeout_ms).map(drop), want);
    }
    if let Some(want) = &case.then {
        let result = call(&session, patience()).unwrap();
        assert_eq!(result.content[0].as_text(), Some(want.as_str()));
    }
}

fn call(session: &Session, timeout_ms: u64) -> Result<CallToolResult, ClientError> {
    let options = CallOptions::default().timeout(Duration::from_millis(timeout_ms));
    session.call_tool("echo", None, &options)
}

fn in_parallel(session: &Session, calls: usize) {
    std::thread::scope(|scope| {
        for number in 0..calls {
            scope.spawn(move || {
                let text = format!("{{\"number\":{number}}}");
                let arguments: Box<RawValue> = serde_json::from_str(&text).unwrap();
                let result = session.call_tool("echo", Some(&arguments), &CallOptions::default());
                assert_eq!(result.unwrap().content[0].as_text(), Some(text.as_str()));
            });
        }
    });
}

#[track_caller]
fn fails(result: Result<(), ClientError>, want: &str) {
    let error = result.expect_err(want).to_string();
    assert!(error.contains(want), "{error}");
}

fn count_threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let kib: u64 = line.trim().strip_suffix(" kB").unwrap().parse().unwrap();
    kib * 1024
}
