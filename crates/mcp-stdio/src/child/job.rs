//! A server in a job object of its own, which Windows ends with its last handle.
//!
//! The host holds that handle, so that the job ends with the host, however it ends. There is no
//! request to end beside the end of standard input, and memory is not watched.

use std::io;
use std::os::windows::io::AsRawHandle;
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::thread;

use win32job::{ExtendedLimitInfo, Job, JobError};

use super::state::{Keeper, Shared};
use super::{ChildLimits, KILL_PATIENCE, ServerCommand, Started};
use crate::sync::lock;

struct InJob(Mutex<Option<Job>>);

impl Keeper for InJob {
    fn stop(&self, shared: &Shared, limits: &ChildLimits) {
        shared.wait_until_exited(limits.exit_grace);
        self.kill();
        if !shared.wait_until_gone(KILL_PATIENCE) {
            log::error!("a process of a server cannot be ended");
        }
    }

    fn kill(&self) {
        drop(lock(&self.0).take());
    }
}

/// Starts the server as a child of this process.
pub(super) fn start(command: &ServerCommand, _limits: &ChildLimits) -> io::Result<Started> {
    let (server_input, input) = io::pipe()?;
    let (output, server_output) = io::pipe()?;
    let (errors, server_errors) = io::pipe()?;
    let job = Job::create_with_limit_info(ExtendedLimitInfo::new().limit_kill_on_job_close());
    let job = job.map_err(into_io)?;
    let mut spawn = command.to_std();
    spawn.stdin(server_input).stdout(server_output).stderr(server_errors);
    let mut child = spawn.spawn()?;
    drop(spawn);
    if let Err(error) = job.assign_process(child.as_raw_handle() as isize) {
        drop(child.kill());
        drop(child.wait());
        return Err(into_io(error));
    }
    let id = child.id();
    let shared = Arc::new(Shared::default());
    let keeper = Arc::new(InJob(Mutex::new(Some(job))));
    let (watched, kept) = (Arc::clone(&shared), Arc::clone(&keeper));
    let watch = thread::Builder::new().name("mcp-child".to_owned());
    watch.spawn(move || watch_end(child, &kept, &watched))?;
    Ok(Started { id, input, output, errors, shared, keeper })
}

/// Waits for the end of the server and ends what it has left behind.
fn watch_end(mut child: Child, keeper: &InJob, shared: &Shared) {
    let status = child.wait();
    shared.set_exited(status.ok());
    keeper.kill();
    shared.set_gone();
}

fn into_io(error: JobError) -> io::Error {
    io::Error::other(error)
}
