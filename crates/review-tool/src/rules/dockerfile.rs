//! What a Dockerfile builds on and runs as, over the instructions of its last state.

use super::Hit;
use super::text::{Unit, units};
use crate::view::FileView;

/// The check of `docker-image-unpinned`.
pub(super) fn unpinned(view: &FileView) -> Vec<Hit> {
    let mut hits = Vec::new();
    let old_images: Vec<String> = of(view.old_side().fragments())
        .filter_map(|(_, unit)| image(&unit.text).map(str::to_owned))
        .collect();
    let mut stages: Vec<String> = Vec::new();
    for (base, unit) in of(view.new_side().fragments()) {
        let Some(name) = image(&unit.text) else { continue };
        let line = base.saturating_add(unit.first);
        let is_known = name == "scratch" || stages.iter().any(|stage| stage == name);
        if !is_known
            && moves(name)
            && view.new_side().is_changed(line)
            && !old_images.iter().any(|old| old == name)
        {
            let message = format!(
                "{name} names no version, so the next build may stand on another base than this one."
            );
            hits.push(Hit::added(line).message(message));
        }
        let mut words = unit.text.split_whitespace().rev();
        if let (Some(stage), Some(word)) = (words.next(), words.next())
            && word.eq_ignore_ascii_case("as")
        {
            stages.push(stage.to_owned());
        }
    }
    hits
}

/// The check of `docker-root-user`.
pub(super) fn root_user(view: &FileView) -> Vec<Hit> {
    let user = |units: Vec<(u32, Unit)>| {
        let last_stage = units.iter().rposition(|(_, unit)| image(&unit.text).is_some());
        let stage = last_stage.map_or(&units[..], |at| &units[at..]);
        stage.iter().rev().find_map(|(base, unit)| {
            let user = argument(&unit.text, "user")?.to_owned();
            Some((base.saturating_add(unit.first), user))
        })
    };
    let is_root = |user: &str| matches!(user.split(':').next(), Some("root" | "0"));
    let now = user(of(view.new_side().fragments()).collect());
    let before = user(of(view.old_side().fragments()).collect());
    now.filter(|(line, user)| {
        is_root(user)
            && view.new_side().is_changed(*line)
            && !before.is_some_and(|(_, user)| is_root(&user))
    })
    .map(|(line, user)| {
        let message = format!(
            "The last USER of the image is {user}, so whatever breaks into the process is root in the \
             container."
        );
        Hit::added(line).message(message)
    })
    .into_iter()
    .collect()
}

/// The instructions of one side, each with the number of its fragment's first line.
fn of(fragments: &[crate::source::Fragment]) -> impl Iterator<Item = (u32, Unit)> + '_ {
    fragments.iter().flat_map(|fragment| {
        let units = units(Some(crate::language::Language::Dockerfile), fragment.text());
        units.into_iter().map(|unit| (fragment.first_line(), unit))
    })
}

/// What follows the instruction `name`, its options left out.
fn argument<'t>(instruction: &'t str, name: &str) -> Option<&'t str> {
    let mut words = instruction.split_whitespace();
    words.next().filter(|word| word.eq_ignore_ascii_case(name))?;
    words.find(|word| !word.starts_with("--"))
}

/// The image that a stage stands on.
fn image(instruction: &str) -> Option<&str> {
    argument(instruction, "from")
}

/// Whether what the name stands for changes without notice.
fn moves(image: &str) -> bool {
    if image.contains('$') || image.contains('@') {
        return false;
    }
    let name = image.rsplit('/').next().unwrap_or(image);
    match name.split_once(':') {
        None => true,
        Some((_, tag)) => {
            matches!(tag, "latest" | "main" | "master" | "edge" | "nightly" | "dev" | "current")
        }
    }
}
