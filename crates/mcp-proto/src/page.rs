//! Lists in pages, and how long a result may be kept.

use serde::{Deserialize, Deserializer};

use crate::encode::{Encode, Fields, Object, Writer, encode_fields};

/// Where a list continues. Opaque: only the server that made it can read it.
///
/// Since: 2024-11-05. Page: server/utilities/pagination.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(transparent)]
pub struct Cursor(String);

impl Cursor {
    /// Creates a cursor. The empty string is a cursor like any other.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Encode for Cursor {
    fn encode(&self, out: &mut Writer<'_>) {
        out.string(&self.0);
    }
}

/// Parameters of every request that lists something in pages.
///
/// Since: 2024-11-05. Page: server/utilities/pagination.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct PageParams {
    /// Where to continue; absent for the first page.
    pub cursor: Option<Cursor>,
}

impl PageParams {
    /// Asks for the first page.
    #[must_use]
    pub const fn first() -> Self {
        Self { cursor: None }
    }

    /// Asks for the page at `cursor`.
    #[must_use]
    pub const fn at(cursor: Cursor) -> Self {
        Self { cursor: Some(cursor) }
    }
}

impl Fields for PageParams {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.optional("cursor", &self.cursor);
    }
}

encode_fields!(PageParams);

/// Who may share a kept result.
///
/// Since: 2026-07-28. Page: server/utilities/caching.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CacheScope {
    /// Anyone.
    Public,
    /// Only the authorization context it was fetched in. What an unknown scope is read as.
    #[default]
    Private,
}

/// How long a result may be kept, and by whom. The default keeps nothing.
///
/// Since: 2026-07-28. Page: server/utilities/caching.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheHint {
    /// Milliseconds for which the result counts as fresh.
    pub ttl_ms: u64,
    /// Who may share it.
    pub scope: CacheScope,
}

impl CacheHint {
    /// Lets one authorization context keep the result for `ttl_ms` milliseconds.
    #[must_use]
    pub const fn private(ttl_ms: u64) -> Self {
        Self { ttl_ms, scope: CacheScope::Private }
    }

    /// Lets anyone keep the result for `ttl_ms` milliseconds.
    #[must_use]
    pub const fn public(ttl_ms: u64) -> Self {
        Self { ttl_ms, scope: CacheScope::Public }
    }
}

impl Fields for CacheHint {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.field("ttlMs", &self.ttl_ms);
        object.field(
            "cacheScope",
            match self.scope {
                CacheScope::Public => "public",
                CacheScope::Private => "private",
            },
        );
    }
}

impl<'de> Deserialize<'de> for CacheScope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let scope = Option::<String>::deserialize(deserializer)?;
        Ok(if scope.as_deref() == Some("public") { Self::Public } else { Self::Private })
    }
}

/// Decodes a time to live: absent, `null` and negative ones count as stale at once.
pub(crate) fn ttl_ms<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let ttl = Option::<f64>::deserialize(deserializer)?.unwrap_or(0.0);
    // A float cast saturates at both ends, which is what a bound on time wants.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    Ok(ttl as u64)
}

/// What every result that is a page of a list has in common.
macro_rules! paged_result {
    ($name:ident) => {
        impl $name<'_> {
            /// Says where the list continues.
            #[must_use]
            pub fn next_cursor(mut self, cursor: Option<crate::page::Cursor>) -> Self {
                self.next_cursor = cursor;
                self
            }

            /// Says how long the page may be kept. All pages of a list share one scope.
            #[must_use]
            pub fn cache(mut self, hint: crate::page::CacheHint) -> Self {
                (self.ttl_ms, self.cache_scope) = (hint.ttl_ms, hint.scope);
                self
            }
        }

        impl crate::encode::ResultBody for $name<'_> {
            fn meta(&self) -> &crate::meta::ResultMeta {
                &self.meta
            }

            fn cache(&self) -> Option<crate::page::CacheHint> {
                Some(crate::page::CacheHint { ttl_ms: self.ttl_ms, scope: self.cache_scope })
            }
        }
    };
}
pub(crate) use paged_result;
