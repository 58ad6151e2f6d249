//! Opening a session with a configured server.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp_proto::{ClientCapabilities, Era, ListRootsResult, Root};
use mcp_stdio::child::{ChildLauncher, ChildLimits, LastWords};
use mcp_stdio::client::{CancelToken, ClientLimits, Event, Handler, Refusal, Session};
use review_tool::printable;

use super::Entry;
use super::failure::Failure;
use super::learnt::Kept;
use crate::file_uri;
use crate::folders::Folders;
use crate::settings::servers::EraChoice;

/// How long a call may go on that reports progress, where nothing else is said.
pub(crate) const LONGEST_CALL: Duration = Duration::from_secs(600);

/// How long a server may take to end by itself: somebody waits for the prompt.
const EXIT_GRACE: Duration = Duration::from_millis(500);

/// A session with a server, and what is needed to tell what went wrong in it.
pub(crate) struct Connected<'e> {
    pub(crate) session: Session,
    pub(crate) entry: &'e Entry,
    last_words: LastWords,
}

impl Connected<'_> {
    /// What a failed request says to the user.
    pub(crate) fn failure(&self, error: mcp_stdio::client::ClientError) -> Failure {
        let stray = self.session.stray_output();
        Failure::new(self.entry, error, self.last_words.lines(), stray)
    }
}

/// Starts a server that may run, and settles how to speak with it. It may know of the folder.
pub(crate) fn connect<'e>(
    entry: &'e Entry,
    folders: &Folders,
    root: &Path,
) -> anyhow::Result<Connected<'e>> {
    let mut limits = ClientLimits::recommended();
    if let Some(timeout) = entry.start_timeout {
        limits.handshake_timeout = timeout;
        limits.probe_timeout = limits.probe_timeout.min(timeout);
    }
    if let Some(timeout) = entry.call_timeout {
        limits.request_timeout = timeout;
    }
    let child = ChildLimits::recommended();
    let memory = entry.memory_limit.or(child.memory);
    let child = ChildLimits { exit_grace: EXIT_GRACE, memory, ..child };
    let launcher = ChildLauncher::new(entry.name.as_str(), entry.to_command()?, child);
    let last_words = launcher.last_words();

    let mut builder = Session::builder("foreread", env!("CARGO_PKG_VERSION"))
        .limits(limits)
        .framing(entry.framing)
        .memory(Arc::new(Kept(folders.clone())))
        .handler(Host { name: entry.name.clone(), root: root.canonicalize().ok() });
    builder = match entry.era {
        EraChoice::Auto => builder,
        EraChoice::Legacy => builder.era(Era::Handshake),
        EraChoice::Modern => builder.era(Era::PerRequest),
    };
    match builder.open(launcher) {
        Ok(session) => Ok(Connected { session, entry, last_words }),
        Err(error) => Err(Failure::starting(entry, error, last_words.lines()).into()),
    }
}

/// How many servers are worked with at once.
const MOST_AT_ONCE: usize = 8;

/// Does the same with every server, several at a time; the results come in the servers' order.
pub(crate) fn at_once<T: Send>(entries: &[Entry], work: impl Fn(&Entry) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..entries.len().min(MOST_AT_ONCE) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(entry) = entries.get(at) else { return };
                    let result = work(entry);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// What a server may ask of foreread: the folder that it works in, and nothing else.
struct Host {
    name: String,
    root: Option<PathBuf>,
}

impl Handler for Host {
    fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities::default().with_roots(false)
    }

    fn list_roots(&self, _cancelled: &CancelToken) -> Result<ListRootsResult, Refusal> {
        let roots = self.root.as_deref().map(|root| Root::new(file_uri::of(root)));
        Ok(ListRootsResult::new(roots.into_iter().collect()))
    }

    fn notified(&self, event: &Event) {
        if let Event::Log(message) = event {
            log::info!("{}: {}", self.name, printable(message.data.get()));
        }
    }
}
