//! What a thread does: read, carry through what it read, run what waits.
//!
//! The thread that holds the input reads. To run a call or to write, it lets go of the input first
//! and takes it back afterwards; if another thread has it by then, this one looks for other work.
//! A call that is known to take long has the reading handed on before it starts, any other only
//! when the monitor finds that nobody reads. Either way a message is never handed from thread to
//! thread, except a call that has to wait for its turn.

use std::io;
use std::sync::{Arc, MutexGuard};
use std::thread;
use std::time::Instant;

use super::connection::{Connection, Input};
use super::dispatch::Next;
use super::monitor::End;
use super::pool::{Job, Task};
use super::run::Run;
use crate::frame::FrameEvent;
use crate::sync::try_lock;

/// From this many unsent bytes on, answers do not wait for more to share a write.
const ENOUGH_TO_WRITE: usize = 32 * 1024;

/// The buffers of one thread.
#[derive(Default)]
pub(super) struct Scratch {
    /// The message at hand.
    pub(super) message: Vec<u8>,
    /// The answer being written.
    pub(super) body: Vec<u8>,
}

/// Starts a thread that serves `connection` until its end.
pub(super) fn start(connection: &Arc<Connection>, number: usize) -> io::Result<()> {
    let connection = Arc::clone(connection);
    let name = format!("mcp-worker-{number}");
    thread::Builder::new().name(name).spawn(move || work(&connection)).map(|_handle| ())
}

fn work(connection: &Arc<Connection>) {
    let mut scratch = Scratch::default();
    loop {
        connection.read(&mut scratch);
        match connection.pool.next() {
            Task::Read => {}
            Task::Run(job) => connection.run_waiting(&job, &mut scratch),
            Task::Leave => return,
        }
    }
}

impl Connection {
    /// Takes the reading if nobody has it.
    fn take_input(&self) -> Option<MutexGuard<'_, Input>> {
        let input = try_lock(&self.input)?;
        if input.ended {
            return None;
        }
        self.monitor.taken();
        Some(input)
    }

    /// Lets go of the reading for as long as `work` takes; `None` when another thread has it then.
    fn without_input<'a>(
        &'a self,
        input: MutexGuard<'a, Input>,
        work: impl FnOnce(),
    ) -> Option<MutexGuard<'a, Input>> {
        drop(input);
        self.monitor.released(self.outbox.unread());
        work();
        self.take_input()
    }

    /// Reads and serves messages until another thread reads or everything is over.
    fn read(self: &Arc<Self>, scratch: &mut Scratch) {
        let mut taken = self.take_input();
        while let Some(mut input) = taken {
            if self.outbox.unread() > self.limits.max_unread_output {
                taken = self.without_input(input, || self.flush());
                if taken.is_some() {
                    self.outbox.wait_for_room(self.limits.max_unread_output);
                }
                continue;
            }
            if self.monitor.has_ended() {
                drop(input);
                self.flush();
                return;
            }
            self.outbox.spares.lend(&mut scratch.message);
            if let Some(event) = input.reader.pull(&mut scratch.message) {
                self.settle(&mut input);
                taken = self.serve(event, input, scratch);
                continue;
            }
            self.give_back(scratch);
            if self.outbox.has_unsent() {
                taken = self.without_input(input, || self.flush());
            } else if self.fill(&mut input) {
                taken = Some(input);
            } else {
                return;
            }
        }
    }

    /// Keeps no large buffer while nothing is to be done.
    fn give_back(&self, scratch: &mut Scratch) {
        self.outbox.spares.take_back(&mut scratch.message);
        self.outbox.spares.take_back(&mut scratch.body);
    }

    /// Serves what one read brings, on the calling thread, which waits for it.
    ///
    /// A request that needs a handler is left to the threads that are started for it.
    pub(super) fn read_first(self: &Arc<Self>) {
        let Some(mut input) = self.take_input() else { return };
        let mut scratch = Scratch::default();
        if self.fill(&mut input) {
            while let Some(event) = input.reader.pull(&mut scratch.message) {
                self.settle(&mut input);
                let Scratch { message, body } = &mut scratch;
                if let Next::Run(run) = self.receive(event, message, body) {
                    self.staff(self.pool.enqueue(run.to_job()));
                }
            }
        }
        self.flush();
    }

    /// Answers in the framing that the client uses.
    fn settle(&self, input: &mut Input) {
        let framing = input.reader.framing();
        if framing != input.framing {
            input.framing = framing;
            self.outbox.settle(framing);
        }
    }

    /// Waits for bytes; `false` when there will be none.
    fn fill(&self, input: &mut Input) -> bool {
        match input.reader.fill() {
            Ok(true) => return true,
            Ok(false) => {}
            Err(error) => log::warn!("read from the client: {error}"),
        }
        input.ended = true;
        self.monitor.end(End::Input);
        false
    }

    /// Serves one message; returns the input unless another thread has it by then.
    fn serve<'a>(
        self: &'a Arc<Self>,
        event: FrameEvent,
        input: MutexGuard<'a, Input>,
        scratch: &mut Scratch,
    ) -> Option<MutexGuard<'a, Input>> {
        let Scratch { message, body } = scratch;
        let run = match self.receive(event, message, body) {
            Next::Served if self.outbox.unread() < ENOUGH_TO_WRITE => return Some(input),
            Next::Served => return self.without_input(input, || self.flush()),
            Next::Run(run) => run,
        };
        if !self.pool.try_start() {
            return self.queue(&run, input);
        }
        let pace = self.pace(&run.work);
        let bytes = message.len();
        drop(input);
        self.monitor.released(bytes);
        if !pace.is_brief() {
            self.flush();
        }
        if pace.is_long() {
            self.staff(self.pool.offer_reading());
        }
        let started = Instant::now();
        let answer = self.run(&run.call, &run.work);
        pace.note(started.elapsed(), bytes);
        let call = run.call;
        // The message is not needed any more, and may be larger than the answer.
        self.outbox.spares.take_back(&mut scratch.message);
        self.outbox.spares.lend(&mut scratch.body);
        self.respond(&call, answer, &mut scratch.body);
        self.staff(self.pool.finish());
        let input = self.take_input();
        if input.is_none() {
            self.flush();
        }
        input
    }

    /// Puts a call in the queue, which may have to wait until others are done.
    fn queue<'a>(
        self: &'a Arc<Self>,
        run: &Run<'_>,
        input: MutexGuard<'a, Input>,
    ) -> Option<MutexGuard<'a, Input>> {
        // Answers must not wait with this thread.
        let input = self.without_input(input, || self.flush());
        self.staff(self.pool.enqueue(run.to_job()));
        input
    }

    fn run_waiting(self: &Arc<Self>, job: &Job, scratch: &mut Scratch) {
        // A call that was cancelled while it waited is not started.
        if !job.call.is_cancelled() {
            let answer = self.run_job(job);
            self.respond(&job.call, answer, &mut scratch.body);
            self.flush();
            self.give_back(scratch);
        }
        self.staff(self.pool.finish());
    }
}
