//! A git repository in a temporary folder, cut off from the settings of the machine.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// Sets an environment that holds nothing of the machine but the way to its programs.
pub(crate) fn scrub<'c>(command: &'c mut Command, home: &Path) -> &'c mut Command {
    command.env_clear();
    for name in ["PATH", "SYSTEMROOT", "TMPDIR", "TEMP"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
        .env("HOME", home)
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("XDG_STATE_HOME", home.join("state"))
        .env("LC_ALL", "C")
        .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")])
}

/// A temporary folder with an empty repository `repo` and a home beside it.
pub(crate) struct Repo {
    folder: TempDir,
    root: PathBuf,
}

impl Repo {
    /// Makes a repository without a commit.
    pub(crate) fn new() -> Self {
        let repo = Self::without_git();
        std::fs::create_dir(repo.path()).unwrap();
        repo.git(["init", "-q", "-b", "main"]);
        repo
    }

    /// Makes the folder only; there is no repository in it or above it.
    pub(crate) fn without_git() -> Self {
        let folder = TempDir::new().unwrap();
        // Temporary folders are reached through a symbolic link on some systems.
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("home")).unwrap();
        Self { folder, root }
    }

    /// The folder that holds the repository and the home.
    pub(crate) fn root(&self) -> &Path {
        debug_assert!(self.folder.path().exists());
        &self.root
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// The work tree.
    pub(crate) fn path(&self) -> PathBuf {
        self.root.join("repo")
    }

    pub(crate) fn write(&self, name: impl Into<OsString>, text: impl AsRef<[u8]>) -> &Self {
        let path = self.path().join(name.into());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    /// Copies a folder of files into the work tree.
    pub(crate) fn copy(&self, from: &Path) -> &Self {
        let mut folders = vec![from.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(from).unwrap().to_path_buf();
                    self.write(name, std::fs::read(&path).unwrap());
                }
            }
        }
        self
    }

    pub(crate) fn git<I, S>(&self, arguments: I) -> Output
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let mut command = Command::new("git");
        scrub(&mut command, &self.home()).current_dir(self.path()).args(arguments).envs([
            ("GIT_AUTHOR_NAME", "A"),
            ("GIT_AUTHOR_EMAIL", "a@example.com"),
            ("GIT_COMMITTER_NAME", "A"),
            ("GIT_COMMITTER_EMAIL", "a@example.com"),
            ("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z"),
            ("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z"),
        ]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{command:?}: {output:?}");
        output
    }

    /// Stages everything.
    pub(crate) fn stage(&self) -> &Self {
        self.git(["add", "-A"]);
        self
    }

    /// Commits everything.
    pub(crate) fn commit(&self, message: &str) -> &Self {
        self.stage().git(["commit", "-q", "--allow-empty", "-m", message]);
        self
    }
}
