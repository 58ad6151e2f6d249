//! What is to be run: a program, its arguments, its folder and exactly its environment.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The variables that a server gets from the environment of its host; all others stay behind, since
/// they may hold what is nobody else's business. Further ones are named one by one.
#[cfg(not(windows))]
pub const MINIMAL_ENVIRONMENT: &[&str] = &[
    "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ",
    "USER",
];

/// The variables that a server gets from the environment of its host; all others stay behind, since
/// they may hold what is nobody else's business. Further ones are named one by one.
#[cfg(windows)]
pub const MINIMAL_ENVIRONMENT: &[&str] = &[
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "USERNAME",
    "USERPROFILE",
];

/// Describes a server process. No shell ever sees it.
///
/// The environment begins empty: [`inherit`](Self::inherit) takes the few harmless variables out of
/// one that the caller gives, and [`env`](Self::env) adds others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerCommand {
    pub(super) program: OsString,
    pub(super) arguments: Vec<OsString>,
    /// The variables that were set one by one.
    pub(super) named: Vec<(OsString, OsString)>,
    /// Those that were taken over.
    pub(super) inherited: Vec<(OsString, OsString)>,
    pub(super) folder: Option<PathBuf>,
}

impl ServerCommand {
    /// Names the program: a path, or a name that is looked up in the `PATH` of the environment that
    /// the server gets.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            named: Vec::new(),
            inherited: Vec::new(),
            folder: None,
        }
    }

    /// Adds one argument.
    #[must_use]
    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Sets one variable; the last value given for a name counts.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        let name = name.into();
        self.named.retain(|(known, _)| *known != name);
        self.named.push((name, value.into()));
        self
    }

    /// Takes the variables of [`MINIMAL_ENVIRONMENT`] out of `environment`, usually that of the
    /// process. What [`env`](Self::env) has set stays as it is.
    ///
    /// Values that are functions of a shell are left behind.
    #[must_use]
    pub fn inherit(mut self, environment: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        for (name, value) in environment {
            let harmless = is_minimal(&name) && !value.as_encoded_bytes().starts_with(b"()");
            if harmless {
                self.inherited.push((name, value));
            }
        }
        self
    }

    /// Sets the folder that the server runs in; without it, that of the host.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Returns the program as it was named.
    #[must_use]
    pub fn program(&self) -> &OsStr {
        &self.program
    }

    /// Returns the arguments in order.
    #[must_use]
    pub fn arguments(&self) -> &[OsString] {
        &self.arguments
    }

    /// Returns the folder that was set.
    #[must_use]
    pub fn folder_set(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Returns the whole environment; of two values for one name, the later one counts.
    pub(super) fn environment(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        self.inherited.iter().chain(&self.named).map(|(name, value)| (name, value))
    }

    /// Returns the program without its folders, for messages.
    pub(super) fn name(&self) -> String {
        let name = Path::new(&self.program).file_name().unwrap_or(&self.program);
        name.to_string_lossy().into_owned()
    }

    /// Makes the command of the standard library, with its environment and nothing else set.
    pub(super) fn to_std(&self) -> std::process::Command {
        let mut command = std::process::Command::new(&self.program);
        command.args(&self.arguments).env_clear().envs(self.environment());
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
    }
}

fn is_minimal(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| {
        let same = |known: &&str| {
            if cfg!(windows) { known.eq_ignore_ascii_case(name) } else { *known == name }
        };
        MINIMAL_ENVIRONMENT.iter().any(same)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(command: &ServerCommand) -> Vec<String> {
        let text = |text: &OsString| text.to_string_lossy().into_owned();
        command.environment().map(|(name, value)| text(name) + "=" + &text(value)).collect()
    }

    #[test]
    fn only_harmless_variables_are_inherited() {
        let host = [("PATH", "/bin"), ("API_KEY", "secret"), ("TERM", "() { :; }"), ("TZ", "UTC")];
        let host = host.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let command =
            ServerCommand::new("x").env("TZ", "CET").inherit(host).env("A", "1").env("A", "2");
        assert_eq!(pairs(&command), ["PATH=/bin", "TZ=UTC", "TZ=CET", "A=2"]);
    }
}
