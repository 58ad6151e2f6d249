//! The model that a review asks: chosen by the user's settings and flags, with its key and its budget.

use std::path::Path;

use anyhow::Context;
use llm_http::{Agent, AgentKind, Key, Kind, Program, Provider, Structured, Timing};
use review_tool::model::{Memory, Model, Price, Reviewer, Toolbox};
use review_tool::nearest::nearest;
use review_tool::prompt::FenceKey;

use crate::exit::Usage;
use crate::folders::Folders;
use crate::history::UserHistory;
use crate::servers::Servers;
use crate::settings::Settings;
use crate::settings::providers::{Api, KindName, ProviderSettings, StructuredName};

mod api_key;
mod environment;
mod purse;
mod servers;
pub(crate) mod user_key;

use purse::{Budget, Purse};
use servers::ServerTools;

/// How many requests run at once unless the user says otherwise.
const PARALLEL: usize = 4;
/// The most requests for one change unless the user says otherwise.
const MAX_REQUESTS: usize = 40;
/// The most tokens of one request unless the user says otherwise: a model that reads less at a time
/// reads more closely, and parts are read at once.
const REQUEST_TOKENS: u64 = 24_000;
/// What an agent reads, as far as nobody says.
const AGENT_TOKENS: u64 = 100_000;

/// What a caller wants of a model.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wanted<'w> {
    /// The provider by its name, if not that of the settings.
    pub(crate) provider: Option<&'w str>,
    /// The model, if not that of the provider's settings.
    pub(crate) model: Option<&'w str>,
    /// Whether to ask for a second look.
    pub(crate) verify: bool,
    /// Whether to ask even where an answer is stored.
    pub(crate) no_cache: bool,
    /// Whether nothing is going to be sent, so that no key is needed.
    pub(crate) dry_run: bool,
}

/// A model that can be asked.
pub(crate) struct Chosen<'h> {
    model: Box<dyn Model>,
    key: FenceKey,
    purse: Purse<'h>,
    memory: Option<&'h dyn Memory>,
    request_tokens: u64,
    max_requests: usize,
    parallel: usize,
    verify: bool,
}

impl Chosen<'_> {
    /// Lends the model for one use, with the tools of the servers that may run; they are started for it,
    /// and end with it. They may know of `folder`.
    ///
    /// # Errors
    /// Servers that are configured in a way that cannot be read.
    pub(crate) fn lend<R>(
        &self,
        folders: &Folders,
        folder: &Path,
        use_it: impl FnOnce(&Reviewer<'_>) -> R,
    ) -> anyhow::Result<R> {
        if !self.model.takes_tools() {
            return Ok(use_it(&self.reviewer(Vec::new())));
        }
        let servers = Servers::load(folders, folder)?;
        let tools = ServerTools::start(&servers, folders, folder);
        Ok(use_it(&self.reviewer(vec![&tools])))
    }

    fn reviewer<'r>(&'r self, toolboxes: Vec<&'r dyn Toolbox>) -> Reviewer<'r> {
        Reviewer {
            model: &*self.model,
            key: &self.key,
            purse: &self.purse,
            memory: self.memory,
            toolboxes,
            request_tokens: self.request_tokens,
            max_requests: self.max_requests,
            parallel: self.parallel,
            verify: self.verify,
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// Chooses the model; `None` where none is configured or wanted.
///
/// # Errors
/// [`Usage`] where settings, key or budget do not allow a request.
pub(crate) fn choose<'h>(
    settings: &Settings,
    folders: &Folders,
    history: &'h UserHistory,
    wanted: Wanted<'_>,
) -> anyhow::Result<Option<Chosen<'h>>> {
    let configured = settings.provider()?;
    let Some(name) = wanted.provider.or(configured.as_deref()) else {
        return match wanted.model {
            Some(model) => Err(usage(format!(
                "the model {model} needs a provider: name one by --provider or in the settings"
            ))),
            None => Ok(None),
        };
    };
    let all = settings.providers()?;
    // A kind can be named without a section, where nothing but a model has to be said.
    let own = all.get(name).cloned().or_else(|| ProviderSettings::of(name));
    let Some(own) = own else {
        let near = nearest(name, all.keys().map(String::as_str));
        let hint = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        return Err(usage(format!("no provider {name:?} in the settings{hint}")));
    };
    check_numbers(name, &own)?;
    let given = (own.input_price_usd, own.output_price_usd);
    let price = match given {
        (Some(input), Some(output)) => {
            Some(Price { input, output, cached_input: own.cached_price_usd.unwrap_or(input) })
        }
        (None, None) => None,
        _ => {
            return Err(usage(format!(
                "provider {name}: a price is input_price_usd and output_price_usd together"
            )));
        }
    };
    let model = model(name, &own, price, wanted)?;
    let budget = Budget { per_review: own.budget_usd_per_review, per_day: own.budget_usd_per_day };
    if budget.is_set() && model.price().is_none() {
        return Err(usage(format!(
            "provider {name}: what {} costs is not known, so a budget cannot be kept; name \
             input_price_usd and output_price_usd",
            model.identity().model
        )));
    }
    let store = history.store().ok();
    let memory = store.map(|store| store as &dyn Memory).filter(|_| !wanted.no_cache);
    Ok(Some(Chosen {
        purse: Purse::new(budget, store).map_err(|why| usage(format!("provider {name}: {why}")))?,
        model,
        key: user_key::load(folders)?,
        memory,
        request_tokens: own.request_tokens.unwrap_or(REQUEST_TOKENS),
        max_requests: own.max_requests.unwrap_or(MAX_REQUESTS),
        parallel: own.parallel.unwrap_or(PARALLEL),
        verify: wanted.verify || own.verify,
    }))
}

fn usage(message: String) -> anyhow::Error {
    Usage(message).into()
}

fn check_numbers(name: &str, own: &ProviderSettings) -> anyhow::Result<()> {
    let amounts = [
        ("input_price_usd", own.input_price_usd),
        ("output_price_usd", own.output_price_usd),
        ("cached_price_usd", own.cached_price_usd),
        ("budget_usd_per_review", own.budget_usd_per_review),
        ("budget_usd_per_day", own.budget_usd_per_day),
    ];
    for (key, amount) in amounts {
        if amount.is_some_and(|amount| !amount.is_finite() || amount < 0.0) {
            return Err(usage(format!("provider {name}: {key} is not an amount of money")));
        }
    }
    let counts = [
        ("parallel", own.parallel.map(|count| count as u64)),
        ("max_requests", own.max_requests.map(|count| count as u64)),
        ("attempts", own.attempts.map(u64::from)),
        ("input_tokens", own.input_tokens),
        ("output_tokens", own.output_tokens),
        ("request_tokens", own.request_tokens),
    ];
    match counts.into_iter().find(|(_, count)| *count == Some(0)) {
        Some((key, _)) => Err(usage(format!("provider {name}: {key} must be at least 1"))),
        None => Ok(()),
    }
}

fn model(
    name: &str,
    own: &ProviderSettings,
    price: Option<Price>,
    wanted: Wanted<'_>,
) -> anyhow::Result<Box<dyn Model>> {
    let model = wanted.model.map(str::to_owned).or_else(|| own.model.clone());
    let kind = match own.kind {
        KindName::ClaudeCli => return agent(name, own, AgentKind::Claude, model),
        KindName::GeminiCli => return agent(name, own, AgentKind::Gemini, model),
        KindName::CodexCli => return agent(name, own, AgentKind::Codex, model),
        KindName::Anthropic => Kind::Anthropic,
        KindName::OpenAi if own.api == Some(Api::Chat) => Kind::OpenAiChat,
        KindName::OpenAi => Kind::OpenAiResponses,
        KindName::Compatible if own.api == Some(Api::Responses) => Kind::OpenAiResponses,
        KindName::Compatible => Kind::Compatible,
        KindName::Gemini => Kind::Gemini,
        KindName::Ollama => Kind::Ollama,
    };
    let model = model.ok_or_else(|| {
        usage(format!("provider {name}: name a model, by --model or in the settings"))
    })?;
    if own.kind == KindName::Compatible && own.base_url.is_none() {
        return Err(usage(format!("provider {name}: name the endpoint by base_url")));
    }
    let key = if wanted.dry_run { None } else { api_key::find(name, own)? };
    if key.is_some() {
        environment::keep_from_core_dumps();
    }
    let timing = Timing::recommended();
    let timing = Timing {
        connect: own.connect_timeout.unwrap_or(timing.connect),
        idle: own.idle_timeout.unwrap_or(timing.idle),
        total: own.timeout.unwrap_or(timing.total),
        attempts: own.attempts.unwrap_or(timing.attempts),
        ..timing
    };
    let base_url = own.base_url.clone();
    let ca = own.ca_file.as_deref().map(|path| read_file(name, "ca_file", path)).transpose()?;
    let proxy = match own.proxy.as_deref() {
        Some("") => None,
        Some(proxy) => Some(proxy.to_owned()),
        None => environment::proxy_for(base_url.as_deref()),
    };
    let provider = Provider::new(llm_http::Settings {
        name: name.to_owned(),
        kind,
        model,
        base_url,
        key,
        structured: match own.structured {
            StructuredName::Schema => Structured::Schema,
            StructuredName::Json => Structured::Json,
            StructuredName::Prompt => Structured::Prompt,
        },
        tools: own.tools,
        input_tokens: own.input_tokens,
        output_tokens: own.output_tokens,
        price,
        timing,
        proxy,
        ca,
    });
    let provider = provider.map_err(|error| usage(error.to_string()))?;
    Ok(Box::new(provider))
}

fn agent(
    name: &str,
    own: &ProviderSettings,
    kind: AgentKind,
    model: Option<String>,
) -> anyhow::Result<Box<dyn Model>> {
    let called = match kind {
        AgentKind::Claude => "claude",
        AgentKind::Gemini => "gemini",
        AgentKind::Codex => "codex",
    };
    let command = own.command.as_deref().unwrap_or(called);
    let path = environment::program(command).ok_or_else(|| {
        usage(format!(
            "provider {name}: there is no program {command:?} in PATH; install it, or name it by `command`"
        ))
    })?;
    let timing = Timing::recommended();
    Ok(Box::new(Agent::new(Program {
        name: name.to_owned(),
        kind,
        path,
        model,
        environment: environment::for_agent(kind),
        input_tokens: own.input_tokens.unwrap_or(AGENT_TOKENS),
        total: own.timeout.unwrap_or(timing.total),
        // These answer in one piece, so by default only the whole is bounded.
        idle: own.idle_timeout.or(own.timeout).unwrap_or(timing.total),
    })))
}

/// Reads a small file that the settings name.
fn read_file(provider: &str, key: &str, path: &Path) -> anyhow::Result<Vec<u8>> {
    use std::io::Read;
    const LIMIT: u64 = 1 << 20;
    let failed = || Usage(format!("provider {provider}: cannot read {key} {}", path.display()));
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).with_context(failed)?;
    file.take(LIMIT).read_to_end(&mut bytes).with_context(failed)?;
    Ok(bytes)
}

/// Makes a key of a text.
fn key_of(provider: &str, text: String, from: &str) -> anyhow::Result<Key> {
    Key::new(text).ok_or_else(|| {
        usage(format!(
            "provider {provider}: {from} holds no key (one word of printable characters)"
        ))
    })
}
