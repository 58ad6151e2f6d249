//! States that travel through the client and come back: sealed, so that it cannot change them.
//!
//! A sealed state is bound to the request it belongs to and expires. The key is made for the
//! process unless the caller gives one, so by default a state does not outlive the process.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hmac::{Hmac, Mac};
use sha2::Sha256;

/// How long a client may take for one round.
const LIFETIME: Duration = Duration::from_secs(60 * 60);

/// Hexadecimal digits of a tag and of an expiry time.
const TAG: usize = 64;
const EXPIRY: usize = 16;

/// Seals states and opens them again.
pub(crate) struct Seal {
    key: Hmac<Sha256>,
}

/// Says why a state is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SealError {
    #[error("not a state of this server for this request")]
    Forged,
    #[error("expired, start the request again without it")]
    Expired,
}

impl Seal {
    /// Seals with a key of any length; it must be secret and as hard to guess as 32 random bytes.
    pub(crate) fn new(key: &[u8]) -> Self {
        #[expect(clippy::expect_used, reason = "HMAC takes keys of every length")]
        let key = Hmac::new_from_slice(key).expect("make a key");
        Self { key }
    }

    /// Seals `state` for requests with the same `binding`.
    pub(crate) fn close(&self, state: &str, binding: &[&str]) -> String {
        self.close_until(state, binding, now().saturating_add(LIFETIME.as_secs()))
    }

    fn close_until(&self, state: &str, binding: &[&str], expiry: u64) -> String {
        let expiry = format!("{expiry:016x}");
        let tag = self.mac(state, binding, &expiry).finalize().into_bytes();
        let mut sealed = String::with_capacity(TAG + EXPIRY + state.len());
        for byte in tag {
            // Writing to a string cannot fail.
            let _ = write!(sealed, "{byte:02x}");
        }
        sealed + &expiry + state
    }

    /// Opens what [`close`](Self::close) has sealed for the same `binding`.
    pub(crate) fn open(&self, sealed: &str, binding: &[&str]) -> Result<String, SealError> {
        let (tag, rest) = sealed.split_at_checked(TAG).ok_or(SealError::Forged)?;
        let (expiry, state) = rest.split_at_checked(EXPIRY).ok_or(SealError::Forged)?;
        let tag = bytes(tag).ok_or(SealError::Forged)?;
        let mac = self.mac(state, binding, expiry);
        mac.verify_slice(&tag).map_err(|_| SealError::Forged)?;
        let expiry = u64::from_str_radix(expiry, 16).map_err(|_| SealError::Forged)?;
        if expiry < now() {
            return Err(SealError::Expired);
        }
        Ok(state.to_owned())
    }

    fn mac(&self, state: &str, binding: &[&str], expiry: &str) -> Hmac<Sha256> {
        let mut mac = self.key.clone();
        for part in binding.iter().copied().chain([expiry, state]) {
            // With its length in front, no part can run into the next.
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_bytes());
        }
        mac
    }
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = hex.chars().map(|digit| digit.to_digit(16)).collect();
    digits?.chunks(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).ok()).collect()
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BINDING: [&str; 2] = ["tools/call", "{\"a\":1}"];

    #[test]
    fn a_sealed_state_opens_again() {
        let seal = Seal::new(b"key");
        for state in ["", "round 2", "h\u{e9}\u{1f980}"] {
            assert_eq!(seal.open(&seal.close(state, &BINDING), &BINDING), Ok(state.to_owned()));
        }
    }

    #[test]
    fn a_changed_or_foreign_state_does_not_open() {
        let seal = Seal::new(b"key");
        let sealed = seal.close("state", &BINDING);
        for at in 0..sealed.len() {
            let mut changed = sealed.clone().into_bytes();
            changed[at] ^= 1;
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(seal.open(&changed, &BINDING), Err(SealError::Forged), "{at}");
        }
        for changed in
            [format!("{sealed}-"), sealed[1..].to_owned(), String::new(), "\u{e9}".repeat(99)]
        {
            assert_eq!(seal.open(&changed, &BINDING), Err(SealError::Forged));
        }
        assert_eq!(seal.open(&sealed, &["tools/call", "{\"a\":2}"]), Err(SealError::Forged));
        assert_eq!(seal.open(&sealed, &["tools/call{\"a\":1}", ""]), Err(SealError::Forged));
        assert_eq!(Seal::new(b"other").open(&sealed, &BINDING), Err(SealError::Forged));
    }

    #[test]
    fn an_old_state_does_not_open() {
        let seal = Seal::new(b"key");
        let sealed = seal.close_until("state", &BINDING, 1);
        assert_eq!(seal.open(&sealed, &BINDING), Err(SealError::Expired));
    }
}
