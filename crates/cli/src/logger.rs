//! The log, on stderr.

use std::io::Write;

use review_tool::printable;

/// Sends the log to stderr: warnings and worse, or what `FOREREAD_LOG` asks for.
///
/// What a peer wrote can stand in a message, so messages are made printable.
pub(crate) fn install() {
    install_from("warn");
}

/// Sends only errors to stderr, or what `FOREREAD_LOG` asks for: for commands whose user wants an answer,
/// not to hear of every oddity of a server that was got over.
pub(crate) fn install_quiet() {
    install_from("error");
}

fn install_from(level: &str) {
    let env = env_logger::Env::new().filter_or("FOREREAD_LOG", level);
    let result = env_logger::Builder::from_env(env)
        .format(|out, record| {
            let message = record.args().to_string();
            writeln!(out, "foreread: {}: {}", record.level(), printable(&message))
        })
        .try_init();
    // A second installation changes nothing, and there is nobody to tell.
    drop(result);
}
