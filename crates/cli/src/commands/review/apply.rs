//! `--apply`: corrects in the work tree what has one correction.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use anyhow::Context;
use review_tool::diff::RepoPath;
use review_tool::finding::{Finding, Fix};
use review_tool::printable;
use review_tool::repo::Repo;
use review_tool::repo::git::Git;
use review_tool::report::Document;

use crate::args::ReviewArgs;
use crate::exit::Usage;
use crate::terminal;

/// A larger file is left as it is.
const MAX_FILE: u64 = 64 << 20;

/// Corrects, and says on stderr what was done and what was not.
///
/// # Errors
/// A change whose new side is not the work tree, or a file that cannot be written; it is then as it was.
pub(super) fn apply(args: &ReviewArgs, document: &Document) -> anyhow::Result<()> {
    if document.meta.head.is_some() {
        let why = "--apply corrects the work tree, and this change ends in a commit; name the one \
                   revision that the work tree is compared with, or no revision";
        return Err(Usage(why.to_owned()).into());
    }
    let folder = args.repo.as_deref().unwrap_or(Path::new("."));
    let git = Git::open(folder, args.repo.is_some())?;
    let root = git.root().context("there is no work tree")?.to_path_buf();
    let mut by_file: BTreeMap<&str, Vec<(&Finding, &Fix)>> = BTreeMap::new();
    for finding in &document.findings {
        let fix = finding.fix.as_ref().map(|fix| (finding, fix));
        by_file.entry(&finding.file).or_default().extend(fix);
    }
    by_file.retain(|_, fixes| !fixes.is_empty());
    let (mut done, mut files) = (0, 0);
    for (file, fixes) in by_file {
        let Some(content) = git.work_file(&RepoPath::new(file.as_bytes()), MAX_FILE) else {
            leave(file, &fixes, "it is no regular file of the work tree");
            continue;
        };
        let Ok(text) = String::from_utf8(content) else {
            leave(file, &fixes, "it is not UTF-8");
            continue;
        };
        let (corrected, applied) = corrected(file, &text, fixes);
        if applied > 0 {
            let path = root.join(file);
            replace(&path, &corrected)
                .with_context(|| format!("cannot correct {}", path.display()))?;
            (done, files) = (done + applied, files + 1);
        }
    }
    if !args.quiet {
        terminal::say(&format!("corrected {done} findings in {files} files of the work tree"));
    }
    Ok(())
}

/// The text with its fixes, and how many could be applied.
fn corrected(file: &str, text: &str, mut fixes: Vec<(&Finding, &Fix)>) -> (String, usize) {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    // From the end, so that the numbers of the lines before stay true.
    fixes.sort_by_key(|(_, fix)| std::cmp::Reverse((fix.line, fix.line_end)));
    let (mut applied, mut next) = (0, usize::MAX);
    for (finding, fix) in fixes {
        let (first, end) = ((fix.line as usize).saturating_sub(1), fix.line_end as usize);
        if end > next {
            leave(file, &[(finding, fix)], "another correction changes the same lines");
            continue;
        }
        let now = lines.get(first..end).map(|lines| lines.concat());
        let Some(now) = now.filter(|now| plain(now) == fix.original) else {
            leave(file, &[(finding, fix)], "the file has moved on since the review");
            continue;
        };
        let line_end = match () {
            () if now.ends_with("\r\n") => "\r\n",
            () if now.ends_with('\n') => "\n",
            () => "",
        };
        let inner = if now.contains("\r\n") { "\r\n" } else { "\n" };
        let new = match fix.replacement.as_str() {
            "" => String::new(),
            text => text.replace('\n', inner) + line_end,
        };
        lines.splice(first..end, [new]);
        (applied, next) = (applied + 1, first);
    }
    (lines.concat(), applied)
}

/// Lines as fixes hold them.
fn plain(lines: &str) -> String {
    let lines = lines.replace("\r\n", "\n");
    lines.strip_suffix('\n').unwrap_or(&lines).to_owned()
}

fn leave(file: &str, fixes: &[(&Finding, &Fix)], why: &str) {
    for (finding, fix) in fixes {
        let rule = finding.rule.as_deref().unwrap_or("model");
        let line = format!("warning: {file}:{} [{rule}] is not corrected: {why}", fix.line);
        terminal::say(&printable(&line));
    }
}

/// Replaces a file at once, with its permissions.
fn replace(path: &Path, text: &str) -> anyhow::Result<()> {
    let folder = path.parent().context("it is in no folder")?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(std::fs::metadata(path)?.permissions())?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_are_kept_and_lines_compared() {
        let fix = |line, line_end, original: &str, replacement: &str| Fix {
            line,
            line_end,
            original: original.to_owned(),
            replacement: replacement.to_owned(),
        };
        assert_eq!(plain("a\r\nb\r\n"), "a\nb");
        let finding: Finding = serde_json::from_value(serde_json::json!({
            "id": "f", "rule": "r", "category": "test", "severity": "low", "confidence": "high",
            "source": "rules", "file": "a", "line": 1, "side": "new", "title": "t",
            "description": "d", "suggestion": "s", "fingerprint": "0",
        }))
        .unwrap();
        let run = |text: &str, fixes: &[Fix]| {
            corrected("a", text, fixes.iter().map(|fix| (&finding, fix)).collect())
        };
        let all = [fix(1, 1, "a", "x\ny"), fix(3, 3, "c", "")];
        assert_eq!(run("a\r\nb\r\nc", &all), ("x\r\ny\r\nb\r\n".to_owned(), 2));
        assert_eq!(run("A\nb\nc\n", &all), ("A\nb\n".to_owned(), 1));
        let over = [fix(1, 2, "a\nb", "x"), fix(2, 2, "b", "y")];
        assert_eq!(run("a\nb\n", &over), ("a\ny\n".to_owned(), 1));
        assert_eq!(run("a\n", &[fix(1, 9, "a", "x")]), ("a\n".to_owned(), 0));
    }
}
