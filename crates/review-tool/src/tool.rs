//! The tools as MCP shows them: definitions, arguments, results.
//!
//! With `resource.rs` the only modules that know protocol types; they know no transport, no ids and no
//! revisions.

use mcp_proto::{CallToolResult, Content, RawJson, Tool, ToolAnnotations};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::control::Control;
use crate::history::{Begun, History};
use crate::model::Reviewer;
use crate::prompt::FenceKey;
use crate::repo::{Repo, RepoError};
use crate::report::Stamp;
use crate::request::ReviewRequest;
use crate::rules::RuleSet;

mod check_findings;
mod explain_rule;
mod get_review;
mod list_reviews;
mod review;
mod schema;
mod scope;

/// Every tool, ordered by name.
pub const ALL: &[ToolFace] = &[
    ToolFace {
        leaves_repo: check_findings::leaves_repo,
        ..ToolFace::new(check_findings::definition, check_findings::call)
    },
    ToolFace::new(explain_rule::definition, explain_rule::call),
    ToolFace::new(get_review::definition, get_review::call),
    ToolFace::new(list_reviews::definition, list_reviews::call),
    ToolFace {
        leaves_repo: review::leaves_repo,
        ..ToolFace::new(review::definition, review::call)
    },
];

/// What the tools need from the program around them.
pub trait Host {
    /// Opens the repository that the caller named, or the one that is meant where none was.
    ///
    /// # Errors
    /// [`RepoError`] where there is none.
    fn open(&self, repo: Option<&str>) -> Result<Box<dyn Repo + Sync>, RepoError>;

    /// Where reviews are kept.
    fn history(&self) -> &dyn History;

    /// Lends the model that the caller wants, or that the settings choose, for one use; `None` where
    /// the rules review alone.
    ///
    /// # Errors
    /// Why the model cannot be asked, and what to do about it; `use_it` is then not called.
    fn with_reviewer(
        &self,
        provider: Option<&str>,
        model: Option<&str>,
        use_it: &mut dyn FnMut(Option<&Reviewer<'_>>),
    ) -> Result<(), String> {
        match provider.or(model) {
            Some(name) => Err(format!("no model can be asked here, so not {name:?} either")),
            None => {
                use_it(None);
                Ok(())
            }
        }
    }

    /// Sets what the user's settings say of reviews; what a call says comes after, and wins.
    ///
    /// # Errors
    /// Why the settings cannot be used.
    fn prepare(&self, request: &mut ReviewRequest) -> Result<(), String> {
        let _ = request;
        Ok(())
    }

    /// Names the review that begins with this call; `repo` and `scope` are for the caller to set.
    fn begin(&self) -> Begun;

    /// The client that calls, as it names itself; empty where it does not.
    fn client(&self) -> String;

    /// A key for the fences around what others wrote, which nobody else knows.
    ///
    /// # Errors
    /// Why there is none.
    fn fence_key(&self) -> Result<FenceKey, String>;

    /// Says when the review of this call ended, which is now.
    fn stamp(&self) -> Stamp;
}

/// What a call works with.
#[derive(Clone, Copy)]
pub struct Call<'c> {
    /// The program around.
    pub host: &'c dyn Host,
    /// The rules that are applied and explained.
    pub rules: &'c RuleSet,
    /// The caller's hold on the call.
    pub control: &'c dyn Control,
}

/// One tool.
#[derive(Clone, Copy)]
pub struct ToolFace {
    define: fn() -> Tool,
    run: fn(&str, Call<'_>) -> Result<CallToolResult, String>,
    leaves_repo: fn(&str) -> bool,
}

impl ToolFace {
    const fn new(
        define: fn() -> Tool,
        run: fn(&str, Call<'_>) -> Result<CallToolResult, String>,
    ) -> Self {
        Self { define, run, leaves_repo: |_| false }
    }

    /// Describes the tool.
    #[must_use]
    pub fn definition(&self) -> Tool {
        (self.define)()
    }

    /// Runs a call. `arguments` is the JSON object that the client sent.
    ///
    /// A gate that fails is a result; whatever keeps the tool from its work is a result marked as an
    /// error, which says what to do about it.
    #[must_use]
    pub fn call(&self, arguments: &str, call: Call<'_>) -> CallToolResult {
        (self.run)(arguments, call).unwrap_or_else(CallToolResult::error)
    }

    /// Whether a call works on a repository and leaves it to [`Host::open`] which one. A call whose
    /// arguments cannot be read does not.
    #[must_use]
    pub fn leaves_repo(&self, arguments: &str) -> bool {
        (self.leaves_repo)(arguments)
    }
}

/// A tool that reads and changes nothing that is the user's.
fn reading(name: &str, title: &str, description: &str, input_schema: RawJson) -> Tool {
    let annotations =
        ToolAnnotations::read_only().destructive(false).idempotent(true).open_world(false);
    let tool = Tool::new(name, input_schema).title(title).description(description);
    tool.annotations(annotations)
}

pub(crate) fn decode<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let mut json = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        let problem = error.into_inner().to_string();
        // The position counts within the arguments, which are only a part of the message.
        let problem = problem.split(" at line ").next().unwrap_or_default().to_owned();
        if path == "." {
            format!("invalid arguments: {problem}")
        } else {
            format!("invalid arguments: `{path}`: {problem}")
        }
    })
}

/// One short text, the data as text for clients that read no data, and the data.
fn result(short: String, data: &impl Serialize) -> Result<CallToolResult, String> {
    let data =
        RawJson::new(data).map_err(|error| format!("the result has no JSON form: {error}"))?;
    let text = Content::text(data.get());
    Ok(CallToolResult::text(short).with_content(text).with_structured(data))
}
