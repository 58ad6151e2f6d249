//! stdout and stderr: what is a terminal, and writing that survives a reader who left.

use std::io::{self, IsTerminal, Write};

use crate::args::ColorChoice;

/// Columns of a report that goes to no terminal.
const PIPE_WIDTH: usize = 140;

/// Writes one line to stderr; a closed stderr is nobody's loss.
pub(crate) fn say(line: &str) {
    drop(writeln!(io::stderr().lock(), "{line}"));
}

/// Writes to stdout.
///
/// # Errors
/// Any failure but a closed pipe, which ends the output quietly.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Whether what goes to stdout may hold colours.
pub(crate) fn stdout_takes_color(choice: ColorChoice) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
            let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
            io::stdout().is_terminal() && !set("NO_COLOR") && !dumb
        }
    }
}

/// The width of a report on stdout, in columns.
pub(crate) fn stdout_width() -> usize {
    if !io::stdout().is_terminal() {
        return PIPE_WIDTH;
    }
    terminal_size::terminal_size().map_or(PIPE_WIDTH, |(width, _)| usize::from(width.0).max(40))
}
