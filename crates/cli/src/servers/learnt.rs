//! What sessions learnt about how to speak with each server's command, kept in the user's state.
//!
//! It saves a probe, or a second start; losing it costs no more than that, so failures are only logged.

use std::collections::BTreeMap;

use mcp_proto::Era;
use mcp_stdio::Framing;
use mcp_stdio::client::{Learnt, Memory};
use serde::{Deserialize, Serialize};

use super::state_file;
use crate::folders::Folders;

/// The file, below the state folder.
const FILE: &str = "servers.json";

/// How many commands are remembered; of more, some are forgotten.
const MAX_KNOWN: usize = 500;

/// The memory in the user's state folder.
pub(crate) struct Kept(pub(crate) Folders);

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Manner {
    framing: FramingName,
    era: EraName,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FramingName {
    Line,
    ContentLength,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum EraName {
    Legacy,
    Modern,
}

type Manners = BTreeMap<String, Manner>;

impl Memory for Kept {
    fn recall(&self, key: &str) -> Option<Learnt> {
        let known: Manners = state_file::load(&self.0, FILE)
            .inspect_err(|error| log::warn!("recall how servers speak: {error}"))
            .ok()?;
        known.get(key).map(|manner| Learnt {
            framing: match manner.framing {
                FramingName::Line => Framing::Line,
                FramingName::ContentLength => Framing::ContentLength,
            },
            era: match manner.era {
                EraName::Legacy => Era::Handshake,
                EraName::Modern => Era::PerRequest,
            },
        })
    }

    fn keep(&self, key: &str, learnt: Learnt) {
        let manner = Manner {
            framing: match learnt.framing {
                Framing::ContentLength => FramingName::ContentLength,
                Framing::Line | Framing::Auto => FramingName::Line,
            },
            era: match learnt.era {
                Era::Handshake => EraName::Legacy,
                Era::PerRequest => EraName::Modern,
            },
        };
        let kept = state_file::change(&self.0, FILE, |known: &mut Manners| {
            while known.len() >= MAX_KNOWN && !known.contains_key(key) {
                known.pop_first();
            }
            known.insert(key.to_owned(), manner);
        });
        if let Err(error) = kept {
            log::warn!("keep how a server speaks: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_learnt_is_recalled_and_bounded() {
        let temporary = tempfile::tempdir().expect("a folder");
        let folders = Folders { config: None, state: Some(temporary.path().join("state")) };
        let memory = Kept(folders);
        assert_eq!(memory.recall("a"), None);
        let learnt = Learnt { framing: Framing::ContentLength, era: Era::Handshake };
        memory.keep("a", learnt);
        memory.keep("b", Learnt { framing: Framing::Line, era: Era::PerRequest });
        assert_eq!(memory.recall("a"), Some(learnt));
        let path = temporary.path().join("state").join(FILE);
        std::fs::write(&path, "{").expect("a file");
        assert_eq!(memory.recall("a"), None, "damage is no knowledge");
    }
}
