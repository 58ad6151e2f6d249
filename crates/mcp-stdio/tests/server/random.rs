//! Random conversations: whatever a client sends, every request gets exactly one response or, when
//! it was cancelled, at most one.

use std::collections::{BTreeMap, BTreeSet};

use mcp_stdio::{Limits, Server};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::client::{Client, modern};
use crate::toys::{Gate, with_toys};

#[derive(Clone, Debug)]
enum Step {
    Ping,
    List,
    Echo(usize),
    Panic,
    Progress(usize),
    Modern,
    Unknown,
    Cancel(usize),
    Bad,
    Notification,
    Batch(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        Just(Step::Ping),
        Just(Step::List),
        (0..100_000_usize).prop_map(Step::Echo),
        Just(Step::Panic),
        (0..20_usize).prop_map(Step::Progress),
        Just(Step::Modern),
        Just(Step::Unknown),
        (0..8_usize).prop_map(Step::Cancel),
        Just(Step::Bad),
        Just(Step::Notification),
        (0..5_usize).prop_map(Step::Batch),
    ]
}

fn call(id: usize, name: &str, arguments: Value) -> Value {
    let params = json!({"name": name, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

/// The lines of a conversation, the ids that must be answered and those that may be.
fn script(steps: &[Step]) -> (String, BTreeSet<usize>, BTreeSet<usize>) {
    let mut lines = String::new();
    let mut asked = BTreeSet::new();
    let mut cancelled = BTreeSet::new();
    for (id, step) in steps.iter().enumerate() {
        let request = |method: &str| json!({"jsonrpc": "2.0", "id": id, "method": method});
        let line = match step {
            Step::Ping => request("ping"),
            Step::List => request("tools/list"),
            Step::Unknown => request("no/such"),
            Step::Echo(size) => call(id, "echo", json!({"text": "x".repeat(*size)})),
            Step::Panic => call(id, "panic", json!({})),
            Step::Progress(count) => {
                let values: Vec<_> = (0..*count).collect();
                let mut line = call(id, "steps", json!({"values": values}));
                line["params"]["_meta"] = json!({"progressToken": id});
                line
            }
            Step::Modern => {
                let mut line = call(id, "echo", json!({"text": "modern"}));
                line["params"]["_meta"] = modern(json!({}));
                line
            }
            Step::Batch(count) => {
                // The members' ids are beyond those of single requests.
                let ids = (0..*count).map(|member| 1000 * (id + 1) + member);
                let members: Vec<_> = ids
                    .map(|id| {
                        asked.insert(id);
                        call(id, "echo", json!({"text": "member"}))
                    })
                    .collect();
                lines.push_str(&format!("{}\n", json!(members)));
                continue;
            }
            Step::Cancel(back) => {
                let target = id.saturating_sub(*back);
                cancelled.insert(target);
                lines.push_str(&format!(
                    "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":{target}}}}}\n"
                ));
                continue;
            }
            Step::Bad => {
                lines.push_str("{\"jsonrpc\":\n");
                continue;
            }
            Step::Notification => {
                lines.push_str("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/nothing\"}\n");
                continue;
            }
        };
        asked.insert(id);
        lines.push_str(&format!("{line}\n"));
    }
    (lines, asked, cancelled)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_request_gets_its_one_response(
        steps in proptest::collection::vec(step(), 1..120),
        running in 1..6_usize,
        waiting in 1..20_usize,
        unread in prop_oneof![Just(1_usize), Just(100_000)],
    ) {
        let server = with_toys(Server::builder("toys", "1"), &Gate::new()).build().unwrap();
        let limits = Limits {
            max_running_calls: running,
            max_waiting_calls: waiting,
            max_unread_output: unread,
            ..Limits::recommended()
        };
        let mut client = Client::with_limits(server, limits);
        client.initialize("2025-03-26");
        let (lines, asked, cancelled) = script(&steps);
        let mut sender = client.take_sender();
        let writing = std::thread::spawn(move || sender.write_all(lines.as_bytes()).unwrap());
        let messages = client.close();
        writing.join().unwrap();

        let mut answered: BTreeMap<usize, usize> = BTreeMap::new();
        let mut progress: BTreeMap<usize, f64> = BTreeMap::new();
        for message in messages {
            let members = match message {
                Value::Array(members) => members,
                single => vec![single],
            };
            for member in members {
                if let Some(id) = member["id"].as_u64() {
                    *answered.entry(usize::try_from(id).unwrap()).or_default() += 1;
                } else if member["method"] == "notifications/progress" {
                    let token = usize::try_from(member["params"]["progressToken"].as_u64().unwrap()).unwrap();
                    let value = member["params"]["progress"].as_f64().unwrap();
                    prop_assert!(!answered.contains_key(&token), "progress after the response");
                    let last = progress.insert(token, value).unwrap_or(f64::NEG_INFINITY);
                    prop_assert!(value > last);
                }
            }
        }
        for id in &asked {
            let count = answered.get(id).copied().unwrap_or(0);
            let may_be_silent = cancelled.contains(id);
            prop_assert!(count == 1 || (count == 0 && may_be_silent), "{id}: {count}");
        }
        prop_assert!(answered.keys().all(|id| asked.contains(id)));
    }
}
