//! What of the environment concerns models: programs, proxies, and what an agent gets of it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use llm_http::AgentKind;

/// The program that a command names: an absolute path, or a name looked up in the absolute folders of
/// `PATH`. A relative path would mean a file of the repository.
pub(super) fn program(command: &str) -> Option<PathBuf> {
    let given = Path::new(command);
    if given.is_absolute() {
        return is_program(given).then(|| given.to_owned());
    }
    if given.components().count() != 1 {
        return None;
    }
    let path = std::env::var_os("PATH")?;
    let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    let name = format!("{command}{}", std::env::consts::EXE_SUFFIX);
    folders.map(|folder| folder.join(&name)).find(|file| is_program(file))
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

/// Harmless variables that every program may need.
const COMMON: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TERM",
    "TZ",
    "TMPDIR",
    "TMP",
    "TEMP",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "APPDATA",
    "LOCALAPPDATA",
    "USERPROFILE",
    "SYSTEMROOT",
    "SystemRoot",
    "COMSPEC",
    "PATHEXT",
];

/// The environment of an agent: what is harmless, and what it reads itself. Keys of others stay here.
pub(super) fn for_agent(kind: AgentKind) -> Vec<(OsString, OsString)> {
    let own: &[&str] = match kind {
        AgentKind::Claude => &["ANTHROPIC_", "CLAUDE_"],
        AgentKind::Gemini => &["GEMINI_", "GOOGLE_"],
        AgentKind::Codex => &["OPENAI_", "CODEX_"],
    };
    let wanted = |name: &OsStr| {
        let Some(name) = name.to_str() else { return false };
        COMMON.contains(&name)
            || ["LC_", "XDG_"].iter().chain(own).any(|start| name.starts_with(start))
    };
    std::env::vars_os().filter(|(name, _)| wanted(name)).collect()
}

/// The proxy that the environment names for an address, by the habits of other programs.
pub(super) fn proxy_for(base_url: Option<&str>) -> Option<String> {
    let set =
        |name: &str| std::env::var(name.to_ascii_uppercase()).or_else(|_| std::env::var(name)).ok();
    let url = base_url.unwrap_or("https://");
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default().split(':').next().unwrap_or_default();
    if set("no_proxy").is_some_and(|exceptions| is_excepted(&exceptions, host)) {
        return None;
    }
    let by_scheme = if url.starts_with("http://") { "http_proxy" } else { "https_proxy" };
    set(by_scheme).or_else(|| set("all_proxy")).filter(|proxy| !proxy.trim().is_empty())
}

fn is_excepted(exceptions: &str, host: &str) -> bool {
    exceptions.split(',').map(str::trim).filter(|one| !one.is_empty()).any(|one| {
        let domain = one.trim_start_matches('*').trim_start_matches('.');
        one == "*"
            || host.eq_ignore_ascii_case(domain)
            || host.to_ascii_lowercase().ends_with(&format!(".{}", domain.to_ascii_lowercase()))
    })
}

/// Keeps this process's memory, which holds a key from now on, out of core dumps.
pub(super) fn keep_from_core_dumps() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { maximum, .. } = getrlimit(Resource::Core);
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum });
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        // A program that the system pipes dumps into is not held by the limit.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_excepted_by_name_domain_and_star() {
        for (exceptions, host, want) in [
            ("localhost,127.0.0.1", "127.0.0.1", true),
            (".corp.example", "llm.corp.example", true),
            ("corp.example", "llm.corp.example", true),
            ("*.corp.example", "corp.example", true),
            ("corp.example", "notcorp.example", false),
            ("*", "anything", true),
            ("", "anything", false),
        ] {
            assert_eq!(is_excepted(exceptions, host), want, "{exceptions} {host}");
        }
    }

    #[test]
    fn a_program_is_named_absolutely_or_found_in_an_absolute_folder() {
        assert!(program("sh").is_some_and(|path| path.is_absolute()));
        for command in ["./sh", "bin/sh", "../sh", "", "/no/such/program"] {
            assert_eq!(program(command), None, "{command}");
        }
    }
}
