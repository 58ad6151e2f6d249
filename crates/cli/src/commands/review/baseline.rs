//! `--baseline` and `--update-baseline`.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use review_tool::baseline::{Baseline, MAX_BYTES};
use review_tool::diff::RepoPath;
use review_tool::repo::git::Git;
use review_tool::report::{Document, Status};
use review_tool::request::Scope;

use crate::args::ReviewArgs;
use crate::exit::Usage;

/// Reads what is known.
///
/// # Errors
/// A file that cannot be read or is no baseline.
pub(super) fn read(args: &ReviewArgs, scope: &Scope) -> anyhow::Result<Option<Baseline>> {
    let Some(path) = args.baseline.as_deref() else { return Ok(None) };
    if args.update_baseline {
        return Ok(Some(Baseline::Everything));
    }
    if matches!(scope, Scope::Revisions(_) | Scope::Commit(_))
        && let Some(inside) = in_repository(args, path)
    {
        return Ok(Some(Baseline::AtBase(inside)));
    }
    let name = || Usage(format!("cannot read the baseline {}", path.display()));
    let mut text = String::new();
    let file = File::open(path).with_context(name)?;
    file.take(MAX_BYTES).read_to_string(&mut text).with_context(name)?;
    let parsed = Baseline::parse(&text);
    parsed
        .map(Some)
        .map_err(|why| Usage(format!("{} is no baseline: {why}", path.display())).into())
}

/// Writes what a review found. An incomplete review writes nothing: what it did not see would be lost.
///
/// # Errors
/// A file that cannot be written; it is then as it was.
pub(super) fn write(args: &ReviewArgs, document: &Document) -> anyhow::Result<()> {
    let Some(path) = args.baseline.as_deref().filter(|_| args.update_baseline) else {
        return Ok(());
    };
    if document.summary.status == Status::Partial {
        return Ok(());
    }
    let failed = || format!("cannot write the baseline {}", path.display());
    // A link stays one: what it points at is replaced.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut file =
        tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new("."))).with_context(failed)?;
    file.write_all(Baseline::file_of(&document.silenced).as_bytes()).with_context(failed)?;
    readable(&file, &target).with_context(failed)?;
    file.persist(&target).with_context(failed)?;
    Ok(())
}

/// The permissions of the file that is replaced, or those of a new file that others may read.
#[cfg(unix)]
fn readable(file: &tempfile::NamedTempFile, target: &Path) -> std::io::Result<()> {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;
    let known = std::fs::metadata(target).map(|about| about.permissions());
    file.as_file().set_permissions(known.unwrap_or_else(|_| Permissions::from_mode(0o644)))
}

#[cfg(not(unix))]
fn readable(_: &tempfile::NamedTempFile, _: &Path) -> std::io::Result<()> {
    Ok(())
}

/// The path from the root of the repository, where the file lies in it.
fn in_repository(args: &ReviewArgs, path: &Path) -> Option<RepoPath> {
    let folder = args.repo.as_deref().unwrap_or(Path::new("."));
    let git = Git::open(folder, args.repo.is_some()).ok()?;
    let root = git.root()?.canonicalize().ok()?;
    // The file itself may be gone from the work tree.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let whole: PathBuf = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
    let inside = whole.strip_prefix(&root).ok()?.join(path.file_name()?);
    let names: Option<Vec<&str>> = inside.iter().map(std::ffi::OsStr::to_str).collect();
    Some(RepoPath::new(names?.join("/").into_bytes()))
}
