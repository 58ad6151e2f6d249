//! Compares MCP clients over one and the same server, in turn.
//!
//! `client-bench [--rounds N] [--only a,b]` prints a table; `client-bench one CLIENT WORK SERVER`
//! does one measurement, as every other process of a run does.

mod ours;
mod theirs;
mod work;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow};
use mcp_proto::Era;

use crate::work::{Measured, Work};

/// The clients, the project's own first.
const CLIENTS: [&str; 6] = ["ours", "ours@2026", "rmcp", "rmcp-current", "ts-v1", "ts-v2"];

/// What is printed for each kind of work.
const ROWS: [(Work, bool, &str); 12] = [
    (Work::Open, false, "p50"),
    (Work::Sequential, true, "p50"),
    (Work::Sequential, true, "cpu"),
    (Work::Sequential, false, "p50"),
    (Work::Sequential, false, "p99"),
    (Work::Sequential, false, "cpu"),
    (Work::Parallel, true, "calls"),
    (Work::Parallel, true, "cpu"),
    (Work::Parallel, false, "calls"),
    (Work::Parallel, false, "cpu"),
    (Work::Large, false, "p50"),
    (Work::Large, false, "cpu"),
];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["one", client, work, server] = arguments[..] {
        let work = Work::parse(work).context("an unknown kind of work")?;
        println!("{}", serde_json::to_string(&one(client, work, server)?)?);
        return Ok(());
    }
    let (mut rounds, mut only) = (5, CLIENTS.to_vec());
    let mut rest = arguments.as_slice();
    while let [option, value, after @ ..] = rest {
        match *option {
            "--rounds" => rounds = value.parse()?,
            "--only" => only = value.split(',').collect(),
            other => return Err(anyhow!("unknown option {other}")),
        }
        rest = after;
    }
    compare(rounds, &only)
}

fn one(client: &str, work: Work, server: &str) -> Result<Measured> {
    let mut runtime = match client {
        "ours" => return ours::run(work, server, Era::Handshake),
        "ours@2026" => return ours::run(work, server, Era::PerRequest),
        "rmcp" => tokio::runtime::Builder::new_multi_thread(),
        "rmcp-current" => tokio::runtime::Builder::new_current_thread(),
        other => return Err(anyhow!("unknown client {other}")),
    };
    runtime.enable_all().build()?.block_on(theirs::run(work, server))
}

type Samples = BTreeMap<(usize, bool, usize), Vec<Measured>>;

fn compare(rounds: usize, only: &[&str]) -> Result<()> {
    let folder = std::env::current_exe()?.parent().map(Path::to_owned).context("no folder")?;
    let mut samples = Samples::new();
    for round in 0..rounds {
        for (index, work) in Work::ALL.into_iter().enumerate() {
            let both = matches!(work, Work::Sequential | Work::Parallel);
            for pinned in if both { &[false, true][..] } else { &[false] } {
                for (number, client) in CLIENTS.iter().enumerate() {
                    if only.contains(client) {
                        eprintln!("round {round}: {} of {client}", work.name());
                        let measured = measure(&folder, client, work, *pinned)?;
                        samples.entry((index, *pinned, number)).or_default().push(measured);
                    }
                }
            }
        }
    }
    print(&samples, only);
    Ok(())
}

fn measure(folder: &Path, client: &str, work: Work, pinned: bool) -> Result<Measured> {
    let server = folder.join("client-bench-echo");
    let mut words: Vec<PathBuf> = Vec::new();
    if pinned {
        words.extend(["taskset", "-c", "0"].map(PathBuf::from));
    }
    match client.strip_prefix("ts-") {
        Some(version) => {
            let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("typescript/client.mjs");
            words.extend([PathBuf::from("node"), script, version.into()]);
        }
        None => words.extend([std::env::current_exe()?, "one".into(), client.into()]),
    }
    let output = Command::new(&words[0])
        .args(&words[1..])
        .arg(work.name())
        .arg(&server)
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(anyhow!("{client} failed at {}: {}", work.name(), output.status));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Prints medians, and in brackets how the project's own client compares with the best of the others.
fn print(samples: &Samples, only: &[&str]) {
    let shown: Vec<_> =
        CLIENTS.iter().enumerate().filter(|(_, client)| only.contains(client)).collect();
    let names: Vec<_> = shown.iter().map(|(_, client)| **client).collect();
    println!("| | {} |", names.join(" | "));
    println!("|---|{}", "---|".repeat(names.len()));
    for (work, pinned, figure) in ROWS {
        let index = Work::ALL.iter().position(|other| *other == work).unwrap_or_default();
        let of = |number: usize| median(samples.get(&(index, pinned, number))?, figure);
        let more_is_better = figure == "calls";
        let others = shown.iter().filter(|(_, name)| !name.starts_with("ours"));
        let best = others
            .filter_map(|(number, _)| of(*number))
            .reduce(|one, other| if (other > one) == more_is_better { other } else { one });
        let cells: Vec<_> = shown
            .iter()
            .map(|(number, name)| match (of(*number), best) {
                (Some(value), Some(best)) if name.starts_with("ours") => {
                    let ratio = if more_is_better { value / best } else { best / value };
                    format!("{value:.1} ({ratio:.2}x)")
                }
                (Some(value), _) => format!("{value:.1}"),
                (None, _) => "-".to_owned(),
            })
            .collect();
        let unit = match figure {
            "calls" => "calls/s",
            "cpu" => "client CPU us/call",
            "p99" => "p99 us",
            _ => "p50 us",
        };
        let core = if pinned { "one core: " } else { "" };
        println!("| {core}{}, {unit} | {} |", work.name(), cells.join(" | "));
    }
}

fn median(samples: &[Measured], figure: &str) -> Option<f64> {
    let mut values: Vec<_> = samples
        .iter()
        .map(|sample| match figure {
            "calls" => sample.calls,
            "cpu" => sample.cpu,
            "p99" => sample.p99,
            _ => sample.p50,
        })
        .collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
