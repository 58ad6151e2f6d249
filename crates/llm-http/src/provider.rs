//! A provider behind HTTP: its settings, and a request from its body to its answer.

use std::thread;
use std::time::{Duration, Instant};

use review_tool::control::Control;
use review_tool::model::{
    Answer, Identity, Model, ModelError, Preview, Price, Request, Stop, Window,
};
use review_tool::prompt::Tokens;
use serde_json::Value;

use crate::error::ProviderError;
use crate::http::{self, Line};
use crate::key::Key;
use crate::wire::{self, Draft, Fault, Structured, Target, Wire};
use crate::{price, retry, tokens};

/// How often a wait looks for cancellation.
const POLL: Duration = Duration::from_millis(20);
/// How often a refused member of a request is left out before the refusal is final.
const MAX_RELAXED: usize = 4;

/// Which interface a provider has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Anthropic's Messages.
    Anthropic,
    /// OpenAI's Responses.
    OpenAiResponses,
    /// OpenAI's Chat Completions.
    OpenAiChat,
    /// Chat Completions as others offer them.
    Compatible,
    /// Google's Gemini.
    Gemini,
    /// Ollama's own interface.
    Ollama,
}

/// The bounds of a request in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// Until a connection stands.
    pub connect: Duration,
    /// Between two pieces of an answer, the first included.
    pub idle: Duration,
    /// For one try in all.
    pub total: Duration,
    /// How often a request is tried.
    pub attempts: u32,
    /// The first wait between two tries, where the server asks for none.
    pub backoff: Duration,
}

impl Timing {
    /// What suits services on the network; models that think long send nothing for minutes.
    #[must_use]
    pub const fn recommended() -> Self {
        Self {
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(180),
            total: Duration::from_secs(900),
            attempts: 4,
            backoff: Duration::from_secs(1),
        }
    }
}

/// What the user says of a provider.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Its name in the user's settings.
    pub name: String,
    /// Its interface.
    pub kind: Kind,
    /// The model.
    pub model: String,
    /// Where it is; `None` for the vendor's own endpoint.
    pub base_url: Option<String>,
    /// The key.
    pub key: Option<Key>,
    /// How an answer is held to its form, where the interface leaves a choice.
    pub structured: Structured,
    /// Whether tools are offered; `None` for what suits the interface.
    pub tools: Option<bool>,
    /// The most tokens of a request; `None` for what suits the interface.
    pub input_tokens: Option<u64>,
    /// The most tokens of an answer; `None` for what suits the interface.
    pub output_tokens: Option<u64>,
    /// What tokens cost; `None` for the vendor's list.
    pub price: Option<Price>,
    /// The bounds in time.
    pub timing: Timing,
    /// A proxy, as `http://HOST:PORT`; never used for addresses of this machine.
    pub proxy: Option<String>,
    /// The only certificates trusted, in PEM form; `None` for the public authorities.
    pub ca: Option<Vec<u8>>,
}

/// A provider behind HTTP.
pub struct Provider {
    identity: Identity,
    settings: Settings,
    target: Target,
    wire: &'static dyn Wire,
    http: http::Client,
    counter: Box<dyn Tokens + Send>,
    price: Option<Price>,
}

impl Provider {
    /// Checks the settings; sends nothing.
    ///
    /// # Errors
    /// [`ProviderError`] where no request could be made with them.
    pub fn new(settings: Settings) -> Result<Self, ProviderError> {
        let wire = wire::of(settings.kind);
        let defaults = wire.defaults();
        let name = || settings.name.clone();
        let base = settings.base_url.as_deref().or(defaults.base_url);
        let base = base.ok_or_else(|| ProviderError::NoUrl { provider: name() })?;
        let place = http::Place::of(base).ok_or_else(|| ProviderError::Url {
            provider: name(),
            url: http::without_login(base),
        })?;
        if settings.key.is_some() && !place.is_https && !place.is_local {
            return Err(ProviderError::Unprotected { provider: name(), host: place.host });
        }
        let endpoint = format!("{}{}", base.trim_end_matches('/'), wire.path(&settings.model));
        let proxy = settings.proxy.as_deref().filter(|_| !place.is_local);
        let client = http::Client::new(proxy, settings.ca.as_deref(), settings.timing);
        let client = client.map_err(|fault| match fault {
            http::SetUp::Proxy => ProviderError::Proxy { provider: name() },
            http::SetUp::Certificates => ProviderError::Certificates { provider: name() },
        })?;
        let target = Target {
            model: settings.model.clone(),
            input_tokens: settings.input_tokens.unwrap_or(defaults.input_tokens),
            structured: settings.structured,
        };
        let at_vendor = settings.base_url.is_none() && settings.kind != Kind::Compatible;
        let listed = at_vendor.then(|| price::of(&settings.model)).flatten();
        let identity = Identity {
            provider: settings.name.clone(),
            model: settings.model.clone(),
            endpoint: http::without_login(&endpoint),
        };
        Ok(Self {
            identity,
            target,
            wire,
            http: client.to(endpoint),
            counter: tokens::counter(&settings.model),
            price: settings.price.or(listed),
            settings,
        })
    }

    /// One try: the answer, or why there is none.
    fn exchange(
        &self,
        body: &Value,
        form: &'static str,
        control: &dyn Control,
    ) -> Result<Draft, Failure> {
        let headers = self.wire.headers(self.settings.key.as_ref());
        let framing = self.wire.framing();
        let lines = self.http.post(headers, body.to_string().into_bytes(), framing);
        let lines = lines.map_err(|why| Failure::passing(why, None))?;
        let mut decoder = self.wire.decoder(form);
        loop {
            let line = match lines.next(POLL) {
                Some(line) => line,
                None if control.cancelled() => return Err(Failure::Cancelled),
                None => continue,
            };
            let fault = match line {
                Line::Event(event) => match decoder.event(&event) {
                    Ok(false) => continue,
                    Ok(true) => return Ok(decoder.draft()),
                    Err(fault) => fault,
                },
                Line::Whole(text) => match decoder.whole(&text) {
                    Ok(()) => return Ok(decoder.draft()),
                    Err(fault) => fault,
                },
                Line::Refused { status, wait, text } => {
                    let message = self.words(&wire::message(&text));
                    return Err(Failure::Refused { status, wait, message });
                }
                Line::Unreachable(why) => return Err(Failure::passing(self.words(&why), None)),
                Line::End if decoder.may_end() => return Ok(decoder.draft()),
                Line::End => Fault::Broken("the stream ended before the answer did".to_owned()),
                Line::Broken(why) => Fault::Broken(why),
            };
            let (why, passing) = match fault {
                Fault::Broken(why) => (why, true),
                Fault::Server { message, passing } => (message, passing),
            };
            let mut draft = decoder.draft();
            let why = self.words(&why);
            // What has cost nothing and says nothing can be asked again.
            if draft.is_empty() && passing {
                return Err(Failure::passing(why, None));
            }
            draft.stop = Some(Stop::Broken(why));
            return Ok(draft);
        }
    }

    /// Words of others, fit for a message.
    fn words(&self, text: &str) -> String {
        let masked = match &self.settings.key {
            Some(key) => key.mask(text),
            None => text.to_owned(),
        };
        let line = masked.split_whitespace().collect::<Vec<_>>().join(" ");
        let short: String = line.chars().take(300).collect();
        let safe = review_tool::printable(&review_tool::secret::redact(&short)).into_owned();
        if short.len() < line.len() { format!("{safe}…") } else { safe }
    }

    fn explain(&self, status: u16, message: &str) -> String {
        let name = &self.identity.provider;
        let said = if message.is_empty() { String::new() } else { format!(": {message}") };
        match status {
            401 | 403 => format!("{name} refuses the key ({status}){said}"),
            404 => format!(
                "{name} knows no such endpoint or model ({status}{said}); asked for {} at {}",
                self.identity.model, self.identity.endpoint
            ),
            429 => format!("{name} refuses more requests for now ({status}){said}"),
            300..=399 => format!(
                "{name} sends the request elsewhere ({status}), which is not followed; name the right \
                 base_url"
            ),
            _ => format!("{name} answered {status}{said}"),
        }
    }

    /// Waits before another try.
    fn wait(&self, how_long: Duration, control: &dyn Control) -> Result<(), ModelError> {
        let end = Instant::now() + how_long;
        loop {
            if control.cancelled() {
                return Err(ModelError::Cancelled);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            thread::sleep(left.min(POLL));
        }
    }
}

/// Why a try gave nothing.
enum Failure {
    Cancelled,
    /// It may pass by itself.
    Passing {
        why: String,
        wait: Option<Duration>,
    },
    /// The server refused.
    Refused {
        status: u16,
        wait: Option<Duration>,
        message: String,
    },
}

impl Failure {
    fn passing(why: String, wait: Option<Duration>) -> Self {
        Self::Passing { why, wait }
    }
}

impl Model for Provider {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn window(&self) -> Window {
        let defaults = self.wire.defaults();
        Window {
            input_tokens: self.target.input_tokens,
            output_tokens: self.settings.output_tokens.unwrap_or(defaults.output_tokens),
        }
    }

    fn tokens(&self) -> &dyn Tokens {
        &*self.counter
    }

    fn price(&self) -> Option<Price> {
        self.price
    }

    fn takes_tools(&self) -> bool {
        self.settings.tools.unwrap_or(self.wire.defaults().tools)
    }

    fn preview(&self, request: &Request) -> Preview {
        Preview {
            destination: format!("POST {}", self.identity.endpoint),
            body: self.wire.body(&self.target, request).to_string().into_bytes(),
        }
    }

    fn ask(&self, request: &Request, control: &dyn Control) -> Result<Answer, ModelError> {
        let mut body = self.wire.body(&self.target, request);
        let (mut tried, mut relaxed) = (0, 0);
        loop {
            if control.cancelled() {
                return Err(ModelError::Cancelled);
            }
            let (why, wait) = match self.exchange(&body, request.form.name, control) {
                Ok(draft) => return Ok(draft.answer()),
                Err(Failure::Cancelled) => return Err(ModelError::Cancelled),
                Err(Failure::Passing { why, wait }) => {
                    (format!("{}: {why}", self.identity.provider), wait)
                }
                Err(Failure::Refused { status, wait, message }) => {
                    let may_relax = matches!(status, 400 | 422) && relaxed < MAX_RELAXED;
                    if may_relax && self.wire.relax(&mut body, &message) {
                        log::debug!("{}: asked again with less: {message}", self.identity.provider);
                        relaxed += 1;
                        continue;
                    }
                    let why = self.explain(status, &message);
                    if !retry::is_passing(status) {
                        return Err(ModelError::Failed(why));
                    }
                    (why, wait)
                }
            };
            tried += 1;
            if tried >= self.settings.timing.attempts {
                return Err(ModelError::Failed(format!("{why} (tried {tried} times)")));
            }
            let wait = match wait {
                Some(wait) if wait > retry::LONGEST_WAIT => {
                    let seconds = wait.as_secs();
                    let why = format!("{why}; it asks to wait {seconds} s");
                    return Err(ModelError::Failed(why));
                }
                Some(wait) => wait,
                None => retry::backoff(self.settings.timing.backoff, tried - 1),
            };
            log::debug!("{why}; trying again in {} ms", wait.as_millis());
            self.wait(wait, control)?;
        }
    }
}
