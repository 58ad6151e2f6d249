//! `provider` and `[providers.NAME]`: the models that may be asked, and what that may cost.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer};

use super::key::Key;
use super::servers::parse_duration;

pub(crate) const KEYS: &[Key] = &[
    Key::text("provider"),
    Key::text("providers.*.kind"),
    Key::text("providers.*.model"),
    Key::text("providers.*.base_url"),
    Key::text("providers.*.api"),
    Key::text("providers.*.api_key_env"),
    Key::text("providers.*.api_key_file"),
    Key::list("providers.*.api_key_command"),
    Key::text("providers.*.command"),
    Key::text("providers.*.structured"),
    Key::flag("providers.*.tools"),
    Key::flag("providers.*.verify"),
    Key::number("providers.*.input_tokens"),
    Key::number("providers.*.output_tokens"),
    Key::number("providers.*.request_tokens"),
    Key::number("providers.*.parallel"),
    Key::number("providers.*.max_requests"),
    Key::number("providers.*.attempts"),
    Key::decimal("providers.*.input_price_usd"),
    Key::decimal("providers.*.output_price_usd"),
    Key::decimal("providers.*.cached_price_usd"),
    Key::decimal("providers.*.budget_usd_per_review"),
    Key::decimal("providers.*.budget_usd_per_day"),
    Key::text("providers.*.connect_timeout"),
    Key::text("providers.*.idle_timeout"),
    Key::text("providers.*.timeout"),
    Key::text("providers.*.proxy").secret(),
    Key::text("providers.*.ca_file"),
];

/// The section's values, by the names of the providers.
pub(crate) type ProvidersSettings = BTreeMap<String, ProviderSettings>;

/// Which interface a provider has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum KindName {
    Anthropic,
    #[serde(rename = "openai")]
    OpenAi,
    #[serde(rename = "openai-compatible")]
    Compatible,
    Gemini,
    Ollama,
    ClaudeCli,
    GeminiCli,
    CodexCli,
}

/// Which of OpenAI's interfaces is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Api {
    Responses,
    Chat,
}

/// How an answer is held to its form.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StructuredName {
    #[default]
    Schema,
    Json,
    Prompt,
}

/// One provider.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProviderSettings {
    /// Its interface.
    pub(crate) kind: KindName,
    /// The model.
    #[serde(default)]
    pub(crate) model: Option<String>,
    /// Where it is, if not at the vendor's own endpoint.
    #[serde(default)]
    pub(crate) base_url: Option<String>,
    /// Which of OpenAI's interfaces.
    #[serde(default)]
    pub(crate) api: Option<Api>,
    /// The variable of the environment that holds the key.
    #[serde(default)]
    pub(crate) api_key_env: Option<String>,
    /// The file that holds the key.
    #[serde(default)]
    pub(crate) api_key_file: Option<PathBuf>,
    /// The program, with its arguments, that writes the key; no shell reads them.
    #[serde(default)]
    pub(crate) api_key_command: Option<Vec<String>>,
    /// The program of a command-line agent, if not the one of its name in `PATH`.
    #[serde(default)]
    pub(crate) command: Option<String>,
    /// How an answer is held to its form.
    #[serde(default)]
    pub(crate) structured: StructuredName,
    /// Whether the model may call tools.
    #[serde(default)]
    pub(crate) tools: Option<bool>,
    /// Whether it is asked for a second look at its findings.
    #[serde(default)]
    pub(crate) verify: bool,
    /// The most tokens that it reads.
    #[serde(default)]
    pub(crate) input_tokens: Option<u64>,
    /// The most tokens that it writes.
    #[serde(default)]
    pub(crate) output_tokens: Option<u64>,
    /// The most tokens of one request for a part of a change.
    #[serde(default)]
    pub(crate) request_tokens: Option<u64>,
    /// How many requests run at once.
    #[serde(default)]
    pub(crate) parallel: Option<usize>,
    /// The most requests for parts of one change.
    #[serde(default)]
    pub(crate) max_requests: Option<usize>,
    /// How often a request is tried.
    #[serde(default)]
    pub(crate) attempts: Option<u32>,
    /// What a million tokens cost that it reads.
    #[serde(default)]
    pub(crate) input_price_usd: Option<f64>,
    /// What a million tokens cost that it writes.
    #[serde(default)]
    pub(crate) output_price_usd: Option<f64>,
    /// What a million tokens cost that it reads from its cache.
    #[serde(default)]
    pub(crate) cached_price_usd: Option<f64>,
    /// What one review may cost at most.
    #[serde(default)]
    pub(crate) budget_usd_per_review: Option<f64>,
    /// What the reviews of one day, in UTC, may cost at most.
    #[serde(default)]
    pub(crate) budget_usd_per_day: Option<f64>,
    /// Until a connection stands.
    #[serde(default, deserialize_with = "duration")]
    pub(crate) connect_timeout: Option<Duration>,
    /// Between two pieces of an answer.
    #[serde(default, deserialize_with = "duration")]
    pub(crate) idle_timeout: Option<Duration>,
    /// For one answer in all.
    #[serde(default, deserialize_with = "duration")]
    pub(crate) timeout: Option<Duration>,
    /// A proxy, if not the one of the environment; empty for none.
    #[serde(default)]
    pub(crate) proxy: Option<String>,
    /// The only certificates trusted.
    #[serde(default)]
    pub(crate) ca_file: Option<PathBuf>,
}

impl ProviderSettings {
    /// A provider of which nothing is said but its kind.
    pub(crate) fn of(kind: &str) -> Option<Self> {
        serde_json::from_value(serde_json::json!({ "kind": kind })).ok()
    }
}

fn duration<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(value)?;
    parse_duration(&text).map(Some).map_err(serde::de::Error::custom)
}
