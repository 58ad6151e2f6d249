//! The user's own key, from which fences and the seals of stored answers are made.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use anyhow::Context;
use review_tool::prompt::FenceKey;

use crate::folders::Folders;

/// The file in the state folder.
const FILE: &str = "key";

/// Loads the key, made at the first time. Without a state folder it lasts as long as the process.
pub(crate) fn load(folders: &Folders) -> anyhow::Result<FenceKey> {
    let Some(folder) = &folders.state else { return Ok(FenceKey::new(random()?)) };
    let path = folder.join(FILE);
    if let Some(key) = read(&path)? {
        return Ok(FenceKey::new(key));
    }
    make_folder(folder)
        .with_context(|| format!("cannot make the state folder {}", folder.display()))?;
    make(&path, folder)?;
    let key = read(&path)?;
    let key = key.with_context(|| format!("{} went away", path.display()))?;
    Ok(FenceKey::new(key))
}

/// Makes the state folder, for the user alone.
fn make_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn random() -> anyhow::Result<[u8; 32]> {
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(|error| anyhow::anyhow!("no randomness: {error}"))?;
    Ok(key)
}

fn read(path: &Path) -> anyhow::Result<Option<[u8; 32]>> {
    let named = || format!("cannot read the key {}", path.display());
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(named),
    };
    let mut key = Vec::new();
    file.take(33).read_to_end(&mut key).with_context(named)?;
    let key = <[u8; 32]>::try_from(key).map_err(|_| {
        anyhow::anyhow!("{} is not the 32 bytes of a key; delete it", path.display())
    })?;
    Ok(Some(key))
}

/// Writes a key for the user alone. Of processes that start together the first to give its file the
/// name wins, and no reader sees half a key.
fn make(path: &Path, folder: &Path) -> anyhow::Result<()> {
    let named = || format!("cannot write the key {}", path.display());
    let new = tempfile::Builder::new().prefix(".key-").make_in(folder, |path| {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(path)
    });
    let mut new = new.with_context(named)?;
    new.as_file_mut().write_all(&random()?).with_context(named)?;
    match new.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error.error).with_context(named),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_and_is_the_users_alone() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("deep/state");
        let folders = Folders { state: Some(state.clone()), ..Folders::default() };
        let first = load(&folders).unwrap();
        assert!(load(&folders).unwrap() == first);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = state.join(FILE).metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        std::fs::write(state.join(FILE), "short").unwrap();
        assert!(load(&folders).unwrap_err().to_string().contains("is not the 32 bytes of a key"));
    }
}
