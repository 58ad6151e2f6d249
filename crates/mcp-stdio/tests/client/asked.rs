//! What a server asks of its client, and what it tells.

use std::sync::mpsc::{Sender, channel};

use mcp_proto::{
    ClientCapabilities, ElicitParams, ElicitResult, ElicitationCapability, JsonObject,
    ListRootsResult, LoggingLevel, RawJson, Root, SubscriptionFilter,
};
use mcp_stdio::client::{CancelToken, Event, Handler, Refusal};
use serde_json::{Value, json};

use crate::peer::{PATIENCE, Scripts, limits, open, open_with, plain, said};

/// A client with one root.
pub(crate) struct Roots;

impl Handler for Roots {
    fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities::default().with_roots(true)
    }

    fn list_roots(&self, _: &CancelToken) -> Result<ListRootsResult, Refusal> {
        Ok(ListRootsResult::new(vec![Root::new("file:///home")]))
    }
}

struct Form;

impl Handler for Form {
    fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities::default().with_elicitation(ElicitationCapability::form())
    }

    fn elicit(&self, params: &ElicitParams, _: &CancelToken) -> Result<ElicitResult, Refusal> {
        match params.message() {
            "panic" => panic!("as asked"),
            "refuse" => Err(Refusal::Declined("not now".to_owned())),
            _ => Ok(ElicitResult::accept(
                JsonObject::new().with("name", RawJson::new("value").unwrap()),
            )),
        }
    }
}

/// Waits for its cancellation, and says when it has begun and when it has ended.
struct Stuck(Sender<&'static str>);

impl Handler for Stuck {
    fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities::default().with_roots(false)
    }

    fn list_roots(&self, cancelled: &CancelToken) -> Result<ListRootsResult, Refusal> {
        self.0.send("begun").unwrap();
        while !cancelled.is_cancelled() {
            std::thread::yield_now();
        }
        self.0.send("ended").unwrap();
        Ok(ListRootsResult::new(Vec::new()))
    }
}

struct Told(Sender<String>);

impl Handler for Told {
    fn notified(&self, event: &Event) {
        self.0.send(format!("{event:?}")).unwrap();
    }
}

fn ask(id: i64, method: &str, params: Value) -> Value {
    json!({"id": id, "method": method, "params": params})
}

#[test]
fn a_ping_and_a_listing_of_roots_are_answered() {
    let scripts = Scripts::one(|server| {
        server.handshake("2025-11-25");
        let call = server.expect("tools/call");
        server.send(ask(7, "ping", json!({})));
        assert_eq!(server.next().unwrap(), json!({"jsonrpc": "2.0", "id": 7, "result": {}}));
        server.send(json!({"id": "r", "method": "roots/list"}));
        let answer = server.next().unwrap();
        assert_eq!(
            (&answer["id"], &answer["result"]["roots"][0]["uri"]),
            (&json!("r"), &json!("file:///home"))
        );
        server.result(&call, said("done"));
        server.drain();
    });
    let session = open_with(&scripts, limits(), Roots).unwrap();
    session.call_tool("x", None, &plain()).unwrap();
}

#[test]
fn what_was_not_declared_is_refused_ro_03_sa_04_el_04() {
    let url =
        json!({"mode": "url", "message": "m", "url": "https://example.com", "elicitationId": "1"});
    for (method, params, code) in [
        ("roots/list", json!({}), -32601),
        ("sampling/createMessage", json!({"messages": [], "maxTokens": 1}), -32601),
        ("elicitation/create", url, -32602),
        ("elicitation/create", json!({}), -32602),
        ("tools/list", json!({}), -32601),
        ("x/y", json!({}), -32601),
    ] {
        let scripts = Scripts::one(move |server| {
            server.handshake("2025-11-25");
            let call = server.expect("tools/call");
            server.send(ask(1, method, params));
            let answer = server.next().unwrap();
            server.result(&call, said(&answer["error"]["code"].to_string()));
            server.drain();
        });
        let session = open_with(&scripts, limits(), Form).unwrap();
        let result = session.call_tool("x", None, &plain()).unwrap();
        assert_eq!(crate::peer::text(&result), code.to_string(), "{method}");
    }
}

#[test]
fn a_handler_that_refuses_or_panics_is_answered_for() {
    for (message, want) in [("go", "\"accept\""), ("refuse", "-1"), ("panic", "-32603")] {
        let scripts = Scripts::one(move |server| {
            server.handshake("2025-11-25");
            let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
            let params = json!({"message": message, "requestedSchema": schema});
            let call = server.expect("tools/call");
            server.send(ask(1, "elicitation/create", params));
            let answer = server.next().unwrap();
            let said_ = match answer.get("result") {
                Some(result) => result["action"].to_string(),
                None => answer["error"]["code"].to_string(),
            };
            server.result(&call, said(&said_));
            server.drain();
        });
        let session = open_with(&scripts, limits(), Form).unwrap();
        let result = session.call_tool("x", None, &plain()).unwrap();
        assert_eq!(crate::peer::text(&result), want, "{message}");
    }
}

#[test]
fn a_cancelled_question_gets_no_answer_cn_03() {
    let (say, hear) = channel();
    let (begun, has_begun) = channel::<()>();
    let scripts = Scripts::one(move |server| {
        server.handshake("2025-11-25");
        server.send(ask(1, "roots/list", json!({})));
        has_begun.recv().unwrap();
        server.send(json!({"method": "notifications/cancelled", "params": {"requestId": 1}}));
        server.send(ask(2, "ping", json!({})));
        // The call may overtake the answer to the ping; nothing else may come.
        let (one, other) = (server.next().unwrap(), server.next().unwrap());
        let (pong, call) = if one["method"].is_null() { (one, other) } else { (other, one) };
        assert_eq!(pong["id"], 2, "{pong}");
        assert_eq!(call["method"], "tools/call", "{call}");
        server.result(&call, said("done"));
        server.drain();
    });
    let session = open_with(&scripts, limits(), Stuck(say)).unwrap();
    assert_eq!(hear.recv_timeout(PATIENCE), Ok("begun"));
    begun.send(()).unwrap();
    assert_eq!(hear.recv_timeout(PATIENCE), Ok("ended"));
    session.call_tool("x", None, &plain()).unwrap();
}

#[test]
fn nothing_is_ever_answered_in_the_newest_revision() {
    let scripts = Scripts::one(|server| {
        server.stateless();
        server.send(ask(1, "ping", json!({})));
        server.send(ask(2, "roots/list", json!({})));
        server.send(ask(3, "x/y", json!({})));
        server.raw("{\"jsonrpc\":\"2.0\"\n[1]\n");
        // The next message is the client's own.
        let call = server.expect("tools/call");
        server.result(&call, said("done"));
        server.drain();
    });
    let session = open_with(&scripts, limits(), Roots).unwrap();
    session.call_tool("x", None, &plain()).unwrap();
}

#[test]
fn notifications_reach_the_handler_in_order() {
    let (say, hear) = channel();
    let scripts = Scripts::one(|server| {
        server.handshake("2025-11-25");
        for (method, params) in [
            ("notifications/message", json!({"level": "warning", "data": "low"})),
            ("notifications/tools/list_changed", json!({})),
            ("notifications/resources/updated", json!({"uri": "x:y"})),
            ("notifications/unheard/of", json!({})),
            ("notifications/message", json!({"level": "bogus", "data": 1})),
            ("notifications/elicitation/complete", json!({"elicitationId": "7"})),
        ] {
            server.send(json!({"method": method, "params": params}));
        }
        server.drain();
    });
    let session = open_with(&scripts, limits(), Told(say)).unwrap();
    let next = || hear.recv_timeout(PATIENCE).unwrap();
    assert!(next().contains("low"));
    assert_eq!(next(), "ToolsChanged");
    assert_eq!(next(), "ResourceUpdated(\"x:y\")");
    assert_eq!(next(), "ElicitationComplete(\"7\")");
    drop(session);
}

fn filter() -> SubscriptionFilter {
    let mut filter = SubscriptionFilter::default();
    filter.tools_list_changed = true;
    filter.prompts_list_changed = true;
    filter.resource_subscriptions = vec!["x:y".to_owned()];
    filter
}

#[test]
fn a_watch_is_a_listen_request_that_ends_when_it_is_dropped_su_01_su_09() {
    let (say, hear) = channel();
    let scripts = Scripts::one(|server| {
        server.stateless();
        let listen = server.expect("subscriptions/listen");
        assert_eq!(
            listen["params"]["notifications"],
            json!({"toolsListChanged": true, "promptsListChanged": true,
                   "resourceSubscriptions": ["x:y"]})
        );
        let own = json!({"io.modelcontextprotocol/subscriptionId": listen["id"]});
        let foreign = json!({"io.modelcontextprotocol/subscriptionId": 4711});
        server.send(json!({"method": "notifications/subscriptions/acknowledged",
            "params": {"_meta": own, "notifications": {"resourceSubscriptions": ["x:y"]}}}));
        for meta in [&foreign, &own] {
            server.send(json!({"method": "notifications/resources/updated",
                               "params": {"_meta": meta, "uri": "x:y"}}));
        }
        let cancelled = server.expect("notifications/cancelled");
        assert_eq!(cancelled["params"]["requestId"], listen["id"]);
        server.drain();
    });
    let session = open_with(&scripts, limits(), Told(say)).unwrap();
    let watch = session.watch(&filter()).unwrap();
    assert!(!watch.accepted().tools_list_changed, "SU-07");
    assert_eq!(watch.accepted().resource_subscriptions, ["x:y"]);
    assert_eq!(hear.recv_timeout(PATIENCE).unwrap(), "ResourceUpdated(\"x:y\")", "SU-06: one only");
    drop(watch);
    session.close();
}

#[test]
fn a_watch_that_the_server_ends_is_told_su_12() {
    let (say, hear) = channel();
    let scripts = Scripts::one(|server| {
        server.stateless();
        for end in 0..2 {
            let listen = server.expect("subscriptions/listen");
            let own = json!({"io.modelcontextprotocol/subscriptionId": listen["id"]});
            server.send(json!({"method": "notifications/subscriptions/acknowledged",
                "params": {"_meta": own, "notifications": {}}}));
            if end == 0 {
                server.result(&listen, json!({"resultType": "complete", "_meta": own}));
            } else {
                server.send(json!({"method": "notifications/cancelled",
                                   "params": {"requestId": listen["id"]}}));
            }
        }
        server.drain();
    });
    let session = open_with(&scripts, limits(), Told(say)).unwrap();
    for _ in 0..2 {
        let watch = session.watch(&filter());
        assert_eq!(hear.recv_timeout(PATIENCE).unwrap(), "WatchEnded(true)");
        // The acknowledgement and the end may come as one.
        drop(watch);
    }
}

#[test]
fn a_watch_is_a_subscription_for_each_resource_before() {
    let scripts = Scripts::one(|server| {
        server.handshake("2025-06-18");
        let request = server.expect("resources/subscribe");
        assert_eq!(request["params"]["uri"], "x:y");
        server.result(&request, json!({}));
        let request = server.expect("resources/unsubscribe");
        assert_eq!(request["params"]["uri"], "x:y");
        server.result(&request, json!({}));
        server.drain();
    });
    let session = open(&scripts).unwrap();
    let watch = session.watch(&filter()).unwrap();
    assert!(watch.accepted().tools_list_changed && !watch.accepted().prompts_list_changed);
    drop(watch);
    session.close();
}

#[test]
fn the_level_of_the_log_is_set_in_each_eras_form() {
    let scripts = Scripts::one(|server| {
        server.handshake("2025-11-25");
        let request = server.expect("logging/setLevel");
        assert_eq!(request["params"]["level"], "error");
        server.result(&request, json!({}));
        server.expect("notifications/roots/list_changed");
        server.drain();
    });
    let session = open_with(&scripts, limits(), Roots).unwrap();
    session.set_log_level(LoggingLevel::Error, &plain()).unwrap();
    session.roots_changed();

    let scripts = Scripts::one(|server| {
        server.stateless();
        let call = server.expect("tools/call");
        assert_eq!(call["params"]["_meta"]["io.modelcontextprotocol/logLevel"], "error");
        server.result(&call, said("done"));
        server.drain();
    });
    let session = open(&scripts).unwrap();
    session.call_tool("x", None, &plain().log_level(LoggingLevel::Error)).unwrap();
    session.set_log_level(LoggingLevel::Error, &plain()).unwrap_err();
}

#[test]
fn a_handler_that_panics_over_a_notification_gets_the_next() {
    struct Nervous(Sender<String>);

    impl Handler for Nervous {
        fn notified(&self, event: &Event) {
            match event {
                Event::ToolsChanged => panic!("as asked"),
                event => self.0.send(format!("{event:?}")).unwrap(),
            }
        }
    }

    let (say, hear) = channel();
    let scripts = Scripts::one(|server| {
        server.handshake("2025-11-25");
        server.send(json!({"method": "notifications/tools/list_changed"}));
        server.send(json!({"method": "notifications/prompts/list_changed"}));
        server.drain();
    });
    let session = open_with(&scripts, limits(), Nervous(say)).unwrap();
    assert_eq!(hear.recv_timeout(PATIENCE).unwrap(), "PromptsChanged");
    drop(session);
}

#[test]
fn a_watch_that_is_refused_says_why() {
    let (say, hear) = channel();
    let scripts = Scripts::one(|server| {
        server.stateless();
        let listen = server.expect("subscriptions/listen");
        server.error(&listen, -32601, Value::Null);
        let call = server.expect("tools/call");
        server.send(json!({"method": "notifications/prompts/list_changed"}));
        server.result(&call, said("done"));
        server.drain();
    });
    let session = open_with(&scripts, limits(), Told(say)).unwrap();
    let error = session.watch(&filter()).err().unwrap();
    assert!(error.to_string().contains("-32601"), "{error}");
    session.call_tool("x", None, &plain()).unwrap();
    assert_eq!(
        hear.recv_timeout(PATIENCE).unwrap(),
        "PromptsChanged",
        "no end of what never began"
    );
}

#[test]
fn a_watch_that_is_half_refused_leaves_nothing_behind() {
    let scripts = Scripts::one(|server| {
        server.handshake("2025-06-18");
        let request = server.expect("resources/subscribe");
        server.result(&request, json!({}));
        let request = server.expect("resources/subscribe");
        server.error(&request, -32002, Value::Null);
        let request = server.expect("resources/unsubscribe");
        assert_eq!(request["params"]["uri"], "x:y");
        server.result(&request, json!({}));
        server.drain();
    });
    let session = open(&scripts).unwrap();
    let mut filter = filter();
    filter.resource_subscriptions.push("x:none".to_owned());
    session.watch(&filter).err().unwrap();
    session.close();
}

#[test]
fn a_watch_that_is_lost_is_told_in_both_eras_su_12() {
    for stateless in [true, false] {
        let (say, hear) = channel();
        let scripts = Scripts::one(move |server| {
            if stateless {
                server.stateless();
                let listen = server.expect("subscriptions/listen");
                let own = json!({"io.modelcontextprotocol/subscriptionId": listen["id"]});
                server.send(json!({"method": "notifications/subscriptions/acknowledged",
                    "params": {"_meta": own, "notifications": {}}}));
            } else {
                server.handshake("2025-11-25");
                let request = server.expect("resources/subscribe");
                server.result(&request, json!({}));
            }
            server.expect("tools/call");
        });
        let session = open_with(&scripts, limits(), Told(say)).unwrap();
        let watch = session.watch(&filter()).unwrap();
        session.call_tool("x", None, &plain()).unwrap_err();
        assert_eq!(hear.recv_timeout(PATIENCE).unwrap(), "WatchEnded(false)");
        drop(watch);
    }
}

#[test]
fn roots_that_were_not_declared_to_change_are_not_told_of() {
    let scripts = Scripts::one(|server| {
        server.handshake("2025-11-25");
        let call = server.expect("tools/call");
        server.result(&call, said("done"));
        server.drain();
    });
    let session = open(&scripts).unwrap();
    session.roots_changed();
    session.call_tool("x", None, &plain()).unwrap();
}
