//! The wire form of one message in every revision, side by side.

#![expect(clippy::unwrap_used, reason = "what makes values fails where it stands")]

use mcp_proto::{
    Annotations, CacheHint, CallToolParams, CallToolResult, CancelTaskResult, CompleteParams,
    CompletionRef, Content, CreateMessageParams, CreateTaskResult, DetailedTask, DiscoverResult,
    ElicitParams, ElicitResult, ElicitUrlParams, ElicitationCapability, EmptyResult, Encode,
    ErrorCode, FormSchema, Icon, Implementation, InputRequest, InputRequiredResult, JsonObject,
    ListToolsResult, ListenResult, Method, NoParams, NotificationMeta, Outcome, Progress, RawJson,
    RequestMeta, RequestState, Resource, ResultBody, Revision, RpcError, SamplingContent,
    SamplingMessage, ServerCapabilities, Task, TaskStatus, TaskSupport, Tool, ToolAnnotations,
    ToolListChanged, Wire,
};

fn json(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

/// The value's form in each revision, oldest first; a refusal shows as its message.
fn values(value: &(impl Encode + ?Sized)) -> [String; 5] {
    Revision::ALL.map(|revision| {
        let mut out = Vec::new();
        match Wire::new(revision).value(&mut out, value) {
            Ok(()) => text(out),
            Err(refused) => refused.to_string(),
        }
    })
}

fn results(result: &dyn ResultBody) -> [String; 5] {
    Revision::ALL.map(|revision| {
        let mut out = Vec::new();
        match Wire::new(revision).result_value(&mut out, result) {
            Ok(()) => text(out),
            Err(refused) => refused.to_string(),
        }
    })
}

fn check(actual: &[String; 5], expected: [&str; 5]) {
    for (revision, (actual, expected)) in Revision::ALL.iter().zip(actual.iter().zip(expected)) {
        assert_eq!(actual, expected, "{revision}");
    }
}

#[test]
fn a_tool_gains_members_with_the_revisions() {
    let tool = Tool::new("t", json(r#"{"type":"object"}"#))
        .title("T")
        .description("d")
        .output_schema(json(r#"{"type":"object"}"#))
        .annotations(ToolAnnotations::read_only())
        .icon(Icon::new("data:,"))
        .task_support(TaskSupport::Optional)
        .meta(JsonObject::new().with("a/b", json("1")));
    check(
        &values(&tool),
        [
            r#"{"name":"t","description":"d","inputSchema":{"type":"object"}}"#,
            r#"{"name":"t","description":"d","inputSchema":{"type":"object"},"annotations":{"title":"T","readOnlyHint":true}}"#,
            r#"{"name":"t","title":"T","description":"d","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"_meta":{"a/b":1}}"#,
            r#"{"name":"t","title":"T","description":"d","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"icons":[{"src":"data:,"}],"execution":{"taskSupport":"optional"},"_meta":{"a/b":1}}"#,
            r#"{"name":"t","title":"T","description":"d","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"icons":[{"src":"data:,"}],"_meta":{"a/b":1}}"#,
        ],
    );
    let hinted = Tool::new("t", json(r#"{"type":"object"}"#)).title("T").annotations({
        let mut hints = ToolAnnotations::default();
        hints.title = Some("H".to_owned());
        hints
    });
    assert!(values(&hinted)[1].contains(r#""annotations":{"title":"H"}"#));
}

#[test]
fn a_schema_of_arrays_is_sent_only_where_it_is_allowed() {
    let tool =
        Tool::new("t", json(r#"{"type":"object"}"#)).output_schema(json(r#"{"type":"array"}"#));
    let has_schema = values(&tool).map(|form| form.contains("outputSchema"));
    assert_eq!(has_schema, [false, false, false, false, true]);
    let wrong = Tool::new("t", json(r#"{"type":"array"}"#));
    assert!(values(&wrong).iter().all(|form| form.contains("has no form in revision")));
}

#[test]
fn structured_content_is_sent_only_where_it_is_allowed() {
    let has_data = |data| {
        results(&CallToolResult::structured(json(data)))
            .map(|form| form.contains("structuredContent"))
    };
    assert_eq!(has_data(r#"{"a":1}"#), [false, false, true, true, true]);
    assert_eq!(has_data("[1]"), [false, false, false, false, true]);
    assert_eq!(has_data("null"), [false, false, false, false, true]);
    let texts = results(&CallToolResult::structured(json("[1]")));
    assert!(texts.iter().all(|form| form.contains(r#"{"type":"text","text":"[1]"}"#)));
}

#[test]
fn blocks_that_a_revision_lacks_become_text() {
    let link = Content::link(Resource::new("file:///a", "A"))
        .annotated(Annotations::default().priority(7.0).last_modified("2026"));
    let as_link = r#"{"type":"resource_link","uri":"file:///a","name":"A","annotations":{"priority":1,"lastModified":"2026"}}"#;
    let as_text = r#"{"type":"text","text":"A: file:///a","annotations":{"priority":1}}"#;
    check(&values(&link), [as_text, as_text, as_link, as_link, as_link]);
    let audio = values(&Content::audio("AAAA", "audio/wav"));
    assert_eq!(audio[0], r#"{"type":"text","text":"[audio of type audio/wav left out]"}"#);
    assert_eq!(audio[1], r#"{"type":"audio","data":"AAAA","mimeType":"audio/wav"}"#);
}

#[test]
fn only_the_stateless_revision_has_result_types_and_cache_hints() {
    let list = ListToolsResult::new(vec![]).cache(CacheHint::public(5));
    let old = r#"{"tools":[]}"#;
    check(
        &results(&list),
        [
            old,
            old,
            old,
            old,
            r#"{"resultType":"complete","ttlMs":5,"cacheScope":"public","tools":[]}"#,
        ],
    );
    let empty = EmptyResult::default();
    check(&results(&empty), ["{}", "{}", "{}", "{}", r#"{"resultType":"complete"}"#]);
    let call = Outcome::Complete(CallToolResult::new(vec![]));
    assert_eq!(results(&call)[4], r#"{"resultType":"complete","content":[]}"#);
    let discovered = DiscoverResult::new(&[Revision::NEWEST], ServerCapabilities::default());
    assert_eq!(
        results(&discovered)[4],
        r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","supportedVersions":["2026-07-28"],"capabilities":{}}"#
    );
}

#[test]
fn the_server_is_named_in_results_of_the_stateless_revision_alone() {
    let server = Implementation::new("s", "1");
    let forms = Revision::ALL.map(|revision| {
        let mut out = Vec::new();
        let wire = Wire::new(revision).with_server_info(&server);
        wire.result(&mut out, &7_i64.into(), &EmptyResult::default()).unwrap();
        text(out)
    });
    let old = r#"{"jsonrpc":"2.0","id":7,"result":{}}"#;
    check(
        &forms,
        [
            old,
            old,
            old,
            old,
            r#"{"jsonrpc":"2.0","id":7,"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}},"resultType":"complete"}}"#,
        ],
    );
    let mut own = EmptyResult::default();
    own.meta.server_info = Some(Implementation::new("other", "2"));
    let mut out = Vec::new();
    Wire::new(Revision::NEWEST).with_server_info(&server).result_value(&mut out, &own).unwrap();
    assert!(text(out).contains(r#""name":"other""#));
}

#[test]
fn questions_never_reach_a_peer_that_cannot_answer_them() {
    let question = InputRequiredResult::new(
        "k",
        InputRequest::Elicit(ElicitParams::form("m", FormSchema::new())),
    )
    .with_state(RequestState::new(""));
    let outcome: Outcome<CallToolResult> = Outcome::InputRequired(question);
    let forms = results(&outcome);
    assert!(forms[..4].iter().all(|form| form.contains("has no form in revision")));
    assert_eq!(
        forms[4],
        r#"{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}}},"requestState":""}"#
    );
    let empty: Outcome<CallToolResult> = Outcome::InputRequired(InputRequiredResult::default());
    assert!(results(&empty).iter().all(|form| form.contains("has no form in revision")));
    let listen = ListenResult::new("s".into());
    assert_eq!(
        results(&listen)[4],
        r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"},"resultType":"complete"}"#
    );
}

#[test]
fn an_error_without_a_readable_id_says_null_only_in_plain_json_rpc() {
    let forms = Revision::ALL.map(|revision| {
        let mut out = Vec::new();
        Wire::new(revision).error(&mut out, None, &RpcError::parse_error("p"));
        text(out)
    });
    let null = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"p"}}"#;
    let none = r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"p"}}"#;
    check(&forms, [null, null, null, none, none]);
}

#[test]
fn error_numbers_follow_the_revision() {
    let number = |error: &RpcError| {
        values(error).map(|form| form.split([':', ',']).nth(1).unwrap().to_owned())
    };
    let missing = RpcError::resource_not_found("file:///a");
    check(&number(&missing), ["-32002", "-32002", "-32002", "-32002", "-32602"]);
    assert!(values(&missing).iter().all(|form| form.ends_with(r#""data":{"uri":"file:///a"}}"#)));
    let version = RpcError::unsupported_version("v999", &[Revision::NEWEST]);
    assert_eq!(number(&version)[4], "-32022");
    assert!(
        values(&version)[4].ends_with(r#""data":{"supported":["2026-07-28"],"requested":"v999"}}"#)
    );
    let ask = InputRequest::Elicit(ElicitParams::url("m", "https://e"));
    let lacks = ask.missing_capability(&mcp_proto::ClientCapabilities::default()).unwrap();
    let capability = RpcError::missing_client_capability(&lacks);
    assert!(
        values(&capability)[4]
            .ends_with(r#""data":{"requiredCapabilities":{"elicitation":{"url":{}}}}}"#)
    );
    let url = ElicitUrlParams::new("m", "https://e");
    assert!(RpcError::url_elicitation_required(std::slice::from_ref(&url)).is_err());
    let required = RpcError::url_elicitation_required(&[url.elicitation_id("1")]).unwrap();
    check(&number(&required), ["-32603", "-32603", "-32603", "-32042", "-32603"]);
    let own = RpcError::new(ErrorCode::Other(42), "m");
    check(&number(&own), ["42"; 5]);
}

#[test]
fn what_may_be_asked_depends_on_what_was_declared() {
    let client = mcp_proto::ClientCapabilities::default;
    let form = InputRequest::Elicit(ElicitParams::form("m", FormSchema::new()));
    let url = InputRequest::Elicit(ElicitParams::url("m", "https://e"));
    let implicit = client().with_elicitation(ElicitationCapability::default());
    let only_url = client().with_elicitation(ElicitationCapability::url());
    assert!(form.missing_capability(&implicit).is_none());
    assert!(url.missing_capability(&implicit).is_some());
    assert!(form.missing_capability(&only_url).is_some());
    assert!(url.missing_capability(&only_url).is_none());
    let sample = |params| InputRequest::CreateMessage(Box::new(params));
    let plain = CreateMessageParams::new(vec![SamplingMessage::user("hi")], 1);
    let tools = plain.clone().tools(vec![Tool::new("t", json(r#"{"type":"object"}"#))], None);
    assert!(sample(plain.clone()).missing_capability(&client().with_sampling()).is_none());
    assert!(sample(tools.clone()).missing_capability(&client().with_sampling()).is_some());
    assert!(sample(tools).missing_capability(&client().with_sampling_tools()).is_none());
    assert!(sample(plain).missing_capability(&client()).is_some());
    assert!(InputRequest::ListRoots.missing_capability(&client()).is_some());
    assert!(InputRequest::ListRoots.missing_capability(&client().with_roots(true)).is_none());
}

#[test]
fn a_request_of_the_stateless_revision_always_carries_its_claim() {
    let request = |revision, method| {
        let mut out = Vec::new();
        let meta = RequestMeta::default();
        let sent =
            Wire::new(revision).request(&mut out, &1_i64.into(), method, &NoParams {}, &meta);
        sent.map(|()| text(out))
    };
    assert_eq!(
        request(Revision::V2026_07_28, Method::Discover).unwrap(),
        r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#
    );
    assert_eq!(
        request(Revision::V2025_06_18, Method::Ping).unwrap(),
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
    );
    for method in [Method::Ping, Method::Initialize, Method::SetLevel, Method::ListRoots] {
        assert!(request(Revision::V2026_07_28, method).is_err(), "{method}");
    }
    assert!(request(Revision::V2025_11_25, Method::Discover).is_err());
}

#[test]
fn notifications_lose_what_a_revision_lacks() {
    let send = |revision: Revision| {
        let mut out = Vec::new();
        let progress = Progress::new("p".into(), 1.0).total(2.5).message("m");
        let wire = Wire::new(revision);
        wire.notification(&mut out, &progress, &NotificationMeta::default()).unwrap();
        text(out)
    };
    assert_eq!(
        send(Revision::V2024_11_05),
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1,"total":2.5}}"#
    );
    assert!(send(Revision::V2025_03_26).contains(r#""message":"m""#));

    let mut out = b"before".to_vec();
    let endless = Progress::new("p".into(), f64::NAN);
    let wire = Wire::new(Revision::V2025_11_25);
    assert!(wire.notification(&mut out, &endless, &NotificationMeta::default()).is_err());
    assert_eq!(out, b"before");

    let meta = NotificationMeta::for_subscription("s".into());
    let changed = |revision| {
        let mut out = Vec::new();
        Wire::new(revision).notification(&mut out, &ToolListChanged {}, &meta).unwrap();
        text(out)
    };
    assert_eq!(
        changed(Revision::V2025_11_25),
        r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#
    );
    assert!(
        changed(Revision::V2026_07_28)
            .contains(r#""params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}"#)
    );
}

#[test]
fn what_a_client_says_fits_the_revision_of_the_server() {
    let complete = CompleteParams::new(CompletionRef::prompt("p"), "a", "v")
        .context([("b", "w")].into_iter().collect());
    let has_context = Revision::ALL.map(|revision| {
        let mut out = Vec::new();
        let (id, meta) = (1_i64.into(), RequestMeta::default());
        let wire = Wire::new(revision);
        wire.request(&mut out, &id, Method::Complete, &complete, &meta).unwrap();
        text(out).contains("context")
    });
    assert_eq!(has_context, [false, false, true, true, true]);

    let capabilities = mcp_proto::ClientCapabilities::default()
        .with_roots(true)
        .with_sampling_tools()
        .with_elicitation(ElicitationCapability::form_and_url());
    check(
        &values(&capabilities),
        [
            r#"{"roots":{"listChanged":true},"sampling":{}}"#,
            r#"{"roots":{"listChanged":true},"sampling":{}}"#,
            r#"{"roots":{"listChanged":true},"sampling":{},"elicitation":{}}"#,
            r#"{"roots":{"listChanged":true},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}}}"#,
            r#"{"roots":{},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}}}"#,
        ],
    );

    let several =
        SamplingMessage::user(vec![SamplingContent::text("a"), SamplingContent::text("b")]);
    let refused = values(&several).map(|form| form.contains("has no form"));
    assert_eq!(refused, [true, true, true, false, false]);

    let answers = [("list", "[\"a\"]"), ("text", "\"x\""), ("odd", "{}")];
    let content = answers.into_iter().map(|(name, value)| (name, json(value))).collect();
    let forms = results(&ElicitResult::accept(content));
    assert_eq!(forms[2], r#"{"action":"accept","content":{"text":"x"}}"#);
    assert_eq!(forms[3], r#"{"action":"accept","content":{"list":["a"],"text":"x"}}"#);
}

#[test]
fn a_task_is_nested_in_one_revision_and_flat_in_the_next() {
    let mut task = Task::new("t", "a").ttl_ms(5).poll_interval_ms(7);
    let forms = results(&CreateTaskResult::new(task.clone()));
    assert!(forms[..3].iter().all(|form| form.contains("has no form in revision")));
    assert_eq!(
        forms[3..],
        [
            r#"{"task":{"taskId":"t","status":"working","createdAt":"a","lastUpdatedAt":"a","ttl":5,"pollInterval":7}}"#,
            r#"{"resultType":"task","taskId":"t","status":"working","createdAt":"a","lastUpdatedAt":"a","ttlMs":5,"pollIntervalMs":7}"#,
        ]
    );
    task.ttl_ms = None;
    task.status = TaskStatus::Completed;
    let mut detailed = DetailedTask::new(task.clone());
    detailed.result = Some(json(r#"{"content":[]}"#));
    let forms = results(&detailed);
    assert!(forms[3].contains(r#""ttl":null"#) && !forms[3].contains("content"));
    assert!(forms[4].contains(r#""ttlMs":null"#));
    assert!(forms[4].ends_with(r#""result":{"content":[]}}"#));
    let cancelled = results(&CancelTaskResult::new(task));
    assert!(cancelled[3].contains(r#""taskId":"t""#));
    assert_eq!(cancelled[4], r#"{"resultType":"complete"}"#);
}

#[test]
fn raw_text_with_line_breaks_stays_on_one_line() {
    let pretty = "{\n  \"x\": [1,\r\n 2]\n}";
    let raw: &serde_json::value::RawValue = serde_json::from_str(pretty).unwrap();
    let params = CallToolParams::new("t").arguments(raw);
    let mut out = Vec::new();
    let (id, meta) = (1_i64.into(), RequestMeta::default());
    let wire = Wire::new(Revision::V2025_11_25);
    wire.request(&mut out, &id, Method::CallTool, &params, &meta).unwrap();
    assert!(text(out).ends_with(r#""arguments":{  "x": [1, 2]}}}"#));
}
