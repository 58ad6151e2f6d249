//! What a fingerprint covers, and what is kept.

use std::collections::BTreeMap;

use mcp_stdio::Framing;

use super::*;
use crate::settings::servers::EraChoice;

fn entry(root: &Path) -> Entry {
    Entry {
        name: "s".to_owned(),
        source: Source::Project(root.to_owned()),
        command: "./run".to_owned(),
        args: vec!["--config=c.json".to_owned(), "x".to_owned()],
        env: BTreeMap::from([("A".to_owned(), "1".to_owned())]),
        cwd: Some(root.to_owned()),
        framing: Framing::Auto,
        era: EraChoice::Auto,
        start_timeout: None,
        call_timeout: None,
        memory_limit: None,
    }
}

fn place() -> (tempfile::TempDir, PathBuf, Folders) {
    let temporary = tempfile::tempdir().expect("a folder");
    let root = temporary.path().canonicalize().expect("a folder").join("project");
    std::fs::create_dir(&root).expect("a folder");
    std::fs::write(root.join("run"), "#!/bin/sh\n").expect("a file");
    std::fs::write(root.join("c.json"), "{}").expect("a file");
    let folders = Folders { config: None, state: Some(temporary.path().join("state")) };
    (temporary, root, folders)
}

fn standing(folders: &Folders, entry: &Entry) -> Standing {
    Trust::load(folders).expect("state").standing(entry)
}

#[test]
fn only_what_was_trusted_is_trusted() {
    let (_kept, root, folders) = place();
    let known = entry(&root);
    assert_eq!(standing(&folders, &known), Standing::Unknown);
    trust(&folders, &root, "s", &Fingerprint::of(&known)).expect("kept");
    assert_eq!(standing(&folders, &known), Standing::Trusted);

    let changes: [fn(&mut Entry); 7] = [
        |entry| entry.command = "./run2".to_owned(),
        |entry| entry.args = vec!["--config=c.jsonx".to_owned()],
        // The same letters, cut differently.
        |entry| entry.args = vec!["--config=c.json".to_owned() + "x"],
        |entry| entry.args.reverse(),
        |entry| drop(entry.env.insert("LD_PRELOAD".to_owned(), "x.so".to_owned())),
        |entry| drop(entry.env.insert("A".to_owned(), "2".to_owned())),
        |entry| entry.cwd = Some(PathBuf::from("/")),
    ];
    for (number, change) in changes.iter().enumerate() {
        let mut changed = known.clone();
        change(&mut changed);
        assert_eq!(standing(&folders, &changed), Standing::Changed, "change {number}");
    }
    let elsewhere = Entry { source: Source::Project(root.join("other")), ..known.clone() };
    assert_eq!(standing(&folders, &elsewhere), Standing::Unknown);
    let renamed = Entry { name: "t".to_owned(), ..known.clone() };
    assert_eq!(standing(&folders, &renamed), Standing::Unknown);

    assert!(untrust(&folders, &root, "s").expect("changed"));
    assert!(!untrust(&folders, &root, "s").expect("changed"));
    assert_eq!(standing(&folders, &known), Standing::Unknown);
}

#[test]
fn the_files_that_a_command_names_are_part_of_it() {
    for file in ["run", "c.json"] {
        let (_kept, root, folders) = place();
        let known = entry(&root);
        let print = Fingerprint::of(&known);
        assert_eq!(print.files, BTreeSet::from([root.join("run"), root.join("c.json")]));
        trust(&folders, &root, "s", &print).expect("kept");
        std::fs::write(root.join(file), "other").expect("a file");
        assert_eq!(standing(&folders, &known), Standing::Changed, "{file}");
    }
}

#[test]
fn damaged_state_trusts_nobody() {
    let (_kept, root, folders) = place();
    trust(&folders, &root, "s", &Fingerprint::of(&entry(&root))).expect("kept");
    let path = folders.state.as_ref().expect("a folder").join(FILE);
    std::fs::write(&path, "{").expect("a file");
    let error = Trust::load(&folders).expect_err("damage").to_string();
    assert!(error.contains("trust.json is damaged"), "{error}");
    std::fs::write(&path, r#"{"schema": 99, "servers": []}"#).expect("a file");
    Trust::load(&folders).expect_err("a newer form");
}
