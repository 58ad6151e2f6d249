//! Installs what the checks need from other languages' registries, at the versions pinned here.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::run::{built, root, step};

/// Installs the npm packages that the lock file of a folder pins, unless they are there already.
pub(crate) fn npm(folder: &str) -> Result<()> {
    let folder = root().join(folder);
    let lock = folder.join("package-lock.json");
    let wanted = fs::read(&lock).with_context(|| format!("cannot read {}", lock.display()))?;
    // npm empties the folder before it installs, so a copy of the lock in it says what is there.
    let installed = folder.join("node_modules/.installed-lock.json");
    if fs::read(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let mut npm = Command::new("npm");
    npm.args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(&folder);
    step(npm)?;
    fs::write(&installed, wanted).with_context(|| format!("cannot write {}", installed.display()))
}

/// Installs the Python packages that a file of requirements pins; returns the interpreter to use.
pub(crate) fn python(requirements: &str) -> Result<PathBuf> {
    let requirements = root().join(requirements);
    let wanted = fs::read(&requirements)
        .with_context(|| format!("cannot read {}", requirements.display()))?;
    let environment = built("clients/python")?;
    let interpreter = environment.join("bin/python");
    let installed = environment.join("installed-requirements.txt");
    if fs::read(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(interpreter);
    }
    let mut make = Command::new("python3");
    make.args(["-m", "venv", "--clear"]).arg(&environment);
    step(make)?;
    let mut install = Command::new(&interpreter);
    install
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"])
        .arg(&requirements);
    step(install)?;
    fs::write(&installed, wanted)
        .with_context(|| format!("cannot write {}", installed.display()))?;
    Ok(interpreter)
}
