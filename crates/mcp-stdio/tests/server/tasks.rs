//! Calls that go on as tasks: told of on a subscription, asked for, answered, cancelled.

use mcp_proto::{
    CallToolResult, ElicitParams, ElicitResult, FormField, FormSchema, InputRequest,
    InputRequiredResult, Outcome, RpcError,
};
use mcp_stdio::{CallContext, Limits, NoArguments, Server, ToolError, tool};
use serde_json::{Value, json};

use crate::client::{Client, modern};
use crate::toys::Gate;

const TASKS: &str = "io.modelcontextprotocol/tasks";

type Ended = Result<Outcome<CallToolResult>, ToolError>;

fn ask_two(context: &CallContext) -> Ended {
    let first = context.answer::<ElicitResult>("first")?;
    let second = context.answer::<ElicitResult>("second")?;
    if let (Some(first), Some(second)) = (first, second) {
        let text = format!("{:?} {:?}", first.action, second.action);
        return Ok(CallToolResult::text(text).into());
    }
    let form = || {
        let form = FormSchema::new().required("ok", FormField::boolean());
        InputRequest::Elicit(ElicitParams::form("?", form))
    };
    let question = InputRequiredResult::new("first", form()).with_request("second", form());
    Ok(Outcome::InputRequired(question))
}

fn server(gate: &Gate) -> Server {
    let gate = gate.clone();
    Server::builder("tasks", "1.0.0")
        .tasks()
        .tool(tool("wait", "Waits at the gate.", move |_: NoArguments, context| {
            let gate = gate.clone();
            context.run_as_task(move |context| Ok(CallToolResult::text(gate.pass(context)).into()))
        }))
        .tool(tool("fail", "Fails.", |_: NoArguments, context| {
            context.require_tasks()?;
            context.run_as_task(|_| Err(ToolError::new("no luck")))
        }))
        .tool(tool("break", "Breaks the protocol.", |_: NoArguments, context| {
            context.run_as_task(|_| Err(ToolError::protocol(RpcError::internal("broken"))))
        }))
        .tool(tool("panic", "Panics.", |_: NoArguments, context| -> Ended {
            context.run_as_task(|_| panic!("toy panic"))
        }))
        .tool(tool("ask", "Asks two things.", |_: NoArguments, context| {
            context.run_as_task(ask_two)
        }))
        .build()
        .unwrap()
}

/// A client whose requests all declare the extension.
struct Tasker(Client);

impl Tasker {
    fn new(server: Server, limits: Limits) -> Self {
        Self(Client::with_limits(server, limits))
    }

    fn ask(&mut self, method: &str, mut params: Value) -> Value {
        params["_meta"] = modern(json!({"extensions": {TASKS: {}}, "elicitation": {}}));
        self.0.ask(json!({"id": method, "method": method, "params": params}))
    }

    fn call(&mut self, name: &str) -> Value {
        self.ask("tools/call", json!({"name": name}))
    }

    /// Starts a task and returns its id.
    fn start(&mut self, name: &str) -> String {
        let answer = self.call(name);
        assert_eq!(answer["result"]["resultType"], "task", "{answer}");
        answer["result"]["taskId"].as_str().unwrap().to_owned()
    }

    fn get(&mut self, id: &str) -> Value {
        self.ask("tasks/get", json!({"taskId": id}))["result"].clone()
    }

    /// Asks until the task has that status. Every question is a round trip, so this needs no sleep.
    fn until(&mut self, id: &str, status: &str) -> Value {
        loop {
            let task = self.get(id);
            if task["status"] == status {
                return task;
            }
            let is_final =
                ["completed", "failed", "cancelled"].iter().any(|end| task["status"] == *end);
            assert!(!is_final, "{task}");
        }
    }
}

#[test]
fn a_task_is_answered_at_once_and_its_result_asked_for_later() {
    let gate = Gate::new();
    let mut client = Tasker::new(server(&gate), Limits::recommended());
    let id = client.start("wait");
    assert_eq!(id.len(), 32);
    assert_eq!(gate.next(), "arrived");
    let task = client.get(&id);
    assert_eq!(task["status"], "working");
    assert_eq!(task["resultType"], "complete");
    assert!(task["ttlMs"].as_u64().unwrap() > 0);
    gate.open();
    let task = client.until(&id, "completed");
    assert_eq!(task["result"]["content"][0]["text"], "passed");
}

#[test]
fn failures_of_tools_are_results_and_broken_protocol_is_not() {
    let mut client = Tasker::new(server(&Gate::new()), Limits::recommended());
    let id = client.start("fail");
    assert_eq!(client.until(&id, "completed")["result"]["isError"], true);
    for name in ["break", "panic"] {
        let id = client.start(name);
        let task = client.until(&id, "failed");
        assert_eq!(task["error"]["code"], -32603);
        assert_eq!(task["result"], Value::Null);
    }
}

#[test]
fn questions_stand_until_each_is_answered() {
    let mut client = Tasker::new(server(&Gate::new()), Limits::recommended());
    let id = client.start("ask");
    let task = client.until(&id, "input_required");
    assert_eq!(task["inputRequests"].as_object().unwrap().len(), 2);
    let answer = json!({"second": {"action": "decline"}, "third": {"action": "accept"}});
    let update = json!({"taskId": id, "inputResponses": answer});
    let acknowledged = client.ask("tasks/update", update);
    assert_eq!(acknowledged["result"]["resultType"], "complete");
    let task = client.get(&id);
    assert_eq!(task["status"], "input_required");
    let open: Vec<_> = task["inputRequests"].as_object().unwrap().keys().collect();
    assert_eq!(open, ["first"]);
    let answer = json!({"first": {"action": "accept", "content": {"ok": true}}});
    client.ask("tasks/update", json!({"taskId": id, "inputResponses": answer}));
    let task = client.until(&id, "completed");
    assert_eq!(task["result"]["content"][0]["text"], "Accept Decline");
}

#[test]
fn a_cancelled_task_stays_cancelled() {
    let gate = Gate::new();
    let mut client = Tasker::new(server(&gate), Limits::recommended());
    for name in ["wait", "ask"] {
        let id = client.start(name);
        if name == "wait" {
            assert_eq!(gate.next(), "arrived");
        }
        for _ in 0..2 {
            let answer = client.ask("tasks/cancel", json!({"taskId": id}));
            assert_eq!(answer["result"]["resultType"], "complete");
        }
        if name == "wait" {
            assert_eq!(gate.next(), "cancelled");
        }
        let late = json!({"taskId": id, "inputResponses": {"first": {"action": "accept"}}});
        client.ask("tasks/update", late);
        assert_eq!(client.get(&id)["status"], "cancelled");
    }
}

#[test]
fn a_subscription_tells_of_its_tasks_alone() {
    let gate = Gate::new();
    let mut client = Tasker::new(server(&gate), Limits::recommended());
    let id = client.start("wait");
    assert_eq!(gate.next(), "arrived");
    let filter = json!({"notifications": {"taskIds": [id, "unknown"]}});
    let acknowledged = client.ask("subscriptions/listen", filter);
    assert_eq!(acknowledged["params"]["notifications"], json!({"taskIds": [id]}));
    let other = client.start("fail");
    client.until(&other, "completed");
    gate.open();
    let told = client.0.receive();
    assert_eq!(told["method"], "notifications/tasks");
    assert_eq!(told["params"]["taskId"], id);
    assert_eq!(told["params"]["status"], "completed");
    assert_eq!(told["params"]["result"]["content"][0]["text"], "passed");
}

#[test]
fn without_the_extension_there_are_no_tasks() {
    let gate = Gate::new();
    gate.open();
    let mut client = Client::new(server(&gate));
    let mut ask = |method: &str, mut params: Value| {
        params["_meta"] = modern(json!({}));
        client.ask(json!({"id": 1, "method": method, "params": params}))
    };
    // What can run without a task does.
    let answer = ask("tools/call", json!({"name": "wait"}));
    assert_eq!(answer["result"]["content"][0]["text"], "passed");
    let required = json!({"requiredCapabilities": {"extensions": {TASKS: {}}}});
    for (method, params) in [
        ("tools/call", json!({"name": "fail"})),
        ("tasks/get", json!({"taskId": "x"})),
        ("tasks/cancel", json!({"taskId": "x"})),
        ("tasks/update", json!({"taskId": "x", "inputResponses": {}})),
        ("subscriptions/listen", json!({"notifications": {"taskIds": ["x"]}})),
    ] {
        let answer = ask(method, params);
        assert_eq!(answer["error"]["code"], -32021, "{method}: {answer}");
        assert_eq!(answer["error"]["data"], required, "{method}");
    }
}

#[test]
fn tasks_are_bounded_and_belong_to_one_revision() {
    let gate = Gate::new();
    let limits = Limits { max_tasks: 2, ..Limits::recommended() };
    let mut client = Tasker::new(server(&gate), limits);
    let first = client.start("fail");
    client.until(&first, "completed");
    client.start("wait");
    // The one that has ended makes room.
    client.start("wait");
    assert_eq!(client.ask("tasks/get", json!({"taskId": first}))["error"]["code"], -32602);
    assert_eq!(client.call("wait")["error"]["code"], -32603);
    for method in ["tasks/result", "tasks/list"] {
        assert_eq!(client.ask(method, json!({"taskId": "x"}))["error"]["code"], -32601);
    }
    let mut client = Client::connected(server(&gate), "2025-11-25");
    for method in ["tasks/get", "tasks/cancel", "tasks/update", "tasks/list", "tasks/result"] {
        let answer = client.ask(json!({"id": 1, "method": method, "params": {"taskId": "x"}}));
        assert_eq!(answer["error"]["code"], -32601, "{method}");
    }
}
