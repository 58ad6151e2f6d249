//! Joins the review tool to the transport, and does nothing else.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use mcp_proto::{CompleteParams, CompleteResult, CompletionRef};
use mcp_stdio::{CallContext, Complete, RequestError, ServerBuilder};
use review_tool::control::{Control, Progress};
use review_tool::resource;
use review_tool::rules::RuleSet;
use review_tool::{self_review, tool};

use crate::folders::Folders;
use crate::history::UserHistory;
use crate::settings::Settings;

mod host;
mod prompts;
mod resources;
mod roots;
mod tools;

/// What every handler works with.
pub(crate) struct Shared {
    /// The repository that the server was started for; without one, the working folder is meant.
    pub(crate) repo: Option<PathBuf>,
    pub(crate) history: UserHistory,
    pub(crate) settings: Settings,
    pub(crate) folders: Folders,
    pub(crate) rules: &'static RuleSet,
    /// The rules as resources, made when they are first listed.
    rule_list: OnceLock<Vec<mcp_proto::Resource>>,
}

impl Shared {
    pub(crate) fn new(
        repo: Option<PathBuf>,
        history: UserHistory,
        settings: Settings,
        folders: Folders,
    ) -> Self {
        Self {
            repo,
            history,
            settings,
            folders,
            rules: RuleSet::embedded(),
            rule_list: OnceLock::new(),
        }
    }
}

/// Adds everything that the program offers.
pub(crate) fn add(mut builder: ServerBuilder, shared: &Arc<Shared>) -> ServerBuilder {
    for face in tool::ALL {
        builder = builder.tool(tools::ReviewTool::new(*face, shared));
    }
    for definition in resource::fixed() {
        builder = builder.resource(resources::Fixed::new(definition, shared));
    }
    for definition in resource::templates() {
        builder = builder.resource_template(resources::Family::new(definition, shared));
    }
    builder
        .prompt(prompts::SelfReview::new(shared))
        .announces_resources()
        .announces_resource_updates()
        .completion(Completion(Arc::clone(shared)))
}

struct Completion(Arc<Shared>);

impl Complete for Completion {
    fn complete(
        &self,
        params: &CompleteParams,
        _: &CallContext,
    ) -> Result<CompleteResult, RequestError> {
        let Shared { history, rules, .. } = &*self.0;
        let typed = &params.argument.value;
        if let CompletionRef::Prompt { .. } = &params.reference {
            let values = self_review::values(&params.argument.name);
            return Ok(CompleteResult::new(
                values.into_iter().filter(|one| one.starts_with(typed)),
            ));
        }
        Ok(resource::complete(&params.reference, typed, history, rules)?)
    }
}

/// The client's hold on a call.
struct Held<'c>(&'c CallContext);

impl Control for Held<'_> {
    fn cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    #[expect(clippy::cast_precision_loss, reason = "a review has fewer than 2^53 steps")]
    fn progress(&self, progress: Progress) {
        let total = progress.total.map(|total| total as f64);
        self.0.progress(progress.done as f64, total, Some(&progress.message));
    }
}
