//! Starts git: bounded in time and output, cancelled at once, in an environment that starts nothing.

#![expect(clippy::disallowed_methods, reason = "the git port starts git and limits its time")]

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{OnceLock, mpsc};
use std::time::{Duration, Instant};

use crate::control::{Control, Uncontrolled};
use crate::diff::Problem;
use crate::repo::RepoError;

/// A diff beyond this many bytes is refused.
const MAX_OUTPUT: u64 = 1 << 30;
/// git is killed after this long.
const TIME_LIMIT: Duration = Duration::from_secs(600);
/// How often a waiting reader looks for cancellation.
const POLL: Duration = Duration::from_millis(20);
/// How much of git's stderr is kept for messages.
const MAX_MESSAGE: u64 = 4096;

/// Settings that every git gets, over whatever is configured: nothing may start a program, reach the
/// network, write, or show a file as changed that is not.
const SETTINGS: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.askPass", ""),
    ("core.sshCommand", "false"),
    ("credential.helper", ""),
    ("core.safecrlf", "false"),
    ("diff.autoRefreshIndex", "true"),
    ("diff.external", ""),
    ("submodule.recurse", "false"),
    ("protocol.allow", "never"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("trace2.eventTarget", ""),
    ("trace2.normalTarget", ""),
    ("trace2.perfTarget", ""),
];

/// How a line begins by which git remarks on stderr something that leaves nothing out of a diff. None
/// of them has a name of the repository before what tells it.
const HARMLESS: &[&str] = &[
    "warning: exhaustive rename detection was skipped",
    "warning: inexact rename detection was skipped",
    "warning: you may want to set your diff.renameLimit variable",
];

/// Variables that say which repository and index are meant. A hook sets them; a folder named by the
/// caller overrules them.
const REPOSITORY_VARIABLES: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
];

/// Variables of the user's own set-up, kept always; every other `GIT_` variable is taken away.
const USER_VARIABLES: &[&str] = &[
    "GIT_CEILING_DIRECTORIES",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EXEC_PATH",
];

/// Runs git in one folder.
#[derive(Debug, Clone)]
pub(super) struct Runner {
    folder: PathBuf,
    explicit: bool,
}

/// The path of bytes that git wrote.
pub(super) fn path_of(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        PathBuf::from(OsStr::from_bytes(bytes))
    }
    #[cfg(not(unix))]
    {
        PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
    }
}

/// git as `PATH` names it by an absolute folder. A relative one, or an empty one, would mean a folder
/// of the repository, since git runs there.
fn program() -> &'static OsStr {
    static PROGRAM: OnceLock<OsString> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let name = format!("git{}", std::env::consts::EXE_SUFFIX);
        let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
        let mut found = folders.map(|folder| folder.join(&name)).filter(|file| is_program(file));
        // A name with a slash is not searched for, so where there is none nothing is started.
        found.next().map_or_else(|| OsString::from("/nowhere/git"), PathBuf::into_os_string)
    })
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

impl Runner {
    pub(super) fn new(folder: PathBuf, explicit: bool) -> Self {
        Self { folder, explicit }
    }

    /// The folder that git runs in.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether variables of the user, as a hook sets them, say which repository and work tree are meant.
    pub(super) fn is_named_by_user(&self) -> bool {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        !self.explicit && (is_set("GIT_DIR") || is_set("GIT_WORK_TREE"))
    }

    /// The command for `git ARGUMENTS` with `settings` on top of the fixed ones.
    fn command<S: AsRef<OsStr>>(&self, arguments: &[S], settings: &[(OsString, &str)]) -> Command {
        let mut command = Command::new(program());
        command.args(["--no-pager", "--no-optional-locks"]).args(arguments);
        command.current_dir(&self.folder);
        let keeps = |name: &str| {
            USER_VARIABLES.contains(&name)
                || (!self.explicit && REPOSITORY_VARIABLES.contains(&name))
        };
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("GIT_") && !keeps(&text) {
                command.env_remove(&name);
            }
        }
        // As numbered variables, since a setting's name may hold any character, `=` included.
        let fixed = SETTINGS.iter().map(|(key, value)| (OsString::from(key), *value));
        let mut count = 0_usize;
        for (key, value) in fixed.chain(settings.iter().cloned()) {
            command.env(format!("GIT_CONFIG_KEY_{count}"), key);
            command.env(format!("GIT_CONFIG_VALUE_{count}"), value);
            count += 1;
        }
        command.env("GIT_CONFIG_COUNT", count.to_string());
        command.envs([
            ("LC_ALL", "C"),
            ("GIT_ADVICE", "0"),
            // A list of what is allowed, which no setting of a single protocol overrules.
            ("GIT_ALLOW_PROTOCOL", "none"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_NO_LAZY_FETCH", "1"),
            ("GIT_PAGER", "cat"),
        ]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The output of a short command.
    pub(super) fn bytes(&self, arguments: &[&str]) -> Result<Vec<u8>, RepoError> {
        self.stream(arguments, &[], &Uncontrolled).map(|(output, _)| output)
    }

    /// The output of a short command as text; what is not UTF-8 becomes U+FFFD.
    pub(super) fn text(&self, arguments: &[&str]) -> Result<String, RepoError> {
        self.bytes(arguments).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The lines of a short command's output.
    pub(super) fn lines(&self, arguments: &[&str]) -> Result<Vec<String>, RepoError> {
        self.text(arguments).map(|text| text.lines().map(str::to_owned).collect())
    }

    /// Settings that switch off every filter driver configured, so that comparing the work tree runs
    /// none of them.
    pub(super) fn filter_drivers(&self) -> Result<Vec<(OsString, &'static str)>, RepoError> {
        let query = r"^filter\..*\.(clean|smudge|process|required)$";
        let names = match self.bytes(&["config", "--null", "--name-only", "--get-regexp", query]) {
            Ok(names) => names,
            // git says "none" by its exit code.
            Err(RepoError::Git { message, .. }) if message.is_empty() => Vec::new(),
            Err(error) => return Err(error),
        };
        let names = names.split(|&byte| byte == 0).filter(|name| !name.is_empty());
        Ok(names
            .map(|name| {
                let value = if name.ends_with(b".required") { "false" } else { "" };
                (path_of(name).into_os_string(), value)
            })
            .collect())
    }

    /// The same git, run in another folder.
    pub(super) fn within(&self, folder: &Path) -> Self {
        Self { folder: folder.to_path_buf(), explicit: self.explicit }
    }

    /// Runs to the end and returns all output, with a problem for each thing that git could not read
    /// and went on without.
    pub(super) fn stream<S: AsRef<OsStr>>(
        &self,
        arguments: &[S],
        settings: &[(OsString, &str)],
        control: &dyn Control,
    ) -> Result<(Vec<u8>, Vec<Problem>), RepoError> {
        self.stream_to(&[0], arguments, settings, control)
    }

    /// As [`Runner::stream`], for a command that ends well with any of these codes.
    pub(super) fn stream_to<S: AsRef<OsStr>>(
        &self,
        codes: &[i32],
        arguments: &[S],
        settings: &[(OsString, &str)],
        control: &dyn Control,
    ) -> Result<(Vec<u8>, Vec<Problem>), RepoError> {
        let name = command_name(arguments);
        let mut running = Running::start(self.command(arguments, settings), name)?;
        let output = running.read_all(control)?;
        let message = running.finish(codes)?;
        let lines =
            message.lines().filter(|line| !HARMLESS.iter().any(|start| line.starts_with(start)));
        let problem =
            |line: &str| Problem::general(format!("git could not read all of the change: {line}"));
        Ok((output, lines.map(problem).collect()))
    }

    /// The output of a command that reads `input`.
    pub(super) fn answer(
        &self,
        arguments: &[&str],
        input: Vec<u8>,
        control: &dyn Control,
    ) -> Result<Vec<u8>, RepoError> {
        let mut command = self.command(arguments, &[]);
        command.stdin(Stdio::piped());
        let mut running = Running::start(command, command_name(arguments))?;
        // Written from a thread of its own: git answers while it reads, and waits for its reader.
        let writer = running
            .child
            .stdin
            .take()
            .map(|mut pipe| std::thread::spawn(move || pipe.write_all(&input)));
        let output = running.read_all(control)?;
        running.finish(&[0])?;
        match writer.map(std::thread::JoinHandle::join) {
            Some(Ok(Ok(()))) => Ok(output),
            _ => Err(RepoError::Answer { command: command_name(arguments) }),
        }
    }

    /// Runs with both pipes in the hands of `talk`; the child ends when `talk` does.
    pub(super) fn converse<T>(
        &self,
        arguments: &[&str],
        talk: impl FnOnce(ChildStdin, ChildStdout) -> Result<T, RepoError>,
    ) -> Result<T, RepoError> {
        let mut command = self.command(arguments, &[]);
        command.stdin(Stdio::piped());
        let mut running = Running::start(command, command_name(arguments))?;
        let (Some(input), Some(output)) = (running.child.stdin.take(), running.child.stdout.take())
        else {
            return Err(RepoError::Answer { command: running.name.clone() });
        };
        talk(input, output)
    }
}

fn command_name<S: AsRef<OsStr>>(arguments: &[S]) -> String {
    arguments.first().map(|name| name.as_ref().to_string_lossy().into_owned()).unwrap_or_default()
}

/// A git process that is killed and reaped whatever happens to its reader.
struct Running {
    child: Child,
    name: String,
    message: Option<std::thread::JoinHandle<String>>,
}

impl Running {
    fn start(mut command: Command, name: String) -> Result<Self, RepoError> {
        let mut child = command.spawn().map_err(|source| RepoError::Spawn { source })?;
        let stderr = child.stderr.take();
        let message = stderr.map(|mut stderr| {
            std::thread::spawn(move || {
                let mut kept = Vec::new();
                // Kept up to the limit and drained beyond it, so that git never waits for a reader.
                drop(stderr.by_ref().take(MAX_MESSAGE).read_to_end(&mut kept));
                drop(std::io::copy(&mut stderr, &mut std::io::sink()));
                String::from_utf8_lossy(&kept).trim().to_owned()
            })
        });
        Ok(Self { child, name, message })
    }

    /// Reads stdout to its end, in chunks that arrive from a thread so that waiting can be broken off.
    fn read_all(&mut self, control: &dyn Control) -> Result<Vec<u8>, RepoError> {
        let Some(mut stdout) = self.child.stdout.take() else {
            return Err(RepoError::Answer { command: self.name.clone() });
        };
        let (sender, receiver) = mpsc::sync_channel::<Vec<u8>>(8);
        std::thread::spawn(move || {
            loop {
                let mut chunk = vec![0; 1 << 16];
                match stdout.read(&mut chunk) {
                    Ok(0) => break,
                    Ok(len) => {
                        chunk.truncate(len);
                        if sender.send(chunk).is_err() {
                            break;
                        }
                    }
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
        });
        let started = Instant::now();
        let mut output = Vec::new();
        loop {
            if control.cancelled() {
                return Err(RepoError::Cancelled);
            }
            match receiver.recv_timeout(POLL) {
                Ok(chunk) => output.extend_from_slice(&chunk),
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(output),
            }
            if output.len() as u64 > MAX_OUTPUT {
                return Err(RepoError::TooLarge { command: self.name.clone(), limit: MAX_OUTPUT });
            }
            if started.elapsed() > TIME_LIMIT {
                let seconds = TIME_LIMIT.as_secs();
                return Err(RepoError::Timeout { command: self.name.clone(), seconds });
            }
        }
    }

    /// Waits for the end, once the output is read, which is good with one of `codes`.
    /// Returns what it wrote on stderr.
    fn finish(mut self, codes: &[i32]) -> Result<String, RepoError> {
        let status = self.child.wait().map_err(|source| RepoError::Spawn { source })?;
        let message = self.message.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        if status.code().is_some_and(|code| codes.contains(&code)) {
            return Ok(message);
        }
        Err(RepoError::Git { command: self.name.clone(), status: describe(status), message })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            drop(self.child.kill());
            drop(self.child.wait());
        }
    }
}

fn describe(status: ExitStatus) -> String {
    status.code().map_or_else(|| status.to_string(), |code| format!("exit code {code}"))
}
