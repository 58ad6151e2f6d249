//! Handlers of one kind: sorted by name, each name once, fixed once the server is built.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::error::BuildError;

/// The handlers of one kind with their definitions.
pub(crate) struct Catalog<D, H: ?Sized> {
    definitions: Vec<D>,
    entries: Vec<Entry<H>>,
    name: fn(&D) -> &str,
}

/// One handler, and how long it took the last time.
pub(crate) struct Entry<H: ?Sized> {
    pub(crate) handler: Box<H>,
    pub(crate) pace: Pace,
}

impl<D: Clone, H: ?Sized> Catalog<D, H> {
    /// Sorts the handlers by the name that their definitions give.
    pub(crate) fn new(
        what: &'static str,
        handlers: Vec<Box<H>>,
        define: impl Fn(&H) -> D,
        name: fn(&D) -> &str,
    ) -> Result<Self, BuildError> {
        let mut pairs: Vec<_> =
            handlers.into_iter().map(|handler| (define(&handler), handler)).collect();
        pairs.sort_by(|(a, _), (b, _)| name(a).cmp(name(b)));
        let (definitions, handlers): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        for pair in definitions.windows(2) {
            if name(&pair[0]) == name(&pair[1]) {
                return Err(BuildError::Duplicate { what, name: name(&pair[0]).to_owned() });
            }
        }
        let entries =
            handlers.into_iter().map(|handler| Entry { handler, pace: Pace::default() }).collect();
        Ok(Self { definitions, entries, name })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.definitions.is_empty()
    }

    pub(crate) fn definitions(&self) -> &[D] {
        &self.definitions
    }

    pub(crate) fn entries(&self) -> &[Entry<H>] {
        &self.entries
    }

    /// Returns the definitions of the handlers that `is_available` agrees to.
    pub(crate) fn available(&self, is_available: impl Fn(&H) -> bool) -> Cow<'_, [D]> {
        if self.entries.iter().all(|entry| is_available(&entry.handler)) {
            return Cow::Borrowed(&self.definitions);
        }
        let pairs = self.definitions.iter().zip(&self.entries);
        let available = pairs.filter(|(_, entry)| is_available(&entry.handler));
        available.map(|(definition, _)| definition.clone()).collect()
    }

    /// Returns where the handler of that name stands.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.definitions.binary_search_by(|definition| (self.name)(definition).cmp(name)).ok()
    }
}

/// How long a handler took the last time, which tells how to run it the next time.
///
/// A handler that has never run counts as long.
#[derive(Debug)]
pub(crate) struct Pace(AtomicU32);

/// Up to this time in microseconds, ready answers may wait for the call to end.
const BRIEF: u32 = 20;

/// From this time in microseconds on, waking another thread first costs little in comparison.
const LONG: u32 = 200;

/// How many bytes of a message are worth a handler's time once more.
const BYTES_PER_SHARE: usize = 64 * 1024;

impl Default for Pace {
    fn default() -> Self {
        Self(AtomicU32::new(u32::MAX))
    }
}

impl Pace {
    /// Notes how long a message of that many bytes took. What decoding a large one takes says
    /// nothing about the handler.
    pub(crate) fn note(&self, duration: Duration, bytes: usize) {
        let share = 1 + bytes / BYTES_PER_SHARE;
        let micros = duration.as_micros() / share as u128;
        self.0.store(u32::try_from(micros).unwrap_or(u32::MAX), Ordering::Relaxed);
    }

    pub(crate) fn is_brief(&self) -> bool {
        self.0.load(Ordering::Relaxed) <= BRIEF
    }

    pub(crate) fn is_long(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= LONG
    }
}
