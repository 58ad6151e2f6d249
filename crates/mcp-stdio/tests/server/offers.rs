//! Resources, prompts and completion, and what a missing one is answered with in each era.

use mcp_proto::{
    CompleteParams, CompleteResult, Content, GetPromptResult, Prompt, PromptArgument,
    PromptMessage, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use mcp_stdio::{
    BuildError, CallContext, Limits, RequestError, Server, ServerBuilder, TemplateMatch,
};
use mcp_stdio::{ResourceTemplate as TemplateHandler, prompt, resource, resource_template};
use serde_json::{Value, json};

use crate::client::{Client, modern};
use crate::toys::{Gate, with_toys};

fn text(uri: &str, text: &str) -> ReadResourceResult {
    ReadResourceResult::new(vec![ResourceContents::text(uri, text)])
}

/// Reviews one to three, of which the second cannot be read.
struct Reviews;

impl TemplateHandler for Reviews {
    fn definition(&self) -> ResourceTemplate {
        ResourceTemplate::new("x://reviews/{id}", "A review")
    }

    fn exists(&self, resource: &TemplateMatch) -> bool {
        ["1", "2", "3"].contains(&resource.value("id"))
    }

    fn list(&self) -> Vec<Resource> {
        ["3", "1", "2"].map(|id| Resource::new(format!("x://reviews/{id}"), id)).into()
    }

    fn read(
        &self,
        resource: &TemplateMatch,
        _: &CallContext,
    ) -> Result<mcp_proto::Outcome<ReadResourceResult>, RequestError> {
        match resource.value("id") {
            "2" => Err(RequestError::internal("the disk is gone")),
            id @ ("1" | "3") => Ok(text(resource.uri(), id).into()),
            _ => Err(RequestError::not_found()),
        }
    }
}

fn builder() -> ServerBuilder {
    Server::builder("offers", "1.0.0")
        .resource(resource(Resource::new("x://about", "About"), |_| Ok(text("x://about", "about"))))
        .resource(resource(
            Resource::new("x://zero", "Zero"),
            |_| -> Result<ReadResourceResult, _> { panic!("toy panic") },
        ))
        .resource_template(Reviews)
        .prompt(prompt(
            Prompt::new("review")
                .argument(PromptArgument::required("scope"))
                .argument(PromptArgument::new("focus")),
            |arguments, _| {
                let scope = arguments.get("scope").unwrap_or_default();
                Ok(GetPromptResult::new(vec![PromptMessage::user(Content::text(scope))]))
            },
        ))
        .completion(|params: &CompleteParams, _: &CallContext| {
            Ok(CompleteResult::new(
                (0..150).map(|number| format!("{}{number}", params.argument.value)),
            ))
        })
}

fn server() -> Server {
    builder().build().unwrap()
}

/// The same question in the newest form of both eras.
fn in_both_eras(method: &str, params: Value) -> [Value; 2] {
    let mut client = Client::connected(server(), "2025-11-25");
    let old = client.ask(json!({"id": 1, "method": method, "params": params}));
    let mut params = params;
    params["_meta"] = modern(json!({}));
    let new = client.ask(json!({"id": 2, "method": method, "params": params}));
    [old, new]
}

#[test]
fn capabilities_say_what_is_there() {
    let answer = Client::new(server()).initialize("2025-11-25");
    let expected = json!({"resources": {}, "prompts": {}, "completions": {}});
    assert_eq!(answer["result"]["capabilities"], expected);
    let answer = Client::new(server()).initialize("2024-11-05");
    assert_eq!(answer["result"]["capabilities"], json!({"resources": {}, "prompts": {}}));
    let all = with_toys(builder(), &Gate::new())
        .announces_tools()
        .announces_prompts()
        .announces_resources()
        .announces_resource_updates()
        .build()
        .unwrap();
    let answer = Client::new(all).initialize("2025-11-25");
    let capabilities = &answer["result"]["capabilities"];
    assert_eq!(capabilities["tools"], json!({"listChanged": true}));
    assert_eq!(capabilities["prompts"], json!({"listChanged": true}));
    assert_eq!(capabilities["resources"], json!({"subscribe": true, "listChanged": true}));
}

#[test]
fn only_resources_that_exist_can_be_subscribed_to() {
    let server = builder().announces_resource_updates().build().unwrap();
    let mut client = Client::connected(server, "2025-11-25");
    for (uri, code) in [
        ("x://about", None),
        ("x://reviews/1", None),
        ("x://reviews/2", None),
        ("x://reviews/4", Some(-32002)),
        ("x://nothing", Some(-32002)),
    ] {
        let params = json!({"uri": uri});
        let answer =
            client.ask(json!({"id": 1, "method": "resources/subscribe", "params": params}));
        assert_eq!(answer["error"]["code"].as_i64(), code, "{uri}: {answer}");
    }
}

#[test]
fn resources_of_templates_are_listed_among_the_others() {
    let limits = Limits { page_size: 2, ..Limits::recommended() };
    let mut client = Client::with_limits(server(), limits);
    client.initialize("2025-11-25");
    let mut uris = Vec::new();
    let mut params = json!({});
    loop {
        let answer = client.ask(json!({"id": 1, "method": "resources/list", "params": params}));
        let page = answer["result"]["resources"].as_array().unwrap();
        uris.extend(page.iter().map(|entry| entry["uri"].as_str().unwrap().to_owned()));
        match &answer["result"]["nextCursor"] {
            Value::Null => break,
            cursor => params = json!({"cursor": cursor}),
        }
    }
    assert_eq!(uris, ["x://about", "x://reviews/1", "x://reviews/2", "x://reviews/3", "x://zero"]);
    let answer = client.ask(json!({"id": 1, "method": "resources/templates/list"}));
    assert_eq!(answer["result"]["resourceTemplates"][0]["uriTemplate"], "x://reviews/{id}");
}

#[test]
fn a_resource_is_read_by_its_uri() {
    for answer in in_both_eras("resources/read", json!({"uri": "x://reviews/3"})) {
        assert_eq!(answer["result"]["contents"], json!([{"uri": "x://reviews/3", "text": "3"}]));
    }
    for answer in in_both_eras("resources/read", json!({"uri": "x://about"})) {
        assert_eq!(answer["result"]["contents"][0]["text"], "about");
    }
}

#[test]
fn a_missing_resource_has_the_code_of_its_era() {
    for uri in ["x://reviews/9", "x://reviews/../about", "y://about", "", "about", "x://about/"] {
        let [old, new] = in_both_eras("resources/read", json!({"uri": uri}));
        assert_eq!(old["error"]["code"], -32002, "{old}");
        assert_eq!(new["error"]["code"], -32602, "{new}");
        for answer in [old, new] {
            assert_eq!(answer["error"]["data"]["uri"], uri);
        }
    }
}

#[test]
fn a_resource_that_cannot_be_read_is_an_internal_error() {
    for uri in ["x://reviews/2", "x://zero"] {
        for answer in in_both_eras("resources/read", json!({"uri": uri})) {
            assert_eq!(answer["error"]["code"], -32603, "{answer}");
        }
    }
}

#[test]
fn prompts_get_their_arguments_checked() {
    for answer in
        in_both_eras("prompts/get", json!({"name": "review", "arguments": {"scope": "all"}}))
    {
        let message = json!({"role": "user", "content": {"type": "text", "text": "all"}});
        assert_eq!(answer["result"]["messages"], json!([message]));
    }
    for params in [
        json!({"name": "review"}),
        json!({"name": "review", "arguments": {"focus": "x"}}),
        json!({"name": "review", "arguments": {"scope": 5}}),
        json!({"name": "no such prompt"}),
        json!({}),
    ] {
        for answer in in_both_eras("prompts/get", params) {
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
        }
    }
}

#[test]
fn completion_is_cut_and_knows_its_references() {
    let known = [
        json!({"type": "ref/prompt", "name": "review"}),
        json!({"type": "ref/resource", "uri": "x://reviews/{id}"}),
    ];
    for reference in known {
        let params = json!({"ref": reference, "argument": {"name": "scope", "value": "v"}});
        for answer in in_both_eras("completion/complete", params) {
            let completion = &answer["result"]["completion"];
            assert_eq!(completion["values"].as_array().unwrap().len(), 100);
            assert_eq!(completion["values"][7], "v7");
            assert_eq!(completion["total"], 150);
            assert_eq!(completion["hasMore"], true);
        }
    }
    for reference in [
        json!({"type": "ref/prompt", "name": "nope"}),
        json!({"type": "ref/resource", "uri": "y://{id}"}),
        json!({"type": "ref/other"}),
    ] {
        let params = json!({"ref": reference, "argument": {"name": "scope", "value": "v"}});
        for answer in in_both_eras("completion/complete", params) {
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
        }
    }
}

#[test]
fn handlers_of_one_name_and_unusable_definitions_are_refused() {
    let twice = builder().resource_template(Reviews).build();
    assert!(matches!(twice, Err(BuildError::Duplicate { what: "resource template", .. })));
    let strange = builder().resource_template(resource_template(
        ResourceTemplate::new("x://{?query}", "Query"),
        |_, _| Err::<ReadResourceResult, _>(RequestError::not_found()),
    ));
    assert!(matches!(strange.build(), Err(BuildError::Template(_))));
    let gate = Gate::new();
    let twice = with_toys(with_toys(builder(), &gate), &gate).build();
    let Err(error) = twice else { panic!("two tools of one name") };
    assert_eq!(error.to_string(), "register tool \"blob\": another one has that name");
}
