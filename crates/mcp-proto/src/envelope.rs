//! From bytes to messages: which kind of message a line holds, with its contents still raw.
//!
//! One pass finds the envelope's members and builds no value tree; parameters and results stay
//! text until their owner decodes them. A bad message is always [`Incoming::Invalid`], never a
//! message of another kind. Nesting costs no stack here, however deep: raw members are skipped
//! without recursion, and typed decoding stops at 128 levels.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::error::RpcError;
use crate::id::RequestId;
use crate::method::MethodName;

/// One received message, borrowing from the bytes it was decoded from.
#[derive(Debug)]
pub enum Incoming<'a> {
    /// A call that expects exactly one response.
    Request {
        /// The id to answer with.
        id: RequestId,
        /// The method, known or not.
        method: MethodName<'a>,
        /// The parameters, always an object; `null` counts as absent.
        params: Option<&'a RawValue>,
    },
    /// A message that must not be answered.
    Notification {
        /// The method, known or not.
        method: MethodName<'a>,
        /// The parameters; `null` counts as absent. They may be no object, which
        /// [`decode_params`](crate::decode_params) refuses: a notification gets no answer,
        /// whatever is wrong with it.
        params: Option<&'a RawValue>,
    },
    /// The answer to a request of ours.
    Response {
        /// The id of that request; an error whose sender could not read it has none.
        id: Option<RequestId>,
        /// The result, always an object, or the error.
        result: Result<&'a RawValue, RpcError>,
    },
    /// A JSON-RPC batch, members in order, none of them a batch. Only 2025-03-26 allows one.
    Batch(Vec<Incoming<'a>>),
    /// Anything else.
    Invalid {
        /// The id, when the message has exactly one readable id.
        id: Option<RequestId>,
        /// What to answer, if anything: a parse error or an invalid request.
        error: RpcError,
        /// Whether the message claims to be a response. Such a message is never answered, since
        /// the answer's id would name a request of the other side.
        is_response: bool,
        /// Whether it names a method. What has an id and no method asks for nothing, so for whoever
        /// sent a request with this id nothing else will come.
        names_method: bool,
    },
}

/// Decodes one message: the bytes of one frame, without its delimiter.
///
/// Never fails: bytes that hold no message give [`Incoming::Invalid`].
#[must_use]
pub fn decode(bytes: &[u8]) -> Incoming<'_> {
    match std::str::from_utf8(bytes) {
        Ok(text) => decode_str(text),
        Err(error) => Incoming::Invalid {
            id: recover_id(bytes),
            error: RpcError::parse_error(format!("invalid UTF-8 at byte {}", error.valid_up_to())),
            is_response: false,
            // It has an id only where it has.
            names_method: true,
        },
    }
}

/// Finds the id of a message that cannot be decoded as a whole: cut short, or not valid UTF-8.
///
/// An id counts once the member after it, or the end of the object, has been seen, and only beside
/// a `method`: the id of a response names a request of ours, which is not to be answered.
#[must_use]
pub fn recover_id(bytes: &[u8]) -> Option<RequestId> {
    let text = String::from_utf8_lossy(bytes);
    let mut members = Members::default();
    let mut json = serde_json::Deserializer::from_str(&text);
    // The outcome does not matter: `members` holds what was read before any fault.
    let _outcome = json.deserialize_any(ValueVisitor { members: &mut members, in_batch: true });
    members.recovered_id()
}

fn decode_str(text: &str) -> Incoming<'_> {
    let mut members = Members::default();
    let mut json = serde_json::Deserializer::from_str(text);
    let shape = json
        .deserialize_any(ValueVisitor { members: &mut members, in_batch: false })
        .and_then(|shape| json.end().map(|()| shape));
    match shape {
        Ok(Shape::Object) => members.classify(),
        Ok(Shape::Batch(batch)) => Incoming::Batch(batch),
        Ok(Shape::Other) => not_an_object(),
        Err(error) => Incoming::Invalid {
            id: members.recovered_id(),
            error: RpcError::parse_error(format!("parse error: {error}")),
            is_response: members.is_response(),
            names_method: members.names_method,
        },
    }
}

fn not_an_object<'a>() -> Incoming<'a> {
    Incoming::Invalid {
        id: None,
        error: RpcError::invalid_request("a message must be an object"),
        is_response: false,
        names_method: false,
    }
}

/// What the outermost JSON value turned out to be.
enum Shape<'a> {
    Object,
    Batch(Vec<Incoming<'a>>),
    Other,
}

/// The members of one envelope as read so far.
#[derive(Default)]
struct Members<'a> {
    jsonrpc: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
    /// The first member that came twice.
    repeated: Option<Member>,
    /// Whether a second id was met, so that neither can be trusted.
    id_repeated: bool,
    /// Whether reading went past the value of `id`, so that the value is known to be whole.
    id_complete: bool,
    /// Whether the names `method`, and `result` or `error`, were met. They tell a request from a
    /// response before their values have been read.
    names_method: bool,
    names_outcome: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Member {
    Jsonrpc,
    Id,
    Method,
    Params,
    Result,
    Error,
    Unknown,
}

impl Member {
    fn of(name: &str) -> Self {
        match name {
            "jsonrpc" => Self::Jsonrpc,
            "id" => Self::Id,
            "method" => Self::Method,
            "params" => Self::Params,
            "result" => Self::Result,
            "error" => Self::Error,
            _ => Self::Unknown,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Jsonrpc => "jsonrpc",
            Self::Id => "id",
            Self::Method => "method",
            Self::Params => "params",
            Self::Result => "result",
            Self::Error => "error",
            Self::Unknown => "",
        }
    }
}

impl<'a> Members<'a> {
    fn read<A: MapAccess<'a>>(&mut self, map: &mut A) -> Result<(), A::Error> {
        while let Some(member) = map.next_key_seed(KeySeed)? {
            self.id_complete = self.id.is_some();
            self.names_method |= member == Member::Method;
            self.names_outcome |= matches!(member, Member::Result | Member::Error);
            let slot = match member {
                Member::Jsonrpc => &mut self.jsonrpc,
                Member::Id => &mut self.id,
                Member::Method => &mut self.method,
                Member::Params => &mut self.params,
                Member::Result => &mut self.result,
                Member::Error => &mut self.error,
                Member::Unknown => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            let first = slot.is_none();
            if member == Member::Id && !first {
                self.id_repeated = true;
            }
            *slot = Some(map.next_value()?);
            if !first && self.repeated.is_none() {
                self.repeated = Some(member);
            }
        }
        self.id_complete = self.id.is_some();
        Ok(())
    }

    fn is_response(&self) -> bool {
        self.names_outcome && !self.names_method
    }

    fn recovered_id(&self) -> Option<RequestId> {
        // Without a method the message may as well be a response, whose id is the peer's business.
        if self.id_repeated || !self.id_complete || !self.names_method {
            return None;
        }
        RequestId::from_raw(self.id?)
    }

    fn classify(self) -> Incoming<'a> {
        let (is_response, names_method) = (self.is_response(), self.names_method);
        let id = if self.id_repeated { None } else { self.id.and_then(RequestId::from_raw) };
        match self.message(id.as_ref()) {
            Ok(message) => message,
            Err(problem) => {
                let error = RpcError::invalid_request(problem);
                Incoming::Invalid { id, error, is_response, names_method }
            }
        }
    }

    fn message(&self, id: Option<&RequestId>) -> Result<Incoming<'a>, Cow<'static, str>> {
        if let Some(member) = self.repeated {
            return Err(format!("member `{}` appears twice", member.name()).into());
        }
        if !self.jsonrpc.is_some_and(is_version_two) {
            return Err("member `jsonrpc` must be \"2.0\"".into());
        }
        let Some(method) = self.method else {
            return self.response(id);
        };
        if self.result.is_some() || self.error.is_some() {
            return Err("a message with `method` must not have `result` or `error`".into());
        }
        let method = method_name(method).ok_or("member `method` must be a string")?;
        let params = match self.params {
            Some(params) if params.get() == "null" => None,
            Some(params) if self.id.is_some() && !params.get().starts_with('{') => {
                return Err("member `params` must be an object".into());
            }
            params => params,
        };
        match (self.id, id) {
            (None, _) => Ok(Incoming::Notification { method, params }),
            (Some(_), Some(id)) => Ok(Incoming::Request { id: id.clone(), method, params }),
            (Some(_), None) => Err("member `id` must be a string or an integer".into()),
        }
    }

    fn response(&self, id: Option<&RequestId>) -> Result<Incoming<'a>, Cow<'static, str>> {
        let unreadable_id = self.id.is_some_and(|id| id.get() != "null") && id.is_none();
        if unreadable_id {
            return Err("member `id` must be a string or an integer".into());
        }
        let result = match (self.result, self.error) {
            (None, None) => return Err("a message needs `method`, `result` or `error`".into()),
            (Some(_), Some(_)) => {
                return Err("a response must not have both `result` and `error`".into());
            }
            (Some(_), None) if id.is_none() => return Err("a result needs an `id`".into()),
            (Some(result), None) if !result.get().starts_with('{') => {
                return Err("member `result` must be an object".into());
            }
            (Some(result), None) => Ok(result),
            (None, Some(error)) => Err(serde_json::from_str::<RpcError>(error.get())
                .map_err(|_| "member `error` must have an integer `code` and a `message`")?),
        };
        Ok(Incoming::Response { id: id.cloned(), result })
    }
}

/// Reads a method's name; one without escapes is not parsed a second time.
fn method_name(raw: &RawValue) -> Option<MethodName<'_>> {
    match plain_string(raw) {
        Some(name) => Some(MethodName::of(name)),
        None => serde_json::from_str(raw.get()).ok(),
    }
}

/// Returns the contents of a string that has no escapes.
fn plain_string(raw: &RawValue) -> Option<&str> {
    let inner = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    (!inner.contains('\\')).then_some(inner)
}

fn is_version_two(raw: &RawValue) -> bool {
    // The escaped spellings of these three characters are legal too, though nobody writes them.
    raw.get() == "\"2.0\"" || serde_json::from_str::<String>(raw.get()).is_ok_and(|v| v == "2.0")
}

/// Reads the outermost value, or one member of a batch.
struct ValueVisitor<'m, 'a> {
    members: &'m mut Members<'a>,
    in_batch: bool,
}

impl<'a> Visitor<'a> for ValueVisitor<'_, 'a> {
    type Value = Shape<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Shape<'a>, A::Error> {
        self.members.read(&mut map)?;
        Ok(Shape::Object)
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut seq: A) -> Result<Shape<'a>, A::Error> {
        if self.in_batch {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(Shape::Other);
        }
        let mut batch = Vec::new();
        while let Some(message) = seq.next_element_seed(BatchMember)? {
            batch.push(message);
        }
        Ok(Shape::Batch(batch))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Shape<'a>, E> {
        Ok(Shape::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Shape<'a>, E> {
        Ok(Shape::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Shape<'a>, E> {
        Ok(Shape::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Shape<'a>, E> {
        Ok(Shape::Other)
    }

    fn visit_str<E>(self, _: &str) -> Result<Shape<'a>, E> {
        Ok(Shape::Other)
    }

    fn visit_unit<E>(self) -> Result<Shape<'a>, E> {
        Ok(Shape::Other)
    }
}

struct BatchMember;

impl<'a> DeserializeSeed<'a> for BatchMember {
    type Value = Incoming<'a>;

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<Incoming<'a>, D::Error> {
        let mut members = Members::default();
        let visitor = ValueVisitor { members: &mut members, in_batch: true };
        Ok(match deserializer.deserialize_any(visitor)? {
            Shape::Object => members.classify(),
            Shape::Batch(_) | Shape::Other => not_an_object(),
        })
    }
}

/// Reads a member's name without copying it.
struct KeySeed;

impl<'a> DeserializeSeed<'a> for KeySeed {
    type Value = Member;

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<Member, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeySeed {
    type Value = Member;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Member, E> {
        Ok(Member::of(name))
    }
}
