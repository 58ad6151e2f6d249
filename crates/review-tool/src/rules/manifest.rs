//! Dependencies of a manifest and what a change does to them: lowered, taken from elsewhere, let loose.

use super::Hit;
use super::lost::expression;
use crate::finding::Side;
use crate::source::Fragment;
use crate::view::FileView;

/// A dependency as a manifest names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dependency {
    pub name: String,
    /// What the manifest says of its version or place, without quotes.
    pub spec: String,
    pub line: u32,
}

/// How a manifest writes dependencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Npm,
    Cargo,
    Python,
    Requirements,
    Go,
    Bundler,
    Composer,
    MsBuild,
    Gradle,
}

/// The format of a manifest, by its name.
pub(super) fn format(view: &FileView) -> Option<Format> {
    let name = view.file_name();
    Some(match name {
        "package.json" => Format::Npm,
        "Cargo.toml" => Format::Cargo,
        "pyproject.toml" | "Pipfile" => Format::Python,
        "go.mod" => Format::Go,
        "Gemfile" => Format::Bundler,
        "composer.json" => Format::Composer,
        "Directory.Packages.props" => Format::MsBuild,
        "build.gradle" | "build.gradle.kts" => Format::Gradle,
        _ if name.ends_with(".csproj") || name.ends_with(".fsproj") => Format::MsBuild,
        _ if name.ends_with(".txt") && name.contains("requirements") => Format::Requirements,
        _ if name == "constraints.txt" => Format::Requirements,
        _ => return None,
    })
}

expression!(JSON_ENTRY, r#"^\s*"([^"]+)"\s*:\s*"([^"]*)"\s*,?\s*$"#);
expression!(TOML_ENTRY, r#"^\s*["']?([A-Za-z0-9_.-]+)["']?\s*=\s*(.+?)\s*$"#);
expression!(REQUIREMENT, r"^([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*([^#;]*)");
expression!(QUOTED_REQUIREMENT, r#"["']([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?\s*([^"';]*)"#);
expression!(GO_ENTRY, r"^\s*(?:require\s+)?([\w.-]+\.[a-z]+/\S+)\s+(v\S+)");
expression!(GEM_ENTRY, r#"^\s*gem\s+["']([^"']+)["']\s*,?\s*(.*)$"#);
expression!(
    MSBUILD_ENTRY,
    r#"<Package(?:Reference|Version)\s+[^>]*Include="([^"]+)"[^>]*Version="([^"]*)""#
);
expression!(
    GRADLE_ENTRY,
    r#"^\s*(?:\w*[iI]mplementation|api|compileOnly|runtimeOnly|classpath|kapt)\s*\(?\s*["']([\w.-]+:[\w.-]+):([^"':@]+)"#
);

/// The dependencies of one side.
pub(super) fn dependencies(view: &FileView, side: Side, format: Format) -> Vec<Dependency> {
    let fragments = view.side(side).fragments().iter();
    fragments.flat_map(|fragment| of_fragment(fragment, format)).collect()
}

fn of_fragment(fragment: &Fragment, format: Format) -> Vec<Dependency> {
    let mut out = Vec::new();
    let mut section = String::new();
    // Where only a part of the file is known, its first section is taken for one of dependencies.
    let mut inside = fragment.first_line() > 1;
    for (line, text) in (fragment.first_line()..).zip(fragment.text().lines()) {
        let code = text.trim();
        let entry = match format {
            Format::Npm | Format::Composer => {
                if let Some(key) = code.strip_suffix('{') {
                    let key = key.trim().trim_end_matches(':').trim().trim_matches('"');
                    inside = key.ends_with("ependencies")
                        || matches!(key, "require" | "require-dev" | "overrides" | "resolutions");
                    continue;
                }
                if code.starts_with('}') {
                    inside = false;
                }
                JSON_ENTRY.pair(text).filter(|_| inside)
            }
            Format::Cargo | Format::Python => {
                if code.starts_with('[')
                    && code.ends_with(']')
                    && !code.contains('"') | code.contains("target.")
                {
                    section = code.trim_matches(['[', ']']).to_owned();
                    inside = section.ends_with("dependencies") || section.ends_with("packages");
                    continue;
                }
                let table = section.rsplit_once("dependencies.").map(|(_, name)| name.to_owned());
                match table {
                    Some(name) => TOML_ENTRY
                        .pair(text)
                        .filter(|(key, _)| {
                            matches!(key.as_str(), "version" | "git" | "path" | "registry")
                        })
                        .map(|(key, value)| (name, format!("{key} = {value}"))),
                    None if inside => {
                        TOML_ENTRY.pair(text).or_else(|| QUOTED_REQUIREMENT.pair(text))
                    }
                    None if format == Format::Python => {
                        let lists = code.starts_with("dependencies") && code.contains('[');
                        if lists {
                            "list".clone_into(&mut section);
                        } else if code.starts_with(']') {
                            section.clear();
                        }
                        QUOTED_REQUIREMENT.pair(text).filter(|_| section == "list")
                    }
                    None => None,
                }
            }
            Format::Requirements => {
                if code.starts_with('-') || code.starts_with('#') {
                    None
                } else {
                    REQUIREMENT.pair(code)
                }
            }
            Format::Go => GO_ENTRY.pair(text).filter(|_| !code.starts_with("replace")),
            Format::Bundler => GEM_ENTRY.pair(text),
            Format::MsBuild => MSBUILD_ENTRY.pair(text),
            Format::Gradle => GRADLE_ENTRY.pair(text),
        };
        if let Some((name, spec)) = entry {
            let spec = spec.trim().to_owned();
            out.push(Dependency { name, spec, line });
        }
    }
    out
}

/// The numbers of the first version that a text names.
pub(super) fn version(spec: &str) -> Option<Vec<u64>> {
    let quoted = spec.find("version").map_or(spec, |at| &spec[at..]);
    let start = quoted.find(|c: char| c.is_ascii_digit())?;
    let text: String =
        quoted[start..].chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let numbers: Option<Vec<u64>> =
        text.trim_matches('.').split('.').map(|part| part.parse().ok()).collect();
    numbers.filter(|numbers| !numbers.is_empty() && numbers.len() <= 4)
}

/// Whether the first version is less than the second, as far as both say.
fn is_lower(new: &[u64], old: &[u64]) -> bool {
    let common = new.len().min(old.len());
    new[..common] < old[..common]
}

/// A dependency on both sides, whose line the change touches.
pub(super) fn changed(view: &FileView) -> Vec<(Dependency, Option<Dependency>)> {
    let Some(format) = format(view) else { return Vec::new() };
    let old = dependencies(view, Side::Old, format);
    let new = dependencies(view, Side::New, format);
    let touched = new.into_iter().filter(|dependency| view.new_side().is_changed(dependency.line));
    touched
        .map(|dependency| {
            let before = old.iter().find(|other| other.name == dependency.name).cloned();
            (dependency, before)
        })
        .filter(|(now, before)| before.as_ref().is_none_or(|before| before.spec != now.spec))
        .collect()
}

/// The check of `dependency-lowered`.
pub(super) fn lowered(view: &FileView) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (now, before) in changed(view) {
        let Some(before) = before else { continue };
        // A lower bound that is lowered takes older versions in addition to the newest.
        if now.spec.contains(">=") || is_foreign(&now.spec) || is_foreign(&before.spec) {
            continue;
        }
        let (Some(new), Some(old)) = (version(&now.spec), version(&before.spec)) else { continue };
        if is_lower(&new, &old) {
            hits.push(Hit::added(now.line).message(format!(
                "{} goes back from {} to {}, and with it what was mended in between.",
                now.name,
                plain(&before.spec),
                plain(&now.spec)
            )));
        }
    }
    hits
}

fn plain(spec: &str) -> String {
    super::introduced::short(spec.trim_matches(['"', '\'', ',', ' ']))
}

expression!(
    FOREIGN,
    r#"(?i)\bgit(\+|\s*[=:]|hub\s*[=:])|^(git|github|gitlab|bitbucket|gist):|^git@|^["']?https?://|\.tgz$|\.git\b|@\s*(git\+|https?:)|\bregistry\s*="#
);
expression!(SHORTHAND, r"^[\w.-]+/[\w.-]+(#\S+)?$");

pub(super) fn is_foreign(spec: &str) -> bool {
    FOREIGN.is_match(spec)
}

/// The check of `dependency-from-elsewhere`.
pub(super) fn from_elsewhere(view: &FileView) -> Vec<Hit> {
    let npm = format(view) == Some(Format::Npm);
    let foreign = |spec: &str| is_foreign(spec) || npm && SHORTHAND.is_match(spec);
    let found = changed(view).into_iter().filter(|(now, before)| {
        foreign(&now.spec) && !before.as_ref().is_some_and(|before| foreign(&before.spec))
    });
    found
        .map(|(now, _)| {
            Hit::added(now.line).message(format!(
                "{} comes from {} and not from the registry: nobody else checks what is there, and it can \
                 change or vanish.",
                now.name,
                plain(&now.spec)
            ))
        })
        .collect()
}

/// The check of `dependency-unpinned`.
pub(super) fn unpinned(view: &FileView) -> Vec<Hit> {
    let Some(format) = format(view) else { return Vec::new() };
    let all = dependencies(view, Side::New, format);
    let pinned = all.iter().filter(|dependency| dependency.spec.contains("==")).count();
    let loose = |spec: &str| {
        let spec = spec.trim_matches(['"', '\'', ',', ' ']);
        matches!(
            spec,
            "*" | "latest" | "x" | "" | "next" | ">=0" | "master" | "main" | "+" | "latest.release"
        )
    };
    let found = changed(view).into_iter().filter(|(now, before)| {
        let had = before.as_ref().is_some_and(|before| version(&before.spec).is_some());
        let rest_is_pinned = pinned * 2 > all.len();
        let says_nothing =
            now.spec.is_empty() && format == Format::Requirements && before.is_none();
        let says_nothing = says_nothing || format == Format::Bundler && before.is_none();
        loose(&now.spec) && (had || !says_nothing || rest_is_pinned) && !is_peer(view, now)
    });
    found
        .map(|(now, _)| {
            Hit::added(now.line).message(format!(
                "{} may be any version, so the next build can take one that nobody tried.",
                now.name
            ))
        })
        .collect()
}

/// A peer of npm says what it works with, not what is installed.
fn is_peer(view: &FileView, dependency: &Dependency) -> bool {
    let lines = (1..dependency.line).rev().filter_map(|line| view.new_side().line(line));
    let mut heads = lines.filter(|line| line.trim().ends_with('{'));
    heads.next().is_some_and(|line| line.contains("peerDependencies"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SideText;

    fn read(name: &str, text: &str) -> Vec<(String, String)> {
        let new = SideText::whole(text.as_bytes(), Vec::new(), Vec::new());
        let view = FileView::new(name.to_owned(), None, SideText::default(), new);
        let format = format(&view).unwrap();
        let all = dependencies(&view, Side::New, format).into_iter();
        all.map(|dependency| (dependency.name, dependency.spec)).collect()
    }

    fn names(name: &str, text: &str) -> String {
        read(name, text).into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_format_gives_its_dependencies_and_nothing_else() {
        for (name, text, want) in [
            (
                "package.json",
                "{\n \"name\": \"x\",\n \"dependencies\": {\n  \"a\": \"^1\",\n  \"b\": \"2\"\n },\n \"scripts\": {\n  \"c\": \"d\"\n }\n}\n",
                "a b",
            ),
            (
                "Cargo.toml",
                "[package]\nname = \"x\"\n[dependencies]\na = \"1\"\nb = { version = \"2\" }\n[dependencies.c]\nversion = \"3\"\n[features]\nd = []\n",
                "a b c",
            ),
            (
                "pyproject.toml",
                "[project]\nname = \"x\"\ndependencies = [\n  \"a>=1\",\n  \"b[x]==2\",\n]\n[tool.poetry.dependencies]\nc = \"^1\"\n",
                "a b c",
            ),
            (
                "requirements.txt",
                "# x\n-r other.txt\na==1 # why\nb[z]>=2; python_version > '3'\nc\n",
                "a b c",
            ),
            (
                "go.mod",
                "module a.b/c\ngo 1.22\nrequire a.com/x v1.0.0\nrequire (\n\tb.com/y v2.0.0 // indirect\n)\n",
                "a.com/x b.com/y",
            ),
            ("Gemfile", "source 'x'\ngem 'a', '~> 1'\ngem \"b\"\n", "a b"),
            ("a.csproj", "<PackageReference Include=\"A\" Version=\"1.0\" />\n", "A"),
            ("build.gradle", "implementation 'g:a:1.0'\nplugins { id 'x' }\n", "g:a"),
        ] {
            assert_eq!(names(name, text), want, "{name}");
        }
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        let of = |spec| version(spec).unwrap();
        assert!(is_lower(&of("^4.17.4"), &of("^4.17.21")));
        assert!(!is_lower(&of("1.10"), &of("1.9")));
        assert!(!is_lower(&of("1"), &of("1.2.3")));
        assert_eq!(version("*"), None);
        assert_eq!(of("{ version = \"0.8.5\", features = [\"a1\"] }"), [0, 8, 5]);
    }
}
