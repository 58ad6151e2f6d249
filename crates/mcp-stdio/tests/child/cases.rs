//! The cases, each for direct children and for supervised ones where both promise it.

use std::io::{BufRead, BufReader, PipeReader, Read, Write};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use mcp_stdio::child::{Child, ChildLimits, ServerCommand};

use crate::parts::command;
use crate::traces::{children, marked, of_group, wait_until_empty};

type Case = (&'static str, fn());

/// What holds for every child.
const ALL: [Case; 6] = [
    ("bytes_pass_both_ways_and_a_closed_input_ends_it", bytes_pass),
    ("a_stubborn_server_is_killed", a_stubborn_server_is_killed),
    ("a_crash_is_told_with_its_last_words", a_crash_is_told),
    ("a_server_that_eats_memory_is_ended", a_server_that_eats_memory_is_ended),
    ("a_program_that_is_not_there_is_named", a_program_that_is_not_there_is_named),
    ("a_dropped_child_is_gone", a_dropped_child_is_gone),
];

/// What holds for direct children.
pub(crate) fn direct() -> Vec<Case> {
    ALL.to_vec()
}

/// What holds for supervised ones.
pub(crate) fn supervised() -> Vec<Case> {
    let more: [Case; 6] = [
        ("direct_children_do_as_well", direct_children_do_as_well),
        ("what_a_server_leaves_behind_goes_with_it", what_is_left_behind_goes),
        ("what_a_crashed_server_leaves_behind_goes_too", what_a_crash_leaves_behind_goes),
        ("nothing_is_inherited_but_three_streams", nothing_is_inherited),
        ("servers_go_when_their_host_is_killed", servers_go_with_their_host),
        ("a_server_goes_when_its_supervisor_is_killed", a_server_goes_with_its_supervisor),
    ];
    [ALL.as_slice(), &more].concat()
}

fn direct_children_do_as_well() {
    let output = Command::new(std::env::current_exe().unwrap()).arg("direct").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("6 passed"), "{text}");
}

fn limits() -> ChildLimits {
    ChildLimits {
        exit_grace: Duration::from_secs(10),
        term_grace: Duration::from_secs(10),
        memory: None,
    }
}

/// Limits for those who use up every grace.
fn short() -> ChildLimits {
    let grace = Duration::from_millis(20);
    ChildLimits { exit_grace: grace, term_grace: grace, memory: None }
}

fn marker(case: &str) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("{case}-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

fn start(habit: &str, marker: &str, limits: &ChildLimits) -> (Child, BufReader<PipeReader>) {
    let child = Child::start(&command(habit, marker), limits).unwrap();
    let output = BufReader::new(child.take_output().unwrap());
    (child, output)
}

fn line(output: &mut impl BufRead) -> String {
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    line
}

/// Nothing may be left of a child that was stopped: not after a while, but now.
fn assert_gone(child: &Child, marker: &str) {
    assert_eq!(marked(marker), [""; 0]);
    assert_eq!(of_group(child.id()), [""; 0]);
}

fn bytes_pass() {
    let marker = marker("pass");
    let (child, mut output) = start("echo", &marker, &limits());
    assert_eq!(line(&mut output), "ready\n");
    assert_eq!(marked(&marker).len(), 1);
    assert_eq!(of_group(child.id()).len(), 1, "the server leads a group of its own");
    let mut input = child.take_input().unwrap();
    input.write_all(b"there\nand back\n").unwrap();
    assert_eq!(line(&mut output), "there\n");
    drop(input);
    child.stop();
    let end = child.end().unwrap();
    assert!(end.status.unwrap().success(), "{end}");
    assert_gone(&child, &marker);
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "and back\n");
}

fn a_stubborn_server_is_killed() {
    let marker = marker("stubborn");
    let (child, mut output) = start("stubborn", &marker, &short());
    assert_eq!(line(&mut output), "ready\n");
    child.stop();
    assert_eq!(child.end().unwrap().to_string(), "ended (signal: 9 (SIGKILL))");
    assert_gone(&child, &marker);
}

fn a_crash_is_told() {
    let marker = marker("crash");
    let (child, mut output) = start("crash", &marker, &limits());
    // A flood of complaints stops nobody.
    assert_eq!(line(&mut output), "ready\n");
    let end = child.wait();
    assert_eq!(end.to_string(), "ended (exit status: 7)");
    let last = child.last_lines();
    assert_eq!(last.last().map(String::as_str), Some("complaint 99999"));
    assert!(last.len() <= 20);
    child.stop();
    assert_gone(&child, &marker);
}

fn what_is_left_behind_goes() {
    let marker = marker("behind");
    let (child, mut output) = start("leave-behind", &marker, &limits());
    assert_eq!(line(&mut output), "ready\n");
    assert!(marked(&marker).len() >= 2);
    child.stop();
    assert!(child.end().unwrap().status.unwrap().success());
    assert_gone(&child, &marker);
    // The output ends although those who were left behind held it.
    output.read_to_end(&mut Vec::new()).unwrap();
}

fn what_a_crash_leaves_behind_goes() {
    let marker = marker("orphans");
    let (child, mut output) = start("leave-behind-and-crash", &marker, &limits());
    output.read_to_end(&mut Vec::new()).unwrap();
    assert_eq!(child.wait().to_string(), "ended (exit status: 9)");
    child.stop();
    assert_gone(&child, &marker);
}

fn a_server_that_eats_memory_is_ended() {
    let marker = marker("eat");
    let limit = 64 << 20;
    let (child, mut output) =
        start("eat", &marker, &ChildLimits { memory: Some(limit), ..limits() });
    output.read_to_end(&mut Vec::new()).unwrap();
    let end = child.wait();
    assert!(end.over_memory.is_some_and(|held| held > limit), "{end:?}");
    assert!(end.to_string().contains("of memory, over its limit"), "{end}");
    child.stop();
    assert_gone(&child, &marker);
}

fn nothing_is_inherited() {
    let marker = marker("show");
    // The host itself has a stray descriptor that is not marked as private.
    let stray = std::fs::File::open("/dev/null").unwrap();
    rustix::io::fcntl_setfd(&stray, rustix::io::FdFlags::empty()).unwrap();
    let command = ServerCommand::new(std::env::current_exe().unwrap())
        .args(["serve", "show"])
        .env(crate::traces::MARKER, &marker)
        .folder("/");
    let child = Child::start(&command, &limits()).unwrap();
    let mut output = BufReader::new(child.take_output().unwrap());
    // The fourth descriptor is that of the folder which is being listed.
    assert_eq!(line(&mut output), "[\"MCP_CHILD_CASE\"] [\"0\", \"1\", \"2\", \"3\"] /\n");
    child.stop();
    assert_gone(&child, &marker);
}

fn a_program_that_is_not_there_is_named() {
    let error = Child::start(&ServerCommand::new("no-such-program"), &limits()).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
    assert!(error.to_string().starts_with("start \"no-such-program\" (the program"), "{error}");
    let folder = ServerCommand::new("/bin/true").folder("/no/such/folder");
    let error = Child::start(&folder, &limits()).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
    let error = Child::start(&ServerCommand::new("/etc/passwd"), &limits()).unwrap_err();
    assert!(error.to_string().contains("executable"), "{error}");
}

fn a_dropped_child_is_gone() {
    let marker = marker("drop");
    let (child, mut output) = start("stubborn", &marker, &short());
    assert_eq!(line(&mut output), "ready\n");
    drop(child);
    assert_eq!(marked(&marker), [""; 0]);
}

/// Starts a host in a process of its own and returns it once its servers run.
fn host(habits: &[&str], marker: &str) -> std::process::Child {
    let mut host = Command::new(std::env::current_exe().unwrap())
        .arg("host")
        .args(habits)
        .arg(marker)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(host.stdout.take().unwrap());
    assert_eq!(line(&mut output), "started\n");
    host
}

fn servers_go_with_their_host() {
    let marker = marker("host");
    let mut host = host(&["echo", "stubborn", "leave-behind"], &marker);
    assert!(marked(&marker).len() >= 4);
    host.kill().unwrap();
    host.wait().unwrap();
    wait_until_empty("a killed host", || marked(&marker));
}

fn a_server_goes_with_its_supervisor() {
    let marker = marker("supervisor");
    let (child, mut output) = start("echo", &marker, &limits());
    assert_eq!(line(&mut output), "ready\n");
    // The supervisor is the parent of the server.
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    let parent = stat.rsplit_once(") ").unwrap().1.split(' ').nth(1).unwrap().to_owned();
    assert!(Command::new("kill").args(["-KILL", &parent]).status().unwrap().success());
    assert_eq!(child.wait().to_string(), "ended, its exit status is lost");
    child.stop();
    wait_until_empty("a killed supervisor", || marked(&marker));
    wait_until_empty("a killed supervisor", || {
        children(std::process::id())
            .into_iter()
            .filter(|child| child.starts_with(&parent))
            .collect()
    });
}
