//! Requests and their answers: order, time, cancellation, progress, rounds of input.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use mcp_proto::{CompleteParams, CompletionRef, Strings};
use mcp_stdio::client::{CallOptions, CancelToken, ClientError, ClientLimits};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::peer::{Scripts, limits, open, open_with, plain, said, text};

fn raw(value: Value) -> Box<RawValue> {
    RawValue::from_string(value.to_string()).unwrap()
}

#[test]
fn answers_are_matched_by_id_in_any_order() {
    const CALLS: usize = 20;
    let scripts = Scripts::one(|server| {
        server.handshake("2025-11-25");
        let mut calls: Vec<_> = (0..CALLS).map(|_| server.expect("tools/call")).collect();
        calls.reverse();
        for call in calls {
            let answer = call["params"]["arguments"]["n"].to_string();
            server.result(&call, said(&answer));
        }
        server.drain();
    });
    let session = Arc::new(open(&scripts).unwrap());
    let threads: Vec<_> = (0..CALLS)
        .map(|n| {
            let session = Arc::clone(&session);
            std::thread::spawn(move || {
                let arguments = raw(json!({"n": n}));
                let result = session.call_tool("echo", Some(&arguments), &plain()).unwrap();
                assert_eq!(text(&result), n.to_string());
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn a_time_beyond_every_clock_is_only_a_long_one() {
    let scripts = Scripts::one(|server| {
        server.handshake("2025-11-25");
        let call = server.expect("tools/call");
        server.result(&call, said("in time"));
        server.drain();
    });
    let session = open(&scripts).unwrap();
    let options = CallOptions::default().timeout(Duration::MAX).extended_to(Duration::MAX);
    assert_eq!(text(&session.call_tool("echo", None, &options).unwrap()), "in time");
}

#[test]
fn foreign_repeated_and_broken_answers_are_dropped() {
    let scripts = Scripts::one(|server| {
        server.handshake("2025-11-25");
        let call = server.expect("tools/call");
        let id = call["id"].clone();
        server.send(json!({"id": 4711, "result": {}}));
        server.send(json!({"id": id.to_string(), "result": said("a string is another id")}));
        server.send(json!({"id": null, "error": {"code": -32700, "message": "no"}}));
        server.send(json!({"error": {"code": -32700, "message": "no"}}));
        server.result(&call, said("first"));
        server.result(&call, said("second"));
        let call = server.expect("tools/call");
        server.result(&call, said("third"));
        server.drain();
    });
    let session = open(&scripts).unwrap();
    assert_eq!(text(&session.call_tool("x", None, &plain()).unwrap()), "first");
    assert_eq!(text(&session.call_tool("x", None, &plain()).unwrap()), "third");
}

#[test]
fn an_answer_with_both_result_and_error_fails_its_request_alone() {
    let scripts = Scripts::one(|server| {
        server.handshake("2025-11-25");
        let call = server.expect("tools/call");
        let error = json!({"code": 1, "message": "no"});
        server.send(json!({"id": call["id"], "result": {}, "error": error}));
        let call = server.expect("tools/call");
        server.result(&call, said("fine"));
        server.drain();
    });
    let session = open(&scripts).unwrap();
    let error = session.call_tool("x", None, &plain()).unwrap_err();
    assert!(error.to_string().contains("both"), "{error}");
    assert_eq!(text(&session.call_tool("x", None, &plain()).unwrap()), "fine");
}

#[test]
fn a_late_answer_finds_nobody_and_the_server_is_told_cn_13() {
    let scripts = Scripts::one(|server| {
        server.handshake("2025-11-25");
        let call = server.expect("tools/call");
        let cancelled = server.expect("notifications/cancelled");
        assert_eq!(cancelled["params"]["requestId"], call["id"]);
        server.result(&call, said("late"));
        let call = server.expect("tools/call");
        server.result(&call, said("in time"));
        server.drain();
    });
    let session = open(&scripts).unwrap();
    let hasty = plain().timeout(Duration::ZERO);
    let error = session.call_tool("x", None, &hasty).unwrap_err();
    assert!(matches!(error, ClientError::TimedOut { .. }), "{error}");
    assert_eq!(text(&session.call_tool("x", None, &plain()).unwrap()), "in time");
}

#[test]
fn a_token_cancels_from_another_thread_cn_10() {
    for version in ["2025-11-25", "2026-07-28"] {
        let token = CancelToken::new();
        let far = token.clone();
        let scripts = Scripts::one(move |server| {
            if version == "2026-07-28" {
                server.stateless();
            } else {
                server.handshake(version);
            }
            let call = server.expect("tools/call");
            far.cancel();
            let cancelled = server.expect("notifications/cancelled");
            assert_eq!(cancelled["params"]["requestId"], call["id"]);
            server.drain();
        });
        let session = open(&scripts).unwrap();
        let options = plain().cancel(&token);
        let error = session.call_tool("x", None, &options).unwrap_err();
        assert!(matches!(error, ClientError::Cancelled), "{error}");
        // A token that is cancelled already lets nothing out.
        let error = session.call_tool("x", None, &options).unwrap_err();
        assert!(matches!(error, ClientError::Cancelled), "{error}");
    }
}

#[test]
fn progress_rises_and_ends_with_the_answer_po_12() {
    let scripts = Scripts::one(|server| {
        server.stateless();
        let call = server.expect("tools/call");
        let token = call["params"]["_meta"]["progressToken"].clone();
        assert!(!token.is_null());
        let report = |token: &Value, progress: f64| {
            json!({"method": "notifications/progress",
                   "params": {"progressToken": token, "progress": progress, "total": 3}})
        };
        for progress in [1.0, 2.0, 2.0, 1.5, 2.5] {
            server.send(report(&token, progress));
        }
        server.send(report(&json!("foreign"), 9.0));
        server.send(json!({"method": "notifications/progress", "params": {"progress": "x"}}));
        server.result(&call, said("done"));
        server.send(report(&token, 3.0));
        let call = server.expect("tools/call");
        assert!(call["params"]["_meta"]["progressToken"].is_null(), "nobody listens");
        server.result(&call, said("done"));
        server.drain();
    });
    let session = open(&scripts).unwrap();
    let seen = RefCell::new(Vec::new());
    let note = |progress: &mcp_proto::Progress| seen.borrow_mut().push(progress.progress);
    session.call_tool("x", None, &plain().on_progress(&note)).unwrap();
    assert_eq!(*seen.borrow(), [1.0, 2.0, 2.5]);
    session.call_tool("x", None, &plain()).unwrap();
}

#[test]
fn input_is_given_and_the_state_echoed_byte_for_byte_mr_15_to_mr_19() {
    let state = "{\"a\": 1}\u{1F600} \"";
    let scripts = Scripts::one(move |server| {
        server.stateless();
        let call = server.expect("tools/call");
        assert!(call["params"]["requestState"].is_null());
        server.result(
            &call,
            json!({"resultType": "input_required", "requestState": state,
                   "inputRequests": {"where": {"method": "roots/list"}}}),
        );
        let again = server.expect("tools/call");
        assert_ne!(again["id"], call["id"]);
        assert_eq!(again["params"]["requestState"], state);
        assert_eq!(again["params"]["arguments"], json!({"a": 1}));
        let roots = &again["params"]["inputResponses"]["where"]["roots"];
        assert_eq!(roots[0]["uri"], "file:///home");
        // Only patience is asked for now, with an empty state.
        server.result(&again, json!({"resultType": "input_required", "requestState": ""}));
        let third = server.expect("tools/call");
        assert_eq!(third["params"]["requestState"], "");
        assert!(third["params"]["inputResponses"].is_null(), "only the latest round's");
        server.result(&third, said("done"));
        server.drain();
    });
    let session = open_with(&scripts, limits(), crate::asked::Roots).unwrap();
    let arguments = raw(json!({"a": 1}));
    assert_eq!(text(&session.call_tool("x", Some(&arguments), &plain()).unwrap()), "done");
}

#[test]
fn wrong_kinds_of_result_are_invalid_mr_21_mr_24() {
    for result in [
        json!({"resultType": "input_required"}),
        json!({"resultType": "task", "taskId": "1", "status": "working",
               "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z"}),
        json!({"resultType": "partial", "content": []}),
        json!({"resultType": 7, "content": []}),
        json!({"content": "text"}),
    ] {
        let shown = result.to_string();
        let scripts = Scripts::one(move |server| {
            server.stateless();
            let call = server.expect("tools/call");
            server.result(&call, result);
            let call = server.expect("tools/call");
            // MR-22: one without a type is complete.
            server.result(&call, json!({"content": []}));
            server.drain();
        });
        let session = open(&scripts).unwrap();
        let error = session.call_tool("x", None, &plain()).unwrap_err();
        assert!(matches!(error, ClientError::InvalidAnswer { .. }), "{shown}: {error}");
        session.call_tool("x", None, &plain()).unwrap();
    }
}

#[test]
fn input_that_is_asked_for_for_ever_is_given_up_mr_24() {
    let rounds = ClientLimits { max_input_rounds: 3, ..limits() };
    let scripts = Scripts::one(|server| {
        server.stateless();
        for _ in 0..4 {
            let call = server.expect("tools/call");
            server.result(&call, json!({"resultType": "input_required", "requestState": "again"}));
        }
        server.drain();
    });
    let session = open_with(&scripts, rounds, crate::asked::Roots).unwrap();
    let error = session.call_tool("x", None, &plain()).unwrap_err();
    assert!(error.to_string().contains("again and again"), "{error}");
}

#[test]
fn input_that_was_not_declared_ends_the_call() {
    let scripts = Scripts::one(|server| {
        server.stateless();
        let call = server.expect("tools/call");
        server.result(
            &call,
            json!({"resultType": "input_required",
                   "inputRequests": {"where": {"method": "roots/list"}}}),
        );
        server.drain();
    });
    let session = open(&scripts).unwrap();
    let error = session.call_tool("x", None, &plain()).unwrap_err();
    assert!(matches!(error, ClientError::InputRefused(_)), "{error}");
}

#[test]
fn what_the_server_does_not_offer_is_not_asked_for_lc_13() {
    let scripts = Scripts::one(|server| {
        let probe = server.expect("server/discover");
        let result = json!({"resultType": "complete", "supportedVersions": ["2026-07-28"],
                            "capabilities": {}, "ttlMs": 0, "cacheScope": "private"});
        server.result(&probe, result);
        assert_eq!(server.next(), None, "nothing was asked");
    });
    let session = open(&scripts).unwrap();
    assert_eq!(session.tools(&plain()).unwrap().len(), 0);
    assert_eq!(session.resources(&plain()).unwrap().len(), 0);
    let refused = [
        session.call_tool("x", None, &plain()).unwrap_err(),
        session.read_resource("x:y", &plain()).unwrap_err(),
        session.get_prompt("x", Strings::default(), &plain()).unwrap_err(),
        session
            .complete(&CompleteParams::new(CompletionRef::prompt("x"), "a", "b"), &plain())
            .unwrap_err(),
    ];
    for error in refused {
        assert!(matches!(error, ClientError::NotOffered(_)), "{error}");
    }
    session.close();
}

#[test]
fn a_server_that_does_not_read_holds_nobody_up() {
    let bound = ClientLimits { max_unsent: 1 << 20, ..limits() };
    let (release, released) = std::sync::mpsc::channel::<()>();
    let scripts = Scripts::one(move |server| {
        server.handshake("2025-11-25");
        // Reads nothing until the test is over.
        let ended = released.recv();
        assert!(ended.is_err(), "the test is over");
    });
    let session = open_with(&scripts, bound, mcp_stdio::client::NoHandler).unwrap();
    let large = raw(json!({"text": "x".repeat(700_000)}));
    let hasty = CallOptions::default().timeout(Duration::ZERO);
    let first = session.call_tool("x", Some(&large), &hasty).unwrap_err();
    assert!(matches!(first, ClientError::TimedOut { .. }), "{first}");
    let second = session.call_tool("x", Some(&large), &hasty).unwrap_err();
    assert!(matches!(second, ClientError::NotReading { .. }), "{second}");
    drop(release);
}

#[test]
fn no_more_requests_are_in_flight_than_allowed() {
    let bound = ClientLimits { max_in_flight: 0, ..limits() };
    let scripts = Scripts::one(|server| assert_eq!(server.next(), None));
    let error = open_with(&scripts, bound, mcp_stdio::client::NoHandler).err().unwrap();
    assert!(matches!(error, ClientError::Busy(0)), "{error}");
}

#[test]
fn more_inputs_at_once_than_allowed_are_not_given() {
    let bound = ClientLimits { max_inputs: 2, ..limits() };
    let scripts = Scripts::one(|server| {
        server.stateless();
        let call = server.expect("tools/call");
        let root = json!({"method": "roots/list"});
        server.result(
            &call,
            json!({"resultType": "input_required",
                   "inputRequests": {"a": root, "b": root, "c": root}}),
        );
        server.drain();
    });
    let session = open_with(&scripts, bound, crate::asked::Roots).unwrap();
    let error = session.call_tool("x", None, &plain()).unwrap_err();
    assert!(error.to_string().contains("3 inputs"), "{error}");
}
