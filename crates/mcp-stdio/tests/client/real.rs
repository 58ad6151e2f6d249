//! The client half against the server half, in every revision and both framings.

use std::time::Duration;

use mcp_proto::{
    GetPromptResult, Prompt, PromptMessage, ReadResourceResult, Resource, ResourceContents,
    Revision, Strings,
};
use mcp_stdio::client::{CancelToken, ClientError, Launch, Link, Session};
use mcp_stdio::{
    CallContext, Framing, Limits, NoArguments, Server, Stop, ToolError, Transport, prompt,
    resource, tool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::peer::{limits, plain, text};

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

fn server() -> Server {
    Server::builder("toy", "1")
        .tool(tool("echo", "Returns its text", |echo: Echo, _: &CallContext| {
            Ok::<_, ToolError>(echo.text)
        }))
        .tool(tool("wait", "Waits for its cancellation", |_: NoArguments, call: &CallContext| {
            call.progress(1.0, None, None);
            while !call.cancelled_within(Duration::from_secs(1)) {}
            Ok::<_, ToolError>("cancelled")
        }))
        .resource(resource(Resource::new("toy:one", "one"), |_: &CallContext| {
            Ok(ReadResourceResult::new(vec![ResourceContents::text("toy:one", "contents")]))
        }))
        .prompt(prompt(Prompt::new("greet"), |_: &Strings, _: &CallContext| {
            Ok(GetPromptResult::new(vec![PromptMessage::user("hello")]))
        }))
        .build()
        .unwrap()
}

struct InThread;

impl Launch for InThread {
    fn launch(&self, framing: Framing) -> std::io::Result<Link> {
        let (near, far) = Transport::memory(framing)?;
        let server = server();
        std::thread::spawn(move || server.serve(far, &Limits::recommended(), &Stop::new()));
        Ok(Link::over(near))
    }

    fn name(&self) -> &str {
        "toy"
    }
}

#[test]
fn the_two_halves_agree_in_every_revision_and_framing() {
    for revision in Revision::ALL {
        for framing in [Framing::Line, Framing::ContentLength] {
            let session = Session::builder("test", "1")
                .limits(limits())
                .framing(framing)
                .revisions(&[revision])
                .open(InThread)
                .unwrap();
            assert_eq!(session.agreement().revision, revision);
            let tools = session.tools(&plain()).unwrap();
            assert_eq!(tools.len(), 2);
            let arguments = RawValue::from_string("{\"text\":\"grüße\\n\"}".to_owned()).unwrap();
            let result = session.call_tool("echo", Some(&arguments), &plain()).unwrap();
            assert_eq!(text(&result), "grüße\n");
            assert_eq!(session.resources(&plain()).unwrap()[0].uri, "toy:one");
            assert_eq!(session.read_resource("toy:one", &plain()).unwrap().contents.len(), 1);
            assert_eq!(session.prompts(&plain()).unwrap()[0].name, "greet");
            let prompt = session.get_prompt("greet", Strings::default(), &plain()).unwrap();
            assert_eq!(prompt.messages.len(), 1);
            session.ping(&plain()).unwrap();
            let token = CancelToken::new();
            let cancel = |_: &mcp_proto::Progress| token.cancel();
            let options = plain().cancel(&token).on_progress(&cancel);
            let error = session.call_tool("wait", None, &options).unwrap_err();
            assert!(matches!(error, ClientError::Cancelled), "{error}");
        }
    }
}

#[test]
fn fifteen_mebibytes_go_there_and_back() {
    let session = Session::builder("test", "1").limits(limits()).open(InThread).unwrap();
    let long = "x".repeat(15 << 20);
    let arguments = RawValue::from_string(format!("{{\"text\":\"{long}\"}}")).unwrap();
    let result = session.call_tool("echo", Some(&arguments), &plain()).unwrap();
    assert_eq!(text(&result).len(), long.len());
}
