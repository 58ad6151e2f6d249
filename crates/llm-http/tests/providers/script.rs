//! What each provider sends, in its own form: an answer of a text, of calls, and of every kind of end.

use llm_http::Kind;
use serde_json::{Value, json};

use crate::fake::Reply;

pub(crate) const KINDS: [Kind; 6] = [
    Kind::Anthropic,
    Kind::OpenAiResponses,
    Kind::OpenAiChat,
    Kind::Compatible,
    Kind::Gemini,
    Kind::Ollama,
];

/// How an answer ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    Done,
    Truncated,
    Refused,
    Filtered,
}

fn event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

fn data(data: &Value) -> String {
    format!("data: {data}\n\n")
}

/// Cuts a text in two, so that an answer comes in more than one piece.
fn halves(text: &str) -> (&str, &str) {
    let mut at = text.len() / 2;
    while !text.is_char_boundary(at) {
        at += 1;
    }
    text.split_at(at)
}

/// An answer of `text`. Where a provider answers by calling a tool, the text is what it is called with.
pub(crate) fn answer(kind: Kind, text: &str, ending: Ending) -> Reply {
    match kind {
        Kind::Anthropic => anthropic(&[("toolu_1", "report_findings", text)], ending),
        Kind::OpenAiResponses => responses(text, &[], ending),
        Kind::OpenAiChat | Kind::Compatible => chat(text, &[], ending),
        Kind::Gemini => {
            gemini(vec![json!({"text": halves(text).0}), json!({"text": halves(text).1})], ending)
        }
        Kind::Ollama => ollama(text, &[], ending),
    }
}

/// An answer that calls tools, each with its arguments as JSON.
pub(crate) fn calls(kind: Kind, calls: &[(&str, &str, &str)]) -> Reply {
    match kind {
        Kind::Anthropic => anthropic(calls, Ending::Done),
        Kind::OpenAiResponses => responses("", calls, Ending::Done),
        Kind::OpenAiChat | Kind::Compatible => chat("", calls, Ending::Done),
        Kind::Gemini => {
            let part = |(id, name, arguments): &(&str, &str, &str)| {
                let arguments: Value = serde_json::from_str(arguments).unwrap();
                json!({"functionCall": {"id": id, "name": name, "args": arguments}, "thoughtSignature": "c2ln"})
            };
            gemini(calls.iter().map(part).collect(), Ending::Done)
        }
        Kind::Ollama => ollama("", calls, Ending::Done),
    }
}

fn anthropic(calls: &[(&str, &str, &str)], ending: Ending) -> Reply {
    let mut body = event(
        "message_start",
        &json!({"type": "message_start", "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "content": [], "stop_reason": null,
            "usage": {"input_tokens": 25, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 75, "output_tokens": 1},
        }}),
    );
    body.push_str(&event("ping", &json!({"type": "ping"})));
    for (at, (id, name, input)) in calls.iter().enumerate() {
        body.push_str(&event(
            "content_block_start",
            &json!({"type": "content_block_start", "index": at,
            "content_block": {"type": "tool_use", "id": id, "name": name, "input": {}}}),
        ));
        for part in [halves(input).0, halves(input).1] {
            body.push_str(&event(
                "content_block_delta",
                &json!({"type": "content_block_delta", "index": at,
                "delta": {"type": "input_json_delta", "partial_json": part}}),
            ));
        }
        body.push_str(&event(
            "content_block_stop",
            &json!({"type": "content_block_stop", "index": at}),
        ));
    }
    let reason = match ending {
        Ending::Done => "tool_use",
        Ending::Truncated => "max_tokens",
        Ending::Refused | Ending::Filtered => "refusal",
    };
    body.push_str(&event(
        "message_delta",
        &json!({"type": "message_delta",
        "delta": {"stop_reason": reason, "stop_sequence": null}, "usage": {"output_tokens": 15}}),
    ));
    body.push_str(&event("message_stop", &json!({"type": "message_stop"})));
    Reply::sse(&body)
}

fn chat(text: &str, calls: &[(&str, &str, &str)], ending: Ending) -> Reply {
    let chunk = |delta: Value, reason: Value| {
        data(
            &json!({"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}),
        )
    };
    let mut body = chunk(json!({"role": "assistant", "content": ""}), Value::Null);
    if ending == Ending::Refused {
        body.push_str(&chunk(json!({"refusal": text}), Value::Null));
    } else {
        for part in [halves(text).0, halves(text).1] {
            body.push_str(&chunk(json!({"content": part}), Value::Null));
        }
    }
    for (at, (id, name, arguments)) in calls.iter().enumerate() {
        let (first, second) = halves(arguments);
        body.push_str(&chunk(json!({"tool_calls": [{"index": at, "id": id, "type": "function", "function": {"name": name, "arguments": first}}]}), Value::Null));
        body.push_str(&chunk(
            json!({"tool_calls": [{"index": at, "function": {"arguments": second}}]}),
            Value::Null,
        ));
    }
    let reason = match ending {
        Ending::Done if !calls.is_empty() => "tool_calls",
        Ending::Done | Ending::Refused => "stop",
        Ending::Truncated => "length",
        Ending::Filtered => "content_filter",
    };
    body.push_str(&chunk(json!({}), json!(reason)));
    body.push_str(&data(
        &json!({"id": "c", "choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 15,
        "prompt_tokens_details": {"cached_tokens": 75}}}),
    ));
    body.push_str("data: [DONE]\n\n");
    Reply::sse(&body)
}

fn responses(text: &str, calls: &[(&str, &str, &str)], ending: Ending) -> Reply {
    let mut output: Vec<Value> = vec![
        json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "opaque"}),
    ];
    let mut body = event(
        "response.created",
        &json!({"type": "response.created", "response": {"status": "in_progress"}}),
    );
    if ending == Ending::Refused {
        body.push_str(&event(
            "response.refusal.delta",
            &json!({"type": "response.refusal.delta", "delta": text}),
        ));
    } else {
        for part in [halves(text).0, halves(text).1] {
            body.push_str(&event(
                "response.output_text.delta",
                &json!({"type": "response.output_text.delta", "delta": part}),
            ));
        }
    }
    if calls.is_empty() {
        output.push(json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}));
    }
    for (id, name, arguments) in calls {
        output.push(json!({"type": "function_call", "id": "fc", "call_id": id, "name": name, "arguments": arguments}));
    }
    let (name, details) = match ending {
        Ending::Done | Ending::Refused => ("completed", Value::Null),
        Ending::Truncated => ("incomplete", json!({"reason": "max_output_tokens"})),
        Ending::Filtered => ("incomplete", json!({"reason": "content_filter"})),
    };
    let name = format!("response.{name}");
    body.push_str(&event(&name, &json!({"type": name, "response": {"output": output, "incomplete_details": details,
        "usage": {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 75}, "output_tokens": 15}}})));
    Reply::sse(&body)
}

fn gemini(parts: Vec<Value>, ending: Ending) -> Reply {
    let reason = match ending {
        Ending::Done => "STOP",
        Ending::Truncated => "MAX_TOKENS",
        Ending::Refused | Ending::Filtered => "SAFETY",
    };
    let mut body = data(
        &json!({"candidates": [{"content": {"role": "model", "parts": [{"text": "hm", "thought": true}]}}]}),
    );
    for part in parts {
        body.push_str(&data(
            &json!({"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]}),
        ));
    }
    body.push_str(&data(&json!({"candidates": [{"content": {"parts": []}, "finishReason": reason, "index": 0}],
        "usageMetadata": {"promptTokenCount": 100, "cachedContentTokenCount": 75, "candidatesTokenCount": 10, "thoughtsTokenCount": 5}})));
    Reply::sse(&body)
}

fn ollama(text: &str, calls: &[(&str, &str, &str)], ending: Ending) -> Reply {
    let mut body = String::new();
    for part in [halves(text).0, halves(text).1] {
        body.push_str(&format!(
            "{}\n",
            json!({"message": {"role": "assistant", "content": part}, "done": false})
        ));
    }
    if !calls.is_empty() {
        let calls: Vec<Value> = calls
            .iter()
            .map(|(_, name, arguments)| {
                let arguments: Value = serde_json::from_str(arguments).unwrap();
                json!({"function": {"name": name, "arguments": arguments}})
            })
            .collect();
        body.push_str(&format!("{}\n", json!({"message": {"role": "assistant", "content": "", "tool_calls": calls}, "done": false})));
    }
    let reason = if ending == Ending::Truncated { "length" } else { "stop" };
    body.push_str(&format!(
        "{}\n",
        json!({"message": {"role": "assistant", "content": ""}, "done": true, "done_reason": reason,
        "prompt_eval_count": 100, "eval_count": 15})
    ));
    Reply::lines(&body)
}
