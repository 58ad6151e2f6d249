//! Repositories made of a seed.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use super::super::fixture::Fixture;

/// Numbers that look random and follow from a seed (splitmix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.roll() % end as u64).unwrap()
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// What names may look like, before their ending.
const STEMS: &[&[u8]] = &[
    b"plain",
    b"with space",
    b"two  spaces ",
    b"quo\"te",
    b"back\\slash",
    b"t\tab",
    b"new\nline",
    b"cr\rx",
    b"bell\x07",
    b"esc\x1b[31m",
    b"latin-\xe9",
    "\u{6f22}\u{5b57}".as_bytes(),
    b"-dash",
    b":colon",
    b"!bang",
    b"a/b",
    b"a/b/c d",
    b"b/a",
    b"old/new",
    b"deep/deeper/deepest/file",
    b"x => y",
    b"{x => y}",
    b"dev/null",
    b"per%cent",
    b"glob*[x]?",
    b"caf\xc3\xa9",
    b"e\xcc\x81",
    b"\xff\xfe",
    b"UPPER",
];

/// Endings, each with what attributes or content make of it.
const ENDINGS: &[&[u8]] = &[
    b"", b".py", b".rs", b".txt", b".dat", b".crlf", b".auto", b".enc", b".nodiff", b".macro",
    b".id", b".bin",
];

const ATTRIBUTES: &str = "*.dat -text\n*.crlf text eol=crlf\n*.auto text=auto\n\
     *.enc text working-tree-encoding=UTF-16LE-BOM\n*.nodiff -diff\n*.macro binary\n*.id ident\n\
     *.py diff=python\n*.rs diff=rust\n";

/// Settings of which none may change what a change is.
const SETTINGS: &[(&str, &[&str])] = &[
    ("diff.noprefix", &["true"]),
    ("diff.mnemonicPrefix", &["true"]),
    ("diff.srcPrefix", &["old/", "s/t/"]),
    ("diff.dstPrefix", &["new/"]),
    ("diff.context", &["0", "1", "40"]),
    ("diff.interHunkContext", &["7"]),
    ("diff.renames", &["false", "copies"]),
    ("diff.relative", &["true"]),
    ("diff.suppressBlankEmpty", &["true"]),
    ("diff.algorithm", &["patience", "histogram", "minimal"]),
    ("diff.submodule", &["log", "diff"]),
    ("diff.ignoreSubmodules", &["all"]),
    ("diff.wsErrorHighlight", &["all"]),
    ("diff.colorMoved", &["zebra"]),
    ("diff.wordRegex", &["."]),
    ("diff.indentHeuristic", &["false"]),
    ("diff.autoRefreshIndex", &["false"]),
    ("diff.python.xfuncname", &["^.*$"]),
    ("diff.python.binary", &["true"]),
    ("color.ui", &["always"]),
    ("core.quotePath", &["true", "false"]),
    ("core.autocrlf", &["true", "input"]),
    ("core.safecrlf", &["true", "warn", "false"]),
    ("core.whitespace", &["trailing-space,cr-at-eol"]),
    ("core.abbrev", &["no", "4"]),
    ("core.bigFileThreshold", &["200"]),
    ("core.splitIndex", &["true"]),
    ("core.untrackedCache", &["true"]),
    ("core.preloadIndex", &["false"]),
    ("index.version", &["4"]),
    ("status.showUntrackedFiles", &["no"]),
    ("i18n.logOutputEncoding", &["latin1"]),
];

/// A repository with the commits `HEAD~1`, `HEAD` and `side`, staged, unstaged and untracked changes.
pub(crate) struct World {
    pub(crate) repo: Fixture,
    pub(crate) settings: Vec<(&'static str, &'static str)>,
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x1234_5678_9abc_def1));
        let repo = Fixture::with_format(if dice.one_in(4) { "sha256" } else { "sha1" });
        let mut settings = Vec::new();
        for (key, values) in SETTINGS {
            if dice.one_in(5) {
                let value = dice.pick(values);
                repo.git(&["config", key, value]);
                settings.push((*key, value));
            }
        }
        let order = repo.path().join("../order");
        fs::write(&order, "*.txt\n").unwrap();
        repo.git(&["config", "diff.orderFile", &order.display().to_string()]);
        let mut world = Builder { dice, repo, names: Vec::new() };
        world.attributes();
        for _ in 0..12 {
            world.create();
        }
        world.link_commit("module");
        world.commit("base");
        world.repo.git(&["branch", "side"]);
        world.change(6);
        world.commit("one");
        world.change(10);
        world.link_commit("module");
        world.commit("two");
        let side = world.side();
        world.repo.git(&["update-ref", "refs/heads/side", &side]);
        world.change(6);
        world.repo.git(&["-c", "core.safecrlf=false", "add", "-A"]);
        world.link_commit("other module");
        world.change(6);
        world.intend();
        world.ignored();
        Self { repo: world.repo, settings }
    }
}

struct Builder {
    dice: Dice,
    repo: Fixture,
    names: Vec<Vec<u8>>,
}

impl Builder {
    /// Puts the attributes where git looks for them: in the tree, in the repository, or in a file of the user.
    fn attributes(&mut self) {
        match self.dice.below(3) {
            0 => drop(self.repo.write(".gitattributes", ATTRIBUTES)),
            1 => drop(self.repo.write(".git/info/attributes", ATTRIBUTES)),
            _ => {
                let file = self.repo.path().join("../attributes");
                fs::write(&file, ATTRIBUTES).unwrap();
                self.repo.git(&["config", "core.attributesFile", &file.display().to_string()]);
            }
        }
    }

    fn place(&self, name: &[u8]) -> PathBuf {
        self.repo.path().join(OsString::from_vec(name.to_vec()))
    }

    fn commit(&self, message: &str) {
        self.repo.git(&["-c", "core.safecrlf=false", "add", "-A"]).git(&[
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            message,
        ]);
    }

    /// A commit beside `HEAD`, whose merge base with it is `HEAD~1`.
    fn side(&self) -> String {
        let tree = self.repo.id("HEAD~2^{tree}");
        let parent = self.repo.id("HEAD~1");
        let output = self.repo.try_git(&["commit-tree", "-m", "side", "-p", &parent, &tree]);
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Stages the commit of a submodule.
    fn link_commit(&mut self, name: &str) {
        let format = self.repo.try_git(&["rev-parse", "--show-object-format"]);
        let length = if format.stdout.starts_with(b"sha256") { 64 } else { 40 };
        let id: String = (0..length).map(|_| format!("{:x}", self.dice.below(16))).collect();
        self.repo.at(name);
        self.repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{id},{name}")]);
    }

    /// A name that is free, and whose folders are no files.
    fn name(&mut self) -> Vec<u8> {
        loop {
            let mut name = self.dice.pick(STEMS).to_vec();
            if self.dice.one_in(3) {
                name.extend_from_slice(format!("-{}", self.dice.below(90)).as_bytes());
            }
            if self.dice.one_in(40) {
                name.extend(std::iter::repeat_n(b'n', 180));
            }
            name.extend_from_slice(self.dice.pick(ENDINGS));
            let place = self.place(&name);
            let folder_is_free = place
                .ancestors()
                .skip(1)
                .take_while(|of| *of != self.repo.path())
                .all(|of| fs::symlink_metadata(of).map_or(true, |found| found.is_dir()));
            if folder_is_free && fs::symlink_metadata(&place).is_err() {
                return name;
            }
        }
    }

    fn line(&mut self) -> String {
        match self.dice.below(12) {
            0 => String::new(),
            1 => "    }".to_owned(),
            2 => "-- a/x".to_owned(),
            3 => "++ b/x".to_owned(),
            4 => "@@ -1 +1 @@".to_owned(),
            5 => "diff --git a/x b/x".to_owned(),
            6 => "\\ No newline at end of file".to_owned(),
            7 => "$Id$".to_owned(),
            8 => "x = 1\u{fe}\u{2028}\u{0b}".to_owned(),
            _ => format!("line_{} = {}", self.dice.below(5), self.dice.below(9)),
        }
    }

    /// The lines of a text with their ends.
    fn text(&mut self) -> Vec<String> {
        let end = self.dice.pick(&["\n", "\n", "\r\n"]);
        let count = self.dice.below(45);
        (0..count).map(|_| self.line() + end).collect()
    }

    fn edit(&mut self, lines: &mut Vec<String>) {
        for _ in 0..=self.dice.below(4) {
            let from = self.dice.below(lines.len() + 1);
            let gone = self.dice.below(4).min(lines.len() - from);
            let end = if lines.first().is_some_and(|line| line.ends_with("\r\n")) {
                "\r\n"
            } else {
                "\n"
            };
            let new: Vec<String> = (0..self.dice.below(5)).map(|_| self.line() + end).collect();
            lines.splice(from..from + gone, new);
        }
        if self.dice.one_in(5)
            && let Some(last) = lines.last_mut()
        {
            *last = last.trim_end_matches(['\r', '\n']).to_owned();
        }
        if self.dice.one_in(12) {
            lines.iter_mut().for_each(|line| *line = line.replace("\r\n", "\n"));
        }
    }

    /// Writes lines as a file of that name holds them.
    fn write(&mut self, name: &[u8], lines: &[String]) {
        let mut text = lines.concat();
        if name.ends_with(b".bin") || (name.ends_with(b".py") && self.dice.one_in(4)) {
            text.insert_str(0, "# \0\n");
        }
        let mut bytes = if name.ends_with(b".id") || self.dice.one_in(3) {
            // One byte a character, so that it is no UTF-8.
            text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect()
        } else {
            text.into_bytes()
        };
        if name.ends_with(b".enc") {
            let text = lines.concat();
            bytes = [0xff, 0xfe]
                .into_iter()
                .chain(text.encode_utf16().flat_map(u16::to_le_bytes))
                .collect();
        }
        let place = self.place(name);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, bytes).unwrap();
    }

    fn create(&mut self) {
        let (name, lines) = (self.name(), self.text());
        self.write(&name, &lines);
        self.names.push(name);
    }

    /// The lines of a file as they were written, near enough to edit them.
    fn lines(&self, name: &[u8]) -> Vec<String> {
        let bytes = fs::read(self.place(name)).unwrap();
        let text = if name.ends_with(b".enc") {
            let units: Vec<u16> = bytes[2..]
                .chunks_exact(2)
                .map(|two| u16::from_le_bytes([two[0], two[1]]))
                .collect();
            String::from_utf16(&units).unwrap()
        } else {
            String::from_utf8_lossy(&bytes).into_owned()
        };
        text.split_inclusive('\n').filter(|line| !line.contains('\0')).map(str::to_owned).collect()
    }

    /// Changes some entries of the work tree.
    fn change(&mut self, times: usize) {
        for _ in 0..times {
            self.names.retain(|name| {
                let place = self.repo.path().join(OsString::from_vec(name.clone()));
                fs::symlink_metadata(place).is_ok_and(|found| found.is_file() || found.is_symlink())
            });
            if self.names.len() < 4 {
                self.create();
                continue;
            }
            let name = self.names[self.dice.below(self.names.len())].clone();
            let place = self.place(&name);
            if fs::symlink_metadata(&place).unwrap().is_symlink() {
                fs::remove_file(&place).unwrap();
                if self.dice.one_in(2) {
                    symlink("elsewhere\nor not", &place).unwrap();
                } else {
                    let lines = self.text();
                    self.write(&name, &lines);
                }
                continue;
            }
            match self.dice.below(14) {
                0 | 1 => self.create(),
                2 => fs::remove_file(&place).unwrap(),
                3 => {
                    let bits = fs::metadata(&place).unwrap().permissions().mode() ^ 0o111;
                    fs::set_permissions(&place, fs::Permissions::from_mode(bits)).unwrap();
                }
                4 => {
                    fs::remove_file(&place).unwrap();
                    symlink("../outside", &place).unwrap();
                }
                5 => {
                    fs::remove_file(&place).unwrap();
                    let inner = [&name[..], b"/inner.py"].concat();
                    let lines = self.text();
                    self.write(&inner, &lines);
                    self.names.push(inner);
                }
                6 => self.write(&name, &[]),
                kind => {
                    let mut lines = self.lines(&name);
                    self.edit(&mut lines);
                    let ending = ENDINGS
                        .iter()
                        .filter(|end| name.ends_with(end))
                        .max_by_key(|end| end.len());
                    let mut target = name.clone();
                    if kind < 10 {
                        target = [&self.name()[..], b"-moved", ending.unwrap()].concat();
                    }
                    if kind < 9 {
                        fs::remove_file(&place).unwrap();
                    }
                    self.write(&target, &lines);
                    self.names.push(target);
                }
            }
        }
    }

    /// Adds the intent to add some new file.
    fn intend(&mut self) {
        let (name, lines) = (self.name(), self.text());
        self.write(&name, &lines);
        let spec = [b":(top,literal)", &name[..]].concat();
        let arguments = [
            "-c".into(),
            "core.safecrlf=false".into(),
            "add".into(),
            "-N".into(),
            "--".into(),
            OsString::from_vec(spec),
        ];
        assert!(self.repo.git_with(&[], &arguments).status.success());
    }

    /// Writes a file that is ignored.
    fn ignored(&mut self) {
        self.repo.write(".git/info/exclude", "*.ignored\n").write("x.ignored", "x = 1\n");
    }
}
