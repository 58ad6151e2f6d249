//! The review's changed lines against git's, on real histories and on more generated repositories than a
//! test run has time for.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::run::{cargo, command, output, root, say, step};

/// Published crates, each with versions that make a history, oldest first. Those of one crate may not be
/// compatible, so that its lines move; all of them have few or no dependencies.
const HISTORIES: &[(&str, &[&str])] = &[
    ("regex-syntax", &["0.7.5", "0.8.5", "0.8.12"]),
    ("aho-corasick", &["0.7.20", "1.1.3", "1.1.5"]),
    ("serde_json", &["1.0.90", "1.0.120", "1.0.149", "1.0.154"]),
    ("bstr", &["1.11.3", "1.14.0"]),
];
/// The seeds of the generated repositories; those of the tests come before them.
const WORLDS: &str = "6..26";
/// How many commits of each history are compared.
const COMMITS: &str = "15";

/// Makes the histories and runs the comparisons, which are tests of review-tool.
pub(crate) fn run() -> Result<()> {
    let folder = root().join("target/histories");
    drop(fs::remove_dir_all(&folder));
    let mut histories = Vec::from_iter(root().join(".git").exists().then(root));
    for (name, versions) in HISTORIES {
        histories.push(history(&folder, name, versions)?);
    }
    let mut test = cargo(&["test", "--quiet", "--locked", "--package", "review-tool"]);
    test.args(["--test", "git", "--", "oracle"]);
    test.env("HISTORIES", std::env::join_paths(&histories)?);
    test.envs([("WORLDS", WORLDS), ("COMMITS", COMMITS)]);
    step(test)
}

/// A repository with one commit for each version of a crate.
fn history(folder: &Path, name: &str, versions: &[&str]) -> Result<PathBuf> {
    say(&format!("==> history of {name} {}", versions.join(", ")));
    let repo = folder.join(name);
    fs::create_dir_all(&repo)?;
    let git = |arguments: &[&str]| {
        let mut git = command("git", &["-c", "user.name=A", "-c", "user.email=a@example.com"]);
        git.args(["-c", "core.autocrlf=false"]).args(arguments).current_dir(&repo);
        output(git)
    };
    git(&["init", "--quiet", "--initial-branch=main"])?;
    for version in versions {
        let source = source(folder, name, version)?;
        for entry in fs::read_dir(&repo)? {
            let path = entry?.path();
            if path.is_dir() && !path.ends_with(".git") {
                fs::remove_dir_all(path)?;
            } else if path.is_file() {
                fs::remove_file(path)?;
            }
        }
        copy(&source, &repo)?;
        git(&["add", "--all", "--force"])?;
        git(&["commit", "--quiet", "--no-verify", "--message", version])?;
    }
    Ok(repo)
}

/// Where cargo keeps the sources of one version; it fetches them where they are not there yet.
fn source(folder: &Path, name: &str, version: &str) -> Result<PathBuf> {
    let project = folder.join(format!("wants-{name}-{version}"));
    fs::create_dir_all(project.join("src"))?;
    fs::write(project.join("src/lib.rs"), "")?;
    let manifest = format!(
        "[package]\nname = \"wants\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n\
         [dependencies]\n{name} = {{ version = \"={version}\", default-features = false }}\n"
    );
    fs::write(project.join("Cargo.toml"), manifest)?;
    let mut metadata = cargo(&["metadata", "--format-version=1"]);
    metadata.current_dir(&project);
    let metadata: serde_json::Value = serde_json::from_str(&output(metadata)?)?;
    let packages = metadata["packages"].as_array().context("cargo metadata has no packages")?;
    let wanted = packages.iter().find(|of| of["name"] == name && of["version"] == version);
    let manifest = wanted.and_then(|package| package["manifest_path"].as_str());
    let Some(source) = manifest.and_then(|manifest| Path::new(manifest).parent()) else {
        bail!("cargo does not say where {name} {version} is");
    };
    Ok(source.to_path_buf())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from)? {
        let (path, target) = {
            let entry = entry?;
            (entry.path(), to.join(entry.file_name()))
        };
        if path.is_dir() {
            fs::create_dir_all(&target)?;
            copy(&path, &target)?;
        } else {
            fs::copy(&path, &target)?;
        }
    }
    Ok(())
}
