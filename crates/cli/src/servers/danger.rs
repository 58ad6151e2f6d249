//! What in a command deserves a second look before it is trusted.

use std::path::Path;

use super::Entry;

/// Programs that run code which stands in their arguments.
const SHELLS: &[&str] = &["bash", "cmd", "dash", "fish", "powershell", "pwsh", "sh", "zsh"];

/// Options of interpreters that are followed by code.
const CODE_OPTIONS: &[&str] = &["--command", "--eval", "-c", "-e", "/c", "-Command"];

/// Programs that give more rights, or hide what really runs.
const ROOT: &[&str] = &["doas", "pkexec", "runas", "su", "sudo"];

/// Variables that put code of others into a program.
const CODE_VARIABLES: &[&str] = &[
    "BASH_ENV",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_LIBRARY_PATH",
    "LD_AUDIT",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PATH",
    "PERL5LIB",
    "PERL5OPT",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "RUBYLIB",
    "RUBYOPT",
];

/// Says what is unusual about a server's command, in sentences.
pub(crate) fn warnings(entry: &Entry) -> Vec<String> {
    let mut warnings = Vec::new();
    let name = |word: &str| {
        let file = Path::new(word).file_name().unwrap_or_default().to_string_lossy().into_owned();
        file.trim_end_matches(".exe").to_owned()
    };
    let words: Vec<String> =
        [&entry.command].into_iter().chain(&entry.args).map(|it| name(it)).collect();
    if let Some(word) = words.iter().find(|word| ROOT.contains(&word.as_str())) {
        warnings.push(format!("{word} gives it more rights than you have"));
    }
    let code = entry.args.iter().any(|argument| CODE_OPTIONS.contains(&argument.as_str()));
    if code || words.iter().any(|word| SHELLS.contains(&word.as_str())) {
        warnings.push("it runs code that stands in its arguments; read them".to_owned());
    }
    for name in entry.env.keys() {
        if CODE_VARIABLES.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            warnings.push(format!("the variable {name} can make it run other code"));
        }
    }
    warnings
}
