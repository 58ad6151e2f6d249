//! The client half: sessions with servers that run as programs of their own.
//!
//! A [`Launch`] starts the peer and hands over a [`Link`]: two byte streams and a grip on the process.
//! It is asked again whenever a fresh process is needed: after a probe that ended the first one, for
//! another framing, and after a crash. A [`Session`] settles era, revision and framing with the server
//! and then takes requests from any number of threads, each with its own deadline, [`CancelToken`] and
//! progress callback.
//!
//! A thread of the session reads; whoever asks writes, and waits on its own. What a server asks for goes to
//! one [`Handler`], whether it comes as a request (up to 2025-11-25) or as an input that a result requires
//! (since 2026-07-28).

mod asked;
mod call;
mod cancel;
mod connection;
mod error;
mod events;
mod handler;
mod launch;
mod limits;
mod list;
mod open;
mod options;
mod outbox;
mod output;
mod pending;
mod receive;
mod session;
mod settle;
mod standing;
mod watch;

pub use cancel::CancelToken;
pub use error::ClientError;
pub use handler::{Event, Handler, NoHandler, Refusal};
pub use launch::{Ended, Launch, Link, Peer};
pub use limits::ClientLimits;
pub use open::{Learnt, Memory};
pub use options::CallOptions;
#[cfg(not(unix))]
pub(crate) use output::Blocking;
pub use output::Output;
#[cfg(unix)]
pub use output::PipeOutput;
pub use session::{Agreement, Session, SessionBuilder, Watch};
