//! Lists: every page of each, bounded, and kept until the server says that they are others.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mcp_proto::{
    Cursor, Era, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, Method, PageParams, Prompt, Resource, ResourceTemplate, Tool,
};
use serde::de::DeserializeOwned;

use super::connection::Settled;
use super::error::ClientError;
use super::options::CallOptions;
use super::session::{Inner, Session};
use crate::sync::lock;

/// What a session has read of each list.
#[derive(Default)]
pub(super) struct Lists {
    tools: Kept<Tool>,
    prompts: Kept<Prompt>,
    resources: Kept<Resource>,
    templates: Kept<ResourceTemplate>,
}

type Kept<T> = Mutex<Option<(Arc<[T]>, Option<Instant>)>>;

impl Lists {
    /// A fresh server may have others.
    pub(super) fn forget(&self) {
        *lock(&self.tools) = None;
        *lock(&self.prompts) = None;
        *lock(&self.resources) = None;
        *lock(&self.templates) = None;
    }
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
        let inner = self.inner();
        let of = List { kept: &inner.lists.tools, stale: &inner.shared.stale.tools };
        of.read::<ListToolsResult<'static>>(inner, Method::ListTools, options, |settled| {
            settled.capabilities.tools.as_ref().map(|tools| tools.list_changed)
        })
    }

    /// Lists the server's prompts, like [`tools`](Self::tools).
    ///
    /// # Errors
    /// As for [`tools`](Self::tools).
    pub fn prompts(&self, options: &CallOptions<'_>) -> Result<Arc<[Prompt]>, ClientError> {
        let inner = self.inner();
        let of = List { kept: &inner.lists.prompts, stale: &inner.shared.stale.prompts };
        of.read::<ListPromptsResult<'static>>(inner, Method::ListPrompts, options, |settled| {
            settled.capabilities.prompts.as_ref().map(|prompts| prompts.list_changed)
        })
    }

    /// Lists the server's resources, like [`tools`](Self::tools).
    ///
    /// # Errors
    /// As for [`tools`](Self::tools).
    pub fn resources(&self, options: &CallOptions<'_>) -> Result<Arc<[Resource]>, ClientError> {
        let inner = self.inner();
        let of = List { kept: &inner.lists.resources, stale: &inner.shared.stale.resources };
        let method = Method::ListResources;
        of.read::<ListResourcesResult<'static>>(inner, method, options, |settled| {
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
        let inner = self.inner();
        let never = AtomicBool::new(false);
        let of = List { kept: &inner.lists.templates, stale: &never };
        let method = Method::ListResourceTemplates;
        of.read::<ListResourceTemplatesResult<'static>>(inner, method, options, |settled| {
            // No revision tells when templates change, so they are not kept for long.
            settled.capabilities.resources.as_ref().map(|_| false)
        })
    }
}

/// One list of a session.
struct List<'l, T> {
    kept: &'l Kept<T>,
    stale: &'l AtomicBool,
}

impl<T> List<'_, T> {
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
        let (connection, settled) = inner.connection(options)?;
        if !self.stale.swap(false, Ordering::SeqCst)
            && let Some((entries, until)) = lock(self.kept).as_ref()
            && until.is_none_or(|until| Instant::now() < until)
        {
            return Ok(Arc::clone(entries));
        }
        let Some(told) = told(&settled) else { return Ok(Arc::from(Vec::new())) };
        let limits = &inner.shared.limits;
        let endless = |problem: String| ClientError::EndlessList { method, problem };
        let mut entries = Vec::new();
        let mut seen = HashSet::new();
        let mut bytes = 0;
        let mut cursor = None;
        let mut ttl_ms = u64::MAX;
        for _ in 0..limits.max_pages {
            let params = match cursor.take() {
                Some(cursor) => PageParams::at(cursor),
                None => PageParams::first(),
            };
            let raw = inner.ask_on(&connection, &settled, method, &params, options)?;
            bytes += raw.bytes().len();
            let page: R = serde_json::from_slice(raw.bytes()).map_err(|error| {
                ClientError::InvalidAnswer { method, problem: error.to_string() }
            })?;
            let page: Page<T> = page.into();
            ttl_ms = ttl_ms.min(page.ttl_ms);
            entries.extend(page.entries);
            if entries.len() > limits.max_entries {
                return Err(endless(format!("more than {} entries", limits.max_entries)));
            }
            if bytes > limits.max_list_bytes {
                return Err(endless(format!("more than {} bytes", limits.max_list_bytes)));
            }
            let Some(next) = page.next else {
                let entries: Arc<[T]> = entries.into();
                *lock(self.kept) =
                    keep(&settled, told, ttl_ms).map(|until| (Arc::clone(&entries), until));
                return Ok(entries);
            };
            if !seen.insert(next.as_str().to_owned()) {
                return Err(endless("a cursor came twice".to_owned()));
            }
            cursor = Some(next);
        }
        Err(endless(format!("more than {} pages", limits.max_pages)))
    }
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
