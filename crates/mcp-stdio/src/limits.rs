//! Every bound of a connection, in one place.
//!
//! A caller states the limits it wants; nothing in the crate falls back to a hidden default.

use std::time::Duration;

/// Bounds what one connection may hold, run and wait for.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The longest message accepted, in bytes. A longer one is dropped and answered with an error.
    pub max_frame: usize,
    /// How many calls run at the same time, each on a thread of its own while it takes long.
    pub max_running_calls: usize,
    /// How many more calls may wait. When as many do, reading pauses.
    pub max_waiting_calls: usize,
    /// How many bytes of waiting calls are held. When as many are, reading pauses.
    pub max_waiting_bytes: usize,
    /// How many bytes of output the client may leave unread before reading and calls pause.
    pub max_unread_output: usize,
    /// How many bad messages in a row are answered; further ones are only logged, so that two
    /// peers cannot answer each other's errors for ever.
    pub max_bad_messages: u32,
    /// How many entries one page of a list holds.
    pub page_size: usize,
    /// How many subscriptions a client may hold at once.
    pub max_subscriptions: usize,
    /// How many tasks the server keeps, running or ended.
    pub max_tasks: usize,
    /// How often one call may ask the client for input.
    pub max_input_rounds: u32,
    /// How long a call waits for the client to answer a request of the server's.
    pub input_timeout: Duration,
    /// How long accepted calls may go on after the input has ended.
    pub drain_grace: Duration,
    /// How long accepted calls may go on after [`Stop`](crate::Stop).
    pub stop_grace: Duration,
}

impl Limits {
    /// Returns the limits that the crate is tested and measured with.
    #[must_use]
    pub const fn recommended() -> Self {
        Self {
            max_frame: 16 * 1024 * 1024,
            max_running_calls: 64,
            max_waiting_calls: 1024,
            max_waiting_bytes: 64 * 1024 * 1024,
            max_unread_output: 4 * 1024 * 1024,
            max_bad_messages: 16,
            page_size: 500,
            max_subscriptions: 64,
            max_tasks: 256,
            max_input_rounds: 10,
            input_timeout: Duration::from_secs(600),
            drain_grace: Duration::from_secs(5),
            stop_grace: Duration::from_secs(1),
        }
    }
}
