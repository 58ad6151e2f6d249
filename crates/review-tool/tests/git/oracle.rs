//! The changed lines of a review against what git itself counts and blames, on generated repositories.
//!
//! A world is a repository made of a seed: names, contents, attributes, modes, kinds of entries and settings
//! vary. `WORLDS=first..end` runs other seeds than the few of every test run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use judge::Judge;
use review_tool::Reading;
use review_tool::control::Uncontrolled;
use review_tool::diff::apply::sides;
use review_tool::diff::{Body, FileChange, LineKind, Status};
use review_tool::repo::git::Git;
use review_tool::repo::{NoRepo, Repo};
use review_tool::request::{ReviewRequest, Scope};
use world::World;

use super::fixture::Fixture;

mod judge;
mod world;

/// What is known of one changed path.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Lines {
    /// The name before, where the entry moved or was copied.
    pub(crate) from: Option<Vec<u8>>,
    /// Whether the content is binary, so that it has no lines.
    pub(crate) binary: bool,
    /// The numbers of the lines of the new side alone.
    pub(crate) added: Vec<u32>,
    /// The numbers of the lines of the old side alone.
    pub(crate) removed: Vec<u32>,
    /// The modes before and after, 0 where there is no entry.
    pub(crate) modes: (u32, u32),
}

pub(crate) type Changed = BTreeMap<Vec<u8>, Lines>;

/// The changed lines as the rules get them.
pub(crate) fn ours(repo: &dyn Repo, scope: Scope, paths: &[&str]) -> Changed {
    let shown = scope.as_str();
    let mut request = ReviewRequest::new(scope);
    request.paths = paths.iter().map(Into::into).collect();
    let reading = Reading::open(&request, repo, &Uncontrolled).unwrap();
    let (files, problems) = reading.files(repo, &Uncontrolled).unwrap();
    // The text of a diff has no content of what its writer took for binary.
    let is_known = |message: &str| shown == "diff" && message.contains("has the file as binary");
    assert!(problems.iter().all(|problem| is_known(&problem.message)), "{shown}: {problems:?}");
    let mut changed = Changed::new();
    for (file, old) in files.iter().zip(old_contents(repo, &files)) {
        assert!(!file.damaged, "{shown}: {}", file.path());
        if let Some(old) = old {
            // What the rules are shown: the hunks fit the old content, and both sides know their lines.
            let mut lines = Lines::default();
            add(&mut lines, file);
            let (before, after, mismatch) = sides(file, Some(&old));
            assert_eq!(mismatch, None, "{shown}: {}", file.path());
            assert_eq!((before.changed(), after.changed()), (&lines.removed[..], &lines.added[..]));
        }
        let key = file.new_path.as_ref().or(file.old_path.as_ref()).unwrap().as_bytes();
        let lines = changed.entry(key.to_vec()).or_default();
        add(lines, file);
    }
    changed
}

/// The old content of each file that has one the repository knows.
fn old_contents(repo: &dyn Repo, files: &[FileChange<'_>]) -> Vec<Option<Vec<u8>>> {
    let ids: Vec<String> =
        files.iter().map(|file| file.old_id.clone().unwrap_or_else(|| "0".repeat(40))).collect();
    let mut contents = vec![None; files.len()];
    let mut sink = |at: usize, content| {
        contents[at] = content;
        true
    };
    repo.contents(&ids, 1 << 30, &Uncontrolled, &mut sink).unwrap();
    contents
}

/// Adds one file of a diff; an entry that changes its kind comes as two.
fn add(lines: &mut Lines, file: &FileChange<'_>) {
    let moved = matches!(file.status, Status::Renamed | Status::Copied);
    lines.from = file.old_path.as_ref().filter(|_| moved).map(|path| path.as_bytes().to_vec());
    lines.binary |= file.body == Body::Binary;
    if file.old_path.is_some() {
        lines.modes.0 = file.old_mode.unwrap_or(0);
    }
    if file.new_path.is_some() {
        lines.modes.1 = file.new_mode.unwrap_or(0);
    }
    for hunk in file.hunks() {
        let (mut old, mut new) = (hunk.old_start, hunk.new_start);
        for line in &hunk.lines {
            match line.kind {
                LineKind::Context => (old, new) = (old + 1, new + 1),
                LineKind::Added => {
                    lines.added.push(new);
                    new += 1;
                }
                LineKind::Removed => {
                    lines.removed.push(old);
                    old += 1;
                }
                LineKind::OtherParent => {}
            }
        }
    }
}

/// The seeds to run.
fn seeds() -> std::ops::Range<u64> {
    let given = std::env::var("WORLDS").unwrap_or_else(|_| "0..6".to_owned());
    let (first, end) = given.split_once("..").unwrap();
    first.parse().unwrap()..end.parse().unwrap()
}

#[track_caller]
fn same(ours: &Changed, gits: &Changed, what: &str) {
    for (path, lines) in ours {
        let shown = String::from_utf8_lossy(path);
        let mut lines = lines.clone();
        let want = gits.get(path);
        // A pure move is written without modes.
        if lines.modes == (0, 0) && want.is_some_and(|want| want.modes.0 == want.modes.1) {
            lines.modes = want.map_or((0, 0), |want| want.modes);
        }
        assert_eq!(Some(&lines), want, "{what}: {shown:?}, ours left, git's right");
    }
    for path in gits.keys() {
        assert!(ours.contains_key(path), "{what}: {:?} is missing", String::from_utf8_lossy(path));
    }
}

#[test]
fn every_scope_of_a_generated_repository_has_the_lines_that_git_counts() {
    for seed in seeds() {
        let world = World::new(seed);
        let judge = Judge::new(&world.repo);
        let git = Git::open(world.repo.path(), true).unwrap();
        let revisions =
            |names: &[&str]| Scope::Revisions(names.iter().map(|&n| n.into()).collect());
        for (scope, arguments) in [
            (Scope::Staged, &["--cached"][..]),
            (Scope::Unstaged, &[]),
            (revisions(&["HEAD"]), &["HEAD"]),
            (revisions(&["HEAD~1"]), &["HEAD~1"]),
            (revisions(&["HEAD~1..HEAD"]), &["HEAD~1..HEAD"]),
            (revisions(&["HEAD", "HEAD~1"]), &["HEAD", "HEAD~1"]),
            (revisions(&["side...HEAD"]), &["side...HEAD"]),
            (Scope::Commit("HEAD".to_owned()), &["HEAD~1", "HEAD"]),
            (Scope::Commit("HEAD~2".to_owned()), &[judge.empty_tree(), "HEAD~2"]),
        ] {
            let what = format!("seed {seed}, {scope:?} with {:?}", world.settings);
            let ours = ours(&git, scope, &[]);
            same(&ours, &judge.counted(arguments), &what);
            judge.blames(&ours, arguments, &what);
        }
        let what = format!("seed {seed}, everything, with {:?}", world.settings);
        let mut want = judge.counted(&["HEAD"]);
        want.extend(judge.untracked());
        same(&ours(&git, Scope::All, &[]), &want, &what);
    }
}

/// The repositories whose histories are read: those of `HISTORIES`, or the one that holds this project.
fn histories() -> Vec<PathBuf> {
    if let Some(given) = std::env::var_os("HISTORIES") {
        return std::env::split_paths(&given).collect();
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // Sources that were unpacked have no history.
    Vec::from_iter(root.join(".git").exists().then_some(root))
}

#[test]
fn every_commit_of_a_real_history_has_the_lines_that_git_counts() {
    let most = std::env::var("COMMITS").map_or(5, |count| count.parse().unwrap());
    for history in histories() {
        let repo = Fixture::clone_of(&history);
        let judge = Judge::new(&repo);
        let git = Git::open(repo.path(), true).unwrap();
        for [parent, commit] in judge.commits(most) {
            let what = format!("{} of {}", commit, history.display());
            let scope = Scope::Commit(commit.clone());
            let changed = ours(&git, scope, &[]);
            same(&changed, &judge.counted(&[&parent, &commit]), &what);
            judge.blames(&changed, &[&parent, &commit], &what);
        }
        // The last change once more, as it stood in the index and in the work tree.
        for (reset, scope, sides) in [
            ("--soft", Scope::Staged, &["--cached"][..]),
            ("--mixed", Scope::Unstaged, &[]),
            ("--mixed", Scope::All, &["HEAD"]),
        ] {
            repo.git(&["reset", "-q", "--hard", "ORIG"]).git(&["reset", "-q", reset, "HEAD~1"]);
            let what = format!("{} in {}", scope.as_str(), history.display());
            let mut want = judge.counted(sides);
            if scope == Scope::All {
                want.extend(judge.untracked());
            }
            same(&ours(&git, scope, &[]), &want, &what);
        }
    }
}

#[test]
fn a_diff_that_git_wrote_by_any_setting_reads_back_the_same() {
    for seed in seeds() {
        let world = World::new(seed);
        let judge = Judge::new(&world.repo);
        let want = judge.counted(&["HEAD~1", "HEAD"]);
        for options in [
            &["--default-prefix"][..],
            &["--no-prefix"],
            &["--src-prefix=i/", "--dst-prefix=w/"],
            &["--src-prefix=old/", "--dst-prefix=new/"],
            &["--src-prefix=x/y/", "--dst-prefix=z/"],
            &["-U0"],
            &["-U50", "--inter-hunk-context=9"],
            &["--full-index", "--binary"],
            &["--output-indicator-context= ", "--patch-with-stat"],
            &["--abbrev=7"],
        ] {
            let text = judge.text(options, &["HEAD~1", "HEAD"]);
            let mut ours = ours(&NoRepo, Scope::Patch(text), &[]);
            // The text of a diff shows as binary what attributes say, and modes only where it must.
            for (path, lines) in &mut ours {
                let Some(want) = want.get(path) else { continue };
                if lines.binary {
                    (lines.added, lines.removed) = (want.added.clone(), want.removed.clone());
                    lines.binary = want.binary;
                }
            }
            same(&ours, &want, &format!("seed {seed}, {options:?} with {:?}", world.settings));
        }
    }
}
