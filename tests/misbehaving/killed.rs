//! The program is killed while it works with five servers, at any moment and by any signal; nothing that it
//! has started may stay.

use std::hash::{BuildHasher, RandomState};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tempfile::TempDir;

use crate::server::Behaviour;
use crate::traces::{STARTED, children, marked, stat, wait_until_empty};
use crate::user::{configure, program};

/// How often the program is killed.
const ROUNDS: u64 = 21;

/// How many looks at all processes lie between the start and the kill, at most: some hundred milliseconds,
/// in which servers are started, asked and ended.
const MOST_LOOKS: u64 = 120;

/// The servers, by name.
pub(crate) fn servers() -> impl Iterator<Item = (String, Behaviour)> {
    let servers = json!({
        "good": {},
        "leaves-a-daemon": {"start": [{"leave_behind": {"far": true}}]},
        "leaves-a-child": {"start": [{"leave_behind": {"far": false}}], "stays": true},
        "stubborn": {"start": ["ignore_termination"], "stays": true, "on": {"tools/list": []}},
        "noisy": {"start": [{"complain": {"times": 20000, "line": "so many words"}}]},
    });
    let servers: serde_json::Map<String, serde_json::Value> =
        serde_json::from_value(servers).unwrap();
    servers
        .into_iter()
        .map(|(name, value)| (format!("killed-{name}"), serde_json::from_value(value).unwrap()))
}

pub(crate) fn run() {
    let names: Vec<String> = servers().map(|(name, _)| name).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let random = RandomState::new();
    let home = TempDir::new().unwrap();
    let mut most = 0;
    for round in 0..ROUNDS {
        let marker = format!("killed-{}-{round}", std::process::id());
        configure(home.path(), &names, &marker);
        let mut program = program(home.path(), &["tools"]);
        let mut child = program.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let looks = random.hash_one(round) % MOST_LOOKS;
        for _ in 0..looks {
            most = most.max(marked(&marker).len());
        }
        let supervisors = children(child.id());
        let signal = [Signal::INT, Signal::TERM, Signal::KILL][(round % 3) as usize];
        let id = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        kill_process(id, signal).unwrap();
        child.wait().unwrap();
        let what = format!("round {round}, {signal:?} after {looks} looks");
        wait_until_empty(&what, || marked(&marker));
        wait_until_empty(&what, || still_there(&supervisors));
    }
    assert!(most > names.len(), "no round got as far as to start every server: {most}");
}

/// Those of the described processes that are still there: the same ones, not others with their numbers.
fn still_there(described: &[String]) -> Vec<String> {
    let is_there = |text: &&String| {
        let mut words = text.split(' ');
        let id = words.next().unwrap_or_default();
        stat(id).is_some_and(|stat| words.next() == Some(&stat[STARTED]))
    };
    described.iter().filter(is_there).cloned().collect()
}
