//! What the black-box tests share: repositories, the program itself, and protocol transcripts.

pub(crate) mod drive;
pub(crate) mod normalize;
pub(crate) mod program;
pub(crate) mod provider;
pub(crate) mod render;
pub(crate) mod repo;
pub(crate) mod script;
pub(crate) mod validate;

use std::path::PathBuf;

/// The folder of the black-box tests.
pub(crate) fn tests_folder() -> PathBuf {
    let cli = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    cli.ancestors().nth(2).unwrap().join("tests")
}

/// Settings under which every snapshot is written: one folder for each area, no module names.
pub(crate) fn snapshots(area: &str) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(tests_folder().join("snapshots").join(area));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
}
