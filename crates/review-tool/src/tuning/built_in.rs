//! What nobody wrote by hand, and so is left out unless a pattern brings it back.

use crate::view::FileView;

const LOCK: &str = "a lock file";
const VENDORED: &str = "vendored code";
const GENERATED: &str = "generated code";
const MINIFIED: &str = "minified code";

/// Patterns, each with what it stands for. Every one names a file or folder that a tool writes under
/// that very name.
pub(super) const PATTERNS: &[(&str, &str)] = &[
    ("Cargo.lock", LOCK),
    ("Gemfile.lock", LOCK),
    ("Pipfile.lock", LOCK),
    ("Podfile.lock", LOCK),
    ("bun.lock", LOCK),
    ("bun.lockb", LOCK),
    ("composer.lock", LOCK),
    ("deno.lock", LOCK),
    ("flake.lock", LOCK),
    ("go.sum", LOCK),
    ("gradle.lockfile", LOCK),
    ("mix.lock", LOCK),
    ("npm-shrinkwrap.json", LOCK),
    ("package-lock.json", LOCK),
    ("packages.lock.json", LOCK),
    ("pdm.lock", LOCK),
    ("pnpm-lock.yaml", LOCK),
    ("poetry.lock", LOCK),
    ("pubspec.lock", LOCK),
    ("uv.lock", LOCK),
    ("yarn.lock", LOCK),
    (".terraform.lock.hcl", LOCK),
    ("node_modules/", VENDORED),
    ("bower_components/", VENDORED),
    ("site-packages/", VENDORED),
    ("third_party/", VENDORED),
    ("vendor/", VENDORED),
    (".yarn/releases/", VENDORED),
    ("*.pb.go", GENERATED),
    ("*.pb.cc", GENERATED),
    ("*.pb.h", GENERATED),
    ("*_pb2.py", GENERATED),
    ("*_pb2.pyi", GENERATED),
    ("*_pb2_grpc.py", GENERATED),
    ("*.g.dart", GENERATED),
    ("*.Designer.cs", GENERATED),
    ("__generated__/", GENERATED),
    ("*.min.js", MINIFIED),
    ("*.min.mjs", MINIFIED),
    ("*.min.css", MINIFIED),
    ("*.js.map", MINIFIED),
    ("*.css.map", MINIFIED),
];

/// The header stands within so many lines.
const HEAD: u32 = 10;

/// Whether a file says at its head that a tool writes it, before the change as well as after: a change
/// that adds the words would take its own code out of the review.
pub(crate) fn is_generated(view: &FileView) -> bool {
    [view.old_side(), view.new_side()]
        .into_iter()
        .all(|side| side.is_complete() && (1..=HEAD).map_while(|line| side.line(line)).any(says_so))
}

/// Whether a line holds one of the two marks in use: Go's (`go help generate`), and `@generated`.
fn says_so(line: &str) -> bool {
    let go = line.contains("Code generated ") && line.trim_end().ends_with("DO NOT EDIT.");
    go || line
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '@')
        .any(|word| word == "@generated")
}
