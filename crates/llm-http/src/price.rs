//! What known models cost, in US dollars for a million tokens. A user's own price goes first.

use review_tool::model::Price;

/// Name or its beginning, tokens read, written, and read from the provider's cache. The first that fits
/// is taken, so longer beginnings stand first.
///
/// Sources, as of late 2025: <https://docs.anthropic.com/en/docs/about-claude/pricing>,
/// <https://platform.openai.com/docs/pricing>, <https://ai.google.dev/gemini-api/docs/pricing>.
const PRICES: &[(&str, f64, f64, f64)] = &[
    ("claude-opus-4-5", 5.0, 25.0, 0.5),
    ("claude-opus-4", 15.0, 75.0, 1.5),
    ("claude-sonnet-4", 3.0, 15.0, 0.3),
    ("claude-haiku-4-5", 1.0, 5.0, 0.1),
    ("claude-3-7-sonnet", 3.0, 15.0, 0.3),
    ("claude-3-5-haiku", 0.8, 4.0, 0.08),
    ("gpt-5-nano", 0.05, 0.4, 0.005),
    ("gpt-5-mini", 0.25, 2.0, 0.025),
    ("gpt-5-pro", 15.0, 120.0, 15.0),
    ("gpt-5", 1.25, 10.0, 0.125),
    ("gpt-4.1-nano", 0.1, 0.4, 0.025),
    ("gpt-4.1-mini", 0.4, 1.6, 0.1),
    ("gpt-4.1", 2.0, 8.0, 0.5),
    ("gpt-4o-mini", 0.15, 0.6, 0.075),
    ("gpt-4o", 2.5, 10.0, 1.25),
    ("o4-mini", 1.1, 4.4, 0.275),
    ("o3-mini", 1.1, 4.4, 0.55),
    ("o3", 2.0, 8.0, 0.5),
    ("gemini-2.5-flash-lite", 0.1, 0.4, 0.025),
    ("gemini-2.5-flash", 0.3, 2.5, 0.075),
    ("gemini-2.5-pro", 2.5, 15.0, 0.625),
];

/// The price of a model of the vendor's own endpoint; `None` where it is not known.
pub(crate) fn of(model: &str) -> Option<Price> {
    let (_, input, output, cached_input) =
        *PRICES.iter().find(|(name, ..)| model.starts_with(name))?;
    Some(Price { input, output, cached_input })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_entry_hides_behind_a_shorter_one() {
        for (at, (name, ..)) in PRICES.iter().enumerate() {
            let first = PRICES.iter().position(|(start, ..)| name.starts_with(start));
            assert_eq!(first, Some(at), "{name}");
        }
        assert_eq!(of("gpt-5-mini-2025-08-07").unwrap().input, 0.25);
        assert!(of("my-own-model").is_none());
    }
}
