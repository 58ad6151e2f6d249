//! Servers that fail: each fault is either mended by asking again, or said in plain words.

use llm_http::{Kind, Provider, Timing};
use review_tool::control::Uncontrolled;
use review_tool::model::{Answer, Model, ModelError, Stop};
use serde_json::json;

use crate::fake::{End, Fake, Reply};
use crate::script::{self, Ending, KINDS};
use crate::{KEY, TIMING, provider, request, settings};

const TEXT: &str = "{\"summary\":\"s\",\"findings\":[]}";

fn ask(kind: Kind, fake: &Fake) -> Result<Answer, ModelError> {
    provider(kind, &fake.url).ask(&request("x"), &Uncontrolled)
}

/// An answer with so many of its bytes left out at the end.
fn without_end(kind: Kind, bytes: usize) -> Reply {
    let mut reply = script::answer(kind, TEXT, Ending::Done);
    reply.body.truncate(reply.body.len() - bytes);
    reply
}

#[test]
fn what_passes_by_itself_is_asked_again() {
    for kind in KINDS {
        for status in [408, 429, 500, 502, 503, 504, 529] {
            let refusal = Reply::status(status, "{}").header("retry-after", "0");
            let fake = Fake::with(vec![refusal, script::answer(kind, TEXT, Ending::Done)]);
            assert_eq!(ask(kind, &fake).unwrap().stop, Stop::Done, "{kind:?} {status}");
            assert_eq!(fake.received().len(), 2, "{kind:?} {status}");
        }
    }
}

#[test]
fn what_does_not_pass_is_said_once_or_after_the_last_try() {
    for (status, body, tries, want) in [
        (401, r#"{"error":{"message":"bad key"}}"#, 1, "mine refuses the key (401): bad key"),
        (
            404,
            r#"{"error":"model not found"}"#,
            1,
            "mine knows no such endpoint or model (404: model not found)",
        ),
        (400, "<html>bad</html>", 1, "mine answered 400"),
        (302, "", 1, "sends the request elsewhere (302), which is not followed"),
        (500, "oops", 3, "mine answered 500: oops (tried 3 times)"),
    ] {
        let fake =
            Fake::with(vec![Reply::status(status, body).header("location", "http://127.0.0.1:1/")]);
        let error = ask(Kind::OpenAiChat, &fake).unwrap_err().to_string();
        assert!(error.contains(want), "{error}");
        assert_eq!(fake.received().len(), tries, "{status}");
    }
}

#[test]
fn a_wait_that_is_too_long_is_not_waited_for() {
    let fake = Fake::with(vec![Reply::status(429, "{}").header("retry-after", "3600")]);
    let error = ask(Kind::Anthropic, &fake).unwrap_err().to_string();
    assert!(error.contains("it asks to wait 3600 s"), "{error}");
    assert_eq!(fake.received().len(), 1);
}

#[test]
fn a_key_is_in_no_message_even_if_the_server_repeats_it() {
    for kind in KINDS {
        let body =
            json!({"error": {"message": format!("Incorrect API key provided: {KEY}")}}).to_string();
        let fake = Fake::with(vec![Reply::status(401, &body)]);
        let error = ask(kind, &fake).unwrap_err();
        assert!(
            !format!("{error} {error:?}").contains(KEY) && error.to_string().contains("***"),
            "{error}"
        );
        assert!(!format!("{:?}", settings(kind, &fake.url)).contains(KEY));
    }
}

#[test]
fn an_answer_that_is_cut_is_known_to_be_and_what_came_is_kept() {
    for kind in KINDS {
        // In the middle of the events, and with nothing but the end missing.
        for bytes in [5, 200] {
            let fake = Fake::with(vec![without_end(kind, bytes).end(End::Cut)]);
            match ask(kind, &fake) {
                Ok(answer) => {
                    assert!(matches!(answer.stop, Stop::Broken(_)), "{kind:?} {bytes}: {answer:?}");
                }
                Err(error) => assert!(
                    error.to_string().contains("tried 3 times"),
                    "{kind:?} {bytes}: {error}"
                ),
            }
        }
    }
}

#[test]
fn a_server_that_falls_silent_is_given_up() {
    for kind in KINDS {
        let silent = without_end(kind, 150).end(End::Hang);
        let fake = Fake::with(vec![silent]);
        let mut settings = settings(kind, &fake.url);
        settings.timing = Timing { attempts: 1, ..TIMING };
        let result = Provider::new(settings).unwrap().ask(&request("x"), &Uncontrolled);
        let said = format!("{result:?}");
        assert!(said.contains("no answer in time"), "{kind:?}: {said}");
        fake.wait_for_close();
    }
}

#[test]
fn what_is_not_an_answer_is_called_so() {
    let chat = Kind::Compatible;
    let first = "data: {\"choices\":[{\"delta\":{\"content\":\"{\"}}]}\n\n";
    for (name, reply, want) in [
        ("html", Reply::of(200, "text/html", "<html>"), "the answer is text/html, not a stream"),
        ("no type", Reply { headers: vec![], ..Reply::sse("x") }, "the answer is no content type"),
        ("other json", Reply::status(200, "{\"ok\":true}"), "the answer is no chat completion"),
        (
            "malformed",
            Reply::sse(&format!("{first}data: {{\"choices\": [\n\n")),
            "an event is not JSON",
        ),
        ("empty", Reply::sse(""), "the stream ended before the answer did"),
        (
            "an error",
            Reply::sse(&format!(
                "{first}data: {{\"error\":{{\"message\":\"out of memory\"}}}}\n\n"
            )),
            "out of memory",
        ),
        (
            "huge event",
            Reply::sse(&format!("data: {}\n\n", "x".repeat(5 << 20))),
            "an event is larger than 4 MiB",
        ),
        (
            "huge answer",
            Reply::sse(
                &format!(
                    "data: {}\n\n",
                    json!({"choices": [{"delta": {"content": "x".repeat(3 << 20)}}]})
                )
                .repeat(2),
            ),
            "the answer is larger than 4 MiB",
        ),
        (
            "too many calls",
            Reply::sse(&format!(
                "data: {}\n\n",
                json!({"choices": [{"delta": {"tool_calls": [{"index": 4_000_000_000_u32}]}}]})
            )),
            "calls too many tools",
        ),
    ] {
        let fake = Fake::with(vec![reply]);
        let said = match ask(chat, &fake) {
            Ok(answer) => format!("{:?}", answer.stop),
            Err(error) => error.to_string(),
        };
        assert!(said.contains(want), "{name}: {said}");
    }
}

#[test]
fn an_overload_that_is_told_within_the_stream_is_asked_again() {
    let overloaded = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    for (kind, body) in [
        (Kind::Anthropic, overloaded),
        (
            Kind::OpenAiResponses,
            "data: {\"type\":\"response.failed\",\"response\":{\"error\":{\"code\":\"server_error\",\"message\":\"m\"}}}\n\n",
        ),
        (Kind::Compatible, "data: {\"error\":{\"code\":502,\"message\":\"m\"}}\n\n"),
        (Kind::Gemini, "data: {\"error\":{\"status\":\"UNAVAILABLE\",\"message\":\"m\"}}\n\n"),
    ] {
        let fake = Fake::with(vec![Reply::sse(body), script::answer(kind, TEXT, Ending::Done)]);
        assert_eq!(ask(kind, &fake).unwrap().stop, Stop::Done, "{kind:?}");
    }
}

#[test]
fn a_server_that_is_not_there_is_said_to_be_so() {
    let error = provider(Kind::Ollama, "http://127.0.0.1:1").ask(&request("x"), &Uncontrolled);
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with("mine: ") && error.contains("tried 3 times"), "{error}");
}
