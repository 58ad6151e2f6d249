//! The program as the tools see it, for the length of one call.

use std::path::PathBuf;

use mcp_stdio::CallContext;
use review_tool::history::{Begun, History};
use review_tool::prompt::FenceKey;
use review_tool::repo::git::Git;
use review_tool::repo::{Repo, RepoError};
use review_tool::report::Stamp;
use review_tool::tool;

use super::Shared;
use crate::stamp::Stopwatch;

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
}

impl tool::Host for Host<'_> {
    fn open(&self, repo: Option<&str>) -> Result<Box<dyn Repo + Sync>, RepoError> {
        let named = repo.map(PathBuf::from);
        let named = named.or_else(|| self.shared.repo.clone()).or_else(|| self.root.clone());
        let explicit = named.is_some();
        let git = Git::open(&named.unwrap_or_else(|| PathBuf::from(".")), explicit)?;
        Ok(Box::new(git))
    }

    fn history(&self) -> &dyn History {
        &self.shared.history
    }

    fn begin(&self) -> Begun {
        self.watch.begin()
    }

    fn client(&self) -> String {
        self.client.clone()
    }

    fn fence_key(&self) -> Result<FenceKey, String> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| format!("no random bytes: {error}"))?;
        Ok(FenceKey::new(bytes))
    }

    fn stamp(&self) -> Stamp {
        self.watch.stamp()
    }
}
