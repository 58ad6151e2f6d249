//! A git repository in a temporary folder, cut off from the settings of the machine.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use review_tool::control::{Control, Progress, Uncontrolled};
use review_tool::repo::git::Git;
use review_tool::report::Document;
use review_tool::request::{ReviewRequest, Scope};
use review_tool::rules::RuleSet;
use review_tool::{Review, ReviewError, review};
use tempfile::TempDir;

/// A folder of a repository; the repository goes when the last of its folders does.
pub(crate) struct Fixture {
    folder: Rc<TempDir>,
    path: PathBuf,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        Self::with_format("sha1")
    }

    pub(crate) fn with_format(format: &str) -> Self {
        let folder = Rc::new(TempDir::new().unwrap());
        let path = folder.path().join("repo");
        std::fs::create_dir(&path).unwrap();
        let repo = Self { folder, path };
        repo.git(&["init", "-q", "-b", "main", "--object-format", format]);
        repo
    }

    /// A clone of a repository elsewhere, with the branch `ORIG` where its `HEAD` stands.
    pub(crate) fn clone_of(source: &Path) -> Self {
        let repo = Self::new();
        let source = source.canonicalize().unwrap().display().to_string();
        repo.git(&["fetch", "-q", "--no-tags", &source, "HEAD:refs/heads/ORIG"]);
        repo.git(&["reset", "-q", "--hard", "ORIG"]);
        repo
    }

    /// Another folder, relative to this one; made if it is not there.
    pub(crate) fn at(&self, relative: &str) -> Self {
        let path = self.path.join(relative);
        std::fs::create_dir_all(&path).unwrap();
        Self { folder: Rc::clone(&self.folder), path: path.canonicalize().unwrap() }
    }

    /// A clone beside the repository.
    pub(crate) fn clone_with(&self, options: &[&str]) -> Self {
        let clone = self.folder.path().join("clone");
        let source = format!("file://{}", self.path.display());
        let target = clone.display().to_string();
        self.git(&[&["clone", "-q"], options, &[&source, &target]].concat());
        Self { folder: Rc::clone(&self.folder), path: clone }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn write(&self, name: impl Into<OsString>, text: &str) -> &Self {
        let path = self.path.join(name.into());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> &Self {
        let output = self.try_git(arguments);
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
        self
    }

    pub(crate) fn try_git(&self, arguments: &[&str]) -> std::process::Output {
        self.git_with(&[], &arguments.iter().map(OsString::from).collect::<Vec<_>>())
    }

    /// Runs git with more variables of its environment.
    pub(crate) fn git_with(
        &self,
        variables: &[(&str, &OsStr)],
        arguments: &[OsString],
    ) -> std::process::Output {
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("GIT_") {
                command.env_remove(name);
            }
        }
        command
            .current_dir(&self.path)
            .envs([
                ("GIT_CONFIG_GLOBAL", "/dev/null"),
                ("GIT_CONFIG_NOSYSTEM", "1"),
                ("GIT_AUTHOR_NAME", "A"),
                ("GIT_AUTHOR_EMAIL", "a@example.com"),
                ("GIT_COMMITTER_NAME", "A"),
                ("GIT_COMMITTER_EMAIL", "a@example.com"),
                ("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z"),
                ("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z"),
            ])
            .envs(variables.iter().copied())
            .args(arguments)
            .output()
            .unwrap()
    }

    pub(crate) fn commit(&self, message: &str) -> &Self {
        self.git(&["add", "."]).git(&["commit", "-q", "--allow-empty", "-m", message])
    }

    pub(crate) fn id(&self, revision: &str) -> String {
        let output = self.try_git(&["rev-parse", revision]);
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Every file below the repository with its size, `.git` included, contents of the work tree apart.
    pub(crate) fn listing(&self) -> Vec<(PathBuf, u64)> {
        let mut found = Vec::new();
        let mut folders = vec![self.folder.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                let meta = entry.metadata().unwrap();
                if meta.is_dir() {
                    folders.push(entry.path());
                } else {
                    let inside = entry.path().components().any(|name| name.as_os_str() == ".git");
                    found.push((entry.path(), if inside { meta.len() } else { 0 }));
                }
            }
        }
        found.sort();
        found
    }

    pub(crate) fn run(
        &self,
        request: &ReviewRequest,
        control: &dyn Control,
    ) -> Result<Review, ReviewError> {
        let git = Git::open(&self.path, true)?;
        review(request, &git, RuleSet::embedded(), control)
    }

    pub(crate) fn review(&self, scope: Scope) -> Review {
        let shown = format!("{scope:?}");
        let result = self.run(&ReviewRequest::new(scope), &Uncontrolled);
        result.unwrap_or_else(|error| panic!("{shown}: {error}"))
    }

    pub(crate) fn fails(&self, scope: Scope) -> ReviewError {
        let shown = format!("{scope:?}");
        match self.run(&ReviewRequest::new(scope), &Uncontrolled) {
            Ok(review) => panic!("{shown}: {}", review.document.summary.text),
            Err(error) => error,
        }
    }

    /// `file:line` of every `python-mutable-default` found in a scope.
    pub(crate) fn findings(&self, scope: Scope) -> Vec<String> {
        self.findings_in(scope, &[])
    }

    pub(crate) fn findings_in(&self, scope: Scope, paths: &[&str]) -> Vec<String> {
        let mut request = ReviewRequest::new(scope);
        request.paths = paths.iter().map(OsString::from).collect();
        places(&self.run(&request, &Uncontrolled).unwrap().document)
    }
}

/// `file:line` of every `python-mutable-default` in a document.
pub(crate) fn places(document: &Document) -> Vec<String> {
    let wanted = |rule: &Option<String>| rule.as_deref() == Some("python-mutable-default");
    let found = document.findings.iter().filter(|finding| wanted(&finding.rule));
    found.map(|finding| format!("{}:{}", finding.file, finding.line)).collect()
}

/// Cancels once that many steps were reported.
pub(crate) struct CancelAfter {
    left: AtomicUsize,
}

impl CancelAfter {
    pub(crate) fn new(steps: usize) -> Self {
        Self { left: AtomicUsize::new(steps) }
    }
}

impl Control for CancelAfter {
    fn cancelled(&self) -> bool {
        self.left.load(Ordering::SeqCst) == 0
    }

    fn progress(&self, _: Progress) {
        let left = self.left.load(Ordering::SeqCst);
        self.left.store(left.saturating_sub(1), Ordering::SeqCst);
    }
}
