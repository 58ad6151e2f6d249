//! Every bound of a session with a server, in one place.

use std::time::Duration;

/// Bounds what one session may hold, read and wait for.
#[derive(Clone, Debug)]
pub struct ClientLimits {
    /// The longest message accepted, in bytes. A longer one ends the request that it answers, or counts
    /// as noise.
    pub max_frame: usize,
    /// How many bytes may wait for the server to read them before a request is refused.
    pub max_unsent: usize,
    /// How many requests may be in flight at once.
    pub max_in_flight: usize,
    /// How many pages are read of one list.
    pub max_pages: usize,
    /// How many entries are read of one list.
    pub max_entries: usize,
    /// How many bytes are read of one list, over all its pages.
    pub max_list_bytes: usize,
    /// How many things in a row may come that are no message: banners before the first one, stray
    /// prints later. After more the server counts as broken.
    pub max_noise: u32,
    /// How many requests of the server's are worked on at once; further ones are refused.
    pub max_server_requests: usize,
    /// How many events wait for the handler; of more, the oldest are dropped.
    pub max_events: usize,
    /// How many inputs one result may ask for at once.
    pub max_inputs: usize,
    /// How often one request may ask for input before it counts as failed.
    pub max_input_rounds: u32,
    /// How long to wait before a request is repeated that asked for no input, only for patience.
    pub input_backoff: Duration,
    /// How long the opening probe waits for its answer.
    pub probe_timeout: Duration,
    /// How long the handshake waits for its answer.
    pub handshake_timeout: Duration,
    /// How long a request waits for its answer unless its caller says otherwise.
    pub request_timeout: Duration,
    /// How long a subscription waits for its acknowledgement.
    pub acknowledge_timeout: Duration,
    /// How often a server that ends by itself again and again is started again.
    pub max_restarts: u32,
    /// How long to wait before the first restart; twice as long before each further one.
    pub restart_backoff: Duration,
    /// How long a server must have served until its earlier ends are forgotten: restarts are then counted,
    /// and waited for, from the beginning.
    pub healthy_after: Duration,
}

impl ClientLimits {
    /// Returns the limits that the crate is tested and measured with.
    #[must_use]
    pub const fn recommended() -> Self {
        Self {
            max_frame: 64 * 1024 * 1024,
            max_unsent: 64 * 1024 * 1024,
            max_in_flight: 1024,
            max_pages: 1000,
            max_entries: 10_000,
            max_list_bytes: 64 * 1024 * 1024,
            max_noise: 100,
            max_server_requests: 16,
            max_events: 1024,
            max_inputs: 16,
            max_input_rounds: 10,
            input_backoff: Duration::from_millis(250),
            probe_timeout: Duration::from_secs(5),
            handshake_timeout: Duration::from_secs(30),
            request_timeout: Duration::from_secs(60),
            acknowledge_timeout: Duration::from_secs(10),
            max_restarts: 3,
            restart_backoff: Duration::from_millis(200),
            healthy_after: Duration::from_secs(300),
        }
    }
}
