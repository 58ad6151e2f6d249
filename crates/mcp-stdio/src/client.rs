//! The client half: sessions with servers that run as programs of their own.
//!
//! A [`Launch`] starts the peer and hands over a [`Link`]: two byte streams and a grip on the process.
//! It is asked again whenever a fresh process is needed: after a probe that ended the first one, for
//! another framing, and after a crash.

mod error;
mod launch;
mod limits;
mod output;

pub use error::ClientError;
pub use launch::{Ended, Launch, Link, Peer};
pub use limits::ClientLimits;
#[cfg(not(unix))]
pub(crate) use output::Blocking;
pub use output::Output;
#[cfg(unix)]
pub use output::PipeOutput;
