//! `--baseline` and `--update-baseline`, and `--policy`: what counts in a review beside the change.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use review_tool::baseline::{Baseline, MAX_BYTES};
use review_tool::policy::{self, Policy, Terms};
use review_tool::report::{Document, Status};
use review_tool::request::Scope;

use super::named::{self, Named};
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
    let text = match named::read(args, scope, path, "baseline", MAX_BYTES)? {
        Named::AtBase(inside) => return Ok(Some(Baseline::AtBase(inside))),
        Named::Text(text) => text,
    };
    let parsed = Baseline::parse(&text);
    parsed
        .map(Some)
        .map_err(|why| Usage(format!("{} is no baseline: {why}", path.display())).into())
}

/// Reads what the gate bears.
///
/// # Errors
/// A file that cannot be read or is no policy.
pub(super) fn policy(args: &ReviewArgs, scope: &Scope) -> anyhow::Result<Option<Policy>> {
    let Some(path) = args.policy.as_deref() else { return Ok(None) };
    let text = match named::read(args, scope, path, "policy", policy::MAX_BYTES)? {
        Named::AtBase(inside) => return Ok(Some(Policy::AtBase(inside))),
        Named::Text(text) => text,
    };
    let parsed = Terms::parse(&text).map(Policy::Of);
    parsed.map(Some).map_err(|why| Usage(format!("{} is no policy: {why}", path.display())).into())
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
