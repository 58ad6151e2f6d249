//! Finds files of one state of the repository by the words that they hold, and reads them.
//!
//! `git grep` names the files; their contents come as other contents do. What it is given is fixed but
//! for words, which are checked, and pathspecs, which stand behind `--`.

use std::ffi::OsString;

use super::Git;
use super::run::Runner;
use crate::control::Control;
use crate::diff::RepoPath;
use crate::repo::{Found, Place, Repo, RepoError, Sought};

/// At most so many files are read.
const MAX_FILES: usize = 400;
/// Larger files are left out, in bytes.
const MAX_FILE: u64 = 1 << 20;
/// No more bytes than this are read in all.
const MAX_TOTAL: usize = 24 << 20;

const FIXED: &[&str] = &[
    "grep",
    "--files-with-matches",
    "--null",
    "--text",
    "--fixed-strings",
    "--word-regexp",
    "--full-name",
    "--no-color",
    "--no-recurse-submodules",
];

/// The files of `place` that `sought` asks for, whatever attributes say of them.
pub(super) fn find(
    git: &Git,
    place: &Place,
    sought: Sought<'_>,
    control: &dyn Control,
) -> Result<Vec<Found>, RepoError> {
    let is_word = |word: &&String| word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let words: Vec<&String> = sought.words.iter().filter(is_word).collect();
    // Without a pathspec git would search everything, and a bare repository has the files of trees alone.
    let has_files = git.root.is_some() || matches!(place, Place::Tree(_));
    if sought.places.is_empty() || words.is_empty() || !has_files {
        return Ok(Vec::new());
    }
    let names = names(&git.runner, place, &words, sought.places, control)?;
    let mut out: Vec<Found> = Vec::new();
    let mut total = 0;
    let mut keep = |path: RepoPath, content: Vec<u8>| {
        total += content.len();
        if total <= MAX_TOTAL {
            out.push(Found { path, content });
        }
        total <= MAX_TOTAL
    };
    let prefix = match place {
        Place::WorkTree => {
            for path in names {
                if control.cancelled() {
                    return Err(RepoError::Cancelled);
                }
                if let Some(content) = git.work_file(&path, MAX_FILE)
                    && !keep(path, content)
                {
                    break;
                }
            }
            return Ok(out);
        }
        Place::Index => ":".to_owned(),
        Place::Tree(tree) => format!("{tree}:"),
    };
    // Names go to git line by line, and text is what can be shown of them.
    let is_line = |path: &&RepoPath| {
        let bytes = path.as_bytes();
        !bytes.iter().any(u8::is_ascii_control) && std::str::from_utf8(bytes).is_ok()
    };
    let paths: Vec<&RepoPath> = names.iter().filter(is_line).collect();
    let ids: Vec<String> = paths.iter().map(|path| format!("{prefix}{}", path.display())).collect();
    git.contents(&ids, MAX_FILE, control, &mut |at, content| match content {
        Some(content) => keep(paths[at].clone(), content),
        None => true,
    })?;
    Ok(out)
}

fn names(
    runner: &Runner,
    place: &Place,
    words: &[&String],
    places: &[String],
    control: &dyn Control,
) -> Result<Vec<RepoPath>, RepoError> {
    let mut arguments: Vec<OsString> = FIXED.iter().map(Into::into).collect();
    for word in words {
        arguments.extend(["-e".into(), word.into()]);
    }
    let mut prefix = String::new();
    match place {
        Place::WorkTree => arguments.push("--untracked".into()),
        Place::Index => arguments.push("--cached".into()),
        Place::Tree(tree) => {
            arguments.extend(["--end-of-options".into(), tree.into()]);
            prefix = format!("{tree}:");
        }
    }
    arguments.push("--".into());
    arguments.extend(places.iter().map(Into::into));
    // 1 is how git says that it found nothing.
    let (output, _) = runner.stream_to(&[0, 1], &arguments, &[], control)?;
    let names = output.split(|&byte| byte == 0).filter(|name| !name.is_empty());
    let names = names.filter_map(|name| name.strip_prefix(prefix.as_bytes()));
    Ok(names.take(MAX_FILES).map(RepoPath::new).collect())
}
