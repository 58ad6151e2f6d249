//! Servers that end: what waits fails at once, and the next request starts a fresh one.

use std::sync::Arc;
use std::time::Duration;

use mcp_proto::LoggingLevel;
use mcp_stdio::Framing;
use mcp_stdio::client::{
    CancelToken, ClientError, ClientLimits, Event, Handler, NoHandler, Session,
};
use serde_json::{Value, json};

use crate::peer::{PATIENCE, Script, Scripts, Server, limits, open, open_with, plain, said, text};

fn script(script: impl FnOnce(&mut Server) + Send + 'static) -> Script {
    Box::new(script)
}

#[test]
fn calls_in_flight_fail_when_the_server_ends() {
    let scripts = Scripts::one(|server| {
        server.handshake("2025-11-25");
        for _ in 0..3 {
            server.expect("tools/call");
        }
    });
    let session = Arc::new(open(&scripts).unwrap());
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let session = Arc::clone(&session);
            std::thread::spawn(move || session.call_tool("x", None, &plain()).unwrap_err())
        })
        .collect();
    for thread in threads {
        let error = thread.join().unwrap();
        assert!(matches!(error, ClientError::Ended(_)), "{error}");
        assert!(error.to_string().contains("last words"), "{error}");
    }
}

#[test]
fn an_end_inside_a_message_is_an_end() {
    let scripts = Scripts::one(|server| {
        server.handshake("2025-11-25");
        server.expect("tools/call");
        server.raw("{\"jsonrpc\":\"2.0\",\"id\":");
    });
    let error = open(&scripts).unwrap().call_tool("x", None, &plain()).unwrap_err();
    assert!(matches!(error, ClientError::Ended(_)), "{error}");
}

#[test]
fn a_server_that_ended_is_started_again_with_new_ids_lc_41() {
    let scripts = Scripts::new(vec![
        script(|server| {
            server.handshake("2025-11-25");
            let call = server.expect("tools/call");
            assert_eq!(call["id"], 3);
        }),
        script(|server| {
            // Not probed again: the session knows by now.
            server.initialize("2025-11-25");
            let call = server.expect("tools/call");
            assert!(call["id"].as_i64() > Some(3));
            server.result(&call, said("back"));
            server.drain();
        }),
    ]);
    let session = open(&scripts).unwrap();
    session.call_tool("x", None, &plain()).unwrap_err();
    assert_eq!(text(&session.call_tool("x", None, &plain()).unwrap()), "back");
    assert_eq!(scripts.started(), 2);
}

/// Ends in the middle of its first call.
fn ends_in_a_call(restarted: bool) -> Script {
    script(move |server| {
        if restarted {
            server.initialize("2025-11-25");
        } else {
            server.handshake("2025-11-25");
        }
        server.expect("tools/call");
    })
}

#[test]
fn a_server_that_ends_again_and_again_is_given_up_sh_08() {
    let scripts = Scripts::new((0..10).map(|n| ends_in_a_call(n > 0)).collect());
    let session = open(&scripts).unwrap();
    for _ in 0..4 {
        let error = session.call_tool("x", None, &plain()).unwrap_err();
        assert!(matches!(error, ClientError::Ended(_)), "{error}");
    }
    let error = session.call_tool("x", None, &plain()).unwrap_err();
    assert!(matches!(error, ClientError::GaveUp { times: 4, .. }), "{error}");
    assert_eq!(scripts.started(), 4);
}

#[test]
fn the_ends_of_a_server_that_served_long_enough_are_forgotten() {
    let scripts = Scripts::new((0..10).map(|n| ends_in_a_call(n > 0)).collect());
    // However long it served is long enough.
    let limits = ClientLimits { healthy_after: Duration::ZERO, ..limits() };
    let session = open_with(&scripts, limits, NoHandler).unwrap();
    for _ in 0..10 {
        let error = session.call_tool("x", None, &plain()).unwrap_err();
        assert!(matches!(error, ClientError::Ended(_)), "{error}");
    }
    // One that cannot be started any more does not count as healthy for what it was before.
    for _ in 0..3 {
        let error = session.call_tool("x", None, &plain()).unwrap_err();
        assert!(matches!(error, ClientError::Launch(_)), "{error}");
    }
    let error = session.call_tool("x", None, &plain()).unwrap_err();
    assert!(matches!(error, ClientError::GaveUp { times: 4, .. }), "{error}");
    assert_eq!(scripts.started(), 10);
}

struct Told(std::sync::mpsc::Sender<String>);

impl Handler for Told {
    fn notified(&self, event: &Event) {
        self.0.send(format!("{event:?}")).unwrap();
    }
}

#[test]
fn a_watch_is_set_up_again_after_a_restart_su_13() {
    fn listen(server: &mut Server) {
        server.stateless();
        let listen = server.expect("subscriptions/listen");
        let own = json!({"io.modelcontextprotocol/subscriptionId": listen["id"]});
        server.send(json!({"method": "notifications/subscriptions/acknowledged",
            "params": {"_meta": own, "notifications": {"toolsListChanged": true}}}));
    }
    let scripts = Scripts::new(vec![
        script(|server| {
            listen(server);
            server.expect("tools/call");
        }),
        script(|server| {
            listen(server);
            let call = server.expect("tools/call");
            server.result(&call, said("back"));
            server.drain();
        }),
    ]);
    let (say, hear) = std::sync::mpsc::channel();
    let session = open_with(&scripts, limits(), Told(say)).unwrap();
    let mut filter = mcp_proto::SubscriptionFilter::default();
    filter.tools_list_changed = true;
    let watch = session.watch(&filter).unwrap();
    session.call_tool("x", None, &plain()).unwrap_err();
    assert_eq!(hear.recv_timeout(PATIENCE).unwrap(), "WatchEnded(false)");
    session.call_tool("x", None, &plain()).unwrap();
    drop(watch);
}

#[test]
fn a_closed_session_fails_what_waits_and_what_comes() {
    let (say, hear) = std::sync::mpsc::channel();
    let scripts = Scripts::one(move |server| {
        server.handshake("2025-11-25");
        server.expect("tools/call");
        say.send(()).unwrap();
        server.drain();
    });
    let session = Arc::new(open(&scripts).unwrap());
    let waiting = Arc::clone(&session);
    let thread = std::thread::spawn(move || waiting.call_tool("x", None, &plain()).unwrap_err());
    hear.recv_timeout(PATIENCE).unwrap();
    session.close();
    let error = thread.join().unwrap();
    assert!(matches!(error, ClientError::Closed), "{error}");
    let error = session.call_tool("x", None, &plain()).unwrap_err();
    assert!(matches!(error, ClientError::Closed), "{error}");
    assert_eq!((scripts.started(), scripts.stopped()), (1, 1));
}

#[test]
fn an_answer_over_the_limit_fails_its_request_alone() {
    let small = ClientLimits { max_frame: 10_000, ..limits() };
    let scripts = Scripts::one(|server| {
        server.handshake("2025-11-25");
        let call = server.expect("tools/call");
        server.result(&call, said(&"x".repeat(100_000)));
        let call = server.expect("tools/call");
        server.result(&call, said("short"));
        server.drain();
    });
    let session = open_with(&scripts, small, NoHandler).unwrap();
    let error = session.call_tool("x", None, &plain()).unwrap_err();
    assert!(error.to_string().contains("over the limit"), "{error}");
    assert_eq!(text(&session.call_tool("x", None, &plain()).unwrap()), "short");
}

/// A session whose server has ended.
fn bereft(second: Script) -> (Session, Scripts) {
    let scripts = Scripts::new(vec![
        script(|server| {
            server.handshake("2025-11-25");
            server.expect("tools/call");
        }),
        second,
    ]);
    let session = open(&scripts).unwrap();
    session.call_tool("x", None, &plain()).unwrap_err();
    (session, scripts)
}

#[test]
fn a_restart_takes_no_longer_than_the_request_that_waits_for_it() {
    let (session, _) = bereft(script(Server::drain));
    let hasty = plain().timeout(std::time::Duration::ZERO);
    let error = session.call_tool("x", None, &hasty).unwrap_err();
    assert!(matches!(error, ClientError::TimedOut { .. }), "{error}");
    let token = CancelToken::new();
    token.cancel();
    let error = session.call_tool("x", None, &plain().cancel(&token)).unwrap_err();
    assert!(matches!(error, ClientError::Cancelled), "{error}");
}

#[test]
fn a_session_is_closed_also_while_its_server_is_started_again() {
    let (say, hear) = std::sync::mpsc::channel();
    let (session, scripts) = bereft(script(move |server| {
        server.expect("initialize");
        say.send(()).unwrap();
        server.drain();
    }));
    let session = Arc::new(session);
    let waiting = Arc::clone(&session);
    let thread = std::thread::spawn(move || waiting.call_tool("x", None, &plain()).unwrap_err());
    hear.recv_timeout(PATIENCE).unwrap();
    session.close();
    let error = thread.join().unwrap();
    assert!(matches!(error, ClientError::Closed), "{error}");
    assert_eq!((scripts.started(), scripts.stopped()), (2, 2));
}

#[test]
fn a_restart_that_fails_is_told_to_who_waits_and_tried_again() {
    let (session, scripts) = bereft(script(|server| {
        let request = server.expect("initialize");
        server.error(&request, -32603, Value::Null);
        let probe = server.expect("server/discover");
        server.error(&probe, -32603, Value::Null);
        let request = server.expect("initialize");
        server.error(&request, -32603, Value::Null);
        server.drain();
    }));
    let error = session.call_tool("x", None, &plain()).unwrap_err();
    assert!(matches!(error, ClientError::Launch(_)), "there is no third script: {error}");
    assert_eq!(scripts.started(), 2);
    let error = session.call_tool("x", None, &plain()).unwrap_err();
    assert!(matches!(error, ClientError::Launch(_)), "{error}");
}

#[test]
fn a_fresh_server_is_told_the_log_level_again() {
    let scripts = Scripts::new(vec![
        script(|server| {
            server.handshake("2025-11-25");
            let request = server.expect("logging/setLevel");
            server.result(&request, json!({}));
            server.expect("tools/call");
        }),
        script(|server| {
            server.initialize("2025-11-25");
            let request = server.expect("logging/setLevel");
            assert_eq!(request["params"]["level"], "alert");
            server.result(&request, json!({}));
            let call = server.expect("tools/call");
            server.result(&call, said("back"));
            server.drain();
        }),
    ]);
    let session = open(&scripts).unwrap();
    session.set_log_level(LoggingLevel::Alert, &plain()).unwrap();
    session.call_tool("x", None, &plain()).unwrap_err();
    session.call_tool("x", None, &plain()).unwrap();
}

#[test]
fn an_answer_over_the_limit_is_known_by_an_id_at_its_end() {
    for framing in [Framing::Line, Framing::ContentLength] {
        for end in ["\"id\":ID}", "\"id\": ID , \"jsonrpc\":\"2.0\" }"] {
            let small = ClientLimits { max_frame: 10_000, ..limits() };
            let scripts = Scripts::one(move |server| {
                server.initialize("2025-11-25");
                let call = server.expect("tools/call");
                let long = "x".repeat(100_000);
                let end = end.replace("ID", &call["id"].to_string());
                let jsonrpc = if end.contains("rpc") { "" } else { "\"jsonrpc\":\"2.0\"," };
                // The id that stands in the result is none of ours.
                server.frame(&format!(
                    "{{\"result\":{{\"x\":\"{long}\",\"y\":{{\"id\":1}}}},{jsonrpc}{end}"
                ));
                let call = server.expect("tools/call");
                server.result(&call, said("short"));
                server.drain();
            });
            let session = Session::builder("test", "1")
                .limits(small)
                .framing(framing)
                .era(mcp_proto::Era::Handshake)
                .open(scripts)
                .unwrap();
            let error = session.call_tool("x", None, &plain()).unwrap_err();
            assert!(matches!(error, ClientError::InvalidAnswer { .. }), "{error}");
            assert!(error.to_string().contains("over the limit"), "{error}");
            assert_eq!(text(&session.call_tool("x", None, &plain()).unwrap()), "short");
        }
    }
}
