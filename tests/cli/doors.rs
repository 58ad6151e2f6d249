//! A repository that tries every way git has of starting a program or writing a file for it: none opens,
//! from the shell or through the tool.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::FAULT;
use crate::harness::program::{Ended, Program};
use crate::harness::repo::{Repo, scrub};

/// Settings whose value is a program.
const PROGRAMS: &[&str] = &[
    "core.alternateRefsCommand",
    "core.askPass",
    "core.editor",
    "core.fsmonitor",
    "core.gitProxy",
    "core.pager",
    "core.sshCommand",
    "credential.helper",
    "diff.external",
    "diff.trap.command",
    "diff.trap.textconv",
    "difftool.trap.cmd",
    "filter.trap.clean",
    "filter.trap.process",
    "filter.trap.smudge",
    "filter.odd=name.clean",
    "gpg.program",
    "gpg.ssh.program",
    "gpg.x509.program",
    "interactive.diffFilter",
    "merge.trap.driver",
    "pager.cat-file",
    "pager.diff",
    "pager.ls-files",
    "pager.rev-parse",
    "remote.origin.receivepack",
    "remote.origin.uploadpack",
    "sequence.editor",
    "uploadpack.packObjectsHook",
];

/// Commands that a review may run, each under an alias that would run something else.
const ALIASES: &[&str] =
    &["cat-file", "check-attr", "config", "diff", "hash-object", "ls-files", "rev-parse"];

/// Hooks, of which the index and references have some.
const HOOKS: &[&str] = &[
    "fsmonitor-watchman",
    "post-checkout",
    "post-index-change",
    "pre-auto-gc",
    "pre-commit",
    "reference-transaction",
];

/// Settings that make the doors reachable.
const LEADS: &[(&str, &str)] = &[
    ("diff.autoRefreshIndex", "true"),
    ("diff.trap.cachetextconv", "true"),
    ("filter.trap.required", "true"),
    ("log.showSignature", "true"),
    ("protocol.allow", "always"),
    ("protocol.ext.allow", "always"),
    ("protocol.file.allow", "always"),
    ("remote.origin.promisor", "true"),
    ("submodule.recurse", "true"),
    ("gc.auto", "1"),
    ("maintenance.auto", "true"),
];

/// Variables that a shell may carry along.
const VARIABLES: &[&str] = &[
    "EDITOR",
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_PROXY_COMMAND",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "PAGER",
    "SSH_ASKPASS",
    "VISUAL",
];

/// A repository with all doors, and the folder in which whatever ran leaves its name.
struct House {
    repo: Repo,
    ran: PathBuf,
}

impl House {
    fn new() -> Self {
        let repo = Repo::new();
        let ran = repo.root().join("ran");
        fs::create_dir(&ran).unwrap();
        let house = Self { repo, ran };
        house.fill();
        house
    }

    /// Shell code that leaves a name behind.
    fn trap(&self, name: &str) -> String {
        format!("touch '{}/{}'; cat; #", self.ran.display(), name.replace('/', "-"))
    }

    /// A program in a file that does so.
    fn program(&self, file: &Path, name: &str) {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, format!("#!/bin/sh\n{}\n", self.trap(name))).unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn fill(&self) {
        let Self { repo, .. } = self;
        repo.write("a.py", "x = 1\n").write("b.py", "x = 1\n").write("--output=named", "x\n");
        repo.write(
            ".gitattributes",
            "*.py diff=trap filter=trap merge=trap\nb.py filter=odd=name\n",
        );
        let url = format!("ext::sh -c touch% {}/fetched", self.ran.display());
        repo.write(
            ".gitmodules",
            format!(
                "[submodule \"m\"]\n\tpath = m\n\turl = {url}\n\tupdate = !{}\n",
                self.trap("update")
            ),
        );
        symlink(repo.root().join("outside"), repo.path().join("link.py")).unwrap();
        repo.commit("start");
        repo.write("lost.py", "gone = 1\n").commit("lost");
        self.lose("HEAD:lost.py");
        repo.git(["tag", "lost"]);
        repo.git(["reset", "-q", "--soft", "HEAD~1"]);
        repo.git(["rm", "-q", "--cached", "-f", "lost.py"]);
        fs::remove_file(repo.path().join("lost.py")).unwrap();
        repo.write("staged.py", FAULT).stage();
        for file in ["a.py", "b.py", "new.py"] {
            repo.write(file, FAULT);
        }
        symlink(repo.root(), repo.path().join("up")).unwrap();
        for name in PROGRAMS {
            repo.git(["config", name, &self.trap(name)]);
        }
        for name in ALIASES {
            repo.git(["config", &format!("alias.{name}"), &format!("!{}", self.trap(name))]);
        }
        repo.git(["config", "remote.origin.url", &url]);
        repo.git(["config", "submodule.m.url", &url]);
        let hooks = repo.root().join("hooks");
        for hook in HOOKS {
            self.program(&repo.path().join(".git/hooks").join(hook), hook);
            self.program(&hooks.join(hook), hook);
        }
        repo.git(["config", "core.repositoryformatversion", "1"]);
        repo.git(["config", "extensions.partialClone", "origin"]);
        // Half of the settings stand in a file that the repository includes.
        let included = repo.root().join("included");
        let file = included.display().to_string();
        for (name, value) in LEADS {
            repo.git(["config", "--file", &file, name, value]);
        }
        repo.git(["config", "--file", &file, "core.hooksPath", &hooks.display().to_string()]);
        repo.git(["config", "include.path", &file]);
        // Programs of the names that git looks for, where a relative search finds them.
        for name in ["git", "git-remote-ext", "less", "ssh", "gpg", "sh"] {
            self.program(&repo.path().join(name), &format!("found-{name}"));
        }
        fs::write(repo.path().join(".git/info/exclude"), "git*\nless\nssh\ngpg\nsh\nup\n").unwrap();
    }

    /// Takes an object away, so that git would have to fetch it.
    fn lose(&self, name: &str) {
        let id = String::from_utf8(self.repo.git(["rev-parse", name]).stdout).unwrap();
        let (folder, file) = id.trim().split_at(2);
        fs::remove_file(self.repo.path().join(".git/objects").join(folder).join(file)).unwrap();
    }

    /// The program with everything in its environment that could lead git astray.
    fn start(&self, arguments: &[&str]) -> Program {
        let mut program = Program::new(&self.repo, arguments);
        for name in VARIABLES {
            program = program.env(name, &self.trap(name));
        }
        let trace = self.ran.join("trace").display().to_string();
        for name in ["GIT_TRACE", "GIT_TRACE2", "GIT_TRACE2_EVENT", "GIT_TRACE_SETUP"] {
            program = program.env(name, &trace);
        }
        let path = std::env::var("PATH").unwrap();
        program
            .env("PATH", &format!(".::{path}"))
            .env("GIT_CONFIG_COUNT", "1")
            .env("GIT_CONFIG_KEY_0", "diff.external")
            .env("GIT_CONFIG_VALUE_0", &self.trap("GIT_CONFIG_COUNT"))
            .env(
                "GIT_CONFIG_PARAMETERS",
                &format!("'diff.external={}'", self.trap("PARAMETERS").replace('\'', "")),
            )
    }

    /// Everything that stands below the root but the program's own state: kind, content, times.
    fn state(&self) -> BTreeMap<PathBuf, (u32, i64, i64, Vec<u8>)> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.repo.root().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let meta = fs::symlink_metadata(&path).unwrap();
                if path == self.repo.home() {
                    continue;
                }
                let content = if meta.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
                if meta.is_dir() {
                    folders.push(path.clone());
                }
                found.insert(path, (meta.mode(), meta.mtime(), meta.mtime_nsec(), content));
            }
        }
        found
    }

    /// Asserts that nothing ran, nothing was written, and nothing stayed behind.
    #[track_caller]
    fn unmoved(&self, before: &BTreeMap<PathBuf, (u32, i64, i64, Vec<u8>)>, what: &str) {
        let ran: Vec<_> =
            fs::read_dir(&self.ran).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(ran, [""; 0], "{what}: something ran");
        let after = self.state();
        let differ = |path: &&PathBuf| before.get(*path) != after.get(*path);
        let changed: Vec<_> = before.keys().chain(after.keys()).filter(differ).collect();
        assert!(changed.is_empty(), "{what}: something was written: {changed:?}");
        assert_eq!(living_in(self.repo.root()), [""; 0], "{what}: something lives on");
    }
}

/// The programs that run in a folder or below it, where the system tells.
fn living_in(folder: &Path) -> Vec<String> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let processes = processes.map(|entry| entry.unwrap().path());
    let inside = processes.filter(|process| {
        fs::read_link(process.join("cwd")).is_ok_and(|place| place.starts_with(folder))
    });
    inside.filter_map(|process| fs::read_to_string(process.join("cmdline")).ok()).collect()
}

#[test]
fn no_door_of_a_repository_opens_from_the_shell() {
    let house = House::new();
    let before = house.state();
    for arguments in [
        &["--staged"][..],
        &["--unstaged"],
        &["--all"],
        &["HEAD"],
        &["HEAD~0..HEAD"],
        &["--commit", "HEAD"],
        &["--all", "--", "--output=named"],
        &["--all", "--", "--ext-diff"],
        &["--commit", "lost"],
        &["--commit", "--output=written"],
        &["--commit", "--ext-diff"],
        &["HEAD", "--", "--output=written", "--textconv"],
        &["HEAD..--output=written"],
        &["--all", "--repo", "m"],
        &["--all", "--repo", "up"],
    ] {
        let what = format!("{arguments:?}");
        let run = house.start(&[&["review", "--json"], arguments].concat()).run();
        assert!(matches!(run.code, Some(0..=3)), "{what}: {run:?}");
        house.unmoved(&before, &what);
    }
    // What can be reviewed is, in spite of everything.
    let run = house.start(&["review", "--json", "--all"]).run().exits(0);
    assert_eq!(
        super::places(&run.document()),
        ["a.py", "b.py", "new.py", "staged.py"]
            .map(|file| format!("{file}:1 python-mutable-default"))
    );
    // A text that is not given as a revision is one of ours.
    let text = house.repo.git(["diff", "--no-ext-diff", "--no-textconv", "--cached"]).stdout;
    fs::read_dir(&house.ran)
        .unwrap()
        .for_each(|entry| fs::remove_file(entry.unwrap().path()).unwrap());
    let before = house.state();
    house.start(&["review", "--diff-file", "-"]).stdin(text).run().exits(0);
    house.unmoved(&before, "a diff");
}

#[test]
fn no_door_of_a_repository_opens_through_the_tool() {
    let house = House::new();
    let before = house.state();
    for arguments in [
        json!({"staged": true}),
        json!({"unstaged": true}),
        json!({"all": true}),
        json!({"diff": ["HEAD"]}),
        json!({"diff": ["--output=written"]}),
        json!({"diff": ["HEAD", "--output=written"]}),
        json!({"diff": ["HEAD..--output=written"]}),
        json!({"diff": ["--no-index", "/etc/passwd"]}),
        json!({"commit": "lost"}),
        json!({"commit": "--ext-diff"}),
        json!({"all": true, "paths": ["--output=written", "--ext-diff", "--textconv"]}),
        json!({"all": true, "paths": [":(attr:filter=trap)"]}),
        json!({"repo": "--output=written"}),
        json!({"repo": "m", "all": true}),
        json!({"repo": house.repo.root().join("repo/up").display().to_string(), "all": true}),
    ] {
        let answer = call(&house, &arguments);
        assert!(answer["result"].is_object(), "{arguments}: {answer}");
        house.unmoved(&before, &arguments.to_string());
    }
}

/// One call of the tool in a session of its own.
fn call(house: &House, arguments: &Value) -> Value {
    let initialize = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
    });
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "review", "arguments": arguments}}),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let ended: Ended = house.start(&["mcp"]).stdin(text).run().exits(0);
    let answers = ended.out();
    let mut answers = answers.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    answers.find(|answer| answer["id"] == 2).unwrap_or_else(|| panic!("{ended:?}"))
}

#[test]
fn the_doors_open_for_git_itself() {
    let house = House::new();
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        scrub(&mut command, &house.repo.home()).current_dir(house.repo.path());
        command.args(arguments).output().unwrap();
    };
    let no_filter = ["filter.trap.process=", "filter.trap.clean=", "filter.trap.required=false"];
    let no_filter: Vec<&str> = no_filter.iter().flat_map(|setting| ["-c", setting]).collect();
    git(&["diff", "HEAD"]);
    git(&[&no_filter[..], &["diff", "HEAD"]].concat());
    git(&[&no_filter[..], &["diff", "--no-ext-diff", "HEAD"]].concat());
    git(&["cat-file", "-p", "lost:lost.py"]);
    git(&["reset", "-q"]);
    let ran = fs::read_dir(&house.ran).unwrap();
    let mut ran: Vec<_> =
        ran.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    ran.sort();
    for name in [
        "core.fsmonitor",
        "diff.trap.command",
        "diff.trap.textconv",
        "fetched",
        "filter.trap.process",
        "post-index-change",
    ] {
        assert!(ran.iter().any(|ran| ran == name), "{name} is no door: {ran:?}");
    }
}
