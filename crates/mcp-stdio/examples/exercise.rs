//! Uses everything that a server offers, by a plan, and says what went well: the client side of the library
//! from start to end.
//!
//! `exercise PLAN.json COMMAND [ARGUMENT…]`. The plan names every tool, prompt and template with arguments
//! and, where it can be said, what the answer holds; what the server offers beyond the plan is a failure.
//! Every resource is read. One line is printed for each step, `ok …` or `FAILED …`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program whose output is its use")]

use std::collections::BTreeMap;
use std::error::Error;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_proto::{
    ClientCapabilities, CompleteParams, CompletionRef, CreateMessageParams, CreateMessageResult,
    ElicitParams, ElicitResult, ElicitationCapability, JsonObject, ListRootsResult, RawJson, Root,
    SamplingContent, Strings,
};
use mcp_stdio::child::{self, ChildLauncher, ChildLimits, ServerCommand};
use mcp_stdio::client::{CallOptions, CancelToken, Handler, Refusal, Session};
use serde::Deserialize;
use serde_json::value::RawValue;

/// What to do with a server.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Plan {
    #[serde(default)]
    tools: BTreeMap<String, Vec<Call>>,
    #[serde(default)]
    prompts: BTreeMap<String, Prompt>,
    /// A URI for each template.
    #[serde(default)]
    templates: BTreeMap<String, String>,
    #[serde(default)]
    completions: Vec<Completion>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    #[serde(default)]
    arguments: Option<Box<RawValue>>,
    /// What the result holds, as JSON text.
    #[serde(default)]
    holds: String,
    /// Whether the tool says that it failed.
    #[serde(default)]
    fails: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Prompt {
    #[serde(default)]
    arguments: BTreeMap<String, String>,
    holds: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Completion {
    #[serde(default)]
    prompt: Option<String>,
    #[serde(default)]
    template: Option<String>,
    argument: String,
    value: String,
    holds: String,
}

fn main() -> ExitCode {
    if let Some(code) = child::supervise() {
        return code;
    }
    match run() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<usize, Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let (Some(plan), Some(program)) = (words.next(), words.next()) else {
        return Err("usage: exercise PLAN.json COMMAND [ARGUMENT…]".into());
    };
    let plan: Plan = serde_json::from_slice(&std::fs::read(plan)?)?;
    let command = ServerCommand::new(program).args(words).inherit(std::env::vars_os());
    let launcher = ChildLauncher::new("server", command, ChildLimits::recommended());
    let session = Session::builder("exercise", "1").handler(Obliging).open(launcher)?;
    println!("ok open: {}", session.agreement().revision.as_str());
    let steps = Steps { session, failed: AtomicUsize::new(0) };
    steps.tools(&plan)?;
    steps.prompts(&plan)?;
    steps.resources(&plan)?;
    steps.completions(&plan);
    Ok(steps.failed.into_inner())
}

struct Steps {
    session: Session,
    failed: AtomicUsize,
}

impl Steps {
    /// Prints how a step went: it must have an answer, and the answer must hold a text.
    fn step(&self, what: &str, answer: Result<String, String>, holds: &str) {
        match answer {
            Ok(text) if text.contains(holds) => println!("ok {what}"),
            Ok(text) => self.fail(what, &format!("{holds:?} is not in {text}")),
            Err(error) => self.fail(what, &error),
        }
    }

    fn fail(&self, what: &str, why: &str) {
        self.failed.fetch_add(1, Ordering::Relaxed);
        println!("FAILED {what}: {why:?}");
    }

    fn tools(&self, plan: &Plan) -> Result<(), Box<dyn Error>> {
        for tool in self.session.tools(&CallOptions::default())?.iter() {
            let Some(calls) = plan.tools.get(&tool.name) else {
                self.fail(&format!("tool {}", tool.name), "it is not in the plan");
                continue;
            };
            for (number, call) in calls.iter().enumerate() {
                let reports = AtomicUsize::new(0);
                let count = |_: &_| {
                    reports.fetch_add(1, Ordering::Relaxed);
                };
                let options = CallOptions::default()
                    .on_progress(&count)
                    .timeout(Duration::from_secs(30))
                    .extended_to(Duration::from_secs(120));
                let called =
                    self.session.call_tool(&tool.name, call.arguments.as_deref(), &options);
                let answer = match called {
                    Ok(result) if result.failed() != call.fails => Err(format!("{result:?}")),
                    Ok(result) => Ok(format!("{result:?} reports: {}", reports.into_inner())),
                    Err(error) if call.fails => Ok(error.to_string()),
                    Err(error) => Err(error.to_string()),
                };
                self.step(&format!("tool {} {}", tool.name, number + 1), answer, &call.holds);
            }
        }
        Ok(())
    }

    fn prompts(&self, plan: &Plan) -> Result<(), Box<dyn Error>> {
        for prompt in self.session.prompts(&CallOptions::default())?.iter() {
            let what = format!("prompt {}", prompt.name);
            let Some(planned) = plan.prompts.get(&prompt.name) else {
                self.fail(&what, "it is not in the plan");
                continue;
            };
            let mut arguments = Strings::default();
            for (name, value) in &planned.arguments {
                arguments.insert(name, value);
            }
            let got = self.session.get_prompt(&prompt.name, arguments, &CallOptions::default());
            let answer = got.map(|result| format!("{result:?}")).map_err(|it| it.to_string());
            self.step(&what, answer, &planned.holds);
        }
        Ok(())
    }

    fn resources(&self, plan: &Plan) -> Result<(), Box<dyn Error>> {
        let options = CallOptions::default();
        let mut uris = Vec::new();
        for resource in self.session.resources(&options)?.iter() {
            uris.push(("resource", resource.uri.clone()));
        }
        for template in self.session.resource_templates(&options)?.iter() {
            match plan.templates.get(&template.uri_template) {
                Some(uri) => uris.push(("template", uri.clone())),
                None => self.fail(&template.uri_template, "the template is not in the plan"),
            }
        }
        for (kind, uri) in uris {
            let read = self.session.read_resource(&uri, &options);
            let answer = read.map(|result| format!("{result:?}")).map_err(|it| it.to_string());
            self.step(&format!("{kind} {uri}"), answer, &uri);
        }
        Ok(())
    }

    fn completions(&self, plan: &Plan) {
        for planned in &plan.completions {
            let reference = match (&planned.prompt, &planned.template) {
                (Some(name), _) => CompletionRef::prompt(name),
                (None, template) => CompletionRef::resource(template.as_deref().unwrap_or("")),
            };
            let params = CompleteParams::new(reference, &planned.argument, &planned.value);
            let answer = self.session.complete(&params, &CallOptions::default());
            let answer = answer.map(|result| format!("{result:?}")).map_err(|it| it.to_string());
            self.step(&format!("complete {}", planned.argument), answer, &planned.holds);
        }
    }
}

/// A client that gives whatever it is asked for.
struct Obliging;

impl Handler for Obliging {
    fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities::default()
            .with_roots(true)
            .with_sampling()
            .with_elicitation(ElicitationCapability::form_and_url())
    }

    fn list_roots(&self, _cancelled: &CancelToken) -> Result<ListRootsResult, Refusal> {
        Ok(ListRootsResult::new(vec![Root::new("file:///exercise")]))
    }

    fn create_message(
        &self,
        _params: &CreateMessageParams,
        _cancelled: &CancelToken,
    ) -> Result<CreateMessageResult, Refusal> {
        Ok(CreateMessageResult::new(SamplingContent::text("a thought"), "no-model"))
    }

    fn elicit(
        &self,
        params: &ElicitParams,
        _cancelled: &CancelToken,
    ) -> Result<ElicitResult, Refusal> {
        Ok(match params {
            ElicitParams::Url(_) => ElicitResult::accept_url(),
            _ => {
                let name = RawJson::new("Ada").map_err(|it| Refusal::Failed(it.to_string()))?;
                ElicitResult::accept(JsonObject::default().with("name", name))
            }
        })
    }
}
