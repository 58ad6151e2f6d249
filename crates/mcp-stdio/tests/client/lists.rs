//! Lists: every page, bounded, and read anew when they have changed.

use mcp_stdio::client::{ClientError, ClientLimits, NoHandler};
use serde_json::{Value, json};

use crate::peer::{Scripts, Server, limits, open, open_with, plain, said};

fn tools(range: std::ops::Range<usize>, next: Option<&str>) -> Value {
    let tools: Vec<_> = range
        .map(|n| json!({"name": format!("tool-{n}"), "inputSchema": {"type": "object"}}))
        .collect();
    let mut page = json!({"tools": tools});
    if let Some(next) = next {
        page["nextCursor"] = next.into();
    }
    page
}

fn page(server: &mut Server, cursor: Option<&str>, page: Value) {
    let request = server.expect("tools/list");
    assert_eq!(request["params"]["cursor"].as_str(), cursor);
    server.result(&request, page);
}

#[test]
fn every_page_is_read_in_order() {
    let scripts = Scripts::one(|server| {
        server.handshake("2025-11-25");
        page(server, None, tools(0..2, Some("")));
        page(server, Some(""), tools(2..2, Some("b")));
        page(server, Some("b"), tools(2..5, None));
        server.drain();
    });
    let tools = open(&scripts).unwrap().tools(&plain()).unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["tool-0", "tool-1", "tool-2", "tool-3", "tool-4"]);
}

#[test]
fn five_thousand_tools_are_no_trouble() {
    let scripts = Scripts::one(|server| {
        server.handshake("2025-11-25");
        page(server, None, tools(0..5000, None));
        server.drain();
    });
    assert_eq!(open(&scripts).unwrap().tools(&plain()).unwrap().len(), 5000);
}

#[test]
fn lists_without_end_are_given_up() {
    let bounds: [(&str, ClientLimits); 4] = [
        ("twice", limits()),
        ("pages", ClientLimits { max_pages: 3, ..limits() }),
        ("entries", ClientLimits { max_entries: 3, ..limits() }),
        ("bytes", ClientLimits { max_list_bytes: 1000, ..limits() }),
    ];
    for (want, limits) in bounds {
        let scripts = Scripts::one(move |server| {
            server.handshake("2025-11-25");
            for n in 0_usize.. {
                let Some(request) = server.next() else { return };
                let next = if want == "twice" { "same".to_owned() } else { n.to_string() };
                server.result(&request, tools(n * 2..n * 2 + 2, Some(&next)));
            }
        });
        let session = open_with(&scripts, limits, NoHandler).unwrap();
        let error = session.tools(&plain()).unwrap_err();
        assert!(matches!(error, ClientError::EndlessList { .. }), "{want}: {error}");
        assert!(error.to_string().contains(want), "{error}");
    }
}

#[test]
fn a_list_is_kept_until_the_server_says_that_it_changed() {
    let scripts = Scripts::one(|server| {
        server.handshake("2025-11-25");
        page(server, None, tools(0..1, None));
        // A call in between shows that the second listing asked nothing.
        let call = server.expect("tools/call");
        server.send(json!({"method": "notifications/tools/list_changed"}));
        server.result(&call, said("done"));
        page(server, None, tools(0..2, None));
        server.drain();
    });
    let session = open(&scripts).unwrap();
    assert_eq!(session.tools(&plain()).unwrap().len(), 1);
    assert_eq!(session.tools(&plain()).unwrap().len(), 1);
    session.call_tool("x", None, &plain()).unwrap();
    assert_eq!(session.tools(&plain()).unwrap().len(), 2);
}

#[test]
fn a_list_is_kept_as_long_as_the_newest_revision_allows() {
    for (ttl, asked) in [(3_600_000, 1), (0, 2)] {
        let scripts = Scripts::one(move |server| {
            server.stateless();
            for _ in 0..asked {
                let mut page = tools(0..1, None);
                page["resultType"] = "complete".into();
                page["ttlMs"] = ttl.into();
                page["cacheScope"] = "private".into();
                let request = server.expect("tools/list");
                server.result(&request, page);
            }
            assert_eq!(server.next(), None);
        });
        let session = open(&scripts).unwrap();
        for _ in 0..2 {
            assert_eq!(session.tools(&plain()).unwrap().len(), 1, "{ttl}");
        }
        session.close();
    }
}

#[test]
fn a_page_that_is_none_is_an_invalid_answer() {
    for wrong in [json!({}), json!({"tools": 7}), json!({"tools": [{"name": 1}]})] {
        let scripts = Scripts::one(move |server| {
            server.handshake("2025-11-25");
            page(server, None, wrong);
            server.drain();
        });
        let error = open(&scripts).unwrap().tools(&plain()).unwrap_err();
        assert!(matches!(error, ClientError::InvalidAnswer { .. }), "{error}");
    }
}

#[test]
fn a_list_that_changed_is_never_shown_as_it_was() {
    let scripts = Scripts::one(|server| {
        server.handshake("2025-11-25");
        page(server, None, tools(0..1, None));
        let call = server.expect("tools/call");
        server.send(json!({"method": "notifications/tools/list_changed"}));
        server.result(&call, said("done"));
        let request = server.expect("tools/list");
        server.error(&request, -32603, Value::Null);
        page(server, None, tools(0..2, None));
        server.drain();
    });
    let session = open(&scripts).unwrap();
    session.tools(&plain()).unwrap();
    session.call_tool("x", None, &plain()).unwrap();
    session.tools(&plain()).unwrap_err();
    assert_eq!(session.tools(&plain()).unwrap().len(), 2);
}

#[test]
fn a_cursor_that_turns_invalid_starts_the_list_anew_once_ch_11() {
    let scripts = Scripts::one(|server| {
        server.handshake("2025-11-25");
        page(server, None, tools(0..2, Some("a")));
        let request = server.expect("tools/list");
        server.error(&request, -32602, Value::Null);
        page(server, None, tools(5..6, Some("b")));
        page(server, Some("b"), tools(6..7, None));
        let call = server.expect("tools/call");
        server.send(json!({"method": "notifications/tools/list_changed"}));
        server.result(&call, said("done"));
        for cursor in [None, Some("a"), None, Some("a")] {
            let request = server.expect("tools/list");
            assert_eq!(request["params"]["cursor"].as_str(), cursor);
            match cursor {
                None => server.result(&request, tools(0..1, Some("a"))),
                Some(_) => server.error(&request, -32602, Value::Null),
            }
        }
        let request = server.expect("prompts/list");
        server.error(&request, -32602, Value::Null);
        server.drain();
    });
    let session = open(&scripts).unwrap();
    assert_eq!(session.tools(&plain()).unwrap()[0].name, "tool-5");
    session.call_tool("x", None, &plain()).unwrap();
    session.tools(&plain()).unwrap_err();
    let error = session.prompts(&plain()).unwrap_err();
    assert!(matches!(error, ClientError::Answered { .. }), "the first page has no cursor: {error}");
}

#[test]
fn a_page_of_an_unknown_kind_is_an_invalid_answer_mr_21_mr_24() {
    for kind in ["input_required", "task", "partial"] {
        let scripts = Scripts::one(move |server| {
            server.stateless();
            let mut wrong = tools(0..1, None);
            wrong["resultType"] = kind.into();
            wrong["requestState"] = "x".into();
            page(server, None, wrong);
            server.drain();
        });
        let error = open(&scripts).unwrap().tools(&plain()).unwrap_err();
        assert!(matches!(error, ClientError::InvalidAnswer { .. }), "{kind}: {error}");
    }
}

#[test]
fn a_list_is_read_within_the_time_of_one_request() {
    let scripts = Scripts::one(|server| {
        server.handshake("2025-11-25");
        for n in 0_usize.. {
            let Some(request) = server.next() else { return };
            if request["method"] == "tools/list" {
                server.result(&request, tools(n..n, Some(&n.to_string())));
            }
        }
    });
    let unbounded = ClientLimits { max_pages: usize::MAX, ..limits() };
    let session = open_with(&scripts, unbounded, NoHandler).unwrap();
    let error = session.tools(&plain().timeout(std::time::Duration::from_millis(1))).unwrap_err();
    assert!(matches!(error, ClientError::TimedOut { .. }), "{error}");
}
