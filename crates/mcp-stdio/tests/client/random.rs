//! Whatever a server writes, the client neither panics nor hangs.

use proptest::prelude::*;
use serde_json::json;

use crate::peer::{Scripts, open, plain, said};

fn piece() -> impl Strategy<Value = Vec<u8>> {
    let messages = prop::sample::select(vec![
        json!({"jsonrpc": "2.0", "id": 3, "result": {}}).to_string(),
        json!({"jsonrpc": "2.0", "id": 3, "error": {"code": 1, "message": ""}}).to_string(),
        json!({"jsonrpc": "2.0", "id": 9, "method": "ping"}).to_string(),
        json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}).to_string(),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled"}).to_string(),
        "[]".to_owned(),
        "{".to_owned(),
        "\u{feff}x".to_owned(),
    ]);
    prop_oneof![
        messages.prop_map(|text| format!("{text}\n").into_bytes()),
        prop::collection::vec(any::<u8>(), 0..40).prop_map(|mut bytes| {
            bytes.push(b'\n');
            bytes
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn noise_around_an_answer_is_survived(
        before in prop::collection::vec(piece(), 0..8),
        cut in 0_usize..64,
    ) {
        let scripts = Scripts::one(move |server| {
            server.handshake("2025-11-25");
            let call = server.expect("tools/call");
            // In pieces of any size: a read need not end where a message does.
            for piece in before.concat().chunks(cut + 1) {
                server.raw(piece);
            }
            server.result(&call, said("done"));
            while let Some(message) = server.next() {
                if message["method"] == "tools/call" {
                    server.result(&message, said("again"));
                }
            }
        });
        let session = open(&scripts).unwrap();
        // The noise may hold an answer to this very request.
        drop(session.call_tool("x", None, &plain()));
        let second = session.call_tool("x", None, &plain()).unwrap();
        prop_assert_eq!(crate::peer::text(&second), "again");
    }
}
