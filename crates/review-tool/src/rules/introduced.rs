//! Runs the rules that read syntax, patterns and scans, over a file and keeps what the change introduced.
//!
//! A match counts where the change shows inside it, or in the function around it, and it was not there
//! before. It was there before if the old side has a match of the same rule that begins at the same
//! unchanged line, or one with the same tokens that the new side has not used up: moved or reformatted
//! code is not new. A match whose own lines are unchanged is new when what kept it silent is gone, such
//! as the `close` of a file; it is then reported where that stood.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use super::fix::fix;
use super::flow::{self, Flows};
use super::scans::{Code, Scan};
use super::text::{TextQuery, units};
use super::{Hit, Rule, Run};
use crate::finding::{Fix, Side};
use crate::source::SideText;
use crate::syntax::{Match, Node, Query, QuerySet, Tree};
use crate::view::FileView;

/// A match with what is needed once its tree is no longer at hand.
struct Found {
    rule: usize,
    first: u32,
    last: u32,
    at: u32,
    at_end: u32,
    /// The lines on which a change can bring the match about: the function around it, or the way of a
    /// followed value.
    around: RangeInclusive<u32>,
    tokens: String,
    message: String,
    fix: Option<Fix>,
}

/// What of a rule set applies to one language; positions are those of the rules.
struct Readers<'r> {
    queries: Vec<(usize, &'r Query)>,
    scans: Vec<(usize, Scan)>,
    texts: Vec<(usize, &'r TextQuery)>,
}

impl Readers<'_> {
    fn is_empty(&self) -> bool {
        self.queries.is_empty() && self.scans.is_empty() && self.texts.is_empty()
    }
}

/// Runs the rules among `rules` that read syntax; hits name a rule by its position.
pub(super) fn check(
    rules: &[&Rule],
    view: &FileView,
    cancelled: &dyn Fn() -> bool,
) -> Vec<(usize, Hit)> {
    let mut readers = Readers { queries: Vec::new(), scans: Vec::new(), texts: Vec::new() };
    for (at, rule) in rules.iter().enumerate() {
        match &rule.run {
            Run::Pattern(_) => {
                let query = view.language().and_then(|language| rule.query(language));
                readers.queries.extend(query.map(|query| (at, query)));
            }
            Run::Text(_) => readers.texts.extend(rule.text_query().map(|query| (at, query))),
            Run::Scan(scan) => readers.scans.push((at, *scan)),
            Run::Check(_) | Run::Ask(_) => {}
        }
    }
    let new = view.new_side();
    if readers.is_empty() || (new.changed().is_empty() && view.old_side().changed().is_empty()) {
        return Vec::new();
    }
    let found = scan(&readers, rules, view, Side::New, cancelled, |lines| new.touches(&lines));
    let mut hits = if found.is_empty() {
        Vec::new()
    } else {
        let before = matches_before(&found, &readers, rules, view, cancelled);
        keep_introduced(found, &before, view)
    };
    hits.extend(texts_removed(&readers, rules, view));
    hits
}

/// The units that text rules miss: gone from the old side, and none like them left on the new one.
fn texts_removed(readers: &Readers<'_>, rules: &[&Rule], view: &FileView) -> Vec<(usize, Hit)> {
    let (old, new) = (view.old_side(), view.new_side());
    let watched = readers.texts.iter().filter(|(_, query)| query.removed);
    let watched: Vec<_> = watched.collect();
    let stays = new.fragments().iter().any(|part| !part.text().trim().is_empty());
    if watched.is_empty() || old.changed().is_empty() || !stays {
        return Vec::new();
    }
    let language = view.language();
    let left: Vec<_> = new.fragments().iter().map(|part| units(language, part.text())).collect();
    let mut hits = Vec::new();
    for fragment in old.fragments() {
        let before = units(language, fragment.text());
        for &&(rule, query) in &watched {
            let message = &rules[rule].file.message;
            let stays = left.iter().flatten().any(|unit| query.message(unit, message).is_some());
            if stays || !query.looks_at(&before) || !left.iter().all(|units| query.looks_at(units))
            {
                continue;
            }
            hits.extend(before.iter().find_map(|unit| {
                let first = fragment.first_line().saturating_add(unit.first);
                let message = query.message(unit, message)?;
                old.is_changed(first).then(|| (rule, Hit::removed(first).message(message)))
            }));
        }
    }
    hits
}

/// What the rules that fired also match on the old side.
fn matches_before(
    found: &[Found],
    readers: &Readers<'_>,
    rules: &[&Rule],
    view: &FileView,
    cancelled: &dyn Fn() -> bool,
) -> Vec<Found> {
    let has_fired = |rule: usize| found.iter().any(|found| found.rule == rule);
    let fired = Readers {
        queries: readers.queries.iter().copied().filter(|(rule, _)| has_fired(*rule)).collect(),
        scans: readers.scans.iter().copied().filter(|(rule, _)| has_fired(*rule)).collect(),
        texts: readers.texts.iter().copied().filter(|(rule, _)| has_fired(*rule)).collect(),
    };
    scan(&fired, rules, view, Side::Old, cancelled, |_| true)
}

fn scan(
    readers: &Readers<'_>,
    rules: &[&Rule],
    view: &FileView,
    side: Side,
    cancelled: &dyn Fn() -> bool,
    enter: impl Fn(std::ops::RangeInclusive<u32>) -> bool,
) -> Vec<Found> {
    let queries = &readers.queries;
    let set = QuerySet::new(queries.iter().map(|(_, query)| *query).collect());
    let mut out = scan_texts(readers, rules, view, side, &enter);
    if readers.queries.is_empty() && readers.scans.is_empty() {
        return out;
    }
    for (base, tree) in view.trees(side) {
        let absolute = |line: u32| base.saturating_add(line);
        let touched = |first: u32, last: u32| enter(absolute(first)..=absolute(last));
        let functions = functions(tree, touched);
        let flows = Flows::new(tree);
        set.scan(
            tree,
            |first, last| {
                !cancelled()
                    && (touched(first, last)
                        || around(&functions, first).is_some_and(|of| of.contains(&last)))
            },
            |index, matched| {
                let rule = queries[index].0;
                let file = &rules[rule].file;
                let node = matched.node();
                let (first, last) = node.lines();
                let (part, origin) = match &file.flow {
                    Some(flow) => match flows.trace(flow, &matched) {
                        Some(traced) => (Some(traced.part), Some(traced.origin)),
                        None => return,
                    },
                    None => (None, None),
                };
                let named = file.at.as_deref().and_then(|name| matched.capture(name));
                let (at, at_end) = match (&part, named) {
                    (Some(part), None) => part.lines(),
                    (_, Some(node)) => (node.lines().0, last),
                    (None, None) => (first, last),
                };
                let start = origin.map_or(at, |node| node.lines().0).min(at).min(first);
                let function = around(&functions, first).filter(|_| part.is_none());
                let around = function.cloned().unwrap_or(start..=last.max(at));
                let mut tokens = tokens(node.text());
                tokens.extend(part.as_ref().map(|part| self::tokens(part.text())));
                out.push(Found {
                    rule,
                    first: absolute(first),
                    last: absolute(last),
                    at: absolute(at),
                    at_end: absolute(at_end),
                    around: absolute(*around.start())..=absolute(*around.end()),
                    tokens,
                    message: fill(&file.message, &matched, part.as_ref()),
                    fix: fix(&file.fix, &node, tree, base),
                });
            },
        );
        for (rule, scan) in readers.scans.iter().take_while(|_| !cancelled()) {
            let code = Code { language: tree.language(), root: tree.root(), touched: &touched };
            for spot in scan(&code) {
                let message = rules[*rule].file.message.replace("{NAME}", &spot.name);
                let around = around(&functions, spot.first).cloned();
                let around = around.unwrap_or(spot.first..=spot.last);
                out.push(Found {
                    rule: *rule,
                    first: absolute(spot.first),
                    last: absolute(spot.last),
                    at: absolute(spot.at),
                    at_end: absolute(spot.last),
                    around: absolute(*around.start())..=absolute(*around.end()),
                    tokens: spot.tokens,
                    message,
                    fix: None,
                });
            }
        }
    }
    out
}

/// What the text rules find on one side.
fn scan_texts(
    readers: &Readers<'_>,
    rules: &[&Rule],
    view: &FileView,
    side: Side,
    enter: impl Fn(RangeInclusive<u32>) -> bool,
) -> Vec<Found> {
    let mut out = Vec::new();
    if readers.texts.iter().all(|(_, query)| query.removed) {
        return out;
    }
    for fragment in view.side(side).fragments() {
        let units = units(view.language(), fragment.text());
        let absolute = |line: u32| fragment.first_line().saturating_add(line);
        for &(rule, query) in readers.texts.iter().filter(|(_, query)| !query.removed) {
            if !query.looks_at(&units) {
                continue;
            }
            for unit in &units {
                let (first, last) = (absolute(unit.first), absolute(unit.last));
                if !enter(first..=last) {
                    continue;
                }
                let Some(message) = query.message(unit, &rules[rule].file.message) else {
                    continue;
                };
                let tokens = tokens(&unit.text);
                let around = first..=last;
                let at = view.side(side).first_changed_in(&around).unwrap_or(first);
                let (at_end, fix) = (last, None);
                out.push(Found { rule, first, last, at, at_end, around, tokens, message, fix });
            }
        }
    }
    out
}

fn keep_introduced(found: Vec<Found>, before: &[Found], view: &FileView) -> Vec<(usize, Hit)> {
    let (old, new) = (view.old_side(), view.new_side());
    let mut known: Vec<HashMap<&str, usize>> = Vec::new();
    // Only what the change takes away can come back elsewhere. What stands on unchanged lines still
    // stands there, and excuses nothing new.
    let taken = before.iter().filter(|b| old.first_changed_in(&(b.first..=b.last)).is_some());
    for found in taken {
        if known.len() <= found.rule {
            known.resize_with(found.rule + 1, HashMap::new);
        }
        *known[found.rule].entry(&found.tokens).or_default() += 1;
    }
    let at_old_line: HashSet<(usize, u32)> = before.iter().map(|b| (b.rule, b.at)).collect();
    let mut hits = Vec::new();
    for found in found {
        if !new.is_changed(found.at)
            && old_line_of(found.at, old, new)
                .is_some_and(|line| at_old_line.contains(&(found.rule, line)))
        {
            continue;
        }
        if let Some(left) =
            known.get_mut(found.rule).and_then(|of| of.get_mut(found.tokens.as_str()))
            && *left > 0
        {
            *left -= 1;
            continue;
        }
        let hit = if new.is_changed(found.at) {
            let line_end = (found.at_end > found.at).then_some(found.at_end);
            Hit { line_end, fix: found.fix, ..Hit::added(found.at) }
        } else if let Some(hit) = change_in(&(found.first..=found.last), old, new)
            .or_else(|| change_near(found.at, &found.around, old, new))
        {
            hit
        } else {
            continue;
        };
        hits.push((found.rule, hit.message(found.message)));
    }
    hits
}

/// The first line within `lines` that the change adds, or else the first that it removes from there.
fn change_in(lines: &RangeInclusive<u32>, old: &SideText, new: &SideText) -> Option<Hit> {
    new.first_changed_in(lines).map(Hit::added).or_else(|| {
        let gap = new.first_gap_in(lines)?;
        removed_line_at(gap, old, new).map(Hit::removed)
    })
}

/// The line within `lines` that the change removes nearest to `at`, or else the nearest that it adds.
fn change_near(
    at: u32,
    lines: &RangeInclusive<u32>,
    old: &SideText,
    new: &SideText,
) -> Option<Hit> {
    let removed = new.gaps_in(lines).filter_map(|gap| Some((gap, removed_line_at(gap, old, new)?)));
    let removed = removed.min_by_key(|(gap, _)| gap.abs_diff(at));
    match removed {
        // Where lines were replaced, the new ones are what the reader sees.
        Some((gap, _)) if new.is_changed(gap.saturating_add(1)) => {
            Some(Hit::added(gap.saturating_add(1)))
        }
        Some((_, line)) => Some(Hit::removed(line)),
        None => new.changed_in(lines).min_by_key(|line| line.abs_diff(at)).map(Hit::added),
    }
}

/// The range that holds `line`, of ranges that ascend.
fn around(ranges: &[RangeInclusive<u32>], line: u32) -> Option<&RangeInclusive<u32>> {
    let after = ranges.partition_point(|range| *range.start() <= line);
    ranges.get(after.checked_sub(1)?).filter(|range| range.contains(&line))
}

/// The line ranges of the outermost functions that the change touches, counted from 0, ascending.
fn functions(tree: &Tree, touched: impl Fn(u32, u32) -> bool) -> Vec<RangeInclusive<u32>> {
    let mut out = Vec::new();
    let mut stack = vec![tree.root()];
    while let Some(node) = stack.pop() {
        let (first, last) = node.lines();
        if !touched(first, last) {
            continue;
        }
        if flow::is_function(&node.kind()) {
            out.push(first..=last);
        } else {
            stack.extend(node.children());
        }
    }
    out.reverse();
    out
}

/// The number on the old side of a line that stands on both.
pub(super) fn old_line_of(line: u32, old: &SideText, new: &SideText) -> Option<u32> {
    if new.is_changed(line) {
        return None;
    }
    let added = new.changed().partition_point(|&changed| changed < line);
    // The n-th unchanged line of one side is the n-th unchanged line of the other.
    let rank = line.checked_sub(u32::try_from(added).ok()?)?;
    nth_unchanged(rank, old.changed())
}

/// The first old line that stood in the gap after `gap` on the new side.
fn removed_line_at(gap: u32, old: &SideText, new: &SideText) -> Option<u32> {
    let before = if gap == 0 { 0 } else { old_line_of(gap, old, new)? };
    old.first_changed_in(&(before.saturating_add(1)..=before.saturating_add(1)))
}

/// The number of the `rank`-th line that is not in `changed`, both 1-based.
fn nth_unchanged(rank: u32, changed: &[u32]) -> Option<u32> {
    // changed[i] has changed[i] - 1 - i unchanged lines before it.
    let skipped = partition(changed, |index, line| {
        u32::try_from(index).is_ok_and(|index| line.saturating_sub(1).saturating_sub(index) < rank)
    });
    rank.checked_add(u32::try_from(skipped).ok()?)
}

fn partition(items: &[u32], holds: impl Fn(usize, u32) -> bool) -> usize {
    let (mut low, mut high) = (0, items.len());
    while low < high {
        let middle = low.midpoint(high);
        if holds(middle, items[middle]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// The text with every run of white space taken out, so that layout does not count.
pub(super) fn tokens(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Puts the texts of metavariables, and of the part of a flow, into a message, cut to one short line
/// each.
fn fill(message: &str, matched: &Match<'_>, part: Option<&Node<'_>>) -> String {
    let mut out = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        out.push_str(before);
        let name_len =
            from[1..].find(|c: char| !(c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit()));
        match name_len.map(|len| (&from[1..=len], &from[1 + len..])) {
            Some((name, after)) if !name.is_empty() && after.starts_with('}') => {
                let text = match part {
                    Some(part) if name == "PART" => Some(one_line(part)),
                    _ => matched.capture(name).as_ref().map(one_line),
                };
                out.push_str(&text.unwrap_or_default());
                rest = &after[1..];
            }
            _ => {
                out.push('{');
                rest = &from[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn one_line(node: &Node<'_>) -> String {
    short(node.text())
}

/// The text on one line, cut where it grows long.
pub(super) fn short(text: &str) -> String {
    const LONGEST: usize = 60;
    let text: Vec<&str> = text.split_whitespace().collect();
    let text = text.join(" ");
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unchanged_lines_keep_their_rank() {
        assert_eq!(nth_unchanged(1, &[]), Some(1));
        assert_eq!(nth_unchanged(1, &[1, 2]), Some(3));
        assert_eq!(nth_unchanged(2, &[2, 4]), Some(3));
        assert_eq!(nth_unchanged(3, &[2, 4]), Some(5));
    }

    #[test]
    fn the_first_removed_line_of_a_gap_is_found() {
        let old = SideText::whole(b"a\nb\nc\nd\n", vec![2, 3], vec![]);
        let new = SideText::whole(b"a\nd\n", vec![], vec![1]);
        assert_eq!(removed_line_at(1, &old, &new), Some(2));
        assert_eq!(old_line_of(2, &old, &new), Some(4));
    }
}
