//! From messages to bytes: the one place that chooses the wire form.
//!
//! Types say which revisions each of their members belongs to; [`Wire`] knows the revision and
//! adds what only the envelope carries: `resultType`, the server's identity, cache hints and error
//! numbers. Every message is appended to the buffer as compact JSON without a line break. A
//! message that a revision cannot express is refused and leaves the buffer as it was.

use std::fmt;

use crate::error::RpcError;
use crate::id::RequestId;
use crate::json::RawJson;
use crate::lifecycle::Implementation;
use crate::meta::{NotificationMeta, RequestMeta, ResultMeta};
use crate::method::Method;
use crate::page::CacheHint;
use crate::revision::{Era, Revision};

mod writer;

pub use writer::{Encode, Object, Writer};
pub(crate) use writer::{RawText, encode_fields, to_raw, try_to_raw, write_integer, write_string};

/// An object whose members depend on the revision.
pub trait Fields {
    /// Writes the members that the object's revision has.
    fn fields(&self, object: &mut Object<'_, '_>);
}

/// The result of a request. What the envelope adds to it is not written by `fields`.
pub trait ResultBody: Fields {
    /// Returns the result's `_meta`.
    fn meta(&self) -> &ResultMeta;

    /// Returns the cache hint of a result that has one since 2026-07-28, `None` for all others.
    fn cache(&self) -> Option<CacheHint> {
        None
    }

    /// Returns the `resultType` since 2026-07-28.
    fn result_type(&self) -> &str {
        "complete"
    }
}

/// A notification's parameters, tied to its method.
pub trait NotificationBody: Fields {
    /// The method that carries these parameters.
    const METHOD: Method;
}

/// Says that a message has no form in a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotInRevision {
    what: String,
    revision: Revision,
}

impl NotInRevision {
    pub(crate) fn new(what: impl Into<String>, revision: Revision) -> Self {
        Self { what: what.into(), revision }
    }

    /// Returns the revision that cannot express the message.
    #[must_use]
    pub const fn revision(&self) -> Revision {
        self.revision
    }
}

impl fmt::Display for NotInRevision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has no form in revision {}", self.what, self.revision)
    }
}

impl std::error::Error for NotInRevision {}

/// The wire form of one revision. Cheap to keep, and to share between threads.
#[derive(Clone, Debug)]
pub struct Wire {
    revision: Revision,
    server_info: Option<RawJson>,
}

impl Wire {
    /// Creates the wire form of `revision`.
    ///
    /// Before a revision is settled, errors take the form of
    /// [`Revision::NEWEST_HANDSHAKE`]: without an `id` when none could be read.
    #[must_use]
    pub const fn new(revision: Revision) -> Self {
        Self { revision, server_info: None }
    }

    /// Stamps every result with the server's identity, where the revision has a place for it.
    #[must_use]
    pub fn with_server_info(mut self, server: &Implementation) -> Self {
        self.server_info = Some(to_raw(self.revision, |out| server.encode(out)));
        self
    }

    /// Returns the revision.
    #[must_use]
    pub const fn revision(&self) -> Revision {
        self.revision
    }

    /// Appends the response that carries a result.
    ///
    /// # Errors
    /// Refuses a result that the revision cannot express.
    pub fn result<T>(
        &self,
        out: &mut Vec<u8>,
        id: &RequestId,
        result: &T,
    ) -> Result<(), NotInRevision>
    where
        T: ResultBody + ?Sized,
    {
        self.message(out, |object| {
            object.field("id", id);
            object.nested("result", |object| self.result_members(object, result));
        })
    }

    /// Appends the response that carries an error. `None` stands for an id that could not be read.
    pub fn error(&self, out: &mut Vec<u8>, id: Option<&RequestId>, error: &RpcError) {
        let written = self.message(out, |object| {
            match id {
                Some(id) => object.field("id", id),
                // Plain JSON-RPC says `null`; the shapes since 2025-11-25 leave the member out.
                None if self.revision < Revision::V2025_11_25 => object.null("id"),
                None => {}
            }
            object.field("error", error);
        });
        // An error's members exist in every revision, so nothing can have been refused.
        debug_assert_eq!(written, Ok(()));
    }

    /// Appends a request. `params` are the members beyond `_meta`.
    ///
    /// Since 2026-07-28 `_meta` always names this revision, and the capabilities in `meta` or none.
    ///
    /// # Errors
    /// Refuses a method that the revision does not have, and parameters that it cannot express.
    pub fn request<T>(
        &self,
        out: &mut Vec<u8>,
        id: &RequestId,
        method: Method,
        params: &T,
        meta: &RequestMeta,
    ) -> Result<(), NotInRevision>
    where
        T: Fields + ?Sized,
    {
        self.check(method)?;
        self.message(out, |object| {
            object.field("id", id);
            object.field("method", method.as_str());
            object.nested_unless_empty("params", |object| {
                object.nested_unless_empty("_meta", |object| meta.fields(object));
                params.fields(object);
            });
        })
    }

    /// Appends a notification.
    ///
    /// # Errors
    /// Refuses a method that the revision does not have, and parameters that it cannot express.
    pub fn notification<T>(
        &self,
        out: &mut Vec<u8>,
        params: &T,
        meta: &NotificationMeta,
    ) -> Result<(), NotInRevision>
    where
        T: NotificationBody + ?Sized,
    {
        self.check(T::METHOD)?;
        self.message(out, |object| {
            object.field("method", T::METHOD.as_str());
            object.nested_unless_empty("params", |object| {
                object.nested_unless_empty("_meta", |object| meta.fields(object));
                params.fields(object);
            });
        })
    }

    /// Appends any protocol value on its own, such as one kept in a store.
    ///
    /// # Errors
    /// Refuses a value that the revision cannot express.
    pub fn value<T>(&self, out: &mut Vec<u8>, value: &T) -> Result<(), NotInRevision>
    where
        T: Encode + ?Sized,
    {
        Writer::write(out, self.revision, |out| value.encode(out))
    }

    /// Appends a result on its own, with what the envelope adds to it.
    ///
    /// # Errors
    /// Refuses a result that the revision cannot express.
    pub fn result_value<T>(&self, out: &mut Vec<u8>, result: &T) -> Result<(), NotInRevision>
    where
        T: ResultBody + ?Sized,
    {
        Writer::write(out, self.revision, |out| {
            out.object(|object| self.result_members(object, result));
        })
    }

    fn message(
        &self,
        out: &mut Vec<u8>,
        fields: impl FnOnce(&mut Object<'_, '_>),
    ) -> Result<(), NotInRevision> {
        Writer::write(out, self.revision, |out| {
            out.object(|object| {
                object.field("jsonrpc", "2.0");
                fields(object);
            });
        })
    }

    fn result_members<T>(&self, object: &mut Object<'_, '_>, result: &T)
    where
        T: ResultBody + ?Sized,
    {
        let stateless = self.revision.era() == Era::PerRequest;
        let meta = result.meta();
        let server_info = self.server_info.as_ref().filter(|_| stateless);
        object.nested_unless_empty("_meta", |object| meta.write(object, server_info));
        if stateless {
            object.field("resultType", result.result_type());
            if let Some(hint) = result.cache() {
                hint.fields(object);
            }
        }
        result.fields(object);
    }

    fn check(&self, method: Method) -> Result<(), NotInRevision> {
        let spec = method.spec();
        let known = spec.from_client.is_some_and(|span| span.contains(self.revision))
            || spec.from_server.is_some_and(|span| span.contains(self.revision));
        if known { Ok(()) } else { Err(NotInRevision::new(method.as_str(), self.revision)) }
    }
}
