//! The `foreread` program.

fn main() {}
