//! Messages that are none, batches, and hostile bytes: each is answered once, and the next served.

use std::io::{Read, Write};

use mcp_stdio::{Framing, Limits, Server, Stop, Transport};
use serde_json::{Value, json};

use crate::client::Client;
use crate::toys::{Gate, with_toys};

fn server() -> Server {
    with_toys(Server::builder("toys", "1.0.0"), &Gate::new()).build().unwrap()
}

/// Sends one line and returns the only answer to it.
#[track_caller]
fn answer(client: &mut Client, line: &[u8]) -> Value {
    client.raw([line, b"\n"].concat());
    let mut answers = client.until_barrier();
    assert_eq!(answers.len(), 1, "{answers:?}");
    answers.remove(0)
}

#[test]
fn a_bad_line_is_answered_by_kind_with_the_id_if_it_has_one() {
    let deep = [
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":".as_slice(),
        &b"[".repeat(100_000),
    ]
    .concat();
    let cases: [(&[u8], i64, Value); 17] = [
        (b"not json", -32700, Value::Null),
        (b"{", -32700, Value::Null),
        (b"\0\0", -32700, Value::Null),
        (&b"[".repeat(100_000), -32700, Value::Null),
        (&deep, -32700, json!(1)),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\",\"x\":\"\xFF\xFE\"}",
            -32700,
            json!(5),
        ),
        (b"5", -32600, Value::Null),
        (b"\"text\"", -32600, Value::Null),
        (b"null", -32600, Value::Null),
        (b"{}", -32600, Value::Null),
        (b"{\"id\":3,\"method\":\"ping\"}", -32600, json!(3)),
        (b"{\"jsonrpc\":\"1.0\",\"id\":3,\"method\":\"ping\"}", -32600, json!(3)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":5}", -32600, json!("x")),
        (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600, Value::Null),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", -32600, Value::Null),
        (b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", -32600, Value::Null),
        (b"{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\",\"params\":[1]}", -32600, json!(4)),
    ];
    for version in [None, Some("2024-11-05"), Some("2025-11-25")] {
        let mut client = Client::new(server());
        if let Some(version) = version {
            client.initialize(version);
        }
        for (line, code, id) in &cases {
            let answer = answer(&mut client, line);
            let shown = String::from_utf8_lossy(&line[..line.len().min(80)]).into_owned();
            assert_eq!(answer["error"]["code"], *code, "{shown}: {answer}");
            assert_eq!(answer["id"], *id, "{shown}: {answer}");
            // Plain JSON-RPC says null for an id that cannot be read, the newer shapes nothing.
            let says_null = answer.as_object().unwrap().contains_key("id");
            assert_eq!(says_null, !id.is_null() || version == Some("2024-11-05"), "{answer}");
        }
    }
}

#[test]
fn notifications_and_stray_responses_are_never_answered() {
    let mut client = Client::connected(server(), "2025-11-25");
    for line in [
        r#"{"jsonrpc":"2.0","method":"nope"}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}}"#,
        r#"{"jsonrpc":"2.0","method":"ping"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#,
        r#"{"jsonrpc":"2.0","id":99,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","id":99,"result":5}"#,
        "",
        "  \t ",
    ] {
        client.raw(format!("{line}\n"));
        assert_eq!(client.until_barrier(), Vec::<Value>::new(), "{line}");
    }
}

#[test]
fn sixteen_bad_lines_in_a_row_are_answered_and_no_more() {
    let mut client = Client::connected(server(), "2025-11-25");
    client.raw("bad\n".repeat(40));
    client.send(json!({"id": 1, "method": "ping"}));
    for _ in 0..16 {
        assert_eq!(client.receive()["error"]["code"], -32700);
    }
    assert_eq!(client.receive()["id"], 1);
    // One good message starts the count anew.
    client.raw("bad\n");
    assert_eq!(client.receive()["error"]["code"], -32700);
}

#[test]
fn an_over_long_message_is_refused_with_its_id() {
    let limits = Limits { max_frame: 1000, ..Limits::recommended() };
    let mut client = Client::with_limits(server(), limits);
    client.initialize("2025-11-25");
    for length in [2000, 200_000] {
        let text = "x".repeat(length);
        client.call(1, "echo", json!({"text": text}));
        let answer = client.receive();
        assert_eq!(answer["error"]["code"], -32600);
        assert_eq!(answer["id"], 1, "{answer}");
        client.raw(format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\",\"params\":{{\"x\":\"{text}\"}}}}\n"
        ));
        let answer = client.receive();
        assert_eq!(answer["id"], 2);
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("limit of 1000"), "{message}");
    }
    assert_eq!(client.until_barrier(), Vec::<Value>::new());
}

#[test]
fn one_byte_per_write_is_enough() {
    let mut client = Client::new(server());
    let line = "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":\"h\u{e9}\u{1f980}\",\"method\":\"ping\"}\r\n";
    for byte in line.as_bytes() {
        client.raw([*byte]);
    }
    assert_eq!(client.receive()["id"], "h\u{e9}\u{1f980}");
}

#[test]
fn a_client_that_sends_header_blocks_is_answered_with_them() {
    let (near, far) = Transport::memory(Framing::Auto).unwrap();
    let serving = std::thread::spawn(|| {
        server().serve(near, &Limits::recommended(), &Stop::new()).unwrap();
    });
    let (mut input, mut output) = far.into_streams();
    let body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    write!(output, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    drop(output);
    let mut answer = String::new();
    input.read_to_string(&mut answer).unwrap();
    serving.join().unwrap();
    let body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";
    assert_eq!(answer, format!("Content-Length: {}\r\n\r\n{body}", body.len()));
}

#[test]
fn batches_belong_to_one_revision() {
    let batch = br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#;
    for version in [None, Some("2024-11-05"), Some("2025-06-18"), Some("2025-11-25")] {
        let mut client = Client::new(server());
        if let Some(version) = version {
            client.initialize(version);
        }
        for line in [&batch[..], b"[]"] {
            let answer = answer(&mut client, line);
            assert_eq!(answer["error"]["code"], -32600);
            assert_eq!(answer["id"], Value::Null);
        }
    }
}

#[test]
fn a_batch_gets_one_array_with_one_response_per_request() {
    let mut client = Client::connected(server(), "2025-03-26");
    let batch = json!([
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "echo", "arguments": {"text": "a"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 3, "method": "initialize", "params": {}},
        {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "panic"}},
        {"jsonrpc": "2.0", "id": 5, "method": "no/such"},
        5,
        [],
        {"jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": {"name": "steps", "arguments": {"values": [1.0]}, "_meta": {"progressToken": 9}}},
    ]);
    client.raw(format!("{batch}\n"));
    let progress = client.receive();
    assert_eq!(progress["params"]["progressToken"], 9);
    let answer = client.receive();
    let mut answers = answer.as_array().unwrap().clone();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    let kinds: Vec<_> = answers
        .iter()
        .map(|answer| (answer["id"].clone(), answer["error"]["code"].clone()))
        .collect();
    assert_eq!(
        kinds,
        [
            (Value::Null, json!(-32600)),
            (Value::Null, json!(-32600)),
            (json!(1), Value::Null),
            (json!(2), Value::Null),
            (json!(3), json!(-32600)),
            (json!(4), json!(-32603)),
            (json!(5), json!(-32601)),
            (json!(6), Value::Null),
        ]
    );
}

#[test]
fn a_batch_without_requests_gets_no_answer_and_an_empty_one_an_error() {
    let mut client = Client::connected(server(), "2025-03-26");
    client.raw("[{\"jsonrpc\":\"2.0\",\"method\":\"nope\"}]\n");
    assert_eq!(client.until_barrier(), Vec::<Value>::new());
    let empty = answer(&mut client, b"[]");
    assert_eq!(empty["error"]["code"], -32600);
}

#[test]
fn cancelled_members_leave_a_batch_without_an_answer() {
    let gate = Gate::new();
    let server = with_toys(Server::builder("toys", "1.0.0"), &gate).build().unwrap();
    let mut client = Client::connected(server, "2025-03-26");
    let call = |id: u64| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "gate"}});
    client.raw(format!("{}\n", json!([call(1), call(2)])));
    assert_eq!((gate.next(), gate.next()), ("arrived", "arrived"));
    client.send(json!({"method": "notifications/cancelled", "params": {"requestId": 1}}));
    assert_eq!(gate.next(), "cancelled");
    assert_eq!(client.until_barrier(), Vec::<Value>::new());
    gate.open();
    let answer = client.receive();
    assert_eq!(answer.as_array().unwrap().len(), 1);
    assert_eq!(answer[0]["id"], 2);
}
