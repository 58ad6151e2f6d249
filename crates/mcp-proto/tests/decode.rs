//! What bytes become: envelope cases one by one, then anything at all.

use mcp_proto::{
    CallToolParams, CallToolResult, Content, CreateMessageParams, ElicitParams, ErrorCode,
    Incoming, InitializeParams, InputRequests, Method, Outcome, RequestId, RequestMeta, Revision,
    Tool, Wire, decode, decode_params, raw_meta, recover_id,
};
use proptest::prelude::*;

/// Renders a message as one line, so that cases are data.
fn show(incoming: &Incoming<'_>) -> String {
    let json = |raw: &serde_json::value::RawValue| raw.get().to_owned();
    let params =
        |params: &Option<&serde_json::value::RawValue>| params.map_or_else(|| "-".to_owned(), json);
    let id = |id: &Option<RequestId>| id.as_ref().map_or("-".to_owned(), ToString::to_string);
    match incoming {
        Incoming::Request { id, method, params: p } => {
            format!("request {id} {method} {}", params(p))
        }
        Incoming::Notification { method, params: p } => {
            format!("notification {method} {}", params(p))
        }
        Incoming::Response { id: i, result: Ok(result) } => {
            format!("result {} {}", id(i), json(result))
        }
        Incoming::Response { id: i, result: Err(error) } => {
            format!("error {} {:?} {}", id(i), error.code, error.message)
        }
        Incoming::Batch(members) => {
            format!("batch [{}]", members.iter().map(show).collect::<Vec<_>>().join(", "))
        }
        Incoming::Invalid { id: i, error, is_response, .. } => {
            let kind = if *is_response { "invalid response" } else { "invalid" };
            format!("{kind} {} {:?}", id(i), error.code)
        }
    }
}

fn check(cases: &[(&str, &str)]) {
    for (line, expected) in cases {
        assert_eq!(show(&decode(line.as_bytes())), *expected, "{line}");
    }
}

#[test]
fn requests_keep_their_id_and_their_raw_parameters() {
    check(&[
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "request 1 ping -"),
        (r#"{"jsonrpc":"2.0","id":"1","method":"ping"}"#, r#"request "1" ping -"#),
        (r#"{"jsonrpc":"2.0","id":0,"method":"ping"}"#, "request 0 ping -"),
        (r#"{"jsonrpc":"2.0","id":"","method":"ping"}"#, r#"request "" ping -"#),
        (r#"{"jsonrpc":"2.0","id":1.0,"method":"ping"}"#, "request 1 ping -"),
        (
            r#"{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping"}"#,
            "request 123456789012345678901234567890 ping -",
        ),
        (
            r#" { "params" : {"b": 1, "a": [ ]} , "method" : "x/y" , "id" : 7 , "jsonrpc" : "2.0" } "#,
            r#"request 7 x/y {"b": 1, "a": [ ]}"#,
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","extra":[{}]}"#, "request 1 ping -"),
        (r#"{"jsonrpc":"2\u002e0","id":1,"method":"pin\u0067"}"#, "request 1 ping -"),
    ]);
}

#[test]
fn absent_null_and_empty_parameters_are_told_apart_only_by_text() {
    check(&[
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#, "request 1 ping -"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}"#, "request 1 ping {}"),
    ]);
}

#[test]
fn a_message_without_an_id_is_a_notification_whatever_its_method() {
    check(&[
        (r#"{"jsonrpc":"2.0","method":"nope"}"#, "notification nope -"),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#,
            "notification notifications/cancelled {}",
        ),
        (r#"{"jsonrpc":"2.0","method":"tools/call"}"#, "notification tools/call -"),
        (r#"{"jsonrpc":"2.0","method":"x","params":[1]}"#, "notification x [1]"),
        (r#"{"jsonrpc":"2.0","method":"x","params":7}"#, "notification x 7"),
    ]);
}

#[test]
fn a_bad_id_never_makes_a_notification() {
    for id in ["null", "1.5", "1e3", "true", "{}", "[]", "[1]"] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        assert_eq!(show(&decode(line.as_bytes())), "invalid - InvalidRequest", "{line}");
        let line = format!(r#"{{"id":{id},"method":"tools/call","jsonrpc":"2.0","params":{{}}}}"#);
        assert_eq!(show(&decode(line.as_bytes())), "invalid - InvalidRequest", "{line}");
    }
}

#[test]
fn json_that_is_no_message_is_an_invalid_request_with_the_id_it_has() {
    check(&[
        (r#"{"id":3,"method":"ping"}"#, "invalid 3 InvalidRequest"),
        (r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, r#"invalid "a" InvalidRequest"#),
        (r#"{"jsonrpc":2.0,"id":3,"method":"ping"}"#, "invalid 3 InvalidRequest"),
        (r#"{"jsonrpc":null,"id":3,"method":"ping"}"#, "invalid 3 InvalidRequest"),
        (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, "invalid 1 InvalidRequest"),
        (r#"{"jsonrpc":"2.0","id":1,"method":null}"#, "invalid 1 InvalidRequest"),
        (r#"{"jsonrpc":"2.0","id":1}"#, "invalid 1 InvalidRequest"),
        (r#"{"jsonrpc":"2.0"}"#, "invalid - InvalidRequest"),
        (r#"{}"#, "invalid - InvalidRequest"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, "invalid 1 InvalidRequest"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":7}"#, "invalid 1 InvalidRequest"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#, "invalid 1 InvalidRequest"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","error":{"code":1,"message":""}}"#,
            "invalid 1 InvalidRequest",
        ),
        ("null", "invalid - InvalidRequest"),
        ("true", "invalid - InvalidRequest"),
        ("17", "invalid - InvalidRequest"),
        ("-17", "invalid - InvalidRequest"),
        ("1.5", "invalid - InvalidRequest"),
        ("\"ping\"", "invalid - InvalidRequest"),
    ]);
}

#[test]
fn responses_carry_a_result_object_or_an_error() {
    check(&[
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "result 1 {}"),
        (r#"{"jsonrpc":"2.0","id":"x","result":{"a":[1]}}"#, r#"result "x" {"a":[1]}"#),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#,
            "error 1 MethodNotFound no",
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#,
            "error - ParseError no",
        ),
        (r#"{"jsonrpc":"2.0","error":{"code":7,"message":"no"}}"#, "error - Other(7) no"),
    ]);
}

#[test]
fn a_bad_response_is_marked_so_that_nobody_answers_it() {
    check(&[
        (r#"{"jsonrpc":"2.0","id":1,"result":5}"#, "invalid response 1 InvalidRequest"),
        (r#"{"jsonrpc":"2.0","id":1,"result":null}"#, "invalid response 1 InvalidRequest"),
        (r#"{"jsonrpc":"2.0","result":{}}"#, "invalid response - InvalidRequest"),
        (r#"{"jsonrpc":"2.0","id":null,"result":{}}"#, "invalid response - InvalidRequest"),
        (r#"{"jsonrpc":"2.0","id":1.5,"result":{}}"#, "invalid response - InvalidRequest"),
        (r#"{"id":1,"result":{}}"#, "invalid response 1 InvalidRequest"),
        (r#"{"jsonrpc":"2.0","id":1,"error":{}}"#, "invalid response 1 InvalidRequest"),
        (r#"{"jsonrpc":"2.0","id":1,"error":"no"}"#, "invalid response 1 InvalidRequest"),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"no"}}"#,
            "invalid response 1 InvalidRequest",
        ),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#, "invalid response 1 InvalidRequest"),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"no"}}"#,
            "invalid response 1 InvalidRequest",
        ),
    ]);
}

#[test]
fn a_repeated_member_is_refused_and_a_repeated_id_is_no_id() {
    check(&[
        (r#"{"jsonrpc":"2.0","id":1,"id":1,"method":"ping"}"#, "invalid - InvalidRequest"),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, "invalid - InvalidRequest"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}"#, "invalid 1 InvalidRequest"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{},"params":{}}"#,
            "invalid 1 InvalidRequest",
        ),
        (r#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"a"}"#, "invalid 1 InvalidRequest"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"a","x":1,"x":2}"#, "request 1 a -"),
    ]);
}

#[test]
fn text_that_is_not_json_is_a_parse_error_with_the_id_read_before_the_fault() {
    check(&[
        ("not json", "invalid - ParseError"),
        ("", "invalid - ParseError"),
        ("   ", "invalid - ParseError"),
        ("{", "invalid - ParseError"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"} x"#, "invalid 1 ParseError"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}{}"#, "invalid 1 ParseError"),
        (r#"{"jsonrpc":"2.0","id":12"#, "invalid - ParseError"),
        (r#"{"jsonrpc":"2.0","id":12,"#, "invalid - ParseError"),
        (r#"{"jsonrpc":"2.0","id":12,"method":"pi"#, "invalid 12 ParseError"),
        (r#"{"jsonrpc":"2.0","id":12,"method":'ping'}"#, "invalid 12 ParseError"),
        (r#"{"jsonrpc":"2.0","id":12,"result":{"#, "invalid response - ParseError"),
        (r#"{"jsonrpc":"2.0","id":12,"result":{},"x":nul}"#, "invalid response - ParseError"),
        (r#"{"jsonrpc":"2.0","id":12,"unknown":nul}"#, "invalid - ParseError"),
        ("[{}", "invalid - ParseError"),
        ("\u{feff}{}", "invalid - ParseError"),
    ]);
}

#[test]
fn bytes_that_are_not_utf8_are_a_parse_error_that_still_finds_the_id() {
    for line in [
        &b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"x\",\"params\":{\"a\":\"\xff\"}}"[..],
        b"{\"params\":{\"a\":\"\xc3\x28\"},\"method\":\"x\",\"jsonrpc\":\"2.0\",\"id\":5}",
    ] {
        assert_eq!(show(&decode(line)), "invalid 5 ParseError");
    }
    assert_eq!(show(&decode(b"\xff\xfe")), "invalid - ParseError");
}

#[test]
fn the_id_of_a_cut_message_is_found_only_when_it_is_whole() {
    let found = |text: &str| recover_id(text.as_bytes()).map(|id| id.to_string());
    assert_eq!(found(r#"{"id":12,"method":"tools/call","params":{"a":"xxxx"#).unwrap(), "12");
    assert_eq!(found(r#"{"id":"ab","method":"tools/call","par"#).unwrap(), "\"ab\"");
    for text in [
        r#"{"method":"x","id":12"#,
        r#"{"id":12"#,
        r#"{"id":"a"#,
        r#"{"method":"x","params":{"id":3,"a":"#,
        "[{\"id\":1,",
    ] {
        assert_eq!(found(text), None, "{text}");
    }
    assert_eq!(found(r#"{"id":12,"result":{"content":[{"#), None);
}

#[test]
fn batches_keep_order_and_hold_no_batches() {
    check(&[
        ("[]", "batch []"),
        ("[1]", "batch [invalid - InvalidRequest]"),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},7,{"id":2}]"#,
            "batch [request 1 ping -, notification x -, invalid - InvalidRequest, \
             invalid 2 InvalidRequest]",
        ),
        (
            r#"[[{"jsonrpc":"2.0","id":1,"method":"ping"}],[],"x",null]"#,
            "batch [invalid - InvalidRequest, invalid - InvalidRequest, \
             invalid - InvalidRequest, invalid - InvalidRequest]",
        ),
        (r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#, "batch [result 1 {}]"),
    ]);
}

#[test]
fn deep_nesting_costs_no_stack() {
    let open = "[".repeat(100_000);
    assert_eq!(show(&decode(open.as_bytes())), "invalid - ParseError");
    let objects = "{\"a\":".repeat(100_000);
    assert_eq!(show(&decode(objects.as_bytes())), "invalid - ParseError");

    let closed = format!("{open}{}", "]".repeat(100_000));
    assert_eq!(show(&decode(closed.as_bytes())), "batch [invalid - InvalidRequest]");

    let line =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"a":{closed}}}}}"#);
    let Incoming::Request { params, .. } = decode(line.as_bytes()) else { panic!("not a request") };
    assert_eq!(raw_meta(params).map(|meta| meta.get()), None);
    let error = decode_params::<Tool>(params).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidParams);
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"_meta":{{"progressToken":{closed}}}}}}}"#
    );
    let Incoming::Request { params, .. } = decode(line.as_bytes()) else { panic!("not a request") };
    assert_eq!(RequestMeta::from_params(params).unwrap_err().code, ErrorCode::InvalidParams);
}

#[test]
fn tool_arguments_are_an_object_or_absent() {
    let call = |text: &str| -> Result<String, String> {
        let raw = serde_json::from_str(text).unwrap();
        let call: Result<CallToolParams<'_>, _> = decode_params(Some(raw));
        call.map(|call| call.arguments_json().to_owned()).map_err(|error| error.message)
    };
    assert_eq!(call(r#"{"name":"a"}"#).unwrap(), "{}");
    assert_eq!(call(r#"{"name":"a","arguments":{ "z":1,"a":2 }}"#).unwrap(), r#"{ "z":1,"a":2 }"#);
    for arguments in ["null", "[]", "\"{}\"", "1"] {
        let error = call(&format!(r#"{{"name":"a","arguments":{arguments}}}"#)).unwrap_err();
        assert!(error.contains("`arguments` must be an object"), "{error}");
    }
    assert!(call(r#"{"arguments":{}}"#).unwrap_err().contains("missing field `name`"));
    assert!(call(r#"{"name":7}"#).is_err());
    assert!(decode_params::<CallToolParams<'_>>(None).is_err());
}

#[test]
fn a_defined_meta_key_that_is_present_must_have_its_type() {
    let meta = |text: &str| {
        let raw = format!(r#"{{"_meta":{text},"name":"x"}}"#);
        RequestMeta::from_params(Some(serde_json::from_str(&raw).unwrap()))
    };
    for (key, bad) in [
        ("progressToken", ["null", "1.5", "{}"]),
        ("io.modelcontextprotocol/protocolVersion", ["null", "1", "[]"]),
        ("io.modelcontextprotocol/clientInfo", ["null", "{}", "\"x\""]),
        ("io.modelcontextprotocol/clientCapabilities", ["null", "[1]", "\"x\""]),
        ("io.modelcontextprotocol/logLevel", ["null", "\"loud\"", "3"]),
    ] {
        for value in bad {
            let error = meta(&format!(r#"{{"{key}":{value}}}"#)).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidParams, "{key}: {value}");
            assert!(error.message.contains(&format!("`{key}`: ")), "{}", error.message);
            assert!(!error.message.contains("struct"), "{}", error.message);
            assert!(!error.message.contains(" at line "), "{}", error.message);
        }
    }
    let kept = meta(r#"{"traceparent":"00-1-2-01","com.example/x":{"a":null}}"#).unwrap();
    assert_eq!(kept.protocol_version, None);
    assert_eq!(kept.other.get("com.example/x").unwrap().get(), r#"{"a":null}"#);
    assert_eq!(meta("null").unwrap(), RequestMeta::default());
    assert!(meta("7").is_err());
    let claims = meta(r#"{"io.modelcontextprotocol/protocolVersion":"v999"}"#).unwrap();
    assert_eq!(claims.protocol_version.as_deref(), Some("v999"));
}

#[test]
fn results_are_told_apart_by_their_type() {
    let outcome =
        |text: &str| Outcome::<CallToolResult>::from_raw(serde_json::from_str(text).unwrap());
    assert!(matches!(outcome(r#"{"content":[]}"#), Ok(Outcome::Complete(_))));
    assert!(matches!(outcome("{}"), Ok(Outcome::Complete(_))));
    assert!(matches!(
        outcome(r#"{"resultType":"input_required","requestState":""}"#),
        Ok(Outcome::InputRequired(result)) if result.request_state.as_ref().unwrap().as_str() == ""
    ));
    let task = r#""taskId":"t","status":"working","createdAt":"a","lastUpdatedAt":"b""#;
    for text in [
        format!(r#"{{"resultType":"task",{task},"ttlMs":5}}"#),
        format!(r#"{{"task":{{{task},"ttl":5}}}}"#),
    ] {
        let Ok(Outcome::Task(result)) = outcome(&text) else { panic!("no task: {text}") };
        assert_eq!((result.task.task_id.as_str(), result.task.ttl_ms), ("t", Some(5)));
    }
    assert!(outcome(r#"{"resultType":"surprise","content":[]}"#).is_err());
    assert!(outcome(r#"{"resultType":null,"content":[]}"#).is_err());
}

#[test]
fn structured_null_is_kept_apart_from_nothing() {
    let result: CallToolResult = serde_json::from_str(r#"{"structuredContent":null}"#).unwrap();
    assert_eq!(result.structured_content.unwrap().get(), "null");
    assert_eq!(CallToolResult::default().structured_content, None);
}

#[test]
fn blocks_of_an_unknown_type_are_kept_as_they_came() {
    let text = r#"{"z":1,"type":"hologram","a":{"b":null}}"#;
    let block: Content = serde_json::from_str(text).unwrap();
    assert!(matches!(block, Content::Other(_)));
    let mut out = Vec::new();
    Wire::new(Revision::V2026_07_28).value(&mut out, &block).unwrap();
    assert_eq!(out, text.as_bytes());
    assert!(serde_json::from_str::<Content>(r#"{"text":"no type"}"#).is_err());
    assert!(serde_json::from_str::<Content>(r#"{"type":"text"}"#).is_err());
}

const SEEDS: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":[1,2]},"_meta":{"progressToken":"p","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}}"#,
    r#"{"jsonrpc":"2.0","id":"\u00e9\ud83d\ude00","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true},"tasks":{"requests":{"sampling":{"createMessage":{}}}}},"clientInfo":{"name":"c","version":"1"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":0,"progress":1.5e0,"total":-0}}"#,
    r#"{"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"a"},{"type":"resource","resource":{"uri":"u","blob":""}}],"structuredContent":null,"isError":true}}"#,
    r#"{"jsonrpc":"2.0","error":{"code":-32002,"message":"m","data":{"uri":"x"}}}"#,
    r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},[],{"id":null}]"#,
];

/// Takes a message apart as far as its kind allows, with every type it might hold.
fn exhaust(bytes: &[u8]) {
    match decode(bytes) {
        Incoming::Request { params, .. } | Incoming::Notification { params, .. } => {
            let _meta = RequestMeta::from_params(params);
            let _call = decode_params::<CallToolParams<'_>>(params);
            let _open = decode_params::<InitializeParams>(params);
            let _sample = decode_params::<CreateMessageParams>(params);
            let _elicit = decode_params::<ElicitParams>(params);
            let _inputs = decode_params::<InputRequests>(params);
        }
        Incoming::Response { result: Ok(raw), .. } => {
            let _outcome = Outcome::<CallToolResult>::from_raw(raw);
        }
        Incoming::Response { .. } | Incoming::Batch(_) | Incoming::Invalid { .. } => {}
    }
    let _id = recover_id(bytes);
}

proptest! {
    #[test]
    fn any_bytes_decode_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..256)) {
        exhaust(&bytes);
    }

    #[test]
    fn any_json_like_text_decodes_without_a_panic(
        text in r#"(\{|\}|\[|\]|,|:|"id"|"method"|"params"|"_meta"|"jsonrpc"|"2\.0"|"result"|"error"|null|1|-|1\.0|"|\\|u|d|e| ){0,60}"#,
    ) {
        exhaust(text.as_bytes());
    }

    #[test]
    fn damaged_messages_decode_without_a_panic(
        seed in 0..SEEDS.len(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 0..6),
    ) {
        let mut bytes = SEEDS[seed].as_bytes().to_vec();
        for (place, byte, kind) in damage {
            if bytes.is_empty() { break; }
            let at = place.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => { bytes.remove(at); }
                2 => bytes.insert(at, byte),
                _ => bytes.truncate(at),
            }
        }
        exhaust(&bytes);
    }

    #[test]
    fn a_message_cut_anywhere_is_never_a_message(seed in 0..SEEDS.len(), at in any::<prop::sample::Index>()) {
        let line = SEEDS[seed].as_bytes();
        let cut = &line[..at.index(line.len())];
        let is_invalid = matches!(decode(cut), Incoming::Invalid { .. });
        prop_assert!(is_invalid);
    }

    #[test]
    fn every_id_comes_back_with_its_type(number in any::<i64>(), big in "[1-9][0-9]{0,40}", text in any::<String>()) {
        let wire = Wire::new(Revision::V2025_11_25);
        for id in [
            RequestId::from(number),
            RequestId::from(text.as_str()),
            serde_json::from_str(&big).unwrap(),
            serde_json::from_str(&format!("-{big}")).unwrap(),
        ] {
            let mut out = Vec::new();
            wire.request(&mut out, &id, Method::Ping, &mcp_proto::NoParams {}, &RequestMeta::default()).unwrap();
            let Incoming::Request { id: back, .. } = decode(&out) else { panic!("not a request") };
            prop_assert_eq!(back, id);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn large_parameters_give_what_any_json_holds(
        before in json_text(), meta in json_text(), after in json_text(), pad in 4096_usize..9000,
    ) {
        let text = format!(
            r#"{{"before":{before},"pad":"{}","_meta":{meta},"name":"t","arguments":{{"after":{after}}}}}"#,
            "x".repeat(pad)
        );
        let params: Box<serde_json::value::RawValue> = serde_json::from_str(&text).unwrap();
        let found = raw_meta(Some(&params)).map(|meta| meta.get().to_owned());
        prop_assert_eq!(found, Some(meta).filter(|meta| meta != "null"));
        let called = CallToolParams::from_params(Some(&params)).unwrap();
        prop_assert_eq!(called.arguments_json(), format!(r#"{{"after":{after}}}"#));
    }
}

/// Any JSON value, some of them with escapes and brackets where they mean nothing.
#[expect(clippy::unwrap_used, reason = "text and numbers always serialise")]
fn json_text() -> impl Strategy<Value = String> {
    let text = any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap());
    let leaf = prop_oneof![
        text,
        any::<f64>().prop_map(|n| serde_json::to_string(&n).unwrap()),
        Just("true".to_owned()),
        Just("null".to_owned()),
        Just(r#""\\\"}{[,:""#.to_owned()),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let list = proptest::collection::vec(inner.clone(), 0..4);
        let members = proptest::collection::vec((any::<String>(), inner), 0..4);
        prop_oneof![
            list.prop_map(|items| format!("[ {} ]", items.join(" ,"))),
            members.prop_map(|members| {
                let members = members.iter().map(|(name, value)| {
                    format!("{}: {value}", serde_json::to_string(name).unwrap())
                });
                format!("{{{}}}", members.collect::<Vec<_>>().join(","))
            }),
        ]
    })
}

#[test]
fn meta_is_found_wherever_it_stands_and_however_it_is_spelled() {
    let found = |text: &str| {
        raw_meta(Some(serde_json::from_str(text).unwrap())).map(|raw| raw.get().to_owned())
    };
    assert_eq!(found(r#"{"_meta":{"a":1},"x":[]}"#).unwrap(), r#"{"a":1}"#);
    assert_eq!(found(r#"{"x":{"_meta":2},"_meta":{"a":1}}"#).unwrap(), r#"{"a":1}"#);
    assert_eq!(found(r#"{"\u005fmeta":{"a":1}}"#).unwrap(), r#"{"a":1}"#);
    assert_eq!(found(r#"{"_meta":{"a":1},"_meta":{"a":2}}"#).unwrap(), r#"{"a":1}"#);
    for text in [r#"{"_meta":null}"#, r#"{"x":{"_meta":{}}}"#, r#"{"x":"_meta"}"#, "{}", "[]"] {
        assert_eq!(found(text), None, "{text}");
    }
}

#[test]
fn large_parameters_decode_as_small_ones_do() {
    let pad = "x\\n\\\"}{".repeat(1000);
    for text in [
        r#"{"name":"t","arguments":{"text":"PAD","n":[1,{}]}}"#,
        r#"{"arguments":{"text":"PAD"},"_meta":{"progressToken":1},"name":"t\u0061"}"#,
        r#"{"name":"t","arguments":{},"other":"PAD"}"#,
        r#"{"name":"t","other":"PAD"}"#,
        r#"{"name":"t","arguments":["PAD"]}"#,
        r#"{"name":"t","arguments":null,"other":"PAD"}"#,
        r#"{"name":1,"arguments":{"text":"PAD"}}"#,
        r#"{"arguments":{"text":"PAD"}}"#,
        r#"{"name":"t","arguments":{"text":"PAD"},"arguments":{}}"#,
        r#"{"name":"t","arguments":{"a":"PAD"},"requestState":"s","task":{"ttl":5}}"#,
    ] {
        let decoded = |text: &str| {
            let params: Box<serde_json::value::RawValue> = serde_json::from_str(text).unwrap();
            let meta = raw_meta(Some(&params)).map(|meta| meta.get().to_owned());
            match CallToolParams::from_params(Some(&params)) {
                Ok(params) => format!("{params:?} {meta:?}"),
                Err(error) => format!("{error:?} {meta:?}"),
            }
        };
        let (small, large) = (text.replace("PAD", "p"), text.replace("PAD", &pad));
        let shown = format!("{pad:?}");
        let shown = decoded(&large).replace(shown.trim_matches('"'), "p");
        assert_eq!(shown, decoded(&small), "{text}");
    }
}

#[test]
fn a_hint_of_a_later_revision_does_not_cost_the_message() {
    let tool: Tool = serde_json::from_str(
        r#"{"name":"t","inputSchema":{"type":"object"},"icons":[{"src":"data:,","theme":"sepia"}],
            "execution":{"taskSupport":"always"},"outputSchema":null,"_meta":null}"#,
    )
    .unwrap();
    assert_eq!(tool.icons[0].theme, None);
    assert_eq!(tool.execution.unwrap().task_support, None);
    assert_eq!(tool.output_schema, None);
    let block: Content = serde_json::from_str(
        r#"{"type":"text","text":"x","annotations":{"audience":["critic","user"]}}"#,
    )
    .unwrap();
    let Content::Text(text) = block else { panic!("not text") };
    assert_eq!(text.annotations.unwrap().audience, [mcp_proto::Role::User]);
    for schema in ["null", "[]", "\"object\"", "7"] {
        let text = format!(r#"{{"name":"t","inputSchema":{schema}}}"#);
        assert!(serde_json::from_str::<Tool>(&text).is_err(), "{text}");
    }
}

#[test]
fn parameters_are_never_given_by_position() {
    for text in ["[]", "[\"p\",1]", "7", "\"x\""] {
        let raw = serde_json::from_str(text).unwrap();
        assert!(decode_params::<mcp_proto::Progress>(Some(raw)).is_err(), "{text}");
        assert!(decode_params::<mcp_proto::Initialized>(Some(raw)).is_err(), "{text}");
    }
}

#[test]
fn the_type_of_a_block_counts_wherever_it_stands() {
    for text in [
        r#"{"type":"text","text":"a"}"#,
        r#"{ "type" : "text" , "text" : "a" }"#,
        r#"{"text":"a","type":"text"}"#,
        r#"{"type":"te\u0078t","text":"a"}"#,
        r#"{"\u0074ype":"text","text":"a"}"#,
        r#"{"_meta":{"type":"image"},"type":"text","text":"a"}"#,
    ] {
        let block: Content = serde_json::from_str(text).unwrap();
        assert!(matches!(&block, Content::Text(block) if block.text == "a"), "{text}: {block:?}");
    }
    for other in [r#"{"type":"text\"","text":"a"}"#, r#"{"type":"text,","text":"a"}"#] {
        let block: Content = serde_json::from_str(other).unwrap();
        assert!(matches!(block, Content::Other(_)), "{other}: {block:?}");
    }
    for wrong in [r#"{"type":1,"text":"a"}"#, r#"{"text":"a"}"#, r#"{"type":"text"}"#, "[]"] {
        serde_json::from_str::<Content>(wrong).expect_err(wrong);
    }
}
