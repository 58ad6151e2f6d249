//! Synchronous Model Context Protocol server and client over stdio.

mod frame;

pub use frame::{
    FrameDecoder, FrameEvent, FrameReader, FrameWriter, Framing, HeaderFault, UnknownFraming,
};
