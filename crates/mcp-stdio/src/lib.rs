//! Synchronous Model Context Protocol server and client over stdio.
