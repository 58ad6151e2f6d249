//! Changes as clients hear of them: subscribed to, unasked, or not at all.

use mcp_proto::{
    CallToolResult, Outcome, RawJson, ReadResourceResult, Resource, ResourceContents, Tool,
};
use mcp_stdio::{Arguments, CallContext, Limits, Notifier, Server, ToolError, resource};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::client::{Client, modern};
use crate::toys::{Gate, with_toys};

fn server() -> Server {
    let builder = Server::builder("changes", "1.0.0")
        .resource(resource(Resource::new("x://a", "A"), |_| {
            Ok(ReadResourceResult::new(vec![ResourceContents::text("x://a", "a")]))
        }))
        .announces_tools()
        .announces_resources()
        .announces_resource_updates();
    with_toys(builder, &Gate::new()).build().unwrap()
}

fn listen(id: impl Into<Value>, filter: Value) -> Value {
    let params = json!({"notifications": filter, "_meta": modern(json!({}))});
    json!({"id": id.into(), "method": "subscriptions/listen", "params": params})
}

fn announce_all(notifier: &Notifier) {
    notifier.tools_changed();
    notifier.prompts_changed();
    notifier.resources_changed();
    notifier.resource_updated("x://a");
    notifier.resource_updated("x://other");
}

fn methods(messages: &[Value]) -> Vec<&str> {
    messages.iter().map(|message| message["method"].as_str().unwrap()).collect()
}

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

#[test]
fn before_a_handshake_and_without_a_subscription_nothing_is_said() {
    let server = server();
    let mut client = Client::new(server.clone());
    assert_eq!(client.until_barrier(), Vec::<Value>::new());
    announce_all(&server.notifier());
    assert_eq!(client.until_barrier(), Vec::<Value>::new());
    assert_eq!(client.close(), Vec::<Value>::new());
}

#[test]
fn a_handshake_session_hears_of_lists_and_of_what_it_has_subscribed_to() {
    let server = server();
    let mut client = Client::connected(server.clone(), "2025-06-18");
    announce_all(&server.notifier());
    let heard = client.until_barrier();
    assert_eq!(
        methods(&heard),
        ["notifications/tools/list_changed", "notifications/resources/list_changed",]
    );
    assert!(heard.iter().all(|message| message["params"] == Value::Null), "{heard:?}");
    for _ in 0..2 {
        let params = json!({"uri": "x://a"});
        let answer =
            client.ask(json!({"id": 1, "method": "resources/subscribe", "params": params}));
        assert_eq!(answer["result"], json!({}));
    }
    let missing = json!({"id": 1, "method": "resources/subscribe", "params": {"uri": "x://b"}});
    assert_eq!(client.ask(missing)["error"]["code"], -32002);
    server.notifier().resource_updated("x://a/part");
    server.notifier().resource_updated("x://ab");
    let heard = client.until_barrier();
    assert_eq!(methods(&heard), ["notifications/resources/updated"]);
    assert_eq!(heard[0]["params"], json!({"uri": "x://a/part"}));
    for uri in ["x://a", "x://never"] {
        let params = json!({"uri": uri});
        let answer =
            client.ask(json!({"id": 1, "method": "resources/unsubscribe", "params": params}));
        assert_eq!(answer["result"], json!({}));
    }
    server.notifier().resource_updated("x://a");
    assert_eq!(client.until_barrier(), Vec::<Value>::new());
}

#[test]
fn a_subscription_is_acknowledged_first_and_hears_what_it_asked_for() {
    let server = server();
    let mut client = Client::new(server.clone());
    let filter = json!({
        "toolsListChanged": true, "promptsListChanged": true, "resourceSubscriptions": ["x://a"]
    });
    client.send(listen("s", filter));
    let acknowledged = client.receive();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(acknowledged["params"]["_meta"][SUBSCRIPTION], "s");
    // Prompts are not announced by this server, so they are not promised.
    let promised = json!({"toolsListChanged": true, "resourceSubscriptions": ["x://a"]});
    assert_eq!(acknowledged["params"]["notifications"], promised);
    client.send(listen(7, json!({})));
    let acknowledged = client.receive();
    assert_eq!(acknowledged["params"]["_meta"][SUBSCRIPTION], 7);
    assert_eq!(acknowledged["params"]["notifications"], json!({}));

    announce_all(&server.notifier());
    let heard = client.until_barrier();
    assert_eq!(
        methods(&heard),
        ["notifications/tools/list_changed", "notifications/resources/updated",]
    );
    assert!(heard.iter().all(|message| message["params"]["_meta"][SUBSCRIPTION] == "s"));

    client.send(json!({"method": "notifications/cancelled", "params": {"requestId": "s"}}));
    assert_eq!(client.until_barrier(), Vec::<Value>::new());
    announce_all(&server.notifier());
    assert_eq!(client.until_barrier(), Vec::<Value>::new());
    // The other one is ended by the server.
    let rest = client.close();
    assert_eq!(rest.len(), 2, "{rest:?}");
    assert_eq!(rest[0]["id"], 7);
    assert_eq!(rest[0]["result"]["resultType"], "complete");
    assert_eq!(rest[0]["result"]["_meta"][SUBSCRIPTION], 7);
    assert_eq!(rest[1]["method"], "notifications/cancelled");
    assert_eq!(rest[1]["params"]["requestId"], 7);
}

#[test]
fn subscriptions_are_bounded_and_their_ids_are_in_flight() {
    let limits = Limits { max_subscriptions: 2, ..Limits::recommended() };
    let mut client = Client::with_limits(server(), limits);
    for id in [1, 2] {
        client.send(listen(id, json!({})));
        assert_eq!(client.receive()["params"]["_meta"][SUBSCRIPTION], id);
    }
    assert_eq!(client.ask(listen(2, json!({})))["error"]["code"], -32600);
    assert_eq!(client.ask(listen(3, json!({})))["error"]["code"], -32603);
    let params = json!({"_meta": modern(json!({}))});
    let answer = client.ask(json!({"id": 3, "method": "subscriptions/listen", "params": params}));
    assert_eq!(answer["error"]["code"], -32602);
}

#[test]
fn a_server_that_announces_nothing_has_no_subscriptions() {
    let server = with_toys(Server::builder("quiet", "1"), &Gate::new()).build().unwrap();
    let mut client = Client::new(server.clone());
    assert_eq!(client.ask(listen(1, json!({})))["error"]["code"], -32601);
    client.initialize("2025-11-25");
    announce_all(&server.notifier());
    assert_eq!(client.until_barrier(), Vec::<Value>::new());
}

/// A tool that is there only at times.
struct Sometimes(Arc<AtomicBool>);

impl mcp_stdio::Tool for Sometimes {
    fn definition(&self) -> Tool {
        Tool::new("sometimes", RawJson::parse("{\"type\":\"object\"}").unwrap())
    }

    fn call(
        &self,
        _: Arguments<'_>,
        _: &CallContext,
    ) -> Result<Outcome<CallToolResult>, ToolError> {
        Ok(CallToolResult::text("here").into())
    }

    fn is_available(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

#[test]
fn a_tool_that_is_not_available_is_neither_listed_nor_called() {
    let available = Arc::new(AtomicBool::new(false));
    let tool = Sometimes(Arc::clone(&available));
    let server = Server::builder("some", "1").tool(tool).announces_tools().build().unwrap();
    let mut client = Client::connected(server.clone(), "2025-11-25");
    let answer = client.ask(json!({"id": 1, "method": "tools/list"}));
    assert_eq!(answer["result"]["tools"], json!([]));
    client.call(1, "sometimes", json!({}));
    assert_eq!(client.receive()["error"]["code"], -32602);
    available.store(true, Ordering::SeqCst);
    server.notifier().tools_changed();
    assert_eq!(client.receive()["method"], "notifications/tools/list_changed");
    client.call(1, "sometimes", json!({}));
    assert_eq!(client.receive()["result"]["content"][0]["text"], "here");
}
