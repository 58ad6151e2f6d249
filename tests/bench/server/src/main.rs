//! Measures stdio MCP servers beside each other, in one run.
//!
//! `server-bench ROUNDS NAME COMMAND [ARGUMENT...] -- NAME COMMAND...` takes the servers in turn, round
//! after round, so that what else the machine does falls on all alike, and writes a table of medians
//! with their ratio to the first server; above 1 is better. A server offers `echo {text}`.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::{Context, Result, ensure};

use sections::{median, round, verify};

mod process;
mod sections;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (rounds, servers) =
        arguments.split_first().context("usage: ROUNDS NAME COMMAND... [-- ...]")?;
    let rounds: usize = rounds.parse().context("the rounds are not a number")?;
    let servers: Vec<&[String]> = servers.split(|word| word == "--").collect();
    ensure!(
        rounds > 0 && servers.iter().all(|words| words.len() > 1),
        "a server is NAME COMMAND..."
    );
    for words in &servers {
        verify(&words[1..]).with_context(|| words[0].clone())?;
    }
    let mut rows: Vec<(&str, bool)> = Vec::new();
    let mut samples: BTreeMap<(&str, usize), Vec<f64>> = BTreeMap::new();
    for _ in 0..rounds {
        for (at, words) in servers.iter().enumerate() {
            for number in round(&words[1..]).with_context(|| words[0].clone())? {
                if !rows.iter().any(|(what, _)| *what == number.what) {
                    rows.push((number.what, number.more));
                }
                samples.entry((number.what, at)).or_default().push(number.value);
            }
        }
    }
    let mut out = std::io::stdout().lock();
    let names: Vec<&str> = servers.iter().map(|words| words[0].as_str()).collect();
    writeln!(out, "| medians of {rounds} rounds | {} |", names.join(" | "))?;
    writeln!(out, "| --- |{}", " --- |".repeat(names.len()))?;
    for (what, more) in rows {
        let middle =
            |at| samples.get_mut(&(what, at)).map(|values| median(values)).unwrap_or_default();
        let values: Vec<f64> = (0..names.len()).map(middle).collect();
        let cell = |(at, &value): (usize, &f64)| {
            let ratio = if more { value / values[0] } else { values[0] / value };
            if at == 0 { format!("{value:.2}") } else { format!("{value:.2} ({ratio:.2}x)") }
        };
        let cells: Vec<String> = values.iter().enumerate().map(cell).collect();
        writeln!(out, "| {what} | {} |", cells.join(" | "))?;
    }
    Ok(())
}
