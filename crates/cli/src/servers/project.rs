//! A project's `.mcp.json`, the file in which hosts of MCP find the servers of a project.
//!
//! The file comes with the project, so it is hostile: it is bounded, unknown members are ignored, and
//! nothing that it names runs before the user has trusted it.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The file's name.
pub(crate) const FILE: &str = ".mcp.json";

/// A file beyond this many bytes is refused.
const MAX_FILE: u64 = 1 << 20;

/// What a project names.
#[derive(Debug)]
pub(crate) struct Project {
    /// The folder of the file, with links resolved.
    pub(crate) root: PathBuf,
    /// The servers, by name.
    pub(crate) servers: BTreeMap<String, ProjectServer>,
}

/// One server of a project.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct ProjectServer {
    /// The program; `None` for a server that is reached in another way.
    #[serde(default)]
    pub(crate) command: Option<String>,
    /// Its arguments.
    #[serde(default)]
    pub(crate) args: Vec<String>,
    /// What its environment has beside the harmless variables of the user's own.
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    /// The folder it runs in, relative to the file's; that itself where none is named.
    #[serde(default)]
    pub(crate) cwd: Option<String>,
    /// How it is reached: `stdio` where nothing is said.
    #[serde(default, rename = "type")]
    pub(crate) kind: Option<String>,
}

#[derive(Deserialize)]
struct File {
    #[serde(default, rename = "mcpServers")]
    servers: BTreeMap<String, ProjectServer>,
}

/// A project's file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProjectError {
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} is not what hosts of MCP expect: {problem}", path.display())]
    Format { path: PathBuf, problem: String },
}

impl Project {
    /// Finds the file in `folder` or above it, up to the root of the repository, and reads it. Outside
    /// of a repository only the folder itself is looked at.
    ///
    /// # Errors
    /// [`ProjectError`] for a file that is there and cannot be used.
    pub(crate) fn find(folder: &Path) -> Result<Option<Self>, ProjectError> {
        let Ok(folder) = folder.canonicalize() else { return Ok(None) };
        let repository = folder.ancestors().find(|above| above.join(".git").exists());
        let last = repository.unwrap_or(&folder);
        for above in folder.ancestors() {
            let path = above.join(FILE);
            if let Some(text) = read(&path)? {
                let servers = parse(&text)
                    .map_err(|problem| ProjectError::Format { path: path.clone(), problem })?;
                return Ok(Some(Self { root: above.to_owned(), servers }));
            }
            if above == last {
                break;
            }
        }
        Ok(None)
    }
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, ProjectError> {
    let failed = |source| ProjectError::Read { path: path.to_owned(), source };
    // A pipe or a device in the place of the file would be waited for.
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_file() => {}
        Ok(_) => return Err(failed(io::Error::other("it is no regular file"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    }
    let mut text = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(MAX_FILE + 1).read_to_end(&mut text).map_err(failed)?;
    if text.len() as u64 > MAX_FILE {
        return Err(failed(io::Error::other(format!("it is larger than {MAX_FILE} bytes"))));
    }
    Ok(Some(text))
}

fn parse(text: &[u8]) -> Result<BTreeMap<String, ProjectServer>, String> {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let mut decoder = serde_json::Deserializer::from_slice(text);
    let file: File = serde_path_to_error::deserialize(&mut decoder).map_err(|error| {
        let path = error.path().to_string();
        if path == "." {
            error.into_inner().to_string()
        } else {
            format!("{path}: {}", error.inner())
        }
    })?;
    decoder.end().map_err(|error| error.to_string())?;
    Ok(file.servers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_other_hosts_write_is_read() {
        let text = r#"{"inputs": [], "mcpServers": {
            "a": {"command": "npx", "args": ["-y", "x"], "env": {"K": "v"}, "alwaysAllow": []},
            "b": {"type": "http", "url": "x"}}}"#;
        let servers = parse(text.as_bytes()).expect("servers");
        assert_eq!(servers["a"].args, ["-y", "x"]);
        assert_eq!(servers["b"].command, None);
        assert!(parse(b"{}").expect("none").is_empty());
    }

    #[test]
    fn a_broken_file_is_named_with_its_place() {
        for (text, want) in [
            (r#"{"mcpServers": {"a": {"args": "x"}}}"#, "mcpServers.a.args: invalid type"),
            ("3", "invalid type"),
            ("{} {}", "trailing characters"),
            ("", "EOF"),
        ] {
            let problem = parse(text.as_bytes()).expect_err(text);
            assert!(problem.contains(want), "{problem}");
        }
    }

    #[test]
    fn the_file_is_looked_for_up_to_the_repository() {
        let temporary = tempfile::tempdir().expect("a folder");
        let outer = temporary.path().canonicalize().expect("a folder");
        let inner = outer.join("repo/src");
        std::fs::create_dir_all(&inner).expect("folders");
        let named = |name: &str| format!("{{\"mcpServers\":{{\"{name}\":{{\"command\":\"c\"}}}}}}");
        std::fs::write(outer.join(FILE), named("outside")).expect("a file");
        assert!(Project::find(&inner).expect("no error").is_none(), "no repository");
        std::fs::create_dir(outer.join("repo/.git")).expect("a folder");
        assert!(Project::find(&inner).expect("no error").is_none(), "above the repository");
        std::fs::write(outer.join("repo").join(FILE), named("inside")).expect("a file");
        let project = Project::find(&inner).expect("no error").expect("a project");
        assert_eq!(project.root, outer.join("repo"));
        assert!(project.servers.contains_key("inside"));
    }
}
