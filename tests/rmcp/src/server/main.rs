//! foreread's tools and resources behind rmcp: the program around the adapter, as `crates/cli` is
//! around the one to mcp-stdio.

use std::path::Path;
use std::time::{Instant, SystemTime};

use anyhow::Context;
use review_store::{Keep, Store};
use review_tool::history::{Begun, History};
use review_tool::prompt::FenceKey;
use review_tool::repo::{Repo, RepoError, git::Git};
use review_tool::report::Stamp;
use review_tool::tool;
use rmcp::{ServiceExt, transport};

mod adapter;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let folder = std::env::args().nth(1).context("name the folder that reviews are kept in")?;
    let server = adapter::Server(Store::open(Path::new(&folder), Keep::DEFAULT)?);
    server.serve(transport::stdio()).await?.waiting().await?;
    Ok(())
}

/// The program as the tools see it, for the length of one call.
struct Host<'s> {
    store: &'s Store,
    client: String,
    id: String,
    since: Instant,
}

impl<'s> Host<'s> {
    fn new(store: &'s Store, client: String) -> Self {
        Self { store, client, id: uuid::Uuid::now_v7().to_string(), since: Instant::now() }
    }
}

impl tool::Host for Host<'_> {
    fn open(&self, repo: Option<&str>) -> Result<Box<dyn Repo + Sync>, RepoError> {
        Ok(Box::new(Git::open(Path::new(repo.unwrap_or(".")), repo.is_some())?))
    }

    fn history(&self) -> &dyn History {
        self.store
    }

    fn begin(&self) -> Begun {
        Begun { id: self.id.clone(), repo: None, scope: String::new(), started: now() }
    }

    fn client(&self) -> String {
        self.client.clone()
    }

    fn fence_key(&self) -> Result<FenceKey, String> {
        let halves = [uuid::Uuid::new_v4(), uuid::Uuid::new_v4()].map(uuid::Uuid::into_bytes);
        let key = halves.concat().try_into().map_err(|_| "no key of 32 bytes")?;
        Ok(FenceKey::new(key))
    }

    fn stamp(&self) -> Stamp {
        Stamp {
            review_id: self.id.clone(),
            timestamp: now(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            latency_ms: u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX),
        }
    }
}

fn now() -> String {
    humantime::format_rfc3339_millis(SystemTime::now()).to_string()
}
