//! Manifests whose lock file still holds another version.

use super::{About, Question, Text};
use crate::rules::Hit;
use crate::rules::manifest::{Dependency, Format, changed, format, is_foreign, version};
use crate::view::FileView;

/// The version that a manifest asks for now.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    name: String,
    spec: String,
    format: Format,
    /// The lock files that may hold it, nearest first.
    locks: Vec<String>,
}

/// Whether a path is that of a lock file.
pub(super) fn is_lock(path: &str) -> bool {
    let name = crate::language::file_name(path);
    [
        "Cargo.lock",
        "package-lock.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "poetry.lock",
        "uv.lock",
        "composer.lock",
        "Gemfile.lock",
    ]
    .contains(&name)
}

const fn lock_names(format: Format) -> &'static [&'static str] {
    match format {
        Format::Cargo => &["Cargo.lock"],
        Format::Npm => &["package-lock.json", "yarn.lock"],
        Format::Python => &["poetry.lock", "uv.lock"],
        Format::Composer => &["composer.lock"],
        _ => &[],
    }
}

/// The rule `lock-file-left-behind`.
pub(super) fn ask(view: &FileView) -> Vec<Question> {
    let Some(format) = format(view).filter(|format| !lock_names(*format).is_empty()) else {
        return Vec::new();
    };
    let locks = locks(view.path(), format);
    let asked = changed(view).into_iter().filter(|(now, before)| {
        before.is_some()
            && version(&now.spec).is_some()
            && !is_elsewhere(now)
            && view.old_path().is_some()
    });
    asked
        .take(20)
        .map(|(now, _)| Question {
            hit: Hit::added(now.line),
            // Every lock file holds this word.
            words: vec!["version".to_owned()],
            places: locks.iter().map(|lock| format!(":(top,literal){lock}")).collect(),
            about: About::Locked(Wanted {
                name: now.name,
                spec: now.spec,
                format,
                locks: locks.clone(),
            }),
        })
        .collect()
}

fn is_elsewhere(dependency: &Dependency) -> bool {
    let spec = &dependency.spec;
    is_foreign(spec)
        || ["path", "workspace", "file:", "link:", "npm:"].iter().any(|word| spec.contains(word))
}

/// The lock files beside a manifest and above it.
fn locks(path: &str, format: Format) -> Vec<String> {
    let mut folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut out = Vec::new();
    loop {
        for name in lock_names(format) {
            out.push(if folder.is_empty() {
                (*name).to_owned()
            } else {
                format!("{folder}/{name}")
            });
        }
        if folder.is_empty() {
            return out;
        }
        folder = folder.rsplit_once('/').map_or("", |(outer, _)| outer);
    }
}

impl Wanted {
    /// The message, where the nearest lock file holds the dependency in other versions alone.
    pub(super) fn answer(&self, files: &[Text]) -> Option<String> {
        let lock =
            self.locks.iter().find_map(|path| files.iter().find(|file| file.path == *path))?;
        let held = versions(&lock.path, &lock.content, &self.name);
        let wanted = version(&self.spec)?;
        if held.is_empty() || held.iter().any(|held| fits(held, &wanted, &self.spec, self.format)) {
            return None;
        }
        let text =
            |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(".");
        Some(format!(
            "The manifest asks for {} {}, but {} still has {}.",
            self.name,
            text(&wanted),
            lock.path,
            text(held.first()?)
        ))
    }
}

/// The versions that a lock file holds of a package.
fn versions(path: &str, text: &str, name: &str) -> Vec<Vec<u64>> {
    let mut out = Vec::new();
    let file = crate::language::file_name(path);
    let mut within = false;
    for line in text.lines() {
        let code = line.trim();
        match file {
            "package-lock.json" => {
                if code.ends_with('{') {
                    let key = code.trim_end_matches(['{', ' ', ':']).trim_matches('"');
                    within = key == format!("node_modules/{name}") || key == name;
                }
            }
            "yarn.lock" => {
                if !line.starts_with([' ', '\t']) && code.ends_with(':') {
                    let heads = code
                        .trim_end_matches(':')
                        .split(',')
                        .map(|head| head.trim().trim_matches('"'));
                    within = heads.into_iter().any(|head| {
                        head.strip_prefix(name).is_some_and(|rest| rest.starts_with('@'))
                    });
                }
            }
            _ => {
                if let Some(value) =
                    code.strip_prefix("name = ").or_else(|| code.strip_prefix("\"name\": "))
                {
                    within = value.trim_matches(['"', ',', ' ']).eq_ignore_ascii_case(name);
                }
            }
        }
        let value = ["version = ", "\"version\": ", "version "]
            .iter()
            .find_map(|key| code.strip_prefix(key));
        if let Some(value) = value.filter(|_| within) {
            out.extend(version(value.trim_matches(['"', ',', ' ', 'v'])));
            within = false;
        }
    }
    out
}

/// Whether a held version is one that the manifest asks for. What the form leaves open counts as fitting.
fn fits(held: &[u64], wanted: &[u64], spec: &str, format: Format) -> bool {
    let spec = spec.trim_matches(['"', '\'', ' ', ',']);
    let number = |numbers: &[u64], at: usize| numbers.get(at).copied().unwrap_or(0);
    let same = |upto: usize| (0..upto).all(|at| number(held, at) == number(wanted, at));
    let at_least = (0..4).map(|at| number(held, at)).ge((0..4).map(|at| number(wanted, at)));
    let plain = spec.starts_with(|c: char| c.is_ascii_digit());
    let caret = spec.starts_with('^')
        || format == Format::Cargo
            && (plain || spec.contains("version = \"") && !spec.contains("version = \"="));
    if spec.contains(['<', '*', 'x', '|', ' ']) && !caret || spec.contains(">=") {
        return at_least || spec.contains(['<', '|', '*']);
    }
    if spec.contains('|') {
        return true;
    }
    if caret {
        let leading = (0..3).find(|at| number(wanted, *at) != 0).unwrap_or(2);
        return at_least && same(leading + 1);
    }
    if spec.starts_with('~') {
        return at_least && same(wanted.len().saturating_sub(1).max(1));
    }
    if plain || spec.starts_with('=') {
        return same(wanted.len());
    }
    at_least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_fits_as_its_manager_reads_it() {
        for (held, spec, format, want) in [
            ("0.8.5", "\"0.9.1\"", Format::Cargo, false),
            ("0.9.4", "\"0.9.1\"", Format::Cargo, true),
            ("1.9.0", "{ version = \"1.2\", features = [] }", Format::Cargo, true),
            ("4.17.20", "^4.17.21", Format::Npm, false),
            ("4.18.0", "^4.17.21", Format::Npm, true),
            ("4.17.21", "4.17.20", Format::Npm, false),
            ("2.0.0", ">=1.2", Format::Python, true),
            ("5.0.0", "^4 || ^5", Format::Npm, true),
        ] {
            let wanted = version(spec).unwrap();
            assert_eq!(fits(&version(held).unwrap(), &wanted, spec, format), want, "{held} {spec}");
        }
    }

    #[test]
    fn lock_files_of_each_kind_give_their_versions() {
        for (path, text) in [
            (
                "Cargo.lock",
                "[[package]]\nname = \"b\"\nversion = \"9.0.0\"\n\n[[package]]\nname = \"a\"\nversion = \"1.2.3\"\n",
            ),
            (
                "package-lock.json",
                "{\n \"version\": \"7.0.0\",\n \"packages\": {\n  \"node_modules/a\": {\n   \"version\": \"1.2.3\"\n  }\n }\n}\n",
            ),
            (
                "yarn.lock",
                "\"a@^1.0.0\", a@^1.2.0:\n  version \"1.2.3\"\nb@1:\n  version \"9.0.0\"\n",
            ),
        ] {
            assert_eq!(versions(path, text, "a"), [[1, 2, 3]], "{path}");
        }
    }
}
