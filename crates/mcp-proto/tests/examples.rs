//! Every official example of 2026-07-28 decodes to its type and comes back as equal JSON.
#![expect(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads its data from files and fails where it stands"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use mcp_proto::{
    ClientCapabilities, Content, CreateMessageParams, CreateMessageResult, ElicitParams,
    ElicitResult, Encode, Fields, FormField, Incoming, InputRequest, InputRequests, InputResponses,
    ListRootsResult, Method, ModelPreferences, RawJson, RequestMeta, Resource, ResourceContents,
    Revision, Root, RpcError, SamplingContent, SamplingMessage, ServerCapabilities, Tool, Wire,
    decode,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

#[path = "encode/typed.rs"]
mod typed;

type Written = Result<Vec<u8>, Box<dyn std::error::Error>>;

const WIRE: Wire = Wire::new(Revision::V2026_07_28);

#[test]
fn every_example_comes_back_unchanged() {
    let mut failures = Vec::new();
    let mut count = 0;
    for (definition, path) in examples() {
        let text = read(&path);
        count += 1;
        match again(&definition, &text) {
            Ok(bytes) => {
                let mut before: Value = serde_json::from_str(&text).unwrap();
                correct(&path, &mut before);
                let after: Value = serde_json::from_slice(&bytes).unwrap();
                if before != after {
                    failures.push(format!("{path:?}\n  before {before}\n  after  {after}"));
                }
            }
            Err(error) => failures.push(format!("{path:?}\n  {error}")),
        }
    }
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
    assert_eq!(count, 129, "examples were lost");
}

fn examples() -> BTreeSet<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schema/2026-07-28/examples");
    let mut found = BTreeSet::new();
    for definition in fs::read_dir(root).unwrap() {
        let definition = definition.unwrap();
        for example in fs::read_dir(definition.path()).unwrap() {
            let name = definition.file_name().into_string().unwrap();
            found.insert((name, example.unwrap().path()));
        }
    }
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

/// Two examples break rules of their own revision, so what we send must differ.
fn correct(path: &Path, example: &mut Value) {
    if path.ends_with("ListRootsRequest/list-roots-request.json") {
        // An input request has no id.
        example.as_object_mut().unwrap().remove("id");
    }
    if path.ends_with("ReadResourceResultResponse/read-resource-result-response.json") {
        // A complete result of this method carries both cache hints.
        example["result"]["ttlMs"] = 0.into();
        example["result"]["cacheScope"] = "private".into();
    }
}

/// Decodes an example as its definition says and encodes it again.
fn again(definition: &str, text: &str) -> Written {
    match definition {
        "CreateMessageRequest" | "ElicitRequest" | "ListRootsRequest" => {
            value::<InputRequest>(text)
        }
        "CreateMessageRequestParams" => value::<CreateMessageParams>(text),
        "ElicitRequestFormParams" | "ElicitRequestURLParams" => value::<ElicitParams>(text),
        "PaginatedRequestParams" => params(Method::ListTools, text),
        "CallToolRequestParams" => params(Method::CallTool, text),
        "CompleteRequestParams" => params(Method::Complete, text),
        "GetPromptRequestParams" => params(Method::GetPrompt, text),
        "CancelledNotificationParams"
        | "LoggingMessageNotificationParams"
        | "ProgressNotificationParams"
        | "ResourceUpdatedNotificationParams" => notification_params(definition, text),

        "InternalError" | "InvalidParamsError" | "MethodNotFoundError" | "ParseError" => {
            value::<RpcError>(text)
        }

        "InputRequiredResult" => result(Method::CallTool, text),
        // What a client answers has no envelope in this revision.
        "CreateMessageResult" => value::<CreateMessageResult>(text),
        "ElicitResult" => value::<ElicitResult>(text),
        "ListRootsResult" => value::<ListRootsResult>(text),

        "AudioContent" | "EmbeddedResource" | "ImageContent" | "ResourceLink" | "TextContent" => {
            value::<Content>(text)
        }
        "BlobResourceContents" | "TextResourceContents" => value::<ResourceContents>(text),
        "BooleanSchema"
        | "NumberSchema"
        | "StringSchema"
        | "TitledMultiSelectEnumSchema"
        | "TitledSingleSelectEnumSchema"
        | "UntitledMultiSelectEnumSchema"
        | "UntitledSingleSelectEnumSchema" => form_field(text),
        "ClientCapabilities" => value::<ClientCapabilities>(text),
        "InputRequests" => value::<InputRequests>(text),
        "InputResponses" => value::<InputResponses>(text),
        "ModelPreferences" => value::<ModelPreferences>(text),
        "Resource" => value::<Resource>(text),
        "Root" => value::<Root>(text),
        "SamplingMessage" => value::<SamplingMessage>(text),
        "ServerCapabilities" => value::<ServerCapabilities>(text),
        "Tool" => value::<Tool>(text),
        "ToolResultContent" | "ToolUseContent" => value::<SamplingContent>(text),

        _ => match method_of(definition) {
            Some(method) => result(method, text),
            None => message(definition, text),
        },
    }
}

fn value<T: DeserializeOwned + Encode>(text: &str) -> Written {
    let value: T = serde_json::from_str(text)?;
    let mut out = Vec::new();
    WIRE.value(&mut out, &value)?;
    Ok(out)
}

/// A field must be recognised, not merely carried along.
fn form_field(text: &str) -> Written {
    let field: FormField = serde_json::from_str(text)?;
    assert!(!matches!(field, FormField::Other(_)), "not recognised: {text}");
    value::<FormField>(text)
}

/// Finds the method that a result belongs to.
fn method_of(definition: &str) -> Option<Method> {
    Method::ALL.iter().copied().find(|method| method.spec().result == Some(definition))
}

fn result(method: Method, text: &str) -> Written {
    let mut out = Vec::new();
    let raw = serde_json::from_str(text)?;
    typed::with_result(method, raw, |result| WIRE.result_value(&mut out, result))??;
    Ok(out)
}

fn params(method: Method, text: &str) -> Written {
    let raw: &RawValue = serde_json::from_str(text)?;
    let meta = RequestMeta::from_params(Some(raw))?;
    let mut out = Vec::new();
    let id = 1_i64.into();
    let send = |params: &dyn Fields| WIRE.request(&mut out, &id, method, params, &meta);
    typed::with_params(method, Some(raw), send)??;
    member(&out, "params")
}

fn notification_params(definition: &str, text: &str) -> Written {
    let method = Method::ALL.iter().map(|method| method.spec());
    let spec = method.into_iter().find(|spec| definition == format!("{}Params", spec.definition));
    let name = spec.unwrap().name;
    let message = format!(r#"{{"jsonrpc":"2.0","method":"{name}","params":{text}}}"#);
    member(&self::message(definition, &message)?, "params")
}

fn member(message: &[u8], name: &str) -> Written {
    let message: Value = serde_json::from_slice(message)?;
    Ok(message[name].to_string().into())
}

fn message(definition: &str, text: &str) -> Written {
    let mut out = Vec::new();
    match decode(text.as_bytes()) {
        Incoming::Request { id, method, params } => {
            let method = method.known().unwrap();
            assert_eq!(method.spec().definition, definition);
            let meta = RequestMeta::from_params(params)?;
            let send = |params: &dyn Fields| WIRE.request(&mut out, &id, method, params, &meta);
            typed::with_params(method, params, send)??;
        }
        Incoming::Notification { method, params } => {
            typed::notify_again(method.known().unwrap(), params, &WIRE, &mut out)??;
        }
        Incoming::Response { id, result: Err(error) } => WIRE.error(&mut out, id.as_ref(), &error),
        Incoming::Response { id, result: Ok(raw) } => {
            let name = definition.strip_suffix("Response").unwrap();
            let result = again(name, raw.get())?;
            let result = RawJson::parse(std::str::from_utf8(&result)?)?;
            let id = id.unwrap();
            out = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{}}}"#, result.get()).into();
        }
        Incoming::Batch(_) => return Err("a batch".into()),
        Incoming::Invalid { error, .. } => return Err(error.into()),
    }
    Ok(out)
}

#[test]
fn the_answers_of_an_example_have_their_types() {
    let text = include_str!(
        "schema/2026-07-28/examples/InputResponses/elicitation-and-sampling-input-responses.json"
    );
    let answers: InputResponses = serde_json::from_str(text).unwrap();
    let keys: Vec<&str> = answers.iter().map(|(key, _)| key).collect();
    let elicited: ElicitResult = answers.get(keys[0]).unwrap().unwrap();
    let sampled: CreateMessageResult = answers.get(keys[1]).unwrap().unwrap();
    assert!(elicited.content.is_some());
    assert!(!sampled.model.is_empty());
    assert!(answers.get::<ElicitResult>("no such key").unwrap().is_none());
}
