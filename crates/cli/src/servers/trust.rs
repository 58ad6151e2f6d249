//! Which servers of projects the user has trusted, kept in the user's own state.
//!
//! What is trusted is a fingerprint of everything in the configuration that changes what runs: program,
//! arguments, environment, folder, and the content of every file of the project that the command names
//! directly. Any other fingerprint is untrusted.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::state_file::{self, StateError};
use super::{Entry, Source};
use crate::folders::Folders;

/// The file, below the state folder.
const FILE: &str = "trust.json";

/// The version of what a fingerprint covers; in it, so that another cover is another fingerprint.
const COVER: u32 = 1;

/// Where the user's trust in a server stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The user's own settings name it.
    Own,
    /// It is what the user has trusted.
    Trusted,
    /// The user has trusted another command under this name.
    Changed,
    /// The user has not trusted it.
    Unknown,
}

impl Standing {
    /// Whether the server may run.
    pub(crate) fn may_run(self) -> bool {
        matches!(self, Self::Own | Self::Trusted)
    }

    /// The standing in one word, for programs.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Trusted => "trusted",
            Self::Changed => "changed",
            Self::Unknown => "untrusted",
        }
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Own => "is your own",
            Self::Trusted => "is trusted",
            Self::Changed => "has changed since it was trusted",
            Self::Unknown => "is not trusted",
        })
    }
}

/// What the user has trusted.
#[derive(Debug)]
pub(crate) struct Trust {
    records: Vec<Record>,
}

/// One trusted server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    /// The folder of the project's file.
    project: PathBuf,
    name: String,
    fingerprint: String,
}

impl Trust {
    /// Loads what the user has trusted; nothing where there is no file.
    pub(crate) fn load(folders: &Folders) -> Result<Self, StateError> {
        state_file::load(folders, FILE).map(|records| Self { records })
    }

    pub(crate) fn standing(&self, entry: &Entry) -> Standing {
        let Source::Project(root) = &entry.source else { return Standing::Own };
        match self.records.iter().find(|record| record.is_of(root, &entry.name)) {
            None => Standing::Unknown,
            Some(record) if record.fingerprint == Fingerprint::of(entry).hash => Standing::Trusted,
            Some(_) => Standing::Changed,
        }
    }
}

/// Trusts a server with the fingerprint that was shown.
pub(crate) fn trust(
    folders: &Folders,
    root: &Path,
    name: &str,
    fingerprint: &Fingerprint,
) -> Result<(), StateError> {
    state_file::change(folders, FILE, |records: &mut Vec<Record>| {
        records.retain(|record| !record.is_of(root, name));
        records.push(Record {
            project: root.to_owned(),
            name: name.to_owned(),
            fingerprint: fingerprint.hash.clone(),
        });
        records.sort_by(|a, b| (&a.project, &a.name).cmp(&(&b.project, &b.name)));
    })
}

/// Takes trust away; returns whether there was any.
pub(crate) fn untrust(folders: &Folders, root: &Path, name: &str) -> Result<bool, StateError> {
    state_file::change(folders, FILE, |records: &mut Vec<Record>| {
        let before = records.len();
        records.retain(|record| !record.is_of(root, name));
        records.len() < before
    })
}

impl Record {
    fn is_of(&self, root: &Path, name: &str) -> bool {
        self.project == root && self.name == name
    }
}

/// Stands for everything that changes what a server of a project runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    hash: String,
    /// The files of the project whose content it covers.
    pub(crate) files: BTreeSet<PathBuf>,
}

impl Fingerprint {
    pub(crate) fn of(entry: &Entry) -> Self {
        let mut hash = Sha256::new();
        // Every text goes in with its length, so that no two commands make the same bytes.
        let mut put = |text: &[u8]| {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        };
        put(&COVER.to_le_bytes());
        put(entry.command.as_bytes());
        put(&(entry.args.len() as u64).to_le_bytes());
        entry.args.iter().for_each(|argument| put(argument.as_bytes()));
        put(&(entry.env.len() as u64).to_le_bytes());
        for (name, value) in &entry.env {
            put(name.as_bytes());
            put(value.as_bytes());
        }
        put(entry.cwd.as_ref().map_or(&b""[..], |cwd| cwd.as_os_str().as_encoded_bytes()));
        let files = named_files(entry);
        for file in &files {
            put(file.as_os_str().as_encoded_bytes());
            // A file that cannot be read now is another one than any that could be.
            put(content(file).as_deref().unwrap_or(b"unreadable"));
        }
        let hash = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Self { hash, files }
    }
}

fn content(file: &Path) -> Option<Vec<u8>> {
    let mut hash = Sha256::new();
    io::copy(&mut File::open(file).ok()?, &mut hash).ok()?;
    Some(hash.finalize().to_vec())
}

/// The files inside the project that the command names: its program, its arguments, also behind `=`.
fn named_files(entry: &Entry) -> BTreeSet<PathBuf> {
    let (Source::Project(root), Some(cwd)) = (&entry.source, &entry.cwd) else {
        return BTreeSet::new();
    };
    let mut words: Vec<PathBuf> = Vec::new();
    if entry.command.contains(['/', '\\']) {
        words.push(PathBuf::from(&entry.command));
    } else if let Some(path) = entry.env.get("PATH") {
        words.extend(std::env::split_paths(path).map(|folder| folder.join(&entry.command)));
    }
    for text in entry.args.iter().chain(entry.env.values()) {
        words.push(PathBuf::from(text));
        words.extend(text.split_once('=').map(|(_, value)| PathBuf::from(value)));
    }
    let named = words.iter().filter_map(|word| cwd.join(word).canonicalize().ok());
    named.filter(|path| path.starts_with(root) && path.is_file()).collect()
}

#[cfg(test)]
mod tests;
