//! The repository port over the git program.
//!
//! git decides what a change is: attributes, worktrees, partial clones and SHA-256 objects then mean
//! exactly what they mean to its user. It runs without a shell and with a fixed argument list; nothing
//! that the repository configures may start a program. Revisions reach `git diff` as object names only.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use super::{Change, ContentSink, Found, Listed, Place, Repo, RepoError, Sought, Stored};
use crate::control::Control;
use crate::diff::RepoPath;
use crate::request::Scope;

mod look;
mod revision;
mod run;
mod search;
mod work_tree;

use revision::Sides;
use run::Runner;

/// Every diff is made with these arguments: the format is fixed whatever is configured, no program
/// beside git runs, and no attribute or setting hides a submodule's change.
const DIFF_ARGUMENTS: &[&str] = &[
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--full-index",
    "--unified=3",
    "--inter-hunk-context=0",
    "--find-renames",
    "--submodule=short",
    "--ignore-submodules=dirty",
    "-O/dev/null",
];

/// A git repository opened at a folder inside it.
#[derive(Debug, Clone)]
pub struct Git {
    runner: Runner,
    /// The root of the work tree; `None` for a bare repository.
    root: Option<PathBuf>,
}

impl Git {
    /// Opens the repository that holds `folder`. With `explicit`, the caller named the folder, and
    /// variables such as `GIT_DIR` that a hook sets for another repository are not obeyed.
    ///
    /// # Errors
    /// [`RepoError::NotARepository`], [`RepoError::Untrusted`] or [`RepoError::Redirected`] by what
    /// stands there, [`RepoError::Spawn`] without git.
    pub fn open(folder: &Path, explicit: bool) -> Result<Self, RepoError> {
        let place = || folder.display().to_string();
        let outside = || RepoError::NotARepository { place: place() };
        if !folder.is_dir() {
            return Err(outside());
        }
        let runner = Runner::new(folder.to_path_buf(), explicit);
        let about =
            match runner.bytes(&["rev-parse", "--is-inside-work-tree", "--absolute-git-dir"]) {
                Ok(about) => about,
                Err(RepoError::Git { message, .. }) if message.contains("not a git repository") => {
                    return Err(outside());
                }
                Err(RepoError::Git { message, .. }) if message.contains("dubious ownership") => {
                    return Err(RepoError::Untrusted {
                        place: quoted(&message).unwrap_or_else(place),
                    });
                }
                Err(error) => return Err(error),
            };
        let Some(git_dir) = about.strip_prefix(b"true\n") else {
            return Ok(Self { runner, root: None });
        };
        let output = runner.bytes(&["rev-parse", "--show-toplevel"])?;
        let root = run::path_of(output.strip_suffix(b"\n").unwrap_or(&output));
        let git_dir = run::path_of(git_dir.strip_suffix(b"\n").unwrap_or(git_dir));
        // Settings come with a folder that was copied or unpacked; only the user may point elsewhere.
        if !runner.is_named_by_user() && !work_tree::holds(&root, &git_dir) {
            return Err(RepoError::Redirected { place: place(), root: root.display().to_string() });
        }
        Ok(Self { runner, root: Some(root) })
    }

    /// The root of the work tree; `None` for a bare repository.
    #[must_use]
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    fn root_for(&self, what: &'static str) -> Result<&Path, RepoError> {
        self.root.as_deref().ok_or(RepoError::Bare { what })
    }

    /// The sides of a scope, by object name.
    fn sides(&self, scope: &Scope) -> Result<Sides, RepoError> {
        match scope {
            Scope::Staged => {
                self.root_for("staged")?;
                Ok(Sides::Index { base: revision::head(&self.runner)? })
            }
            Scope::Unstaged => {
                self.root_for("unstaged")?;
                Ok(Sides::WorkTree { base: None })
            }
            Scope::All => {
                self.root_for("changed in a work tree")?;
                Ok(match revision::head(&self.runner)? {
                    Some(head) => Sides::WorkTree { base: Some(head) },
                    None => Sides::FirstWorkTree { empty: revision::empty_tree(&self.runner)? },
                })
            }
            Scope::Revisions(revisions) => {
                let sides = revision::resolve(&self.runner, revisions)?;
                if matches!(sides, Sides::WorkTree { .. }) {
                    self.root_for("changed in a work tree")?;
                }
                Ok(sides)
            }
            Scope::Commit(text) => revision::commit(&self.runner, text),
            Scope::Patch(_) => Err(RepoError::NoRepository { what: "a patch" }),
        }
    }

    fn diff(
        &self,
        sides: &Sides,
        extra: &[&str],
        paths: &[OsString],
        control: &dyn Control,
    ) -> Result<Change, RepoError> {
        let mut arguments: Vec<OsString> = DIFF_ARGUMENTS.iter().map(Into::into).collect();
        arguments.extend(extra.iter().map(Into::into));
        let (base, head) = match sides {
            Sides::Index { base } => {
                arguments.push("--cached".into());
                (base.clone(), None)
            }
            Sides::WorkTree { base } => (base.clone(), None),
            Sides::FirstWorkTree { .. } => (None, None),
            Sides::Both { base, head } => (Some(base.clone()), Some(head.clone())),
            Sides::Several { objects } => (None, objects.first().cloned()),
        };
        arguments.push("--end-of-options".into());
        match sides {
            // Without a commit, `--cached` compares with nothing at all, as it should.
            Sides::Index { .. } | Sides::WorkTree { base: None } => {}
            Sides::WorkTree { base: Some(base) } | Sides::FirstWorkTree { empty: base } => {
                arguments.push(base.into());
            }
            Sides::Both { base, head } => arguments.extend([base.into(), head.into()]),
            Sides::Several { objects } => arguments.extend(objects.iter().map(Into::into)),
        }
        arguments.push("--".into());
        arguments.extend(paths.iter().cloned());
        let reads_work_tree = matches!(sides, Sides::WorkTree { .. } | Sides::FirstWorkTree { .. });
        let filters = if reads_work_tree { self.runner.filter_drivers()? } else { Vec::new() };
        let (diff, problems) = self.runner.stream(&arguments, &filters, control)?;
        Ok(Change { diff, base, head, problems })
    }
}

impl Repo for Git {
    fn identity(&self) -> Option<String> {
        let output = self.runner.bytes(&["rev-parse", "--git-common-dir"]).ok()?;
        let shared = run::path_of(output.strip_suffix(b"\n").unwrap_or(&output));
        let shared = self.runner.folder().join(shared).canonicalize().ok()?;
        let folder = match shared.file_name() {
            Some(name) if name == ".git" => shared.parent()?,
            _ => &shared,
        };
        Some(folder.to_string_lossy().into_owned())
    }

    fn change(
        &self,
        scope: &Scope,
        paths: &[OsString],
        control: &dyn Control,
    ) -> Result<Change, RepoError> {
        let sides = self.sides(scope)?;
        let mut change = self.diff(&sides, &[], paths, control)?;
        if *scope == Scope::All {
            let root = self.root_for("changed in a work tree")?;
            work_tree::append_untracked(&self.runner, root, paths, &mut change, control)?;
        }
        Ok(change)
    }

    fn contents(
        &self,
        ids: &[String],
        limit: u64,
        control: &dyn Control,
        sink: &mut ContentSink<'_>,
    ) -> Result<(), RepoError> {
        if ids.is_empty() {
            return Ok(());
        }
        let answer = || RepoError::Answer { command: "cat-file".to_owned() };
        self.runner.converse(&["cat-file", "--batch"], |mut input, output| {
            std::thread::scope(|scope| {
                // Written from a thread of its own: git stops reading names while it writes contents.
                let writer = scope.spawn(move || {
                    for id in ids {
                        if writeln!(input, "{id}").is_err() {
                            break;
                        }
                    }
                });
                let mut output = BufReader::with_capacity(1 << 16, output);
                for at in 0..ids.len() {
                    if control.cancelled() {
                        return Err(RepoError::Cancelled);
                    }
                    let content = read_object(&mut output, limit).ok_or_else(answer)?;
                    if !sink(at, content) {
                        break;
                    }
                }
                drop(output);
                writer.join().map_err(|_| answer())
            })
        })
    }

    fn change_as_text(
        &self,
        scope: &Scope,
        paths: &[RepoPath],
        moved: bool,
        control: &dyn Control,
    ) -> Result<Change, RepoError> {
        let literal = paths.iter().map(|path| {
            let mut spec = OsString::from(":(top,literal)");
            spec.push(run::path_of(path.as_bytes()));
            spec
        });
        let literal: Vec<OsString> = literal.collect();
        let options: &[&str] = if moved { &["--text"] } else { &["--text", "--no-renames"] };
        self.diff(&self.sides(scope)?, options, &literal, control)
    }

    fn work_file(&self, path: &RepoPath, limit: u64) -> Option<Vec<u8>> {
        work_tree::read_regular(self.root.as_deref()?, path, limit)
    }

    fn purpose(&self, base: &str, head: &str, control: &dyn Control) -> Result<String, RepoError> {
        look::purpose(&self.runner, base, head, control)
    }

    fn file_at(
        &self,
        tree: Option<&str>,
        path: &RepoPath,
        limit: u64,
        control: &dyn Control,
    ) -> Result<Stored, RepoError> {
        let head;
        let tree = match tree {
            Some(tree) => tree,
            None => {
                let Some(name) = revision::head(&self.runner)? else {
                    return Ok(Stored::Absent);
                };
                head = name;
                &head
            }
        };
        let Some(found) = look::find(&self.runner, tree, path, control)? else {
            return Ok(Stored::Absent);
        };
        let Some(id) = found.id else {
            return Ok(Stored::Unusable("it is no regular file".to_owned()));
        };
        let mut content = None;
        self.contents(&[id], limit, control, &mut |_, read| {
            content = read;
            true
        })?;
        Ok(match content {
            Some(content) => Stored::Content(content),
            None => Stored::Unusable(format!("it is larger than {limit} bytes, or is missing")),
        })
    }

    fn list(&self, place: &Place, control: &dyn Control) -> Result<Vec<Listed>, RepoError> {
        look::list(&self.runner, place, control)
    }

    fn search(
        &self,
        place: &Place,
        sought: Sought<'_>,
        control: &dyn Control,
    ) -> Result<Vec<Found>, RepoError> {
        search::find(self, place, sought, control)
    }
}

/// What stands between the first and the last single quote of the first line of a message.
fn quoted(message: &str) -> Option<String> {
    let line = message.lines().next()?;
    let (first, last) = (line.find('\'')?, line.rfind('\'')?);
    line.get(first + 1..last).map(str::to_owned)
}

/// Reads one answer of `cat-file --batch`; the outer `None` is a broken answer, the inner a content
/// that is missing, over the limit, or not that of a file.
fn read_object(output: &mut impl BufRead, limit: u64) -> Option<Option<Vec<u8>>> {
    const LONGEST_HEADER: u64 = 4096;
    let mut header = Vec::new();
    output.by_ref().take(LONGEST_HEADER).read_until(b'\n', &mut header).ok()?;
    let header = std::str::from_utf8(header.strip_suffix(b"\n")?).ok()?;
    let mut words = header.rsplit(' ');
    let last = words.next()?;
    if matches!(last, "missing" | "ambiguous") {
        return Some(None);
    }
    let size: u64 = last.parse().ok()?;
    let is_file = words.next()? == "blob";
    let mut content = Vec::new();
    if size <= limit && is_file {
        content.reserve_exact(usize::try_from(size).ok()?);
        if output.by_ref().take(size).read_to_end(&mut content).ok()? as u64 != size {
            return None;
        }
    } else if std::io::copy(&mut output.by_ref().take(size), &mut std::io::sink()).ok()? != size {
        return None;
    }
    let mut end = [0];
    output.read_exact(&mut end).ok()?;
    (end == *b"\n").then_some((size <= limit && is_file).then_some(content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn object_answers_are_told_apart() {
        let mut text: &[u8] =
            b"aa blob 3\nx\ny\nbb missing\ncc tree 2\nzz\ndd blob 9\n123456789\nee blob 0\n\nff blob 5\nab";
        let answers: Vec<_> = (0..6).map(|_| read_object(&mut text, 8)).collect();
        let want = [
            Some(Some(b"x\ny".to_vec())),
            Some(None),
            Some(None),
            Some(None),
            Some(Some(Vec::new())),
            None,
        ];
        assert_eq!(answers, want);
    }
}
