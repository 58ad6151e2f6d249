//! A server that is a direct child of the host, in a process group of its own.
//!
//! This is what a program gets that does not call [`supervise`](super::supervise): everything is
//! ended with the session, but nothing is when the host itself is killed, and a process that leaves
//! the group is out of reach.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Child;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, test_kill_process_group, waitid};

use super::state::{Keeper, Shared};
use super::tree::{self, signal_group};
use super::{ChildLimits, KILL_PATIENCE, ServerCommand, Started};

/// How long processes that a server leaves behind may take to end after it.
const LEFT_BEHIND_GRACE: Duration = Duration::from_millis(200);

/// How often such processes are looked for.
const LEFT_BEHIND_TICK: Duration = Duration::from_millis(5);

/// How often memory is looked at.
const MEMORY_TICK: Duration = Duration::from_millis(250);

struct Plain {
    group: Pid,
    shared: Arc<Shared>,
}

impl Plain {
    fn signal(&self, signal: Signal) {
        // The group keeps its number until its leader is reaped.
        self.shared.unless_reaped(|| signal_group(self.group, signal));
    }
}

impl Keeper for Plain {
    fn stop(&self, shared: &Shared, limits: &ChildLimits) {
        if !shared.wait_until_exited(limits.exit_grace) {
            self.signal(Signal::TERM);
            if !shared.wait_until_exited(limits.term_grace) {
                self.signal(Signal::KILL);
            }
        }
        if !shared.wait_until_gone(KILL_PATIENCE) {
            log::error!("a process of a server cannot be ended");
        }
    }

    fn kill(&self) {
        self.signal(Signal::KILL);
    }
}

/// Starts the server as a child of this process.
pub(super) fn start(command: &ServerCommand, limits: &ChildLimits) -> io::Result<Started> {
    let (server_input, input) = io::pipe()?;
    let (output, server_output) = io::pipe()?;
    let (errors, server_errors) = io::pipe()?;
    let mut spawn = command.to_std();
    spawn.stdin(server_input).stdout(server_output).stderr(server_errors).process_group(0);
    let child = spawn.spawn()?;
    // The pipes' other ends must be the server's alone.
    drop(spawn);
    let id = child.id();
    let group = i32::try_from(id).ok().and_then(Pid::from_raw);
    let group = group.ok_or_else(|| io::Error::other("the system gave no process number"))?;

    let shared = Arc::new(Shared::default());
    let keeper = Arc::new(Plain { group, shared: Arc::clone(&shared) });
    if let Err(error) = watch(child, &keeper, limits) {
        keeper.kill();
        return Err(error);
    }
    Ok(Started { id, input, output, errors, shared, keeper })
}

fn watch(child: Child, keeper: &Arc<Plain>, limits: &ChildLimits) -> io::Result<()> {
    let named = |name: &str| thread::Builder::new().name(name.to_owned());
    let (group, shared) = (keeper.group, Arc::clone(&keeper.shared));
    named("mcp-child").spawn(move || watch_end(child, group, &shared))?;
    if let Some(limit) = limits.memory {
        let keeper = Arc::clone(keeper);
        named("mcp-memory").spawn(move || watch_memory(&keeper, limit))?;
    }
    Ok(())
}

/// Waits for the end of the server and ends what it has left behind in its group.
fn watch_end(mut child: Child, group: Pid, shared: &Shared) {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while matches!(waitid(WaitId::Pid(group), options), Err(rustix::io::Errno::INTR)) {}
    // Here the group still has its leader, so the signal reaches nobody else.
    shared.unless_reaped(|| signal_group(group, Signal::TERM));
    shared.set_reaped();
    shared.set_exited(child.wait().ok());
    let until = Instant::now() + LEFT_BEHIND_GRACE;
    while test_kill_process_group(group).is_ok() {
        if Instant::now() >= until {
            signal_group(group, Signal::KILL);
            break;
        }
        thread::sleep(LEFT_BEHIND_TICK);
    }
    shared.set_gone();
}

fn watch_memory(keeper: &Plain, limit: u64) {
    while !keeper.shared.wait_until_exited(MEMORY_TICK) {
        let held = tree::memory(keeper.group, true, limit).unwrap_or(0);
        if held > limit {
            keeper.shared.set_over_memory(held);
            keeper.signal(Signal::KILL);
            return;
        }
    }
}
