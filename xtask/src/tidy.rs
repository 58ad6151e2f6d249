//! Rules on the text of the project that no other tool checks.

use std::fs;
use std::path::Path;

use anyhow::{Result, bail};

use crate::run::{command, output, root, say};

/// A source file beyond this many lines is more than one thing.
const MAX_LINES: usize = 600;

/// The swap of the transport is proved by an adapter of at most so many lines.
const SWAP: (&str, usize) = ("tests/rmcp/src/server/adapter.rs", 150);

/// Fails on every file that breaks a rule, naming them all.
pub(crate) fn run() -> Result<()> {
    say("\n==> tidy");
    let list = output(command("git", &["ls-files", "--cached", "--others", "--exclude-standard"]))?;
    let mut faults = Vec::new();
    if !root().join(SWAP.0).exists() {
        faults.push(format!("{} is gone; name the new one", SWAP.0));
    }
    for name in list.lines() {
        let path = root().join(name);
        let Ok(text) = fs::read_to_string(&path) else { continue };
        check(name, &text, &mut faults);
    }
    if faults.is_empty() {
        return Ok(());
    }
    bail!("not tidy:\n  {}", faults.join("\n  "));
}

fn check(name: &str, text: &str, faults: &mut Vec<String>) {
    let file = Path::new(name).file_name().unwrap_or_default();
    let is_test = name.split('/').any(|part| part == "tests");
    if name.ends_with(".rs") {
        if file == "mod.rs" {
            faults.push(format!("{name}: a module is foo.rs beside foo/, never mod.rs"));
        }
        if !text.starts_with("//!") {
            faults.push(format!("{name}: a file opens with //! and its purpose"));
        }
        let lines = text.lines().count();
        let most = match name {
            _ if name == SWAP.0 => SWAP.1,
            _ if is_test => usize::MAX,
            _ => MAX_LINES,
        };
        if lines > most {
            faults.push(format!("{name}: {lines} lines; at most {most}"));
        }
        // Spelt apart, so that this file does not hold them.
        for word in
            [concat!("to", "do!("), concat!("unimple", "mented!("), concat!("#[ig", "nore]")]
        {
            if !is_test && !name.ends_with("tidy.rs") && has_code(text, word) {
                faults.push(format!("{name}: {word} has no place here"));
            }
        }
    }
    let is_member = name.starts_with("crates/") || name.starts_with("xtask/");
    if is_member && file == "Cargo.toml" {
        faults.extend(
            versions(text)
                .map(|line| format!("{name}: {line:?}: versions stand in the root manifest")),
        );
    }
}

/// Whether a word stands in code rather than in a comment; an attribute stands at the start of a line.
fn has_code(text: &str, word: &str) -> bool {
    text.lines().map(str::trim_start).any(|line| {
        if word.starts_with('#') {
            line.starts_with(word)
        } else {
            !line.starts_with("//") && line.contains(word)
        }
    })
}

/// Dependency lines of a member's manifest that give a version of their own.
fn versions(text: &str) -> impl Iterator<Item = &str> {
    let mut in_dependencies = false;
    text.lines().filter(move |line| {
        if line.starts_with('[') {
            in_dependencies = line.contains("dependencies");
            return false;
        }
        in_dependencies && line.contains('=') && !line.contains("workspace = true")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(name: &str, text: &str) -> Vec<String> {
        let mut faults = Vec::new();
        check(name, text, &mut faults);
        faults
    }

    #[test]
    fn each_rule_names_the_file_that_breaks_it() {
        let long = format!("//! x\n{}", "\n".repeat(MAX_LINES));
        for (name, text, want) in [
            ("a/mod.rs", "//! x\n", "never mod.rs"),
            ("a/b.rs", "fn x() {}\n", "opens with //!"),
            ("a/b.rs", long.as_str(), "at most 600"),
            (SWAP.0, long.as_str(), "at most 150"),
            ("crates/a/Cargo.toml", "[dependencies]\nx = \"1\"\n", "versions stand"),
        ] {
            let found = faults(name, text);
            assert!(found.len() == 1 && found[0].contains(want), "{name}: {found:?}");
        }
    }

    #[test]
    fn what_keeps_the_rules_is_silent() {
        for (name, text) in [
            ("a/b.rs", "//! x\n"),
            (
                "crates/a/Cargo.toml",
                "[package]\nversion = \"1\"\n[dependencies]\nx.workspace = true\n",
            ),
            ("Cargo.toml", "[workspace.dependencies]\nx = \"1\"\n"),
        ] {
            assert_eq!(faults(name, text), [""; 0], "{name}");
        }
    }
}
