//! Keeps past reviews in SQLite, for several processes at once.
//!
//! [`Store`] is the history that `review-tool` asks for. One file in the user's state folder holds
//! everything; its journal is a write-ahead log, so readers and a writer do not wait for each other,
//! and a process that is killed leaves either all of a step or nothing of it.

mod answers;
mod error;
mod keep;
mod review;
mod schema;
mod store;
mod watch;
mod writer;

pub use error::StoreError;
pub use keep::Keep;
pub use store::Store;
pub use watch::{Changes, Watch};
