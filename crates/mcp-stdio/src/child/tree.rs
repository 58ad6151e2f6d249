//! Which processes there are below another one, how much memory they hold, and signals to them.
//!
//! Linux tells it in `/proc`. Elsewhere only a process group can be looked at, through `ps`.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// Signals a group; one that has ended already needs none.
pub(super) fn signal_group(group: Pid, signal: Signal) {
    let _ = kill_process_group(group, signal);
}

/// Signals a process; one that has ended already needs none.
pub(super) fn signal_process(process: Pid, signal: Signal) {
    let _ = kill_process(process, signal);
}

/// How many bytes `root`'s group or tree holds in memory; `None` where it cannot be told.
///
/// On Linux that is the tree below `root`, without `root` itself unless `with_root` says so, whatever
/// groups its processes are in. What processes share counts once where the kernel tells it.
#[cfg(target_os = "linux")]
pub(super) fn memory(root: Pid, with_root: bool, limit: u64) -> Option<u64> {
    let all = linux::processes();
    let mut tree = linux::below(root, &all);
    if with_root {
        tree.extend(all.iter().find(|process| process.pid == root));
    }
    let page = u64::try_from(rustix::param::page_size()).ok()?;
    let resident: u64 = tree.iter().map(|process| process.resident_pages * page).sum();
    if resident <= limit {
        return Some(resident);
    }
    // Shared pages count for each process that has them; the exact figure is dear, so it is asked
    // for only where it matters.
    Some(tree.iter().map(|it| linux::own_share(it.pid).unwrap_or(it.resident_pages * page)).sum())
}

/// How many bytes the group of `root` holds in memory; `None` where it cannot be told.
#[cfg(not(target_os = "linux"))]
pub(super) fn memory(root: Pid, _with_root: bool, _limit: u64) -> Option<u64> {
    ps::group_memory(root)
}

/// The children of `parent`, zombies included; none where that cannot be told.
#[cfg(target_os = "linux")]
pub(super) fn children(parent: Pid) -> Vec<Pid> {
    let all = linux::processes();
    all.iter().filter(|process| process.parent == Some(parent)).map(|it| it.pid).collect()
}

/// The children of `parent`, zombies included; none where that cannot be told.
#[cfg(not(target_os = "linux"))]
pub(super) fn children(_parent: Pid) -> Vec<Pid> {
    Vec::new()
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;

    use rustix::process::Pid;

    /// One line of `/proc/PID/stat`.
    #[derive(Debug, PartialEq, Eq)]
    pub(super) struct Process {
        pub(super) pid: Pid,
        pub(super) parent: Option<Pid>,
        pub(super) resident_pages: u64,
    }

    /// Every process that can be seen. One that ends meanwhile may be missing.
    pub(super) fn processes() -> Vec<Process> {
        let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let numbers = names.filter(|name| name.starts_with(|first: char| first.is_ascii_digit()));
        let stats = numbers.filter_map(|name| fs::read(format!("/proc/{name}/stat")).ok());
        stats.filter_map(|stat| parse(&stat)).collect()
    }

    /// Reads a line of `/proc/PID/stat`. The name of the program in it may hold anything.
    fn parse(stat: &[u8]) -> Option<Process> {
        let name_end = stat.iter().rposition(|byte| *byte == b')')?;
        let head = std::str::from_utf8(stat.get(..stat.iter().position(|byte| *byte == b' ')?)?);
        let fields = std::str::from_utf8(stat.get(name_end + 1..)?).ok()?;
        // Behind the name: state, parent, and at the 22nd place the resident pages.
        let mut fields = fields.split_ascii_whitespace();
        let parent = fields.nth(1)?.parse().ok()?;
        Some(Process {
            pid: Pid::from_raw(head.ok()?.parse().ok()?)?,
            parent: Pid::from_raw(parent),
            resident_pages: fields.nth(19)?.parse().unwrap_or(0),
        })
    }

    /// The processes below `root`, without itself.
    pub(super) fn below(root: Pid, all: &[Process]) -> Vec<&Process> {
        let mut found: Vec<&Process> = Vec::new();
        let mut parents = vec![root];
        while let Some(parent) = parents.pop() {
            // The list is no picture of one moment: a number that was used twice must not lead round.
            if found.len() > all.len() {
                break;
            }
            let children = all.iter().filter(|process| process.parent == Some(parent));
            for child in children {
                parents.push(child.pid);
                found.push(child);
            }
        }
        found
    }

    /// The bytes of a process, those that it shares divided by those who share them.
    pub(super) fn own_share(pid: Pid) -> Option<u64> {
        let path = format!("/proc/{}/smaps_rollup", pid.as_raw_nonzero());
        let text = fs::read_to_string(path).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
        let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kib * 1024)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_program_may_have_any_name() {
            let stat = b"42 (a) b) R 7 42 42 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 1000 33 18446744073709551615";
            let process = parse(stat).unwrap();
            assert_eq!(process.pid, Pid::from_raw(42).unwrap());
            assert_eq!(process.parent, Pid::from_raw(7));
            assert_eq!(process.resident_pages, 33);
            // Cut short it is another process' line, or none.
            for cut in 0..stat.len() {
                assert!(
                    parse(&stat[..cut])
                        .is_none_or(|process| process.pid == Pid::from_raw(42).unwrap())
                );
            }
        }

        #[test]
        fn a_tree_has_every_generation() {
            let process = |pid, parent| Process {
                pid: Pid::from_raw(pid).unwrap(),
                parent: Pid::from_raw(parent),
                resident_pages: 1,
            };
            let all = [process(1, 0), process(4, 3), process(2, 1), process(3, 2), process(9, 1)];
            let tree = below(all[2].pid, &all);
            assert_eq!(tree, [&all[3], &all[1]]);
        }

        #[test]
        fn this_process_is_seen_and_has_memory() {
            let own = rustix::process::getpid();
            let processes = processes();
            let this = processes.iter().find(|process| process.pid == own).unwrap();
            assert!(this.resident_pages > 0);
            assert_eq!(this.parent, rustix::process::getppid());
            assert!(own_share(own).unwrap() > 0);
        }
    }
}

#[cfg(any(test, not(target_os = "linux")))]
mod ps {
    use std::process::{Command, Stdio};

    use rustix::process::Pid;

    /// Asks `ps` what the processes of a group hold.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn group_memory(group: Pid) -> Option<u64> {
        run().and_then(|table| sum(&table, group))
    }

    fn run() -> Option<String> {
        let mut ps = Command::new("ps");
        ps.args(["-A", "-o", "pgid=,rss="]).stdin(Stdio::null()).stderr(Stdio::null());
        let output = ps.output().ok()?;
        String::from_utf8(output.stdout).ok()
    }

    /// Adds up the KiB of the lines of one group.
    fn sum(table: &str, group: Pid) -> Option<u64> {
        let group = group.as_raw_nonzero().get().to_string();
        let mut total = None;
        for line in table.lines() {
            let mut words = line.split_ascii_whitespace();
            if words.next() == Some(group.as_str()) {
                let kib: u64 = words.next()?.parse().ok()?;
                total = Some(total.unwrap_or(0) + kib * 1024);
            }
        }
        total
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_lines_of_one_group_are_added_up() {
            let table = "    1  100\n   42   10\n  421 7\n   42    5\n";
            assert_eq!(sum(table, Pid::from_raw(42).unwrap()), Some(15 * 1024));
            assert_eq!(sum(table, Pid::from_raw(2).unwrap()), None);
        }

        #[test]
        fn ps_tells_it_here_where_it_is_installed() {
            let Some(table) = run() else { return };
            let group = rustix::process::getpgrp();
            assert!(sum(&table, group).is_some_and(|bytes| bytes > 0), "{table}");
        }
    }
}
