//! Literals that look generated, given to names that look like credentials.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::added_text::{AddedText, is_prose, stood_before};
use super::{Hit, secret_env_file};
use crate::secret;
use crate::view::FileView;

/// Longer lines are generated or minified.
const LONGEST_LINE: usize = 400;

/// Files that hold random-looking text by their nature.
static GENERATED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r"(?ix-u)
        (?:^|/)(?:[^/]*[.-]lock(?:\.\w+)?|[^/]*lock\.(?:json|ya?ml)|go\.sum|npm-shrinkwrap\.json|checksums?[^/]*|packages\.lock\.json)$
        | \.(?:min\.js|map|snap|svg|ipynb|sum|sha\d+|po|csv|tsv|pb\.go|pbxproj|resx|xcworkspacedata|nix|har|cassette)$
        | (?:^|/)(?:vendor|node_modules|third_party|dist|locales?|i18n|examples?|samples?|docs?|demos?|mocks?|stubs?|cassettes|snapshots)/";
    Regex::new(pattern).ok()
});

/// The check of `secret-high-entropy-assignment`.
pub(super) fn check(view: &FileView) -> Vec<Hit> {
    let generated = GENERATED.as_ref().is_some_and(|path| path.is_match(view.path().as_bytes()));
    if generated || is_prose(view) || view.is_test() || secret_env_file::is_env_file(view) {
        return Vec::new();
    }
    let added = AddedText::of(view);
    let text = added.text();
    secret::find(text)
        .into_iter()
        .filter(|found| found.kind.is_assignment())
        .filter_map(|found| {
            let line = added.line_at(found.range.start)?;
            let short = view.new_side().line(line)?.len() <= LONGEST_LINE;
            let keep = short && !view.in_test(line) && !stood_before(view, &text[found.range]);
            keep.then(|| Hit::added(line))
        })
        .collect()
}
