//! Stored answers: by everything that shaped them, and under a seal of the user's.

use hmac::{Hmac, Mac};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Model, Request};
use crate::prompt::FenceKey;

/// Keeps answers between reviews. What it returns is not trusted: every answer is sealed.
pub trait Memory: Sync {
    /// What was stored under a key.
    fn recall(&self, key: &str) -> Option<Vec<u8>>;

    /// Stores an answer. A store that fails loses nothing but the time of the next request.
    fn keep(&self, key: &str, answer: &[u8]);
}

/// The stored form.
#[derive(Serialize, Deserialize)]
struct Sealed {
    seal: String,
    text: String,
}

/// The key of a request: a hash of the endpoint, the model, the version and all that would be sent.
pub(super) fn key(model: &dyn Model, request: &Request, version: &str) -> String {
    let identity = model.identity();
    let preview = model.preview(request);
    let mut hasher = Sha256::new();
    for part in [
        version.as_bytes(),
        identity.provider.as_bytes(),
        identity.model.as_bytes(),
        identity.endpoint.as_bytes(),
        preview.destination.as_bytes(),
        &preview.body,
    ] {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A stored answer, if its seal is right.
pub(super) fn recall(memory: &dyn Memory, sealing: &FenceKey, key: &str) -> Option<String> {
    let stored = memory.recall(key)?;
    let Sealed { seal, text } = serde_json::from_slice(&stored).ok()?;
    let given = decode(&seal)?;
    mac(sealing, key, &text)?.verify_slice(&given).ok()?;
    Some(text)
}

/// Seals an answer and stores it.
pub(super) fn keep(memory: &dyn Memory, sealing: &FenceKey, key: &str, text: &str) {
    let Some(mac) = mac(sealing, key, text) else { return };
    let seal = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    if let Ok(stored) = serde_json::to_vec(&Sealed { seal, text: text.to_owned() }) {
        memory.keep(key, &stored);
    }
}

fn mac(sealing: &FenceKey, key: &str, text: &str) -> Option<Hmac<Sha256>> {
    let mac = Hmac::<Sha256>::new_from_slice(sealing.bytes()).ok()?;
    // The word keeps seals apart from the names of fences, which the same key makes.
    Some(
        mac.chain_update("stored answer\0").chain_update(key).chain_update("\0").chain_update(text),
    )
}

fn decode(hex: &str) -> Option<Vec<u8>> {
    let pairs = hex
        .as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    pairs.collect()
}
