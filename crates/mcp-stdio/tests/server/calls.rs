//! Calls: results and failures, cancellation, progress, and many at once.

use mcp_stdio::{Limits, Server};
use serde_json::{Value, json};

use crate::client::Client;
use crate::toys::{Gate, with_toys};

fn server(gate: &Gate) -> Server {
    with_toys(Server::builder("toys", "1.0.0"), gate).build().unwrap()
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"))
}

#[test]
fn tools_are_listed_by_name_with_their_schemas() {
    let mut client = Client::connected(server(&Gate::new()), "2025-11-25");
    let answer = client.ask(json!({"id": 1, "method": "tools/list"}));
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["blob", "echo", "fail", "gate", "nested", "panic", "steps"]);
    assert_eq!(
        tools[1],
        json!({
            "name": "echo",
            "description": "Returns the text.",
            "inputSchema": {
                "type": "object",
                "properties": {"text": {"type": "string", "description": "The text to return."}},
                "required": ["text"]
            }
        })
    );
    let none = json!({"type": "object", "additionalProperties": false});
    assert_eq!(tools[2]["inputSchema"], none);
}

#[test]
fn long_lists_come_in_pages() {
    let limits = Limits { page_size: 3, ..Limits::recommended() };
    let mut client = Client::with_limits(server(&Gate::new()), limits);
    client.initialize("2025-11-25");
    let mut names = Vec::new();
    let mut params = json!({});
    loop {
        let answer = client.ask(json!({"id": 1, "method": "tools/list", "params": params}));
        let tools = answer["result"]["tools"].as_array().unwrap();
        assert!(tools.len() <= 3);
        names.extend(tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()));
        match &answer["result"]["nextCursor"] {
            Value::Null => break,
            cursor => params = json!({"cursor": cursor}),
        }
    }
    assert_eq!(names, ["blob", "echo", "fail", "gate", "nested", "panic", "steps"]);
    for cursor in [json!(""), json!("x"), json!(3)] {
        let params = json!({"cursor": cursor});
        let answer = client.ask(json!({"id": 1, "method": "tools/list", "params": params}));
        assert_eq!(answer["error"]["code"], -32602);
    }
}

#[test]
fn text_comes_back_unchanged() {
    let mut client = Client::connected(server(&Gate::new()), "2025-11-25");
    for (id, text) in
        ["", "plain", "h\u{e9} \u{1f980} \u{2028}\0\n\"\\", "\u{7f}\u{1b}[31m"].iter().enumerate()
    {
        client.call(id, "echo", json!({"text": text}));
        let answer = client.receive();
        assert_eq!(answer["id"], id);
        assert_eq!(answer["result"]["content"], json!([{"type": "text", "text": text}]));
        assert_eq!(answer["result"]["isError"], Value::Null);
    }
}

#[test]
fn arguments_that_do_not_fit_are_named_by_path() {
    let mut client = Client::connected(server(&Gate::new()), "2025-11-25");
    let cases = [
        ("echo", json!({}), "invalid arguments: missing field `text`"),
        ("echo", json!({"text": 5}), "invalid arguments: `text`: invalid type: integer `5`"),
        (
            "nested",
            json!({"files": [{"line": 1}, {"line": -1}]}),
            "invalid arguments: `files[1].line`: ",
        ),
        (
            "nested",
            json!({"files": [], "more": 1}),
            "invalid arguments: `more`: unknown field `more`",
        ),
        ("fail", json!({"x": 1}), "invalid arguments: `x`: unknown field `x`"),
    ];
    for (name, arguments, message) in cases {
        client.call(1, name, arguments);
        let answer = client.receive();
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(text(&answer).starts_with(message), "{answer}");
        assert!(!text(&answer).contains("column"), "{answer}");
    }
    // A string that no text can hold gets as far as the tool's own type, and no further.
    client.raw("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":\"\\ud800\"}}}\n");
    assert_eq!(client.receive()["result"]["isError"], true);
}

#[test]
fn a_call_of_the_wrong_shape_is_a_protocol_error() {
    let mut client = Client::connected(server(&Gate::new()), "2025-11-25");
    for params in [
        json!({}),
        json!({"name": 5}),
        json!({"name": "no such tool"}),
        json!({"name": "echo", "arguments": null}),
        json!({"name": "echo", "arguments": []}),
        json!({"name": "echo", "arguments": "text"}),
    ] {
        let answer = client.ask(json!({"id": 1, "method": "tools/call", "params": params}));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    let answer = client.ask(json!({"id": 1, "method": "tools/call", "params": {"name": "fail"}}));
    assert_eq!(text(&answer), "no luck");
}

#[test]
fn a_failing_tool_answers_and_a_panicking_one_harms_nobody() {
    let mut client = Client::connected(server(&Gate::new()), "2025-11-25");
    for id in 0..100 {
        client.call(id, "panic", json!({}));
        let answer = client.receive();
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
        assert_eq!(answer["id"], id);
    }
    client.call(100, "fail", json!({}));
    let answer = client.receive();
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(text(&answer), "no luck");
}

#[test]
fn ping_and_lists_are_answered_while_tools_work() {
    let gate = Gate::new();
    let mut client = Client::connected(server(&gate), "2025-11-25");
    for id in 0..40 {
        client.call(id, "gate", json!({}));
    }
    for _ in 0..40 {
        assert_eq!(gate.next(), "arrived");
    }
    assert_eq!(client.until_barrier(), Vec::<Value>::new());
    assert!(client.ask(json!({"id": "l", "method": "tools/list"}))["result"]["tools"].is_array());
    client.call("e", "echo", json!({"text": "meanwhile"}));
    assert_eq!(text(&client.receive()), "meanwhile");
    gate.open();
    let mut ids: Vec<_> = (0..40).map(|_| client.receive()["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..40).collect::<Vec<_>>());
}

#[test]
fn calls_beyond_the_bound_wait_and_none_is_lost() {
    let gate = Gate::new();
    let limits = Limits { max_running_calls: 3, max_waiting_calls: 4, ..Limits::recommended() };
    let mut client = Client::with_limits(server(&gate), limits);
    client.initialize("2025-11-25");
    for id in 0..7 {
        client.call(id, "gate", json!({}));
    }
    for _ in 0..3 {
        assert_eq!(gate.next(), "arrived");
    }
    // The queue is full and the client is still heard.
    assert_eq!(client.until_barrier(), Vec::<Value>::new());
    // From here on reading pauses; what is sent waits in the pipe.
    for id in 7..50 {
        client.call(id, "gate", json!({}));
    }
    gate.open();
    let mut ids: Vec<_> = (0..50).map(|_| client.receive()["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..50).collect::<Vec<_>>());
    for _ in 3..50 {
        assert_eq!(gate.next(), "arrived");
    }
}

#[test]
fn a_cancelled_call_is_told_and_gets_no_response() {
    let gate = Gate::new();
    let mut client = Client::connected(server(&gate), "2025-11-25");
    client.call(7, "gate", json!({}));
    assert_eq!(gate.next(), "arrived");
    client.send(
        json!({"method": "notifications/cancelled", "params": {"requestId": 7, "reason": "test"}}),
    );
    assert_eq!(gate.next(), "cancelled");
    assert_eq!(client.until_barrier(), Vec::<Value>::new());
    // The id is free again.
    gate.open();
    client.call(7, "gate", json!({}));
    assert_eq!(text(&client.receive()), "passed");
    assert_eq!(client.close(), Vec::<Value>::new());
}

#[test]
fn a_call_cancelled_while_it_waits_is_never_started() {
    let gate = Gate::new();
    let limits = Limits { max_running_calls: 1, ..Limits::recommended() };
    let mut client = Client::with_limits(server(&gate), limits);
    client.initialize("2025-11-25");
    client.call(1, "gate", json!({}));
    assert_eq!(gate.next(), "arrived");
    client.call(2, "gate", json!({}));
    client.send(json!({"method": "notifications/cancelled", "params": {"requestId": 2}}));
    assert_eq!(client.until_barrier(), Vec::<Value>::new());
    gate.open();
    assert_eq!(client.receive()["id"], 1);
    client.call(3, "gate", json!({}));
    assert_eq!(client.receive()["id"], 3);
    assert_eq!(gate.next(), "arrived");
    assert_eq!(client.close(), Vec::<Value>::new());
}

#[test]
fn a_cancellation_of_nothing_is_ignored() {
    let mut client = Client::connected(server(&Gate::new()), "2025-11-25");
    client.call(1, "echo", json!({"text": "done"}));
    assert_eq!(text(&client.receive()), "done");
    for params in [
        json!({"requestId": 1}),
        json!({"requestId": "1"}),
        json!({"requestId": 99}),
        json!({"requestId": null}),
        json!({"requestId": {}}),
        json!({}),
    ] {
        client.send(json!({"method": "notifications/cancelled", "params": params}));
    }
    client.send(json!({"method": "notifications/cancelled"}));
    assert_eq!(client.until_barrier(), Vec::<Value>::new());
}

#[test]
fn progress_rises_and_comes_before_the_result() {
    let mut client = Client::connected(server(&Gate::new()), "2025-11-25");
    for round in 0..200 {
        client.send(json!({"id": round, "method": "tools/call", "params": {
            "name": "steps",
            "arguments": {"values": [1.0, 2.5, 2.5, 2.0, -1.0, 3.0, 100.0]},
            "_meta": {"progressToken": format!("token-{round}")}
        }}));
        for value in [1.0, 2.5, 3.0, 100.0] {
            let message = client.receive();
            assert_eq!(message["method"], "notifications/progress");
            assert_eq!(message["params"]["progressToken"], format!("token-{round}"));
            assert_eq!(message["params"]["progress"].as_f64().unwrap(), value);
            assert_eq!(message["params"]["total"].as_f64().unwrap(), 100.0);
            assert_eq!(message["params"]["message"], "step");
        }
        assert_eq!(client.receive()["id"], round);
    }
}

#[test]
fn progress_is_sent_only_where_it_was_asked_for() {
    let mut client = Client::connected(server(&Gate::new()), "2024-11-05");
    client.call(1, "steps", json!({"values": [1.0]}));
    assert_eq!(client.receive()["id"], 1);
    for token in [json!(0), json!("")] {
        client.send(json!({"id": 2, "method": "tools/call", "params": {
            "name": "steps", "arguments": {"values": [1.0]}, "_meta": {"progressToken": token}
        }}));
        let params = &client.receive()["params"];
        assert_eq!(params["progressToken"], token);
        // The first revision knows no message.
        assert_eq!(params["message"], Value::Null);
        assert_eq!(client.receive()["id"], 2);
    }
}

#[test]
fn an_id_in_flight_is_refused_and_the_first_call_goes_on() {
    let gate = Gate::new();
    let mut client = Client::connected(server(&gate), "2025-11-25");
    client.call(1, "gate", json!({}));
    assert_eq!(gate.next(), "arrived");
    client.call(1, "echo", json!({"text": "second"}));
    assert_eq!(client.receive()["error"]["code"], -32600);
    let answer = client.ask(json!({"id": 1, "method": "ping"}));
    assert_eq!(answer["error"]["code"], -32600);
    client.call("1", "echo", json!({"text": "another id"}));
    assert_eq!(text(&client.receive()), "another id");
    gate.open();
    assert_eq!(text(&client.receive()), "passed");
}

#[test]
fn ids_keep_their_type_and_every_digit() {
    let mut client = Client::connected(server(&Gate::new()), "2025-11-25");
    for id in
        ["7", "\"7\"", "0", "\"\"", "-1", "9007199254740993", "123456789012345678901234567890"]
    {
        client.raw(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n"));
        let mut frame = Vec::new();
        client.receive_raw(&mut frame);
        let expected = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}");
        assert_eq!(String::from_utf8(frame).unwrap(), expected);
    }
}

#[test]
fn large_answers_arrive_whole_while_others_overtake_them() {
    let mut client = Client::connected(server(&Gate::new()), "2025-11-25");
    client.call(1, "blob", json!({"bytes": 50 << 20}));
    let answer = client.receive();
    assert_eq!(text(&answer).len(), 50 << 20);
    let large = "y".repeat(3 << 20);
    client.call(2, "echo", json!({"text": large}));
    assert_eq!(text(&client.receive()), large);
}
