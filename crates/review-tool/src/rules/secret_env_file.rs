//! Environment files with the values of credentials in them.

use super::Hit;
use super::added_text::stood_before;
use crate::secret::is_example_password;
use crate::view::FileView;

/// Whether the file holds the environment of a real installation, by its name.
pub(super) fn is_env_file(view: &FileView) -> bool {
    const TEMPLATES: &[&str] = &[
        "example",
        "sample",
        "template",
        "tmpl",
        "tpl",
        "dist",
        "defaults",
        "default",
        "schema",
        "test",
        "testing",
        "ci",
        "vault",
        "enc",
        "encrypted",
        "spec",
        "md",
        "j2",
        "ts",
        "js",
        "py",
        "rs",
        "go",
    ];
    let name = view.file_name().to_ascii_lowercase();
    let env = name.starts_with(".env") && name[4..].starts_with(['.', '-', '_'])
        || name == ".env"
        || name.ends_with(".env");
    env && !name.split(['.', '-', '_']).any(|part| TEMPLATES.contains(&part))
}

/// The check of `secret-env-file`: one hit, at the first added credential.
pub(super) fn check(view: &FileView) -> Vec<Hit> {
    if !is_env_file(view) || view.is_test() {
        return Vec::new();
    }
    let first = view.new_side().changed_lines().find_map(|(number, line)| {
        let (name, value) = credential(line)?;
        let message = format!("{} names {name} and gives its value.", view.file_name());
        (!stood_before(view, value)).then(|| Hit::added(number).message(message))
    });
    first.into_iter().collect()
}

/// The name and value of a line that sets a credential.
fn credential(line: &str) -> Option<(&str, &str)> {
    const PARTS: &[&str] = &[
        "SECRET",
        "TOKEN",
        "PASSWORD",
        "PASSWD",
        "PWD",
        "PASS",
        "PASSPHRASE",
        "KEY",
        "APIKEY",
        "CREDENTIAL",
        "CREDENTIALS",
        "DSN",
        "AUTH",
        "SALT",
        "CREDS",
    ];
    const OTHERS: &[&str] = &[
        "PUBLIC",
        "ID",
        "URL",
        "URI",
        "PATH",
        "FILE",
        "NAME",
        "EXPIRY",
        "EXPIRES",
        "TTL",
        "ENABLED",
        "TYPE",
        "HOST",
        "PORT",
        "REGION",
        "LENGTH",
        "PUBLISHABLE",
        "ISSUER",
        "ALGORITHM",
        "PREFIX",
        "TIMEOUT",
    ];
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let (name, value) = (name.trim(), value.trim());
    let value = value.split(" #").next().unwrap_or(value).trim().trim_matches(['"', '\'']);
    let upper = name.to_ascii_uppercase();
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let named = upper.split('_').any(|part| PARTS.contains(&part))
        && !upper.split('_').any(|part| OTHERS.contains(&part));
    let login = !crate::secret::find(line).is_empty();
    let dull = value.len() < 6
        || matches!(value.to_ascii_lowercase().as_str(), "true" | "false" | "null" | "none")
        || value.bytes().all(|byte| byte.is_ascii_digit())
        || value.starts_with(['/', '.', '$'])
        || is_example_password(value);
    (is_name && (login || named && !dull && !value.contains("://"))).then_some((name, value))
}
