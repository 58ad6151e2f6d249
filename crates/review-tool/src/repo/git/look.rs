//! What stands beside a change: the files of one state of a repository, and the messages of commits.

use std::ffi::OsString;

use super::run::{Runner, path_of};
use crate::control::Control;
use crate::diff::RepoPath;
use crate::repo::{Listed, Place, RepoError};

/// More files are not listed.
const MAX_FILES: usize = 500_000;

/// Lists the regular files of `place`, in git's order.
pub(super) fn list(
    runner: &Runner,
    place: &Place,
    control: &dyn Control,
) -> Result<Vec<Listed>, RepoError> {
    let arguments: Vec<OsString> = match place {
        Place::Tree(name) => {
            let fixed =
                ["ls-tree", "-r", "-z", "--full-tree", "--full-name", "--end-of-options", name];
            fixed.map(OsString::from).to_vec()
        }
        Place::Index => ["ls-files", "--stage", "-z", "--full-name", "--", ":(top)"]
            .map(OsString::from)
            .to_vec(),
        Place::WorkTree => {
            let fixed = [
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
                "--full-name",
                "--",
                ":(top)",
            ];
            fixed.map(OsString::from).to_vec()
        }
    };
    let (output, _) = runner.stream(&arguments, &[], control)?;
    let mut files = Vec::new();
    for entry in output.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()) {
        if files.len() == MAX_FILES {
            break;
        }
        let listed = match place {
            Place::WorkTree => Some(Listed { path: RepoPath::new(entry), id: None }),
            Place::Tree(_) | Place::Index => stored(entry),
        };
        // A file with a conflict has several entries; one is enough.
        files.extend(
            listed.filter(|one| files.last().is_none_or(|last: &Listed| last.path != one.path)),
        );
    }
    Ok(files)
}

/// One path of a commit or tree, with its object name where it is a regular file.
pub(super) fn find(
    runner: &Runner,
    tree: &str,
    path: &RepoPath,
    control: &dyn Control,
) -> Result<Option<Listed>, RepoError> {
    let fixed = ["ls-tree", "-z", "--full-tree", "--full-name", "--end-of-options", tree, "--"];
    let mut arguments: Vec<OsString> = fixed.map(OsString::from).to_vec();
    arguments.push(path_of(path.as_bytes()).into());
    let (output, _) = runner.stream(&arguments, &[], control)?;
    let mut entries = output.split(|byte| *byte == 0);
    let entry = entries.find(|entry| {
        let tab = entry.iter().position(|byte| *byte == b'\t');
        tab.is_some_and(|tab| entry[tab + 1..] == *path.as_bytes())
    });
    let other = || Listed { path: path.clone(), id: None };
    Ok(entry.map(|entry| stored(entry).unwrap_or_else(other)))
}

/// The most messages that are read.
const MAX_MESSAGES: &str = "--max-count=20";

/// The messages of the commits that `head` has and `base` lacks, of its own line of history.
pub(super) fn purpose(
    runner: &Runner,
    base: &str,
    head: &str,
    control: &dyn Control,
) -> Result<String, RepoError> {
    // Names of objects, as git has told them; nothing else is put into a range.
    let is_name =
        |text: &str| text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_name(base) || !is_name(head) {
        return Ok(String::new());
    }
    let range = format!("{base}..{head}");
    let fixed = [
        "log",
        "--format=%B",
        "--no-show-signature",
        "--no-color",
        "--first-parent",
        MAX_MESSAGES,
        "--end-of-options",
        &range,
        "--",
    ];
    let arguments: Vec<OsString> = fixed.map(OsString::from).to_vec();
    let (output, _) = runner.stream(&arguments, &[], control)?;
    Ok(String::from_utf8_lossy(&output).into_owned())
}

/// Reads `MODE TYPE OBJECT\tPATH` or `MODE OBJECT STAGE\tPATH`, of a regular file.
fn stored(entry: &[u8]) -> Option<Listed> {
    let tab = entry.iter().position(|byte| *byte == b'\t')?;
    let about = std::str::from_utf8(&entry[..tab]).ok()?;
    let mut words = about.split(' ').filter(|word| !word.is_empty());
    let is_file = words.next()?.starts_with("100");
    let id = words.find(|word| word.len() >= 40)?.to_owned();
    is_file.then(|| Listed { path: RepoPath::new(&entry[tab + 1..]), id: Some(id) })
}
