//! `[servers.NAME]`: third-party MCP servers that the user runs.

use std::collections::BTreeMap;
use std::time::Duration;

use mcp_stdio::Framing;
use serde::{Deserialize, Deserializer};

use super::key::Key;

pub(crate) const KEYS: &[Key] = &[
    Key::text("servers.*.command"),
    Key::list("servers.*.args"),
    Key::text("servers.*.env.*").secret(),
    Key::text("servers.*.cwd"),
    Key::text("servers.*.framing"),
    Key::text("servers.*.era"),
    Key::text("servers.*.start_timeout"),
    Key::text("servers.*.call_timeout"),
    Key::text("servers.*.memory_limit"),
];

/// The section's values, by the names of the servers.
pub(crate) type ServersSettings = BTreeMap<String, ServerSettings>;

/// One server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerSettings {
    /// The program: a path, or a name that is looked up in `PATH`.
    pub(crate) command: String,
    /// Its arguments; no shell reads them.
    #[serde(default)]
    pub(crate) args: Vec<String>,
    /// What its environment has beside the harmless variables of the user's own.
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    /// The folder it runs in, absolute.
    #[serde(default)]
    pub(crate) cwd: Option<String>,
    /// How its messages are framed.
    #[serde(default = "auto_framing", deserialize_with = "framing")]
    pub(crate) framing: Framing,
    /// Which kind of session it speaks.
    #[serde(default)]
    pub(crate) era: EraChoice,
    /// How long it may take to answer the first time.
    #[serde(default, deserialize_with = "duration")]
    pub(crate) start_timeout: Option<Duration>,
    /// How long a call may take.
    #[serde(default, deserialize_with = "duration")]
    pub(crate) call_timeout: Option<Duration>,
    /// How many bytes of memory it and what it starts may hold.
    #[serde(default, deserialize_with = "memory")]
    pub(crate) memory_limit: Option<u64>,
}

/// Which kind of session a server speaks, or that it is to be found out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum EraChoice {
    /// It is asked.
    #[default]
    Auto,
    /// A handshake comes first: up to 2025-11-25.
    Legacy,
    /// Every request stands for itself: from 2026-07-28 on.
    Modern,
}

fn auto_framing() -> Framing {
    Framing::Auto
}

fn framing<'de, D: Deserializer<'de>>(value: D) -> Result<Framing, D::Error> {
    String::deserialize(value)?.parse().map_err(serde::de::Error::custom)
}

fn duration<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(value)?;
    parse_duration(&text).map(Some).map_err(serde::de::Error::custom)
}

fn memory<'de, D: Deserializer<'de>>(value: D) -> Result<Option<u64>, D::Error> {
    let text = String::deserialize(value)?;
    parse_bytes(&text).map(Some).map_err(serde::de::Error::custom)
}

/// The longest time that can be waited for: a year. Far beyond it, clocks cannot say when it is over.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// Reads a length of time such as `30s` or `2min`; a bare number is one of seconds.
///
/// # Errors
/// What was expected.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().map(Duration::from_secs);
    seconds
        .or_else(|| humantime::parse_duration(text).ok())
        .filter(|duration| !duration.is_zero() && *duration <= LONGEST)
        .ok_or_else(|| format!("{text:?} is no length of time; write for example 30s or 2min"))
}

/// Reads an amount of memory such as `512MiB` or `2GiB`.
fn parse_bytes(text: &str) -> Result<u64, String> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let shift = match unit.trim() {
        "KiB" => 10,
        "MiB" => 20,
        "GiB" => 30,
        _ => return Err(unknown_bytes(text)),
    };
    let number: u64 = number.parse().map_err(|_| unknown_bytes(text))?;
    number
        .checked_mul(1 << shift)
        .filter(|bytes| *bytes > 0)
        .ok_or_else(|| format!("{text:?} is out of range"))
}

fn unknown_bytes(text: &str) -> String {
    format!("{text:?} is no amount of memory; write for example 512MiB or 2GiB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_units() {
        assert_eq!(parse_bytes("512MiB"), Ok(512 << 20));
        assert_eq!(parse_bytes("2 GiB"), Ok(2 << 30));
        for wrong in ["", "0MiB", "512", "MiB", "-1MiB", "1MB", "99999999999999999999GiB"] {
            parse_bytes(wrong).expect_err(wrong);
        }
        for wrong in ["", "0", "0s", "-5", "1.5", "soon", "18446744073709551615", "900years"] {
            parse_duration(wrong).expect_err(wrong);
        }
        assert_eq!(parse_duration("30"), Ok(Duration::from_secs(30)));
        assert_eq!(parse_duration("2min"), Ok(Duration::from_secs(120)));
    }
}
