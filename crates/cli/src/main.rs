//! The `foreread` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    foreread::main()
}
