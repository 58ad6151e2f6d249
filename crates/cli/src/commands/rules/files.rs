//! The files of a repository's own rules, as they stand in its work tree.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use review_tool::repo::git::Git;
use review_tool::rules::own;

use crate::exit::Usage;

/// More files are refused.
const MAX_FILES: usize = 1000;

/// Paths from the root, with their texts, ordered by path.
pub(super) struct Files(Vec<(String, String)>);

impl Files {
    /// Reads them. There are none outside of a repository, unless `folder` names one.
    pub(super) fn read(folder: Option<&Path>) -> anyhow::Result<Self> {
        let start = folder.unwrap_or(Path::new("."));
        anyhow::ensure!(start.is_dir(), Usage(format!("{} is no folder", start.display())));
        let root = Git::open(start, folder.is_some()).ok();
        let root = root.and_then(|git| git.root().map(Path::to_path_buf));
        let root = root.unwrap_or_else(|| start.to_path_buf());
        let mut files = Vec::new();
        let mut folders: Vec<(PathBuf, String)> =
            vec![(root.join(own::FOLDER), own::FOLDER.to_owned())];
        while let Some((folder, name)) = folders.pop() {
            let is_folder = fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir());
            if !is_folder {
                continue;
            }
            let unread = || format!("cannot read {}", folder.display());
            for entry in fs::read_dir(&folder).with_context(unread)? {
                let entry = entry.with_context(unread)?;
                let path = format!("{name}/{}", entry.file_name().to_string_lossy());
                let kind = entry.file_type().with_context(unread)?;
                if kind.is_dir() {
                    folders.push((entry.path(), path));
                } else if kind.is_file() && (own::is_rule_file(&path) || own::is_test_file(&path)) {
                    let text =
                        text(&entry.path()).map_err(|why| Usage(format!("{path}: {why}")))?;
                    files.push((path, text));
                }
                anyhow::ensure!(
                    files.len() + folders.len() <= MAX_FILES,
                    Usage(format!("more than {MAX_FILES} files in {}", own::FOLDER))
                );
            }
        }
        files.sort();
        Ok(Self(files))
    }

    /// The files of rules.
    pub(super) fn rules(&self) -> impl Iterator<Item = (&str, &str)> {
        self.of(own::is_rule_file)
    }

    /// The files of tests.
    pub(super) fn tests(&self) -> impl Iterator<Item = (&str, &str)> {
        self.of(own::is_test_file)
    }

    fn of(&self, is_meant: fn(&str) -> bool) -> impl Iterator<Item = (&str, &str)> {
        let files = self.0.iter().filter(move |(path, _)| is_meant(path));
        files.map(|(path, text)| (&**path, &**text))
    }
}

/// The text of a file of bounded size.
fn text(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(|error| error.to_string())?;
    let read = file.take(own::MAX_FILE + 1).read_to_end(&mut bytes);
    read.map_err(|error| error.to_string())?;
    if bytes.len() as u64 > own::MAX_FILE {
        return Err(format!("more than {} bytes are not read", own::MAX_FILE));
    }
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}
