//! The program as the tools see it, for the length of one call.

use std::path::PathBuf;

use mcp_stdio::CallContext;
use review_tool::history::{Begun, History};
use review_tool::model::Reviewer;
use review_tool::prompt::FenceKey;
use review_tool::repo::git::Git;
use review_tool::repo::{Repo, RepoError};
use review_tool::report::Stamp;
use review_tool::request::ReviewRequest;
use review_tool::tool;

use super::Shared;
use crate::models::{self, Wanted, user_key};
use crate::stamp::Stopwatch;
use crate::tuning;

pub(super) struct Host<'s> {
    shared: &'s Shared,
    /// The client's first root, where it was asked.
    root: Option<PathBuf>,
    client: String,
    watch: Stopwatch,
}

impl<'s> Host<'s> {
    pub(super) fn new(shared: &'s Shared, root: Option<PathBuf>, context: &CallContext) -> Self {
        let client = context.client_info().map(|info| info.name.clone()).unwrap_or_default();
        Self { shared, root, client, watch: Stopwatch::start() }
    }

    /// The folder that a call works in.
    fn folder(&self, repo: Option<&str>) -> PathBuf {
        let named = repo.map(PathBuf::from).or_else(|| self.shared.repo.clone());
        named.or_else(|| self.root.clone()).unwrap_or_else(|| PathBuf::from("."))
    }
}

impl tool::Host for Host<'_> {
    fn open(&self, repo: Option<&str>) -> Result<Box<dyn Repo + Sync>, RepoError> {
        let named = [&self.shared.repo, &self.root].iter().any(|known| known.is_some());
        let git = Git::open(&self.folder(repo), repo.is_some() || named)?;
        Ok(Box::new(git))
    }

    fn history(&self) -> &dyn History {
        &self.shared.history
    }

    fn with_reviewer(
        &self,
        provider: Option<&str>,
        model: Option<&str>,
        use_it: &mut dyn FnMut(Option<&Reviewer<'_>>),
    ) -> Result<(), String> {
        let Shared { settings, folders, history, .. } = self.shared;
        let wanted = Wanted { provider, model, ..Wanted::default() };
        let chosen = models::choose(settings, folders, history, wanted);
        let chosen = chosen.map_err(|error| format!("the review did not run: {error:#}"))?;
        match chosen {
            None => {
                use_it(None);
                Ok(())
            }
            Some(chosen) => chosen
                .lend(folders, &self.folder(None), |reviewer| use_it(Some(reviewer)))
                .map_err(|error| format!("the review did not run: {error:#}")),
        }
    }

    fn prepare(&self, request: &mut ReviewRequest) -> Result<(), String> {
        tuning::prepare(&self.shared.settings, request)
            .map_err(|error| format!("the review did not run: {error:#}"))
    }

    fn begin(&self) -> Begun {
        self.watch.begin()
    }

    fn client(&self) -> String {
        self.client.clone()
    }

    fn fence_key(&self) -> Result<FenceKey, String> {
        user_key::load(&self.shared.folders).map_err(|error| format!("{error:#}"))
    }

    fn stamp(&self) -> Stamp {
        self.watch.stamp()
    }
}
