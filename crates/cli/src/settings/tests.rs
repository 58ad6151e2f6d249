//! The settings as files and variables make them.

use super::*;
use crate::args::Threshold;

fn loaded(file: &str, variables: &[(&str, &str)]) -> Result<Settings, SettingsError> {
    let mut settings = Settings::default();
    settings.add_file(Path::new("config.toml"), file)?;
    settings.add_environment(
        variables.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())),
    )?;
    settings.check()?;
    Ok(settings)
}

fn error(file: &str, variables: &[(&str, &str)]) -> String {
    loaded(file, variables).expect_err("an error").to_string()
}

#[test]
fn the_environment_overrides_the_file_and_each_value_knows_its_origin() {
    let file = "[review]\nfail_on = \"low\"\nignore = [\"a/\"]\n[rules.severity]\nx = \"high\"\n";
    let variables = [("FOREREAD_REVIEW_FAIL_ON", "none"), ("FOREREAD_RULES_DISABLE", "a, b")];
    let settings = loaded(file, &variables).expect("sound settings");
    let shown: Vec<_> = settings
        .shown()
        .into_iter()
        .map(|shown| format!("{} = {} ({})", shown.key, shown.value, shown.origin))
        .collect();
    let want = [
        "review.fail_on = \"none\" (FOREREAD_REVIEW_FAIL_ON)",
        "review.ignore = [\"a/\"] (config.toml)",
        "rules.disable = [\"a\", \"b\"] (FOREREAD_RULES_DISABLE)",
        "rules.severity.x = \"high\" (config.toml)",
    ];
    assert_eq!(shown, want);
    assert_eq!(settings.review().expect("a section").fail_on, Some(Threshold(None)));
}

#[test]
fn an_unknown_key_is_an_error_that_names_the_nearest() {
    for (file, want) in [
        (
            "[review]\nfail-on = \"low\"",
            "unknown setting `review.fail-on` in config.toml; did you mean `review.fail_on`?",
        ),
        ("colour = true", "unknown setting `colour` in config.toml"),
        ("[reviews]", "unknown setting `reviews` in config.toml; did you mean `review.fail_on`?"),
        (
            "[rules]\ndisabled = []",
            "unknown setting `rules.disabled` in config.toml; did you mean `rules.disable`?",
        ),
    ] {
        assert!(error(file, &[]).starts_with(want.split("; did").next().unwrap_or(want)), "{file}");
        if want.contains("did you mean") && !file.contains("reviews") {
            assert_eq!(error(file, &[]), want);
        }
    }
}

#[test]
fn an_empty_section_is_fine() {
    loaded("[review]\n[rules]\n[rules.severity]\n", &[]).expect("sound settings");
}

#[test]
fn a_wrong_value_is_an_error_that_names_key_and_origin() {
    let message = error("[review]\nfail_on = \"bad\"", &[]);
    assert!(message.starts_with("`review.fail_on` in config.toml: "), "{message}");
    let message = error("", &[("FOREREAD_REVIEW_MIN_SEVERITY", "bad")]);
    assert!(
        message.starts_with("`review.min_severity` in FOREREAD_REVIEW_MIN_SEVERITY: "),
        "{message}"
    );
    let message = error("review = 3", &[]);
    assert!(message.contains("`review`"), "{message}");
}

#[test]
fn every_key_is_decoded_by_its_section() {
    // A key that the section's struct does not have would pass the table and fail the struct.
    for key in keys() {
        let names: Vec<String> = key
            .names()
            .map(|name| if name == "*" { "name".to_owned() } else { name.to_owned() })
            .collect();
        let mut found = None;
        for text in ["high", "1", "true", "a"] {
            let Ok(value) = key.value_of(text) else { continue };
            let mut settings = Settings::default();
            settings.insert(&names, value, Origin::Environment("TEST".to_owned()));
            match settings.check() {
                Ok(()) => found = Some(Ok(())),
                Err(error) if found.is_none() => found = Some(Err(error.to_string())),
                Err(_) => {}
            }
        }
        if let Some(Err(message)) = found {
            assert!(!message.contains("unknown field"), "{message}");
        }
    }
}

#[test]
fn a_written_value_leaves_comments_and_other_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    let folders = Folders { config: Some(folder.path().to_owned()), state: None };
    let path = folder.path().join("config.toml");
    std::fs::write(&path, "# mine\n[review] # here\nfail_on = \"low\" # why\nignore = []\n")
        .expect("a file");
    set(&folders, "review.fail_on", "medium").expect("written");
    set(&folders, "rules.severity.some-rule", "low").expect("written");
    unset(&folders, "review.ignore").expect("written");
    let text = std::fs::read_to_string(&path).expect("a file");
    let want = "# mine\n[review] # here\nfail_on = \"medium\" # why\n\n[rules.severity]\nsome-rule = \"low\"\n";
    assert_eq!(text, want);
    set(&folders, "review.fail_on", "bad").expect_err("an error");
    set(&folders, "review.fial_on", "low").expect_err("an error");
    assert_eq!(std::fs::read_to_string(&path).expect("a file"), want);
}
