//! What is sent to each provider, and what is read of its answers.

use llm_http::{Kind, Provider, Structured};
use review_tool::control::Uncontrolled;
use review_tool::model::{Model, Redacted, Stop, ToolResult, ToolSpec, Turn};
use serde_json::{Value, json};

use crate::fake::{Fake, Reply};
use crate::script::{self, Ending, KINDS};
use crate::{KEY, provider, request, settings};

#[test]
fn every_provider_is_asked_in_its_own_form_and_understood() {
    for kind in KINDS {
        let text = "{\"summary\":\"grün\",\"findings\":[]}";
        let fake = Fake::with(vec![script::answer(kind, text, Ending::Done)]);
        let model = provider(kind, &fake.url);
        let request = request("the change");
        let answer = model.ask(&request, &Uncontrolled).unwrap();
        assert_eq!((answer.text.as_str(), &answer.stop), (text, &Stop::Done), "{kind:?}");
        let usage = answer.usage;
        assert_eq!((usage.input_tokens, usage.output_tokens), (100, 15), "{kind:?}");
        assert_eq!(
            usage.cached_input_tokens,
            if kind == Kind::Ollama { 0 } else { 75 },
            "{kind:?}"
        );

        let received = fake.received().remove(0);
        assert_eq!(
            received.body,
            model.preview(&request).body,
            "{kind:?}: what a dry run shows is sent"
        );
        let body = received.json();
        let (path, header, places): (&str, (&str, String), &[(&str, Value)]) = match kind {
            Kind::Anthropic => (
                "/v1/messages",
                ("x-api-key", KEY.to_owned()),
                &[
                    ("/max_tokens", json!(1234)),
                    ("/stream", json!(true)),
                    ("/system/0/cache_control/type", json!("ephemeral")),
                    ("/messages/0/content/0/cache_control/type", json!("ephemeral")),
                    ("/messages/0/content/1/text", json!("the change")),
                    ("/tool_choice", json!({"type": "tool", "name": "report_findings"})),
                    ("/tools/0/input_schema/properties/findings/type", json!("array")),
                ],
            ),
            Kind::OpenAiResponses => (
                "/responses",
                ("authorization", format!("Bearer {KEY}")),
                &[
                    ("/max_output_tokens", json!(1234)),
                    ("/instructions", json!("the rubric")),
                    ("/input/0/content/1/text", json!("the change")),
                    ("/text/format/type", json!("json_schema")),
                    ("/text/format/strict", json!(true)),
                    ("/store", json!(false)),
                ],
            ),
            Kind::OpenAiChat => (
                "/chat/completions",
                ("authorization", format!("Bearer {KEY}")),
                &[
                    ("/max_completion_tokens", json!(1234)),
                    ("/messages/0/role", json!("system")),
                    ("/messages/1/content", json!("shared\nthe change")),
                    ("/response_format/json_schema/strict", json!(true)),
                    ("/stream_options/include_usage", json!(true)),
                ],
            ),
            Kind::Compatible => (
                "/chat/completions",
                ("authorization", format!("Bearer {KEY}")),
                &[
                    ("/max_tokens", json!(1234)),
                    ("/temperature", json!(0)),
                    ("/response_format/type", json!("json_schema")),
                ],
            ),
            Kind::Gemini => (
                "/v1beta/models/some-model:streamGenerateContent?alt=sse",
                ("x-goog-api-key", KEY.to_owned()),
                &[
                    ("/generationConfig/maxOutputTokens", json!(1234)),
                    ("/generationConfig/responseMimeType", json!("application/json")),
                    ("/generationConfig/responseJsonSchema/type", json!("object")),
                    ("/systemInstruction/parts/0/text", json!("the rubric")),
                    ("/contents/0/parts/1/text", json!("the change")),
                ],
            ),
            Kind::Ollama => (
                "/api/chat",
                ("authorization", format!("Bearer {KEY}")),
                &[
                    ("/options/num_predict", json!(1234)),
                    ("/options/num_ctx", json!(51_234)),
                    ("/format/type", json!("object")),
                    ("/messages/1/content", json!("shared\nthe change")),
                ],
            ),
        };
        assert!(
            received.head.starts_with(&format!("POST {path} HTTP/1.1\r\n")),
            "{}",
            received.head
        );
        assert!(received.has_header(header.0, &header.1), "{kind:?}: {}", received.head);
        for (place, want) in places {
            assert_eq!(body.pointer(place), Some(want), "{kind:?} {place}");
        }
    }
}

#[test]
fn why_a_model_stopped_is_told_apart() {
    for kind in KINDS {
        for (ending, want) in [
            (Ending::Truncated, "Truncated"),
            (Ending::Refused, "Refused"),
            (Ending::Filtered, "Filtered"),
        ] {
            let want = match (kind, ending) {
                // Ollama cannot tell; Gemini and Anthropic have one word for both.
                (Kind::Ollama, Ending::Refused | Ending::Filtered) => continue,
                (Kind::Gemini, Ending::Refused) => "Filtered",
                (Kind::Anthropic, Ending::Filtered) => "Refused",
                _ => want,
            };
            let fake = Fake::with(vec![script::answer(kind, "{\"findings\":[", ending)]);
            let answer = provider(kind, &fake.url).ask(&request("x"), &Uncontrolled).unwrap();
            assert!(format!("{:?}", answer.stop).starts_with(want), "{kind:?}: {:?}", answer.stop);
        }
    }
    let blocked =
        Reply::sse("data: {\"promptFeedback\":{\"blockReason\":\"PROHIBITED_CONTENT\"}}\n\n");
    let fake = Fake::with(vec![blocked]);
    let answer = provider(Kind::Gemini, &fake.url).ask(&request("x"), &Uncontrolled).unwrap();
    assert_eq!(answer.stop, Stop::Filtered("PROHIBITED_CONTENT".to_owned()));
}

#[test]
fn calls_are_understood_and_the_conversation_goes_on_in_the_providers_form() {
    for kind in KINDS {
        let calls = [
            ("call-0", "search", r#"{"text":"send("}"#),
            ("call-1", "read_file", r#"{"path":"a"}"#),
        ];
        let fake =
            Fake::with(vec![script::calls(kind, &calls), script::answer(kind, "{}", Ending::Done)]);
        let model = provider(kind, &fake.url);
        let mut request = request("x");
        request.tools = ["read_file", "search"]
            .map(|name| ToolSpec {
                name: name.to_owned(),
                description: Redacted::new("about it"),
                schema: json!({"type": "object", "properties": {"path": {"type": "string"}}}),
            })
            .to_vec();
        request.may_call = true;
        let answer = model.ask(&request, &Uncontrolled).unwrap();
        assert_eq!(answer.stop, Stop::Tools, "{kind:?}");
        let got: Vec<_> = answer
            .calls
            .iter()
            .map(|call| (call.id.as_str(), call.name.as_str(), call.arguments.to_string()))
            .collect();
        let want: Vec<_> =
            calls.iter().map(|(id, name, text)| (*id, *name, (*text).to_owned())).collect();
        assert_eq!(got, want, "{kind:?}");

        let results = answer
            .calls
            .iter()
            .map(|call| ToolResult {
                id: call.id.clone(),
                name: call.name.clone(),
                text: Redacted::new("what it gave"),
                failed: call.name == "search",
            })
            .collect();
        request.turns.push(Turn::Answer(answer));
        request.turns.push(Turn::Results(results));
        request.may_call = false;
        model.ask(&request, &Uncontrolled).unwrap();
        let received = fake.received();
        let (first, second) = (received[0].json(), received[1].json());
        let (choice, before, after, history): (&str, Value, Value, &[(&str, Value)]) = match kind {
            Kind::Anthropic => (
                "/tool_choice/type",
                json!("any"),
                json!("tool"),
                &[
                    ("/messages/1/content/0/input", json!({"text": "send("})),
                    ("/messages/2/content/0/tool_use_id", json!("call-0")),
                    ("/messages/2/content/0/is_error", json!(true)),
                    ("/tools/2/name", json!("report_findings")),
                ],
            ),
            Kind::OpenAiResponses => (
                "/tool_choice",
                json!("auto"),
                json!("none"),
                &[
                    ("/input/1/encrypted_content", json!("opaque")),
                    ("/input/2/call_id", json!("call-0")),
                    ("/input/4/output", json!("what it gave")),
                    ("/include/0", json!("reasoning.encrypted_content")),
                ],
            ),
            Kind::OpenAiChat | Kind::Compatible => (
                "/tool_choice",
                json!("auto"),
                json!("none"),
                &[
                    ("/messages/2/tool_calls/1/function/arguments", json!(r#"{"path":"a"}"#)),
                    ("/messages/4/tool_call_id", json!("call-1")),
                    ("/tools/0/function/name", json!("read_file")),
                ],
            ),
            Kind::Gemini => (
                "/toolConfig/functionCallingConfig/allowedFunctionNames",
                Value::Null,
                json!(["report_findings"]),
                &[
                    ("/contents/1/parts/1/thoughtSignature", json!("c2ln")),
                    ("/contents/2/parts/0/functionResponse/response/error", json!("what it gave")),
                    ("/contents/2/parts/1/functionResponse/id", json!("call-1")),
                    ("/tools/0/functionDeclarations/0/name", json!("read_file")),
                ],
            ),
            Kind::Ollama => (
                "/format/type",
                Value::Null,
                json!("object"),
                &[
                    ("/messages/2/tool_calls/0/function/arguments/text", json!("send(")),
                    ("/messages/3/tool_name", json!("search")),
                ],
            ),
        };
        assert_eq!(first.pointer(choice).unwrap_or(&Value::Null), &before, "{kind:?}");
        assert_eq!(second.pointer(choice).unwrap_or(&Value::Null), &after, "{kind:?}");
        for (place, want) in history {
            assert_eq!(second.pointer(place), Some(want), "{kind:?} {place}: {second:#}");
        }
    }
}

#[test]
fn what_a_server_does_not_know_is_left_out_and_asked_again() {
    let refusal = |text: &str| Reply::status(400, &json!({"error": {"message": text}}).to_string());
    let fake = Fake::with(vec![
        refusal("response_format: type json_schema is not supported"),
        refusal("This response_format type is unavailable now"),
        refusal("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        Reply::status(422, r#"{"detail":"stream_options: extra inputs are not permitted"}"#),
        script::answer(Kind::Compatible, "{}", Ending::Done),
    ]);
    let answer = provider(Kind::Compatible, &fake.url).ask(&request("x"), &Uncontrolled).unwrap();
    assert_eq!(answer.stop, Stop::Done);
    let sent = fake.received();
    assert_eq!(sent[1].json()["response_format"], json!({"type": "json_object"}));
    let last = sent[4].json();
    assert!(last.get("response_format").is_none() && last.get("stream_options").is_none());
    assert_eq!((last.get("max_tokens"), &last["max_completion_tokens"]), (None, &json!(1234)));

    let fake = Fake::with(vec![refusal("the request is too long")]);
    let error =
        provider(Kind::Compatible, &fake.url).ask(&request("x"), &Uncontrolled).unwrap_err();
    assert_eq!(error.to_string(), "mine answered 400: the request is too long");
    assert_eq!(fake.received().len(), 1, "a refusal that says nothing of a member is final");
}

#[test]
fn a_server_that_does_not_stream_is_understood_where_others_do() {
    let whole = json!({"choices": [{"message": {"role": "assistant", "content": "{\"findings\":[]}"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4, "cost": 0.25}});
    let fake = Fake::with(vec![Reply::status(200, &whole.to_string())]);
    let answer = provider(Kind::Compatible, &fake.url).ask(&request("x"), &Uncontrolled).unwrap();
    assert_eq!((answer.text.as_str(), answer.stop), ("{\"findings\":[]}", Stop::Done));
    assert_eq!((answer.usage.output_tokens, answer.cost_usd), (4, Some(0.25)));
}

#[test]
fn settings_that_would_leak_or_fail_are_refused_before_anything_is_sent() {
    let of = |change: &dyn Fn(&mut llm_http::Settings)| {
        let mut settings = settings(Kind::Compatible, "http://127.0.0.1:1");
        change(&mut settings);
        Provider::new(settings).err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert_eq!(of(&|_| ()), "");
    assert!(of(&|s| s.base_url = None).contains("name the endpoint by base_url"));
    assert!(
        of(&|s| s.base_url = Some("ftp://x".to_owned()))
            .contains("is not an http or https address")
    );
    let said = of(&|s| s.base_url = Some("http://user:secret@models.example/v1".to_owned()));
    assert!(
        said.contains("sent unprotected to models.example") && !said.contains("secret"),
        "{said}"
    );
    assert_eq!(
        of(&|s| {
            s.base_url = Some("http://models.example".to_owned());
            s.key = None;
        }),
        ""
    );
    assert!(
        of(&|s| s.ca = Some(b"not a certificate".to_vec()))
            .contains("ca_file holds no certificate")
    );
    assert!(
        of(&|s| {
            s.base_url = Some("https://models.example".to_owned());
            s.proxy = Some("::".to_owned());
        })
        .contains("the proxy is not an address")
    );
    let mut by_prompt = settings(Kind::Compatible, "http://127.0.0.1:1");
    by_prompt.structured = Structured::Prompt;
    let body = Provider::new(by_prompt).unwrap().preview(&request("x")).body;
    assert!(!String::from_utf8(body).unwrap().contains("response_format"));
}
