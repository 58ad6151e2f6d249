//! Multi-round-trip requests: a result that asks the client for something first.
//!
//! Since 2026-07-28 a server sends no requests. It answers `tools/call`, `prompts/get` or
//! `resources/read` with what it needs, and the client asks again with the answers. Handlers use
//! the same shape in every revision; for earlier ones the server layer turns it into requests.

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error as _};

use crate::capabilities::{ClientCapabilities, ElicitationCapability};
use crate::elicitation::ElicitParams;
use crate::encode::{Encode, Fields, Object, ResultBody, Writer, encode_fields, try_to_raw};
use crate::json::{JsonObject, RawJson, or_default};
use crate::meta::ResultMeta;
use crate::method::Method;
use crate::revision::{Era, Revision};
use crate::sampling::CreateMessageParams;

/// What a server wants to find again in the next attempt. Opaque to clients, and as
/// trustworthy as they are when it comes back.
///
/// Since: 2026-07-28. Page: basic/patterns/mrtr.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(transparent)]
pub struct RequestState(String);

impl RequestState {
    /// Creates a state. The empty string is a state like any other.
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

impl Encode for RequestState {
    fn encode(&self, out: &mut Writer<'_>) {
        out.string(&self.0);
    }
}

/// One thing that a server asks of a client.
///
/// Since: 2026-07-28; a request of its own before. Page: basic/patterns/mrtr.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InputRequest {
    /// Ask the user.
    Elicit(ElicitParams),
    /// Sample from a model. Deprecated since 2026-07-28.
    CreateMessage(Box<CreateMessageParams>),
    /// List the roots. Deprecated since 2026-07-28.
    ListRoots,
}

impl InputRequest {
    /// Returns the method that asks for it.
    #[must_use]
    pub const fn method(&self) -> Method {
        match self {
            Self::Elicit(_) => Method::Elicit,
            Self::CreateMessage(_) => Method::CreateMessage,
            Self::ListRoots => Method::ListRoots,
        }
    }

    /// Returns what `declared` lacks for this request, or `None` when the client may be asked.
    #[must_use]
    pub fn missing_capability(&self, declared: &ClientCapabilities) -> Option<ClientCapabilities> {
        let none = ClientCapabilities::default();
        match self {
            Self::Elicit(ElicitParams::Form(_)) => {
                let offered = declared.elicitation.as_ref();
                let lacks = !offered.is_some_and(ElicitationCapability::has_form);
                lacks.then(|| none.with_elicitation(ElicitationCapability::default()))
            }
            Self::Elicit(ElicitParams::Url(_)) => {
                let offered = declared.elicitation.as_ref();
                let lacks = !offered.is_some_and(ElicitationCapability::has_url);
                lacks.then(|| none.with_elicitation(ElicitationCapability::url()))
            }
            Self::CreateMessage(params) if params.uses_tools() => {
                let offered = declared.sampling.as_ref();
                let lacks = offered.is_none_or(|sampling| sampling.tools.is_none());
                lacks.then(|| none.with_sampling_tools())
            }
            Self::CreateMessage(_) => declared.sampling.is_none().then(|| none.with_sampling()),
            Self::ListRoots => declared.roots.is_none().then(|| none.with_roots(false)),
        }
    }
}

impl Fields for InputRequest {
    /// Writes the parameters.
    fn fields(&self, object: &mut Object<'_, '_>) {
        match self {
            Self::Elicit(params) => params.fields(object),
            Self::CreateMessage(params) => params.fields(object),
            Self::ListRoots => {}
        }
    }
}

impl Encode for InputRequest {
    fn encode(&self, out: &mut Writer<'_>) {
        out.object(|object| {
            object.field("method", self.method().as_str());
            object.nested_unless_empty("params", |object| self.fields(object));
        });
    }
}

impl<'de> Deserialize<'de> for InputRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Shape {
            method: String,
            params: Option<RawJson>,
        }

        fn params<T: DeserializeOwned>(raw: Option<&RawJson>) -> Result<T, serde_json::Error> {
            serde_json::from_str(raw.map_or("{}", RawJson::get))
        }

        let shape = Shape::deserialize(deserializer)?;
        let raw = shape.params.as_ref();
        match Method::parse(&shape.method) {
            Some(Method::Elicit) => params(raw).map(Self::Elicit),
            Some(Method::CreateMessage) => params(raw).map(Self::CreateMessage),
            Some(Method::ListRoots) => Ok(Self::ListRoots),
            _ => return Err(D::Error::custom("an input request of an unknown method")),
        }
        .map_err(D::Error::custom)
    }
}

/// What a server asks for, each under a key of its choice.
///
/// Since: 2026-07-28. Page: basic/patterns/mrtr.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputRequests(Vec<(String, InputRequest)>);

impl InputRequests {
    /// Asks for nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Asks for one more thing; a key that is there already gets the new request.
    pub fn insert(&mut self, key: impl Into<String>, request: InputRequest) {
        let key = key.into();
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some(entry) => entry.1 = request,
            None => self.0.push((key, request)),
        }
    }

    /// Returns the request under `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&InputRequest> {
        self.iter().find_map(|(known, request)| (known == key).then_some(request))
    }

    /// Visits the requests in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &InputRequest)> {
        self.0.iter().map(|(key, request)| (key.as_str(), request))
    }

    /// Reports whether nothing is asked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of requests.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

impl<'de> Deserialize<'de> for InputRequests {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let requests = JsonObject::deserialize(deserializer)?;
        let typed = requests.iter().map(|(key, raw)| Ok((key.to_owned(), raw.decode()?)));
        typed.collect::<Result<_, serde_json::Error>>().map(Self).map_err(D::Error::custom)
    }
}

impl Fields for InputRequests {
    fn fields(&self, object: &mut Object<'_, '_>) {
        for (key, request) in self.iter() {
            object.field(key, request);
        }
    }
}

/// A result that asks for something before the request can be completed.
///
/// Since: 2026-07-28. Page: basic/patterns/mrtr.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InputRequiredResult {
    /// What is needed. Sent only if there is anything.
    #[serde(default, deserialize_with = "or_default")]
    pub input_requests: InputRequests,
    /// What to send back with the next attempt.
    pub request_state: Option<RequestState>,
    /// What travels beside the result.
    #[serde(rename = "_meta", default, deserialize_with = "or_default")]
    pub meta: ResultMeta,
}

impl InputRequiredResult {
    /// Asks for one thing.
    #[must_use]
    pub fn new(key: impl Into<String>, request: InputRequest) -> Self {
        Self::default().with_request(key, request)
    }

    /// Asks for the same request again, with a state.
    #[must_use]
    pub fn retry(state: RequestState) -> Self {
        Self { request_state: Some(state), ..Self::default() }
    }

    /// Asks for one more thing.
    #[must_use]
    pub fn with_request(mut self, key: impl Into<String>, request: InputRequest) -> Self {
        self.input_requests.insert(key, request);
        self
    }

    /// Sets the state to send back.
    #[must_use]
    pub fn with_state(mut self, state: RequestState) -> Self {
        self.request_state = Some(state);
        self
    }
}

impl Fields for InputRequiredResult {
    fn fields(&self, object: &mut Object<'_, '_>) {
        if object.revision().era() == Era::Handshake {
            return object.refuse("a result that asks for input");
        }
        if self.input_requests.is_empty() && self.request_state.is_none() {
            return object.refuse("a result that asks for no input and has no state");
        }
        if !self.input_requests.is_empty() {
            object.field("inputRequests", &self.input_requests);
        }
        object.optional("requestState", &self.request_state);
    }
}

impl ResultBody for InputRequiredResult {
    fn meta(&self) -> &ResultMeta {
        &self.meta
    }

    fn result_type(&self) -> &str {
        "input_required"
    }
}

/// The client's answers, under the keys of the requests. Typed when they are looked up, since an
/// answer does not say what it answers.
///
/// Since: 2026-07-28. Page: basic/patterns/mrtr.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct InputResponses(JsonObject);

impl InputResponses {
    /// Creates an empty set.
    #[must_use]
    pub const fn new() -> Self {
        Self(JsonObject::new())
    }

    /// Adds an answer: an `ElicitResult`, `CreateMessageResult` or `ListRootsResult`.
    ///
    /// # Errors
    /// Refuses an answer without a form in 2026-07-28.
    pub fn insert<T: Encode>(
        &mut self,
        key: impl Into<String>,
        answer: &T,
    ) -> Result<(), crate::NotInRevision> {
        let answer = try_to_raw(Revision::V2026_07_28, |out| answer.encode(out))?;
        self.0.insert(key, answer);
        Ok(())
    }

    /// Decodes the answer under `key`, or `None` when there is none.
    ///
    /// # Errors
    /// Fails when the answer does not have the type's shape.
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, serde_json::Error> {
        self.0.get(key).map(RawJson::decode).transpose()
    }

    /// Visits the answers in order, as text.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawJson)> {
        self.0.iter()
    }

    /// Reports whether there are no answers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<(String, RawJson)> for InputResponses {
    fn from_iter<I: IntoIterator<Item = (String, RawJson)>>(answers: I) -> Self {
        Self(answers.into_iter().collect())
    }
}

impl Fields for InputResponses {
    fn fields(&self, object: &mut Object<'_, '_>) {
        object.members(&self.0);
    }
}

encode_fields!(InputRequests, InputResponses);
