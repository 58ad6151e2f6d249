//! Model Context Protocol messages for every published revision.
