//! What is encoded: valid for its revision, on one line, and the same after a round trip.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "what makes and checks messages fails where it stands"
)]

mod instance;
mod schema;
mod source;
mod typed;

use mcp_proto::{
    Era, Fields, Incoming, Kind, Method, RequestMeta, ResultBody, Revision, Wire, decode,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use instance::{Instances, Optional};
use schema::Schemas;
use source::Source;

/// Checks one encoded message against its definition, and returns it.
fn checked(schemas: &Schemas, wire: &Wire, definition: &str, out: &[u8]) -> Value {
    assert!(!out.contains(&b'\n') && !out.contains(&b'\r'), "{}", String::from_utf8_lossy(out));
    let message: Value = serde_json::from_slice(out).unwrap();
    schemas.check(wire.revision(), definition, &message);
    message
}

/// Methods whose shapes only the tasks extension defines, which has no schema of its own.
fn is_extension(method: Method, revision: Revision) -> bool {
    method.is_tasks_extension(revision)
}

fn request(schemas: &Schemas, method: Method, wire: &Wire, bytes: &[u8]) {
    let mut source = Source(bytes);
    let (id, meta) = (source.id(), source.request_meta());
    let mut out = Vec::new();
    let sent = source.params(method, |params| wire.request(&mut out, &id, method, params, &meta));
    if sent.is_err() {
        assert!(out.is_empty());
        return;
    }
    if !is_extension(method, wire.revision()) {
        checked(schemas, wire, method.spec().definition, &out);
    }
    let Incoming::Request { id: back, method: name, params: raw } = decode(&out) else {
        panic!("no request: {}", String::from_utf8_lossy(&out));
    };
    assert_eq!((&back, name.known()), (&id, Some(method)));
    let meta = RequestMeta::from_params(raw).unwrap();
    let mut again = Vec::new();
    let send = |params: &dyn Fields| wire.request(&mut again, &back, method, params, &meta);
    typed::with_params(method, raw, send).unwrap().unwrap();
    assert_same(&out, &again);
}

fn result(schemas: &Schemas, method: Method, wire: &Wire, bytes: &[u8]) {
    let spec = method.spec();
    let spoken = spec.client_may_send(wire.revision()) || spec.server_may_send(wire.revision());
    if !spoken {
        return;
    }
    let mut source = Source(bytes);
    let id = source.id();
    let mut out = Vec::new();
    if source.result(method, |result| wire.result(&mut out, &id, result)).is_err() {
        assert!(out.is_empty());
        return;
    }
    let message: Value = serde_json::from_slice(&out).unwrap();
    let result = &message["result"];
    let definition = match result["resultType"].as_str() {
        Some("input_required") => "InputRequiredResult",
        // The extension has no schema; the common one still holds.
        Some("task") => "Result",
        _ if is_extension(method, wire.revision()) => "Result",
        _ if method == Method::CallTool && result.get("task").is_some() => "CreateTaskResult",
        _ => spec.result.unwrap(),
    };
    schemas.check(wire.revision(), definition, result);
    assert!(!out.contains(&b'\n'));

    let Incoming::Response { id: Some(back), result: Ok(raw) } = decode(&out) else {
        panic!("no result: {message}");
    };
    assert_eq!(back, id);
    if method == Method::GetTaskPayload {
        return;
    }
    let mut again = Vec::new();
    let send = |result: &dyn ResultBody| wire.result(&mut again, &back, result);
    typed::with_result(method, raw, send).unwrap().unwrap();
    assert_same(&out, &again);
}

fn notification(schemas: &Schemas, method: Method, wire: &Wire, bytes: &[u8]) {
    let mut out = Vec::new();
    if Source(bytes).notify(method, wire, &mut out).is_err() {
        assert!(out.is_empty());
        return;
    }
    if !is_extension(method, wire.revision()) {
        checked(schemas, wire, method.spec().definition, &out);
    }
    let Incoming::Notification { method: name, params: raw } = decode(&out) else {
        panic!("no notification: {}", String::from_utf8_lossy(&out));
    };
    assert_eq!(name.known(), Some(method));
    let mut again = Vec::new();
    typed::notify_again(method, raw, wire, &mut again).unwrap().unwrap();
    assert_same(&out, &again);
}

fn error(schemas: &Schemas, wire: &Wire, bytes: &[u8]) {
    let mut source = Source(bytes);
    let (id, error) = (source.id(), source.error());
    let mut out = Vec::new();
    wire.error(&mut out, Some(&id), &error);
    let definition = match wire.revision() {
        Revision::V2024_11_05 | Revision::V2025_03_26 | Revision::V2025_06_18 => "JSONRPCError",
        _ => "JSONRPCErrorResponse",
    };
    let message = checked(schemas, wire, definition, &out);
    let code = message["error"]["code"].as_i64().unwrap();
    let special = match code {
        -32021 => Some("MissingRequiredClientCapabilityError"),
        -32022 => Some("UnsupportedProtocolVersionError"),
        -32042 => Some("URLElicitationRequiredError"),
        _ => None,
    };
    // Elicitations are listed by 2025-11-25 alone; the other two came after it.
    if let Some(definition) =
        special.filter(|_| !matches!(error.code, mcp_proto::ErrorCode::Other(_)))
    {
        checked(schemas, wire, definition, &out);
    }
    let reserved = (-32768..=-32000).contains(&code);
    let defined = match wire.revision().era() {
        Era::Handshake => &[-32700, -32600, -32601, -32602, -32603, -32002, -32042][..],
        Era::PerRequest => &[-32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022][..],
    };
    assert!(!reserved || defined.contains(&code), "{message}");
}

fn assert_same(before: &[u8], after: &[u8]) {
    assert_eq!(String::from_utf8_lossy(before), String::from_utf8_lossy(after));
}

proptest! {
    // A stored failure would mean another message as soon as the generator changes.
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_message_is_valid_in_its_revision_and_survives_a_round_trip(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        let schemas = Schemas::load();
        for revision in Revision::ALL {
            let server = Source(&bytes).implementation();
            for wire in [Wire::new(revision), Wire::new(revision).with_server_info(&server)] {
                for &method in Method::ALL {
                    match method.spec().kind {
                        Kind::Request => {
                            request(schemas, method, &wire, &bytes);
                            result(schemas, method, &wire, &bytes);
                        }
                        Kind::Notification => notification(schemas, method, &wire, &bytes),
                    }
                }
                error(schemas, &wire, &bytes);
            }
        }
    }
}

/// Decodes a message or result that a peer sent and encodes it again.
fn again(
    method: Method,
    wire: &Wire,
    message: &Value,
    is_result: bool,
) -> Result<Value, Box<dyn std::error::Error>> {
    let text = message.to_string();
    let mut out = Vec::new();
    if is_result {
        let raw = serde_json::from_str(&text)?;
        let send = |result: &dyn ResultBody| wire.result_value(&mut out, result);
        typed::with_result(method, raw, send)??;
    } else {
        match decode(text.as_bytes()) {
            Incoming::Request { id, params, .. } => {
                let meta = RequestMeta::from_params(params)?;
                let send = |params: &dyn Fields| wire.request(&mut out, &id, method, params, &meta);
                typed::with_params(method, params, send)??;
            }
            Incoming::Notification { params, .. } => {
                typed::notify_again(method, params, wire, &mut out)??;
            }
            other => return Err(format!("decoded as {other:?}").into()),
        }
    }
    Ok(serde_json::from_slice(&out)?)
}

/// Removes members that mean the same empty and absent.
fn drop_empty(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(drop_empty);
            if let Some(Value::Object(requests)) = members.get_mut("requests") {
                requests.retain(|_, kinds| *kinds != json!({}));
            }
            let names = ["_meta", "params", "arguments", "requests"];
            members.retain(|name, member| *member != json!({}) || !names.contains(&name.as_str()));
        }
        Value::Array(items) => items.iter_mut().for_each(drop_empty),
        _ => {}
    }
}

/// Removes what was `null` for absent. Nothing else in a generated instance is both optional and
/// `null`.
fn drop_null(value: &mut Value) {
    match value {
        Value::Object(members) => {
            let is_task = members.contains_key("taskId");
            members.retain(|name, member| {
                let name = name.as_str();
                !member.is_null() || KEEPS_NULL.contains(&name) || (is_task && name == "ttl")
            });
            members.values_mut().for_each(drop_null);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_null),
        _ => {}
    }
}

/// Members that hold `null` as a value: any JSON. A task's time may be without limit, too.
const KEEPS_NULL: &[&str] = &["structuredContent", "data", "a", "com.example/a"];

fn nothing_is_lost(bytes: &[u8], optional: Optional) {
    let schemas = Schemas::load();
    for revision in Revision::ALL {
        let wire = Wire::new(revision);
        for &method in Method::ALL {
            let spec = method.spec();
            let spoken = spec.client_may_send(revision) || spec.server_may_send(revision);
            if !spoken || is_extension(method, revision) {
                continue;
            }
            for definition in [Some(spec.definition), spec.result].into_iter().flatten() {
                if definition == "GetTaskPayloadResult" {
                    continue;
                }
                let is_result = spec.result == Some(definition);
                let mut instances = Instances { schemas, revision, choices: bytes, optional };
                let mut message = instances.of(definition);
                if !is_result {
                    message["jsonrpc"] = "2.0".into();
                    if spec.kind == Kind::Request {
                        message["id"] = 1.into();
                    } else {
                        message.as_object_mut().unwrap().remove("id");
                    }
                }
                if definition == "CancelledNotification" {
                    // Optional once, where it then says nothing at all.
                    message["params"]["requestId"] = 1.into();
                }
                match again(method, &wire, &message, is_result) {
                    Ok(mut back) => {
                        for value in [&mut back, &mut message] {
                            if optional == Optional::SomeNull {
                                drop_null(value);
                            }
                            drop_empty(value);
                        }
                        assert_eq!(back, message, "{revision} {definition}");
                    }
                    Err(error) => panic!("{revision} {definition}: {error}\n{message}"),
                }
            }
        }
    }
}

#[test]
fn nothing_that_a_schema_lists_is_lost() {
    for choice in 0..=12 {
        nothing_is_lost(&[choice; 400], Optional::All);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_that_a_peer_sends_is_lost(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        optional in prop::sample::select(vec![Optional::All, Optional::Some, Optional::SomeNull]),
    ) {
        nothing_is_lost(&bytes, optional);
    }
}

#[test]
fn every_method_of_every_revision_is_reached() {
    let schemas = Schemas::load();
    for revision in Revision::ALL {
        let wire = Wire::new(revision);
        for &method in Method::ALL {
            let spec = method.spec();
            let spoken = spec.client_may_send(revision) || spec.server_may_send(revision);
            // Enough ids, cursors and the like to leave every branch; few enough to stay quick.
            let encodes = |bytes: &[u8]| {
                let mut out = Vec::new();
                match spec.kind {
                    Kind::Request => {
                        let mut source = Source(bytes);
                        let meta = RequestMeta::default();
                        let id = 1_i64.into();
                        source
                            .params(method, |params| {
                                wire.request(&mut out, &id, method, params, &meta)
                            })
                            .is_ok()
                    }
                    Kind::Notification => Source(bytes).notify(method, &wire, &mut out).is_ok(),
                }
            };
            assert_eq!(encodes(&[]), spoken, "{method} in {revision}");
            let defined = schemas.has(revision, spec.definition);
            let nested = revision.era() == Era::PerRequest
                && matches!(method, Method::ListRoots | Method::CreateMessage | Method::Elicit);
            assert!(
                defined == (spoken && !is_extension(method, revision)) || nested,
                "{method} in {revision}: {defined}"
            );
        }
    }
}
