//! How many tokens a text has, for those models whose tokenizer is not at hand.

/// Counts the tokens of a text. Called from several threads at once.
pub trait Tokens: Sync {
    /// How many tokens the text has, or somewhat more.
    fn count(&self, text: &str) -> u64;
}

/// Counts three bytes as a token. Code has 3.2 to 4 bytes in a token with the vocabularies in use, and
/// scripts with long encodings about 3, so the estimate is seldom too low.
#[derive(Debug, Clone, Copy, Default)]
pub struct Estimate;

impl Tokens for Estimate {
    fn count(&self, text: &str) -> u64 {
        (text.len() as u64).div_ceil(3)
    }
}
