//! `foreread servers`.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use review_tool::printable;
use serde_json::{Value, json};

use crate::args::{ServersArgs, ServersCommand};
use crate::folders::Folders;
use crate::servers::trust::{self, Fingerprint, Standing};
use crate::servers::{Entry, Servers, Source, danger, quoted};
use crate::{exit, table, terminal};

mod check;

/// Lists, checks, trusts or untrusts, and returns the exit code.
pub(crate) fn run(args: &ServersArgs) -> anyhow::Result<u8> {
    let folders = Folders::from_environment();
    let folder = args.repo.clone().unwrap_or_else(|| PathBuf::from("."));
    let servers = Servers::load(&folders, &folder)?;
    match &args.command {
        ServersCommand::List { json } => {
            let text = if *json { as_json(&servers) } else { as_text(&servers, &folders) };
            terminal::print(&text).context("cannot write to stdout")?;
        }
        ServersCommand::Check { names, json, timeout } => {
            return check::run(
                &servers,
                &folders,
                &folder,
                &check::Asked { names, json: *json, timeout: *timeout },
            );
        }
        ServersCommand::Trust { names, yes } => {
            for name in names {
                trust(&servers, &folders, name, *yes)?;
            }
        }
        ServersCommand::Untrust { names } => {
            for name in names {
                untrust(&servers, &folders, name)?;
            }
        }
    }
    Ok(exit::DONE)
}

fn as_text(servers: &Servers, folders: &Folders) -> String {
    let mut rows: Vec<[String; 4]> = servers
        .all()
        .map(|entry| {
            let standing = match servers.standing(entry) {
                Standing::Own | Standing::Trusted => "may run",
                Standing::Changed => "changed, not trusted",
                Standing::Unknown => "not trusted",
            };
            let from = entry.source.to_string();
            [printable(&entry.name).into_owned(), standing.to_owned(), from, entry.command_line()]
        })
        .collect();
    for (name, kind) in servers.others() {
        let kind = format!("not over stdio ({})", printable(kind));
        rows.push([printable(name).into_owned(), kind, String::new(), String::new()]);
    }
    if rows.is_empty() {
        let file = folders.settings_file().unwrap_or_else(|| PathBuf::from("config.toml"));
        return format!(
            "no servers; name them as [servers.NAME] in {}, or in a project's .mcp.json\n",
            printable(&file.display().to_string())
        );
    }
    table::columns(&rows)
}

fn as_json(servers: &Servers) -> String {
    let list: Vec<Value> = servers
        .all()
        .map(|entry| {
            let standing = servers.standing(entry);
            let (source, project) = match &entry.source {
                Source::User => ("user", None),
                Source::Project(root) => ("project", Some(root)),
            };
            json!({
                "name": entry.name,
                "source": source,
                "project": project,
                "may_run": standing.may_run(),
                "standing": standing.word(),
                "command": entry.command,
                "args": entry.args,
                // The values may be secret.
                "env": entry.env.keys().collect::<Vec<_>>(),
                "cwd": entry.cwd,
            })
        })
        .collect();
    format!("{:#}\n", json!(list))
}

fn trust(servers: &Servers, folders: &Folders, name: &str, yes: bool) -> anyhow::Result<()> {
    let entry = servers.get(name)?;
    let Source::Project(root) = &entry.source else {
        let text = format!("{} is named by your own settings and needs no trust\n", quoted(name));
        return terminal::print(&text).context("cannot write to stdout");
    };
    // What is trusted is what is shown, whatever happens to the files meanwhile.
    let fingerprint = Fingerprint::of(entry);
    terminal::print(&shown(entry, root, &fingerprint)).context("cannot write to stdout")?;
    let asks = !yes && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if asks && !confirm()? {
        return Err(exit::Usage(format!("{} stays untrusted", quoted(name))).into());
    }
    trust::trust(folders, root, name, &fingerprint)?;
    terminal::print(&format!("{} may run now\n", quoted(name))).context("cannot write to stdout")
}

/// Everything that decides what would run, nothing left out.
fn shown(entry: &Entry, root: &Path, fingerprint: &Fingerprint) -> String {
    let line = |name: &str, value: &str| format!("  {name:<12} {}\n", printable(value));
    let mut text = format!(
        "{} of {} would run this program, with all your rights:\n\n",
        quoted(&entry.name),
        printable(&entry.source.to_string())
    );
    text += &line("command", &entry.command_line());
    let folder = entry.cwd.as_deref().unwrap_or(root);
    text += &line("folder", &folder.display().to_string());
    for (name, value) in &entry.env {
        text += &line("environment", &format!("{name}={value}"));
    }
    let variables = entry.variables();
    if !variables.is_empty() {
        text += &line("it is told", &format!("your variables {}", variables.join(", ")));
    }
    for file in &fingerprint.files {
        text += &line("file", &format!("{} (as it is now)", file.display()));
    }
    for warning in danger::warnings(entry) {
        text += &line("WARNING", &warning);
    }
    text.push('\n');
    text
}

fn confirm() -> anyhow::Result<bool> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(b"Trust it? [y/N] ")?;
    stdout.flush()?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).context("cannot read the answer")?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn untrust(servers: &Servers, folders: &Folders, name: &str) -> anyhow::Result<()> {
    let entry = servers.get(name)?;
    let text = match &entry.source {
        Source::User => {
            return Err(exit::Usage(format!(
                "{} is named by your own settings; take it out of them",
                quoted(name)
            ))
            .into());
        }
        Source::Project(root) if trust::untrust(folders, root, name)? => "may not run any more",
        Source::Project(_) => "was not trusted",
    };
    terminal::print(&format!("{} {text}\n", quoted(name))).context("cannot write to stdout")
}
