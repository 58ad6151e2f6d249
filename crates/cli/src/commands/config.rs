//! `foreread config`.

use anyhow::Context;
use review_tool::printable;
use serde_json::json;

use crate::args::{ConfigArgs, ConfigCommand};
use crate::folders::Folders;
use crate::settings::{self, Settings, Shown};
use crate::{exit, terminal};

/// Shows or changes the user's settings.
pub(crate) fn run(args: &ConfigArgs) -> anyhow::Result<u8> {
    let folders = Folders::from_environment();
    let text = match &args.command {
        ConfigCommand::Show { json } => {
            let shown = Settings::load(&folders)?.shown();
            if *json { as_json(&shown) } else { as_text(&shown, &folders) }
        }
        ConfigCommand::Set { key, value } => {
            let path = settings::set(&folders, key, value)?;
            format!("set {} in {}\n", printable(key), path.display())
        }
        ConfigCommand::Unset { key } => {
            let path = settings::unset(&folders, key)?;
            format!("unset {} in {}\n", printable(key), path.display())
        }
    };
    terminal::print(&text).context("cannot write to stdout")?;
    Ok(exit::DONE)
}

fn as_text(shown: &[Shown], folders: &Folders) -> String {
    if shown.is_empty() {
        return match folders.settings_file() {
            Some(path) => format!("nothing is set; settings go to {}\n", path.display()),
            None => "nothing is set\n".to_owned(),
        };
    }
    let lines = shown.iter().map(|shown| {
        let line = format!("{} = {}  # {}", shown.key, shown.value, shown.origin);
        format!("{}\n", printable(&line))
    });
    lines.collect()
}

fn as_json(shown: &[Shown]) -> String {
    let members: Vec<_> = shown
        .iter()
        .map(|shown| {
            json!({ "key": shown.key, "value": shown.value, "origin": shown.origin.to_string() })
        })
        .collect();
    format!("{:#}\n", json!(members))
}
