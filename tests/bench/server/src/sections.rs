//! What is timed. Each section has a process of its own, and warms it up.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde_json::Value;

use crate::process::{Server, echo};

/// Round trips of one section.
const CALLS: usize = 10_000;
/// Calls of one section with many in flight.
const MANY: usize = 60_000;
/// Calls in flight.
const WINDOW: usize = 64;
/// Calls before anything is timed.
const WARM: usize = 2_000;

/// One number of one round.
pub(crate) struct Number {
    pub(crate) what: &'static str,
    pub(crate) value: f64,
    /// Whether a greater number is the better one.
    pub(crate) more: bool,
}

const fn less(what: &'static str, value: f64) -> Number {
    Number { what, value, more: false }
}

const fn more(what: &'static str, value: f64) -> Number {
    Number { what, value, more: true }
}

/// Runs all sections once.
pub(crate) fn round(command: &[String]) -> Result<Vec<Number>> {
    let mut numbers = start(command)?;
    numbers.extend(
        on_one_core(|| Ok([one_by_one(command)?, in_flight(command)?]))?.into_iter().flatten(),
    );
    numbers.extend(large(command)?);
    Ok(numbers)
}

/// Holds a server to the truth of its answers before any is timed.
pub(crate) fn verify(command: &[String]) -> Result<()> {
    let mut server = Server::start(command)?;
    for id in 1..=200 {
        let text = format!("{id} \u{e9}\u{1f980} \"\\\n\u{2028} {}", "y".repeat(id * 50));
        server.send(&echo(id, &text))?;
        let answer: Value = serde_json::from_slice(server.line()?)?;
        let said = &answer["result"]["content"][0]["text"];
        ensure!(answer["id"] == id && said == text.as_str(), "a wrong answer to {id}: {answer}");
    }
    Ok(())
}

fn start(command: &[String]) -> Result<Vec<Number>> {
    let mut times = Vec::new();
    for _ in 0..5 {
        let started = Instant::now();
        let server = Server::start(command)?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
        drop(server);
    }
    Ok(vec![less("start to the first answer, ms", median(&mut times))])
}

/// What is left when both ends share a core is the cost of the software: waking an idle core costs
/// more than a call.
fn on_one_core<T: Send>(measure: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    thread::scope(|scope| {
        let bound = scope.spawn(|| {
            let all = sched_getaffinity(None)?;
            let last = (0..CpuSet::MAX_CPU).rev().find(|&core| all.is_set(core)).unwrap_or(0);
            let mut one = CpuSet::new();
            one.set(last);
            sched_setaffinity(None, &one)?;
            measure()
        });
        bound.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a section panicked")))
    })
}

/// A hundred bytes, as arguments mostly are: words, quotes, digits.
fn small() -> String {
    let mut text =
        "A change adds `retry(\"fetch\", 3)` before the loop; nobody closes the connection. "
            .repeat(2);
    text.truncate(100);
    text
}

fn one_by_one(command: &[String]) -> Result<Vec<Number>> {
    let mut server = Server::start(command)?;
    let text = small();
    let calls: Vec<Vec<u8>> = (1..=CALLS + WARM).map(|id| echo(id, &text)).collect();
    let mut times = Vec::with_capacity(CALLS);
    let mut before = 0.0;
    for (at, call) in calls.iter().enumerate() {
        if at == WARM {
            before = server.cpu_us()?;
        }
        let sent = Instant::now();
        server.send(call)?;
        while server.some_lines()? == 0 {}
        if at >= WARM {
            times.push(sent.elapsed().as_secs_f64() * 1e6);
        }
    }
    let cpu = (server.cpu_us()? - before) / CALLS as f64;
    Ok(vec![
        less("one core, one by one: round trip p50, us", median(&mut times)),
        less("one core, one by one: server CPU per call, us", cpu),
    ])
}

fn in_flight(command: &[String]) -> Result<Vec<Number>> {
    let mut server = Server::start(command)?;
    let text = small();
    let calls: Vec<Vec<u8>> = (1..=MANY + WARM).map(|id| echo(id, &text)).collect();
    keep_in_flight(&mut server, &calls[..WARM])?;
    let (before, started) = (server.cpu_us()?, Instant::now());
    keep_in_flight(&mut server, &calls[WARM..])?;
    let seconds = started.elapsed().as_secs_f64();
    let cpu = (server.cpu_us()? - before) / MANY as f64;
    Ok(vec![
        more("one core, 64 in flight: calls per s", MANY as f64 / seconds),
        less("one core, 64 in flight: server CPU per call, us", cpu),
    ])
}

/// For every answer that arrives another call is sent, those of one read in one write.
fn keep_in_flight(server: &mut Server, calls: &[Vec<u8>]) -> Result<()> {
    let (mut sent, mut answered) = (WINDOW.min(calls.len()), 0);
    server.send(&calls[..sent].concat())?;
    while answered < calls.len() {
        let ended = server.some_lines()?;
        answered += ended;
        let next = (sent + ended).min(calls.len());
        server.send(&calls[sent..next].concat())?;
        sent = next;
    }
    Ok(())
}

/// Text as it stands in files: escapes and letters of several bytes.
fn large_text(bytes: usize) -> String {
    let line = "\tlet na\u{ef}ve = format!(\"{}\\n\", path.display()); // \u{2192} \u{201c}quoted\u{201d}\n";
    line.repeat(bytes.div_ceil(line.len()))
}

fn large(command: &[String]) -> Result<Vec<Number>> {
    let mut server = Server::start(command)?;
    let mut numbers = Vec::new();
    for (what, mib, times) in [("echo of 1 MiB, MB/s", 1, 15), ("echo of 15 MiB, MB/s", 14, 4)] {
        let text = large_text(mib << 20);
        let call = echo(1, &text);
        let mut rates = Vec::new();
        for _ in 0..times {
            let sent = Instant::now();
            server.send(&call)?;
            let answer = server.line()?.len();
            let seconds = sent.elapsed().max(Duration::from_nanos(1)).as_secs_f64();
            ensure!(answer > text.len(), "an answer of {} bytes to {}", answer, text.len());
            rates.push((call.len() + answer) as f64 / 1e6 / seconds);
        }
        numbers.push(more(what, median(&mut rates)));
    }
    numbers.push(less("peak memory after that, MiB", server.peak_mib()?));
    Ok(numbers)
}

/// The middle of the numbers, which are sorted for it; of none, zero.
pub(crate) fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or_default()
}
