//! How a connection opens: the handshake, requests that carry their own metadata, and both.

use mcp_proto::{
    CacheHint, Capability, CompleteParams, CompleteResult, GetPromptResult, Kind, Method, Prompt,
    ReadResourceResult, Resource, ResourceContents, Revision, TASKS_EXTENSION,
};
use mcp_stdio::Server;
use serde_json::{Value, json};

use crate::client::{Client, modern};
use crate::toys::{Gate, with_toys};

fn server() -> Server {
    let builder = Server::builder("toys", "1.0.0").instructions("Play.").logging();
    with_toys(builder, &Gate::new()).build().unwrap()
}

#[test]
fn each_handshake_revision_is_agreed_to() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let answer = Client::new(server()).initialize(version);
        assert_eq!(answer["result"]["protocolVersion"], version);
        assert_eq!(answer["result"]["serverInfo"]["name"], "toys");
        assert_eq!(answer["result"]["instructions"], "Play.");
        assert_eq!(answer["result"]["capabilities"], json!({"tools": {}, "logging": {}}));
        assert_eq!(answer["result"]["resultType"], Value::Null);
    }
}

#[test]
fn any_other_version_gets_the_newest_with_a_handshake() {
    for version in ["1999-01-01", "2026-07-28", "", "x"] {
        let answer = Client::new(server()).initialize(version);
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    }
}

#[test]
fn initialize_needs_all_three_members_and_can_be_tried_again() {
    let mut client = Client::new(server());
    let full = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "a", "version": "1"}
    });
    for member in ["protocolVersion", "capabilities", "clientInfo"] {
        let mut params = full.clone();
        params.as_object_mut().unwrap().remove(member);
        let answer = client.ask(json!({"id": 1, "method": "initialize", "params": params}));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(member), "{message}");
    }
    assert_eq!(client.initialize("2025-11-25")["result"]["protocolVersion"], "2025-11-25");
}

#[test]
fn a_second_initialize_changes_nothing() {
    let mut client = Client::connected(server(), "2025-03-26");
    assert_eq!(client.initialize("2025-11-25")["error"]["code"], -32600);
    // Batches are a matter of 2025-03-26 alone.
    let answer = client.ask(json!({"id": 1, "method": "ping"}));
    assert_eq!(answer["result"], json!({}));
    client.raw("[{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}]\n");
    assert_eq!(client.receive(), json!([{"jsonrpc": "2.0", "id": 2, "result": {}}]));
}

#[test]
fn ping_is_answered_before_the_handshake_and_nothing_else_is() {
    let mut client = Client::new(server());
    assert_eq!(client.ask(json!({"id": 1, "method": "ping"}))["result"], json!({}));
    for method in ["tools/list", "server/discover", "no/such", "resources/list"] {
        let answer = client.ask(json!({"id": 2, "method": method}));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("io.modelcontextprotocol/protocolVersion"), "{message}");
    }
    assert_eq!(client.initialize("2025-06-18")["result"]["protocolVersion"], "2025-06-18");
}

#[test]
fn a_request_with_metadata_is_served_without_a_handshake() {
    let mut client = Client::new(server());
    let params = json!({"_meta": modern(json!({}))});
    let answer = client.ask(json!({"id": 1, "method": "server/discover", "params": params}));
    let result = &answer["result"];
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(result["capabilities"]["tools"], json!({}));
    assert_eq!(result["ttlMs"], 0);
    assert_eq!(result["cacheScope"], "private");
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "toys");

    let answer = client.ask(json!({"id": 2, "method": "tools/list", "params": params}));
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(answer["result"]["ttlMs"], 0);

    let params = json!({"_meta": modern(json!({})), "name": "echo", "arguments": {"text": "a"}});
    let answer = client.ask(json!({"id": 3, "method": "tools/call", "params": params}));
    assert_eq!(answer["result"]["content"], json!([{"type": "text", "text": "a"}]));
    // A probe does not stand in the way of a handshake.
    assert_eq!(client.initialize("2025-11-25")["result"]["protocolVersion"], "2025-11-25");
}

#[test]
fn metadata_counts_however_its_name_is_spelled() {
    let mut client = Client::connected(server(), "2025-11-25");
    let meta = modern(json!({}));
    for name in ["_meta", "\\u005fmeta", "_\\u006deta"] {
        client.raw(format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{{\"{name}\":{meta}}}}}\n"
        ));
        assert_eq!(client.receive()["result"]["resultType"], "complete", "{name}");
    }
}

#[test]
fn both_eras_live_side_by_side() {
    let mut client = Client::connected(server(), "2025-11-25");
    let answer = client.ask(json!({"id": 1, "method": "tools/list"}));
    assert_eq!(answer["result"]["resultType"], Value::Null);
    let params = json!({"_meta": modern(json!({}))});
    let answer = client.ask(json!({"id": 2, "method": "tools/list", "params": params}));
    assert_eq!(answer["result"]["resultType"], "complete");
    for method in ["server/discover", "subscriptions/listen"] {
        let answer = client.ask(json!({"id": 3, "method": method}));
        assert_eq!(answer["error"]["code"], -32601, "{method}");
    }
    // A claim of the very revision that was negotiated changes nothing.
    let params = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2025-11-25"}});
    let answer = client.ask(json!({"id": 4, "method": "tools/list", "params": params}));
    assert!(answer["result"]["tools"].is_array());
}

#[test]
fn a_bad_claim_is_never_served() {
    const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    let cases = [
        (json!({VERSION: "2026-07-28"}), -32602),
        (json!({VERSION: 20260728, CAPABILITIES: {}}), -32602),
        (json!({VERSION: null, CAPABILITIES: {}}), -32602),
        (json!({VERSION: "2026-07-28", CAPABILITIES: []}), -32602),
        (json!({VERSION: "2026-07-28", CAPABILITIES: {}, "progressToken": 1.5}), -32602),
        (
            json!({
                VERSION: "2026-07-28", CAPABILITIES: {},
                "io.modelcontextprotocol/clientInfo": "me"
            }),
            -32602,
        ),
        (
            json!({
                VERSION: "2026-07-28", CAPABILITIES: {},
                "io.modelcontextprotocol/logLevel": "loud"
            }),
            -32602,
        ),
        (json!({VERSION: "2025-11-25", CAPABILITIES: {}}), -32022),
        (json!({VERSION: "v999", CAPABILITIES: {}}), -32022),
    ];
    let mut client = Client::new(server());
    for (meta, code) in cases {
        let params = json!({"_meta": meta});
        let answer = client.ask(json!({"id": 1, "method": "tools/list", "params": params}));
        assert_eq!(answer["error"]["code"], code, "{answer}");
        if code == -32022 {
            let data = json!({"supported": ["2026-07-28"], "requested": meta[VERSION]});
            assert_eq!(answer["error"]["data"], data);
        }
    }
}

#[test]
fn methods_of_other_revisions_do_not_exist() {
    let mut client = Client::new(server());
    for method in [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "tasks/list",
        "tasks/result",
        "no/such",
        "roots/list",
        "notifications/cancelled",
    ] {
        let params = json!({"_meta": modern(json!({}))});
        let answer = client.ask(json!({"id": 1, "method": method, "params": params}));
        assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
    }
}

#[test]
fn what_has_no_handler_is_not_advertised_and_not_found() {
    let mut client = Client::connected(server(), "2025-11-25");
    for method in [
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "resources/subscribe",
        "prompts/list",
        "prompts/get",
        "completion/complete",
        "tasks/get",
    ] {
        let answer = client.ask(json!({"id": 1, "method": method}));
        assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
    }
    assert_eq!(
        client.ask(json!({"id": 1, "method": "logging/setLevel", "params": {"level": "error"}}))["result"],
        json!({})
    );
    let bad = json!({"id": 1, "method": "logging/setLevel", "params": {"level": "loud"}});
    assert_eq!(client.ask(bad)["error"]["code"], -32602);
}

/// The table of methods says who may ask what in which revision; the server follows it.
#[test]
fn the_server_serves_what_the_table_of_methods_says() {
    let everything = || {
        let builder = Server::builder("all", "1")
            .logging()
            .tasks()
            .announces_tools()
            .announces_resources()
            .announces_resource_updates()
            .resource(mcp_stdio::resource(Resource::new("x://a", "A"), |_| {
                Ok(ReadResourceResult::new(vec![ResourceContents::text("x://a", "a")]))
            }))
            .prompt(mcp_stdio::prompt(Prompt::new("p"), |_, _| {
                Ok(GetPromptResult::new(Vec::new()))
            }))
            .completion(|_: &CompleteParams, _: &mcp_stdio::CallContext| {
                Ok(CompleteResult::new(Vec::<String>::new()))
            });
        with_toys(builder, &Gate::new()).build().unwrap()
    };
    for revision in Revision::ALL {
        let mut client = Client::new(everything());
        let is_stateless = revision.era() == mcp_proto::Era::PerRequest;
        if !is_stateless {
            client.initialize(revision.as_str());
        }
        for method in Method::ALL {
            let spec = method.spec();
            if spec.kind != Kind::Request {
                client.send(json!({"method": spec.name, "params": {}}));
                assert_eq!(client.until_barrier(), Vec::<Value>::new(), "{method} in {revision}");
                continue;
            }
            let params = match is_stateless {
                true => json!({"_meta": modern(json!({"extensions": {TASKS_EXTENSION: {}}}))}),
                false => json!({}),
            };
            let answer = client.ask(json!({"id": 1, "method": spec.name, "params": params}));
            // The tasks of 2025-11-25 were an experiment that this server does not offer.
            let is_task = matches!(
                spec.capability,
                Some(Capability::Tasks | Capability::TaskList | Capability::TaskCancel)
            );
            let is_served =
                spec.client_may_send(revision) && (!is_task || method.is_tasks_extension(revision));
            let is_found = answer["error"]["code"] != -32601;
            assert_eq!(is_found, is_served, "{method} in {revision}: {answer}");
        }
    }
}

#[test]
fn lists_carry_the_hint_that_the_server_was_given() {
    let builder = Server::builder("cached", "1").list_cache(CacheHint::public(60_000));
    let mut client = Client::new(with_toys(builder, &Gate::new()).build().unwrap());
    for method in ["server/discover", "tools/list"] {
        let params = json!({"_meta": modern(json!({}))});
        let result = &client.ask(json!({"id": 1, "method": method, "params": params}))["result"];
        assert_eq!((&result["ttlMs"], &result["cacheScope"]), (&json!(60_000), &json!("public")));
    }
}
