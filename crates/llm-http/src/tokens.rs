//! Counts tokens with the vocabularies that are published, and estimates otherwise.

use review_tool::prompt::{Estimate, Tokens};

/// Counts as OpenAI's current models do.
///
/// Source: the vocabularies `o200k_base` and `cl100k_base`, <https://github.com/openai/tiktoken>.
pub(crate) struct OpenAi(&'static bpe_openai::Tokenizer);

impl OpenAi {
    pub(crate) fn for_model(model: &str) -> Self {
        let old =
            ["gpt-4-", "gpt-3.5"].iter().any(|start| model.starts_with(start)) || model == "gpt-4";
        Self(if old { bpe_openai::cl100k_base() } else { bpe_openai::o200k_base() })
    }
}

impl Tokens for OpenAi {
    fn count(&self, text: &str) -> u64 {
        self.0.count(text) as u64
    }
}

/// The counter for a model, by its name; models of others are estimated.
pub(crate) fn counter(model: &str) -> Box<dyn Tokens + Send> {
    let name = model.rsplit('/').next().unwrap_or(model);
    let published = ["gpt-", "o1", "o3", "o4", "chatgpt", "codex"];
    if published.iter().any(|start| name.starts_with(start)) {
        Box::new(OpenAi::for_model(name))
    } else {
        Box::new(Estimate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_vocabularies_are_counted_and_others_estimated() {
        // As the vocabulary's own tools count them.
        assert_eq!(counter("gpt-4o").count("hello world"), 2);
        assert_eq!(counter("openai/gpt-4.1").count("tiktoken is great!"), 6);
        assert_eq!(counter("gpt-4").count("tiktoken is great!"), 6);
        assert_eq!(counter("claude-sonnet-4-5").count("hello world"), 4);
    }
}
