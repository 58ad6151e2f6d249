//! Third-party MCP servers: which there are, what each would run, and which may.
//!
//! The user's own settings are trusted. What a project names is hostile until the user has seen the
//! exact command and trusted it; the user's own server of the same name goes before it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mcp_stdio::Framing;
use mcp_stdio::child::ServerCommand;
use review_tool::nearest::nearest;
use review_tool::printable;

use crate::exit::Usage;
use crate::folders::Folders;
use crate::settings::Settings;
use crate::settings::servers::EraChoice;

pub(crate) mod connect;
pub(crate) mod danger;
pub(crate) mod failure;
mod learnt;
pub(crate) mod output;
pub(crate) mod project;
mod state_file;
pub(crate) mod trust;
mod variables;

use project::Project;
use trust::{Standing, Trust};

/// The servers of one place: the user's, and those of the project that the place lies in.
pub(crate) struct Servers {
    entries: BTreeMap<String, Entry>,
    /// Names of project servers that are not reached over stdio, with their kind.
    others: BTreeMap<String, String>,
    trust: Trust,
}

/// One server, as it is configured: variables of the environment are not filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) source: Source,
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    pub(crate) env: BTreeMap<String, String>,
    /// The folder it runs in; `None` is the one that foreread runs in.
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) framing: Framing,
    pub(crate) era: EraChoice,
    pub(crate) start_timeout: Option<Duration>,
    pub(crate) call_timeout: Option<Duration>,
    pub(crate) memory_limit: Option<u64>,
}

/// Who names a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    /// The user's settings.
    User,
    /// The project whose file lies in this folder.
    Project(PathBuf),
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::User => f.write_str("your settings"),
            Self::Project(root) => write!(f, "{}", root.join(project::FILE).display()),
        }
    }
}

impl Servers {
    /// Loads what is configured for `folder`.
    pub(crate) fn load(folders: &Folders, folder: &Path) -> anyhow::Result<Self> {
        let settings = Settings::load(folders)?.servers()?;
        let trust = Trust::load(folders)?;
        let mut servers = Self { entries: BTreeMap::new(), others: BTreeMap::new(), trust };
        if let Some(project) = Project::find(folder)? {
            servers.add_project(project);
        }
        for (name, settings) in settings {
            let cwd = settings.cwd.as_deref().map(Path::new);
            if let Some(cwd) = cwd.filter(|cwd| !cwd.is_absolute()) {
                let problem = format!("servers.{name}.cwd must be absolute, not {}", cwd.display());
                return Err(Usage(problem).into());
            }
            let entry = Entry {
                name: name.clone(),
                source: Source::User,
                command: settings.command,
                args: settings.args,
                env: settings.env,
                cwd: cwd.map(Path::to_owned),
                framing: settings.framing,
                era: settings.era,
                start_timeout: settings.start_timeout,
                call_timeout: settings.call_timeout,
                memory_limit: settings.memory_limit,
            };
            servers.others.remove(&name);
            servers.entries.insert(name, entry);
        }
        Ok(servers)
    }

    fn add_project(&mut self, project: Project) {
        for (name, server) in project.servers {
            let stdio = server.kind.as_deref().is_none_or(|kind| kind == "stdio");
            let Some(command) = server.command.filter(|_| stdio) else {
                let kind = server.kind.unwrap_or_else(|| "one without a command".to_owned());
                self.others.insert(name, kind);
                continue;
            };
            let cwd = server.cwd.map_or_else(|| project.root.clone(), |cwd| project.root.join(cwd));
            let entry = Entry {
                name: name.clone(),
                source: Source::Project(project.root.clone()),
                command,
                args: server.args,
                env: server.env,
                cwd: Some(cwd),
                framing: Framing::Auto,
                era: EraChoice::Auto,
                start_timeout: None,
                call_timeout: None,
                memory_limit: None,
            };
            self.entries.insert(name, entry);
        }
    }

    /// Every server, by name.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// The project's servers that are reached in another way than over stdio: name and kind.
    pub(crate) fn others(&self) -> impl Iterator<Item = (&str, &str)> {
        self.others.iter().map(|(name, kind)| (name.as_str(), kind.as_str()))
    }

    /// Where the user's trust in a server stands.
    pub(crate) fn standing(&self, entry: &Entry) -> Standing {
        self.trust.standing(entry)
    }

    /// The server of that name.
    ///
    /// # Errors
    /// [`Usage`] for a name that is not configured.
    pub(crate) fn get(&self, name: &str) -> Result<&Entry, Usage> {
        if let Some(entry) = self.entries.get(name) {
            return Ok(entry);
        }
        if let Some(kind) = self.others.get(name) {
            let kind = printable(kind);
            return Err(Usage(format!("server {name:?} is not reached over stdio ({kind})")));
        }
        let near = nearest(name, self.entries.keys().map(String::as_str));
        let hint = near.map_or_else(
            || "`foreread servers list` names those that are configured".to_owned(),
            |near| format!("did you mean {near:?}?"),
        );
        Err(Usage(format!("no server is called {name:?}; {hint}")))
    }

    /// The server of that name, if it may run.
    ///
    /// # Errors
    /// [`Usage`] for a name that is not configured or not trusted.
    pub(crate) fn get_trusted(&self, name: &str) -> Result<&Entry, Usage> {
        let entry = self.get(name)?;
        let standing = self.standing(entry);
        if standing.may_run() {
            return Ok(entry);
        }
        Err(Usage(format!(
            "server {name:?} comes from {} and {standing}; see it and allow it with `foreread servers \
             trust {}`",
            entry.source,
            quoted(name)
        )))
    }
}

impl Entry {
    /// The same server with that much time for its start and for each request.
    pub(crate) fn within(mut self, timeout: Option<Duration>) -> Self {
        self.start_timeout = timeout.or(self.start_timeout);
        self.call_timeout = timeout.or(self.call_timeout);
        self
    }

    /// Makes the command: variables filled in, the environment cut down to the harmless and the named.
    ///
    /// # Errors
    /// [`Usage`] for a variable that is not set.
    pub(crate) fn to_command(&self) -> Result<ServerCommand, Usage> {
        let fill = |text: &str| {
            variables::fill(text, |name| std::env::var(name).ok()).map_err(|name| {
                Usage(format!(
                    "server {:?} wants the variable {name} of the environment, which is not set",
                    self.name
                ))
            })
        };
        let mut command = ServerCommand::new(fill(&self.command)?);
        for argument in &self.args {
            command = command.arg(fill(argument)?);
        }
        for (name, value) in &self.env {
            command = command.env(name, fill(value)?);
        }
        command = command.inherit(std::env::vars_os());
        Ok(match &self.cwd {
            Some(cwd) => command.folder(cwd),
            None => command,
        })
    }

    /// The variables of the user's own environment that the server asks for.
    pub(crate) fn variables(&self) -> Vec<String> {
        let texts = [&self.command].into_iter().chain(&self.args).chain(self.env.values());
        let mut names: Vec<String> = texts.flat_map(|text| variables::names(text)).collect();
        names.sort();
        names.dedup();
        names
    }

    /// The command as one line that a shell would read the same way, printable.
    pub(crate) fn command_line(&self) -> String {
        let words = [&self.command].into_iter().chain(&self.args);
        words.map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }
}

/// A word as a shell would take it, without anything that steers a terminal.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    let shown = printable(word);
    if !word.is_empty() && word.chars().all(plain) {
        return shown.into_owned();
    }
    format!("'{}'", shown.replace('\'', r"'\''"))
}
