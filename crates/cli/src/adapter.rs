//! Joins the review tool to the transport, and does nothing else.

use std::path::PathBuf;

use mcp_proto::{CallToolResult, Outcome};
use mcp_stdio::{Arguments, CallContext, Tool, ToolError};
use review_tool::control::{Control, Progress};
use review_tool::repo::git::Git;
use review_tool::repo::{Repo, RepoError};
use review_tool::report::Stamp;
use review_tool::rules::RuleSet;
use review_tool::tool;

use crate::stamp::Stopwatch;

/// The tool `review`, for a server that was started for `repo`.
pub(crate) struct ReviewTool {
    repo: Option<PathBuf>,
}

impl ReviewTool {
    /// Without `repo`, the working folder of the server is meant.
    pub(crate) fn new(repo: Option<PathBuf>) -> Self {
        Self { repo }
    }
}

impl Tool for ReviewTool {
    fn definition(&self) -> mcp_proto::Tool {
        tool::definition()
    }

    fn call(
        &self,
        arguments: Arguments<'_>,
        context: &CallContext,
    ) -> Result<Outcome<CallToolResult>, ToolError> {
        let host = Host { repo: self.repo.clone(), watch: Stopwatch::start() };
        let control = Call(context);
        Ok(tool::call(arguments.get(), &host, RuleSet::embedded(), &control).into())
    }
}

struct Host {
    repo: Option<PathBuf>,
    watch: Stopwatch,
}

impl tool::Host for Host {
    fn open(&self, repo: Option<&str>) -> Result<Box<dyn Repo + Sync>, RepoError> {
        let named = repo.map(PathBuf::from).or_else(|| self.repo.clone());
        let explicit = named.is_some();
        let git = Git::open(&named.unwrap_or_else(|| PathBuf::from(".")), explicit)?;
        Ok(Box::new(git))
    }

    fn stamp(&self) -> Stamp {
        self.watch.stamp()
    }
}

struct Call<'c>(&'c CallContext);

impl Control for Call<'_> {
    fn cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    #[expect(clippy::cast_precision_loss, reason = "a review has fewer than 2^53 steps")]
    fn progress(&self, progress: Progress) {
        let total = progress.total.map(|total| total as f64);
        self.0.progress(progress.done as f64, total, Some(&progress.message));
    }
}
