//! Small files of the user's own state: read whole, changed in one step while no other process does.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::folders::Folders;

/// The version of the form of these files.
pub(crate) const SCHEMA: u32 = 1;

/// A file beyond this many bytes is none of ours.
const MAX_FILE: u64 = 16 << 20;

#[derive(Serialize, Deserialize)]
struct Document<T> {
    schema: u32,
    servers: T,
}

/// State that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StateError {
    #[error("there is no folder for state; set HOME or XDG_STATE_HOME")]
    NoFolder,
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} is damaged ({source}); delete it to start anew", path.display())]
    Damaged { path: PathBuf, source: serde_json::Error },
    #[error("{} was written by a newer foreread; use that one, or delete the file", path.display())]
    Newer { path: PathBuf },
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
}

/// Reads a file of the state folder; the default where there is none.
pub(crate) fn load<T: DeserializeOwned + Default>(
    folders: &Folders,
    name: &str,
) -> Result<T, StateError> {
    folders.state.as_ref().map_or_else(|| Ok(T::default()), |folder| read(&folder.join(name)))
}

fn read<T: DeserializeOwned + Default>(path: &Path) -> Result<T, StateError> {
    let failed = |source| StateError::Read { path: path.to_owned(), source };
    let mut text = Vec::new();
    match File::open(path) {
        Ok(file) => drop(file.take(MAX_FILE).read_to_end(&mut text).map_err(failed)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(T::default()),
        Err(source) => return Err(failed(source)),
    }
    let document: Document<T> = serde_json::from_slice(&text)
        .map_err(|source| StateError::Damaged { path: path.to_owned(), source })?;
    if document.schema > SCHEMA {
        return Err(StateError::Newer { path: path.to_owned() });
    }
    Ok(document.servers)
}

/// Changes a file of the state folder, which is made where there is none.
pub(crate) fn change<T: Serialize + DeserializeOwned + Default, R>(
    folders: &Folders,
    name: &str,
    change: impl FnOnce(&mut T) -> R,
) -> Result<R, StateError> {
    let folder = folders.state.as_deref().ok_or(StateError::NoFolder)?;
    let path = folder.join(name);
    let failed = |source| StateError::Write { path: path.clone(), source };
    std::fs::create_dir_all(folder).map_err(failed)?;
    let lock = File::create(folder.join(format!("{name}.lock"))).map_err(failed)?;
    lock.lock().map_err(failed)?;
    let mut servers: T = read(&path)?;
    let result = change(&mut servers);
    let text = serde_json::to_vec_pretty(&Document { schema: SCHEMA, servers })
        .map_err(|error| failed(error.into()))?;
    // Made with the user's own rights alone, and moved into its place.
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(&text).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
    file.persist(&path).map_err(|error| failed(error.error))?;
    Ok(result)
}
