//! The parts that the test program plays in processes of its own.

use std::io::{BufRead, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use mcp_stdio::child::{Child, ChildLimits, ServerCommand};
use signal_hook::consts::SIGTERM;

use crate::traces::MARKER;

/// Longer than any test.
const LONG: Duration = Duration::from_secs(3600);

/// The command of a server with a habit, marked.
pub(crate) fn command(habit: &str, marker: &str) -> ServerCommand {
    ServerCommand::new(std::env::current_exe().unwrap())
        .args(["serve", habit])
        .env(MARKER, marker)
        .inherit(std::env::vars_os())
}

/// A program that starts a server for each habit, says so, and goes on until it is killed. The
/// marker is the last word.
pub(crate) fn host(words: &[String]) -> ExitCode {
    let (marker, habits) = words.split_last().unwrap();
    let limits = ChildLimits {
        exit_grace: Duration::from_secs(5),
        term_grace: Duration::from_secs(5),
        memory: None,
    };
    let servers: Vec<_> = habits
        .iter()
        .map(|habit| {
            let child = Child::start(&command(habit, marker), &limits).unwrap();
            let mut output = std::io::BufReader::new(child.take_output().unwrap());
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            assert_eq!(line, "ready\n");
            (child, output)
        })
        .collect();
    println!("started");
    std::thread::sleep(LONG);
    drop(servers);
    ExitCode::SUCCESS
}

/// A server with one habit; all say `ready` and then read to the end of their input.
pub(crate) fn serve(habit: &str) -> ExitCode {
    match habit {
        "echo" => {
            ready();
            std::io::copy(&mut std::io::stdin(), &mut std::io::stdout()).unwrap();
        }
        "stubborn" => {
            let flag = std::sync::Arc::default();
            signal_hook::flag::register(SIGTERM, flag).unwrap();
            ready();
            read_to_end();
            loop {
                std::thread::sleep(LONG);
            }
        }
        "crash" => {
            let mut errors = std::io::stderr().lock();
            for number in 0..100_000 {
                writeln!(errors, "complaint {number}").unwrap();
            }
            ready();
            return ExitCode::from(7);
        }
        // One in the group and one far from it, both with every stream of the server.
        "leave-behind" | "leave-behind-and-crash" => {
            myself("stubborn").spawn().unwrap();
            let mut stranger = myself("far");
            stranger.stdout(Stdio::piped()).process_group(0);
            let mut stranger = stranger.spawn().unwrap();
            let mut line = [0; 6];
            stranger.stdout.take().unwrap().read_exact(&mut line).unwrap();
            if habit == "leave-behind-and-crash" {
                return ExitCode::from(9);
            }
            read_to_end();
        }
        // Leaves its session and its parent, as a daemon does.
        "far" => {
            let _ = rustix::process::setsid();
            myself("stubborn").spawn().unwrap();
            return ExitCode::SUCCESS;
        }
        "eat" => {
            ready();
            let mut eaten = Vec::new();
            loop {
                eaten.push(vec![1_u8; 1 << 20]);
            }
        }
        "show" => {
            let mut names: Vec<_> = std::env::vars_os().map(|(name, _)| name).collect();
            names.sort();
            let mut open: Vec<_> = std::fs::read_dir("/proc/self/fd")
                .unwrap()
                .map(|entry| entry.unwrap().file_name())
                .collect();
            open.sort();
            let folder = std::env::current_dir().unwrap();
            println!("{names:?} {open:?} {}", folder.display());
        }
        other => panic!("no habit {other:?}"),
    }
    ExitCode::SUCCESS
}

fn myself(habit: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["serve", habit]);
    command
}

fn ready() {
    println!("ready");
}

fn read_to_end() {
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).unwrap();
}
