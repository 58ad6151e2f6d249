//! Handlers that ask: one handler, by requests in one era and by repeated requests in the other.

use std::time::Duration;

use mcp_proto::{
    CallToolResult, ElicitParams, ElicitResult, FormField, FormSchema, InputRequest,
    InputRequiredResult, ListRootsResult, Outcome, RequestState,
};
use mcp_stdio::{CallContext, Limits, NoArguments, Server, ToolError, tool};
use serde_json::{Value, json};

use crate::client::{Client, modern};

type Asked = Result<Outcome<CallToolResult>, ToolError>;

fn form() -> InputRequest {
    let form = FormSchema::new().required("name", FormField::string());
    InputRequest::Elicit(ElicitParams::form("Who?", form))
}

/// Asks for a name, then for the roots, and keeps the name in between.
fn two_rounds(context: &CallContext) -> Asked {
    if let Some(name) = context.state()
        && let Some(roots) = context.answer::<ListRootsResult>("roots")?
    {
        let text = format!("{name} has {} roots", roots.roots.len());
        return Ok(CallToolResult::text(text).into());
    }
    if let Some(answer) = context.answer::<ElicitResult>("name")? {
        let content = answer.content.unwrap_or_default();
        let name: String =
            content.get("name").map(|name| name.decode()).transpose()?.unwrap_or_default();
        let question = InputRequiredResult::new("roots", InputRequest::ListRoots);
        return Ok(Outcome::InputRequired(question.with_state(RequestState::new(name))));
    }
    Ok(Outcome::InputRequired(InputRequiredResult::new("name", form())))
}

fn server() -> Server {
    Server::builder("asker", "1.0.0")
        .tool(tool("ask", "Asks twice.", |_: NoArguments, context| two_rounds(context)))
        .tool(tool("nag", "Never has enough.", |_: NoArguments, _| -> Asked {
            Ok(Outcome::InputRequired(InputRequiredResult::new("name", form())))
        }))
        .build()
        .unwrap()
}

fn capable(client: &mut Client) {
    let capabilities = json!({"elicitation": {}, "roots": {}});
    client.initialize_with("2025-11-25", capabilities);
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"))
}

#[test]
fn in_a_handshake_session_the_server_sends_requests() {
    let mut client = Client::new(server());
    capable(&mut client);
    client.call("call", "ask", json!({}));
    let request = client.receive();
    assert_eq!(request["method"], "elicitation/create");
    assert_eq!(request["params"]["message"], "Who?");
    // Meanwhile the connection is alive.
    assert_eq!(client.until_barrier(), Vec::<Value>::new());
    let result = json!({"action": "accept", "content": {"name": "Ada"}});
    client.send(json!({"id": request["id"], "result": result}));
    let request = client.receive();
    assert_eq!(request["method"], "roots/list");
    client.send(json!({"id": request["id"], "result": {"roots": [{"uri": "file:///a"}]}}));
    let answer = client.receive();
    assert_eq!(answer["id"], "call");
    assert_eq!(text(&answer), "Ada has 1 roots");
    // A late second answer is nobody's.
    client.send(json!({"id": request["id"], "result": {"roots": []}}));
    assert_eq!(client.until_barrier(), Vec::<Value>::new());
}

#[test]
fn a_request_of_the_server_waits_until_the_client_is_ready() {
    let mut client = Client::new(server());
    client.send_initialize("2025-11-25", json!({"elicitation": {}, "roots": {}}));
    client.receive();
    client.call(1, "ask", json!({}));
    assert_eq!(client.until_barrier(), Vec::<Value>::new());
    client.send(json!({"method": "notifications/initialized"}));
    assert_eq!(client.receive()["method"], "elicitation/create");
}

#[test]
fn what_a_handshake_client_cannot_or_does_not_answer_is_a_tool_error() {
    let mut client = Client::connected(server(), "2025-11-25");
    client.call(1, "ask", json!({}));
    let answer = client.receive();
    assert_eq!(answer["result"]["isError"], true);
    assert!(text(&answer).contains("elicitation/create"), "{answer}");

    // The revision has no such request, whatever the client says.
    let mut client = Client::new(server());
    client.initialize_with("2024-11-05", json!({"elicitation": {}, "roots": {}}));
    client.call(1, "ask", json!({}));
    assert_eq!(client.receive()["result"]["isError"], true);

    let mut client = Client::new(server());
    capable(&mut client);
    client.call(1, "ask", json!({}));
    let id = client.receive()["id"].clone();
    client.send(json!({"id": id, "error": {"code": -1, "message": "the user said no"}}));
    let answer = client.receive();
    assert_eq!(answer["result"]["isError"], true);
    assert!(text(&answer).contains("the user said no"), "{answer}");

    // An answer of the wrong shape breaks the protocol.
    client.call(1, "ask", json!({}));
    let id = client.receive()["id"].clone();
    client.send(json!({"id": id, "result": {"action": 5}}));
    assert_eq!(client.receive()["error"]["code"], -32602);
}

#[test]
fn rounds_are_bounded() {
    let limits = Limits { max_input_rounds: 3, ..Limits::recommended() };
    let mut client = Client::with_limits(server(), limits);
    capable(&mut client);
    client.call("call", "nag", json!({}));
    for _ in 0..3 {
        let request = client.receive();
        client.send(json!({"id": request["id"], "result": {"action": "decline"}}));
    }
    assert_eq!(client.receive()["result"]["isError"], true);
}

#[test]
fn a_client_that_never_answers_is_told_and_given_up() {
    let limits = Limits { input_timeout: Duration::from_millis(1), ..Limits::recommended() };
    let mut client = Client::with_limits(server(), limits);
    capable(&mut client);
    client.call("call", "ask", json!({}));
    let request = client.receive();
    let withdrawn = client.receive();
    assert_eq!(withdrawn["method"], "notifications/cancelled");
    assert_eq!(withdrawn["params"]["requestId"], request["id"]);
    assert_eq!(client.receive()["result"]["isError"], true);
}

#[test]
fn cancelling_a_call_withdraws_what_it_has_asked() {
    let mut client = Client::new(server());
    capable(&mut client);
    client.call("call", "ask", json!({}));
    let request = client.receive();
    client.send(json!({"method": "notifications/cancelled", "params": {"requestId": "call"}}));
    let withdrawn = client.receive();
    assert_eq!(withdrawn["method"], "notifications/cancelled");
    assert_eq!(withdrawn["params"]["requestId"], request["id"]);
    assert_eq!(client.close(), Vec::<Value>::new());
}

#[test]
fn the_end_of_input_ends_the_wait_for_an_answer() {
    let mut client = Client::new(server());
    capable(&mut client);
    client.call("call", "ask", json!({}));
    client.receive();
    let rest = client.close();
    let answer = rest.iter().find(|message| message["id"] == "call").unwrap();
    assert_eq!(answer["result"]["isError"], true);
}

fn modern_call(id: u64, capabilities: Value, more: Value) -> Value {
    let mut params = json!({"name": "ask", "_meta": modern(capabilities)});
    for (name, value) in more.as_object().unwrap() {
        params[name] = value.clone();
    }
    json!({"id": id, "method": "tools/call", "params": params})
}

#[test]
fn since_2026_the_client_repeats_its_request() {
    let able = json!({"elicitation": {}, "roots": {}});
    let mut client = Client::new(server());
    let answer = client.ask(modern_call(1, able.clone(), json!({})));
    assert_eq!(answer["result"]["resultType"], "input_required");
    assert_eq!(answer["result"]["inputRequests"]["name"]["method"], "elicitation/create");
    assert_eq!(answer["result"]["requestState"], Value::Null);

    let name = json!({"name": {"action": "accept", "content": {"name": "Ada"}}, "extra": 5});
    let answer = client.ask(modern_call(2, able.clone(), json!({"inputResponses": name})));
    assert_eq!(answer["result"]["inputRequests"]["roots"]["method"], "roots/list");
    let state = answer["result"]["requestState"].as_str().unwrap().to_owned();

    let roots = json!({"roots": {"roots": []}});
    let more = json!({"inputResponses": roots, "requestState": state});
    let answer = client.ask(modern_call(3, able.clone(), more));
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(text(&answer), "Ada has 0 roots");

    for state in [format!("{state}-TAMPERED"), state.replace("Ada", "Eve"), String::new()] {
        let more = json!({"inputResponses": roots, "requestState": state});
        let answer = client.ask(modern_call(4, able.clone(), more));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    let bad = json!({"inputResponses": {"name": 12345}});
    assert_eq!(client.ask(modern_call(5, able.clone(), bad))["error"]["code"], -32602);
    // Without the answer it needs, the tool asks again.
    let other = json!({"inputResponses": {"other": {}}});
    let answer = client.ask(modern_call(6, able, other));
    assert_eq!(answer["result"]["resultType"], "input_required");
}

#[test]
fn since_2026_nothing_undeclared_is_asked() {
    let mut client = Client::new(server());
    let answer = client.ask(modern_call(1, json!({"roots": {}}), json!({})));
    assert_eq!(answer["error"]["code"], -32021);
    assert_eq!(answer["error"]["data"], json!({"requiredCapabilities": {"elicitation": {}}}));
    // What an earlier request or a handshake declared does not count.
    capable(&mut client);
    let answer = client.ask(modern_call(2, json!({}), json!({})));
    assert_eq!(answer["error"]["code"], -32021);
}
