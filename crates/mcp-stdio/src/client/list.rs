//! Lists: every page of each, bounded, and kept until the server says that they are others.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use mcp_proto::{
    Cursor, Era, ErrorCode, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, Method, PageParams, Prompt, Resource, ResourceTemplate, Tool,
};
use serde::de::DeserializeOwned;

use super::call::complete;
use super::connection::{Connection, Settled};
use super::error::ClientError;
use super::options::{CallOptions, Errand};
use super::session::{Inner, Session};
use super::standing::Live;
use crate::sync::lock;

/// What a session has read of each list.
#[derive(Default)]
pub(super) struct Lists {
    tools: Kept<Tool>,
    prompts: Kept<Prompt>,
    resources: Kept<Resource>,
    templates: Kept<ResourceTemplate>,
}

type Kept<T> = Mutex<Option<List<T>>>;

/// One list as it was read.
struct List<T> {
    entries: Arc<[T]>,
    /// When it is out of date; `None` for not by itself.
    until: Option<Instant>,
    /// The connection that it was read on: a fresh server may have others.
    of: Weak<Connection>,
}

/// One page, whichever list it is of.
struct Page<T> {
    entries: Vec<T>,
    next: Option<Cursor>,
    ttl_ms: u64,
}

macro_rules! page {
    ($result:ident, $entry:ident, $field:ident) => {
        impl From<$result<'static>> for Page<$entry> {
            fn from(page: $result<'static>) -> Self {
                Self {
                    entries: page.$field.into_owned(),
                    next: page.next_cursor,
                    ttl_ms: page.ttl_ms,
                }
            }
        }
    };
}

page!(ListToolsResult, Tool, tools);
page!(ListPromptsResult, Prompt, prompts);
page!(ListResourcesResult, Resource, resources);
page!(ListResourceTemplatesResult, ResourceTemplate, resource_templates);

impl Session {
    /// Lists the server's tools, all pages, in the server's order. The list is kept until the server
    /// says that it has changed, or for as long as the server allows.
    ///
    /// # Errors
    /// As for every request; [`ClientError::EndlessList`] for a list without end. A server without tools
    /// has an empty list.
    pub fn tools(&self, options: &CallOptions<'_>) -> Result<Arc<[Tool]>, ClientError> {
        let Inner { lists, shared, .. } = self.inner().as_ref();
        let reading = Reading { kept: &lists.tools, stale: Some(&shared.stale.tools) };
        let method = Method::ListTools;
        reading.read::<ListToolsResult<'static>>(self.inner(), method, options, |settled| {
            settled.capabilities.tools.as_ref().map(|tools| tools.list_changed)
        })
    }

    /// Lists the server's prompts, like [`tools`](Self::tools).
    ///
    /// # Errors
    /// As for [`tools`](Self::tools).
    pub fn prompts(&self, options: &CallOptions<'_>) -> Result<Arc<[Prompt]>, ClientError> {
        let Inner { lists, shared, .. } = self.inner().as_ref();
        let reading = Reading { kept: &lists.prompts, stale: Some(&shared.stale.prompts) };
        let method = Method::ListPrompts;
        reading.read::<ListPromptsResult<'static>>(self.inner(), method, options, |settled| {
            settled.capabilities.prompts.as_ref().map(|prompts| prompts.list_changed)
        })
    }

    /// Lists the server's resources, like [`tools`](Self::tools).
    ///
    /// # Errors
    /// As for [`tools`](Self::tools).
    pub fn resources(&self, options: &CallOptions<'_>) -> Result<Arc<[Resource]>, ClientError> {
        let Inner { lists, shared, .. } = self.inner().as_ref();
        let reading = Reading { kept: &lists.resources, stale: Some(&shared.stale.resources) };
        let method = Method::ListResources;
        reading.read::<ListResourcesResult<'static>>(self.inner(), method, options, |settled| {
            settled.capabilities.resources.as_ref().map(|resources| resources.list_changed)
        })
    }

    /// Lists the server's resource templates, like [`tools`](Self::tools).
    ///
    /// # Errors
    /// As for [`tools`](Self::tools).
    pub fn resource_templates(
        &self,
        options: &CallOptions<'_>,
    ) -> Result<Arc<[ResourceTemplate]>, ClientError> {
        let reading = Reading { kept: &self.inner().lists.templates, stale: None };
        let method = Method::ListResourceTemplates;
        reading.read::<ListResourceTemplatesResult<'static>>(
            self.inner(),
            method,
            options,
            // No revision tells when templates change, so they are not kept for long.
            |settled| settled.capabilities.resources.as_ref().map(|_| false),
        )
    }
}

/// The reading of one list of a session.
struct Reading<'l, T> {
    kept: &'l Kept<T>,
    stale: Option<&'l AtomicBool>,
}

impl<T> Reading<'_, T> {
    /// `told` says whether the server has such a list, and whether it tells when the list changes.
    fn read<R>(
        &self,
        inner: &Arc<Inner>,
        method: Method,
        options: &CallOptions<'_>,
        told: impl FnOnce(&Settled) -> Option<bool>,
    ) -> Result<Arc<[T]>, ClientError>
    where
        R: DeserializeOwned + Into<Page<T>>,
    {
        let errand = inner.errand(method, options);
        let live = inner.live(&errand)?;
        if let Some(entries) = self.kept(&live.connection) {
            return Ok(entries);
        }
        let Some(told) = told(&live.settled) else { return Ok(Arc::from(Vec::new())) };
        let (entries, ttl_ms) = match pages::<T, R>(inner, &live, &errand) {
            // CH-11: a cursor that has turned invalid means that the list was changed meanwhile.
            Err(Fault::Cursor(_)) => pages::<T, R>(inner, &live, &errand)?,
            pages => pages?,
        };
        let entries: Arc<[T]> = entries.into();
        if let Some(until) = keep(&live.settled, told, ttl_ms) {
            let of = Arc::downgrade(&live.connection);
            *lock(self.kept) = Some(List { entries: Arc::clone(&entries), until, of });
        }
        Ok(entries)
    }

    /// The list as it was read before, if it is still up to date.
    fn kept(&self, connection: &Arc<Connection>) -> Option<Arc<[T]>> {
        let mut kept = lock(self.kept);
        let stale = self.stale.is_some_and(|stale| stale.swap(false, Ordering::SeqCst));
        let list = kept.take_if(|list| {
            stale
                || list.until.is_some_and(|until| Instant::now() >= until)
                || !std::ptr::eq(list.of.as_ptr(), Arc::as_ptr(connection))
        });
        drop(list);
        kept.as_ref().map(|list| Arc::clone(&list.entries))
    }
}

/// Why a list could not be read to its end.
enum Fault {
    /// The server refused a cursor of its own.
    Cursor(ClientError),
    Other(ClientError),
}

impl From<ClientError> for Fault {
    fn from(error: ClientError) -> Self {
        Self::Other(error)
    }
}

impl From<Fault> for ClientError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Cursor(error) | Fault::Other(error) => error,
        }
    }
}

/// Reads every page; also returns for how many milliseconds all of them count as fresh.
fn pages<T, R>(inner: &Inner, live: &Live, errand: &Errand<'_>) -> Result<(Vec<T>, u64), Fault>
where
    R: DeserializeOwned + Into<Page<T>>,
{
    let method = errand.method;
    let limits = &inner.shared.limits;
    let endless = |problem: String| Err(ClientError::EndlessList { method, problem }.into());
    let mut entries = Vec::new();
    let mut seen = HashSet::new();
    let mut bytes = 0;
    let mut params = PageParams::first();
    let mut ttl_ms = u64::MAX;
    for number in 0..limits.max_pages {
        let raw = inner.ask(live, &params, errand).map_err(|error| match error {
            ClientError::Answered { error: ref refusal, .. }
                if number > 0 && refusal.code == ErrorCode::InvalidParams =>
            {
                Fault::Cursor(error)
            }
            error => error.into(),
        })?;
        bytes += raw.bytes().len();
        let page: Page<T> = complete::<R>(live, method, &raw)?.into();
        ttl_ms = ttl_ms.min(page.ttl_ms);
        entries.extend(page.entries);
        if entries.len() > limits.max_entries {
            return endless(format!("more than {} entries", limits.max_entries));
        }
        if bytes > limits.max_list_bytes {
            return endless(format!("more than {} bytes", limits.max_list_bytes));
        }
        let Some(next) = page.next else { return Ok((entries, ttl_ms)) };
        if !seen.insert(next.as_str().to_owned()) {
            return endless("a cursor came twice".to_owned());
        }
        params = PageParams::at(next);
    }
    endless(format!("more than {} pages", limits.max_pages))
}

/// Whether a list may be kept, and until when.
fn keep(settled: &Settled, told: bool, ttl_ms: u64) -> Option<Option<Instant>> {
    match settled.wire.revision().era() {
        // Told of every change, unasked.
        Era::Handshake if told => Some(None),
        Era::Handshake => None,
        // CH: fresh for as long as the server says.
        Era::PerRequest if ttl_ms > 0 => {
            let day = Duration::from_secs(24 * 60 * 60);
            Some(Some(Instant::now() + Duration::from_millis(ttl_ms).min(day)))
        }
        Era::PerRequest => None,
    }
}
