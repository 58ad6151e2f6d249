//! Finds the processes of a case by a marker in their environment, and by their group.

use std::fs;
use std::time::{Duration, Instant};

/// The variable that holds the marker.
pub(crate) const MARKER: &str = "MCP_CHILD_CASE";

/// The processes whose environment has the marker, as numbers and names. Zombies have none.
pub(crate) fn marked(marker: &str) -> Vec<String> {
    let wanted = format!("{MARKER}={marker}");
    let has_marker = |id: &String| {
        let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes())
    };
    processes().filter(has_marker).map(|id| described(&id)).collect()
}

/// The processes of a group, zombies included.
pub(crate) fn of_group(group: u32) -> Vec<String> {
    let is_member = |id: &String| stat(id).is_some_and(|stat| stat[2] == group.to_string());
    processes().filter(is_member).map(|id| described(&id)).collect()
}

/// The children of a process, zombies included.
pub(crate) fn children(parent: u32) -> Vec<String> {
    let parent = parent.to_string();
    let is_child = |id: &String| stat(id).is_some_and(|stat| stat[1] == parent);
    processes().filter(is_child).map(|id| described(&id)).collect()
}

/// Waits until nothing is left, and fails when it takes longer than a slow machine needs.
pub(crate) fn wait_until_empty(what: &str, list: impl Fn() -> Vec<String>) {
    let started = Instant::now();
    loop {
        let left = list();
        if left.is_empty() {
            return;
        }
        assert!(started.elapsed() < Duration::from_secs(20), "{what}: {left:?} are left");
        std::thread::yield_now();
    }
}

fn processes() -> impl Iterator<Item = String> {
    let entries = fs::read_dir("/proc").unwrap();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The fields of `/proc/PID/stat` from the state on: state, parent, group.
pub(crate) fn stat(id: &str) -> Option<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let (_, fields) = text.rsplit_once(") ")?;
    Some(fields.split(' ').map(str::to_owned).collect())
}

/// Where the time of the start stands in what [`stat`] returns.
pub(crate) const STARTED: usize = 19;

/// A process in words: its number, when it was started, its state and its command.
fn described(id: &str) -> String {
    let command = fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
    let stat = stat(id).unwrap_or_else(|| vec![String::new(); STARTED + 1]);
    format!("{id} {} {} {}", stat[STARTED], stat[0], command.replace('\0', " "))
}
