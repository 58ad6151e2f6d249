//! How a connection ends: by the client, by the server, and with a client that does not read.

use std::time::Duration;

use mcp_stdio::{Limits, Server};
use serde_json::{Value, json};

use crate::client::Client;
use crate::toys::{Gate, PATIENCE, with_toys};

fn server(gate: &Gate) -> Server {
    with_toys(Server::builder("toys", "1.0.0"), gate).build().unwrap()
}

#[test]
fn an_end_of_input_before_any_message_ends_the_server() {
    assert_eq!(Client::new(server(&Gate::new())).close(), Vec::<Value>::new());
}

#[test]
fn requests_before_the_end_of_input_are_all_answered() {
    let mut client = Client::connected(server(&Gate::new()), "2025-11-25");
    for id in 0..200 {
        client.call(id, "echo", json!({"text": "x".repeat(id)}));
    }
    let mut ids: Vec<_> =
        client.close().iter().map(|answer| answer["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..200).collect::<Vec<_>>());
}

#[test]
fn a_last_line_without_newline_is_answered() {
    let mut client = Client::new(server(&Gate::new()));
    client.raw("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    assert_eq!(client.close(), [json!({"jsonrpc": "2.0", "id": 1, "result": {}})]);
}

#[test]
fn work_in_flight_at_the_end_of_input_is_finished() {
    let gate = Gate::new();
    let limits = Limits { drain_grace: PATIENCE, ..Limits::recommended() };
    let mut client = Client::with_limits(server(&gate), limits);
    client.initialize("2025-11-25");
    client.call(1, "gate", json!({}));
    client.close_output();
    assert_eq!(gate.next(), "arrived");
    gate.open();
    let rest = client.close();
    assert_eq!(rest.len(), 1);
    assert_eq!(rest[0]["result"]["content"][0]["text"], "passed");
}

#[test]
fn work_that_does_not_end_is_answered_with_an_error() {
    let gate = Gate::new();
    let limits = Limits {
        drain_grace: Duration::from_millis(1),
        max_running_calls: 2,
        ..Limits::recommended()
    };
    let mut client = Client::with_limits(server(&gate), limits);
    client.initialize("2025-11-25");
    for id in 0..5 {
        client.call(id, "gate", json!({}));
    }
    assert_eq!((gate.next(), gate.next()), ("arrived", "arrived"));
    let rest = client.close();
    let ids: Vec<_> = rest.iter().map(|answer| answer["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, [0, 1, 2, 3, 4]);
    assert!(rest.iter().all(|answer| answer["error"]["code"] == -32603), "{rest:?}");
    assert_eq!(gate.next(), "cancelled");
}

#[test]
fn a_stop_ends_an_idle_connection_with_the_input_open() {
    let mut client = Client::connected(server(&Gate::new()), "2025-11-25");
    assert_eq!(client.until_barrier(), Vec::<Value>::new());
    client.stop.trigger();
    client.join();
    assert_eq!(client.try_receive(), None);
}

#[test]
fn a_stop_before_the_start_counts() {
    let mut client = Client::new(server(&Gate::new()));
    client.stop.trigger();
    client.stop.trigger();
    client.join();
}

#[test]
fn a_stop_lets_running_calls_finish_within_its_grace() {
    let gate = Gate::new();
    let limits = Limits { stop_grace: PATIENCE, ..Limits::recommended() };
    let mut client = Client::with_limits(server(&gate), limits);
    client.initialize("2025-11-25");
    client.call(1, "gate", json!({}));
    assert_eq!(gate.next(), "arrived");
    client.stop.trigger();
    gate.open();
    assert_eq!(client.receive()["result"]["content"][0]["text"], "passed");
    client.join();
}

#[test]
fn a_client_that_does_not_read_any_more_ends_the_connection() {
    let gate = Gate::new();
    let mut client = Client::connected(server(&gate), "2025-11-25");
    client.call(1, "gate", json!({}));
    assert_eq!(gate.next(), "arrived");
    client.close_input();
    client.send(json!({"id": 2, "method": "ping"}));
    client.join();
    assert_eq!(gate.next(), "cancelled");
}

#[test]
fn a_client_that_reads_late_loses_nothing() {
    let limits = Limits { max_unread_output: 256 << 10, ..Limits::recommended() };
    let mut client = Client::with_limits(server(&Gate::new()), limits);
    client.initialize("2025-11-25");
    let mut sender = client.take_sender();
    let writing = std::thread::spawn(move || {
        for id in 0..500 {
            let params = json!({"name": "blob", "arguments": {"bytes": 64 << 10}});
            let call =
                json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
            sender.write_all(format!("{call}\n").as_bytes()).unwrap();
        }
    });
    let mut ids: Vec<_> = (0..500).map(|_| client.receive()["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..500).collect::<Vec<_>>());
    writing.join().unwrap();
    assert_eq!(client.close(), Vec::<Value>::new());
}
