//! Conflict markers that a merge left in added lines.

use super::Hit;
use super::added_text::is_prose;
use crate::finding::Side;
use crate::syntax::Node;
use crate::view::FileView;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Ours,
    Base,
    Middle,
    Theirs,
}

fn mark(line: &str) -> Option<Mark> {
    let (head, tail) = (line.get(..7)?, &line[7..]);
    let labelled = tail.is_empty() || tail.starts_with(' ');
    match head {
        "<<<<<<<" if labelled => Some(Mark::Ours),
        "|||||||" if labelled => Some(Mark::Base),
        "=======" if tail.is_empty() => Some(Mark::Middle),
        ">>>>>>>" if labelled => Some(Mark::Theirs),
        _ => None,
    }
}

/// The check of `merge-conflict-marker`: one hit for each conflict, or for a marker that stands alone.
pub(super) fn check(view: &FileView) -> Vec<Hit> {
    // Text that stands for conflicts on purpose: tutorials, and the data of merge tools' tests.
    let shown = is_prose(view) || view.language().is_none() && view.is_test();
    let marks: Vec<(u32, Mark)> = view
        .new_side()
        .changed_lines()
        .filter_map(|(number, line)| Some((number, mark(line)?)))
        .filter(|(number, _)| !in_literal(view, *number))
        .collect();
    let mut hits = Vec::new();
    let mut at = 0;
    while let Some(&(line, kind)) = marks.get(at) {
        at += 1;
        if kind == Mark::Ours {
            let rest = &marks[at..];
            let own = rest.iter().take_while(|(_, kind)| *kind != Mark::Ours);
            let own: Vec<_> = own.collect();
            let close = own.iter().position(|(_, kind)| *kind == Mark::Theirs);
            let middle = own.iter().any(|(_, kind)| *kind == Mark::Middle);
            if shown && !(close.is_some() && middle && !in_fence(view, line)) {
                continue;
            }
            at += close.map_or(0, |close| close + 1);
            let line_end = close.map(|close| own[close].0);
            hits.push(Hit { line_end, ..Hit::added(line) });
        } else if !shown && kind != Mark::Middle && has_label(view, line) {
            // A row of `=` alone is as likely a heading.
            hits.push(Hit::added(line));
        }
    }
    hits
}

fn has_label(view: &FileView, line: u32) -> bool {
    view.new_side().line(line).is_some_and(|text| text.trim_end().len() > 8)
}

/// Whether a line of prose stands in a fenced block, as far as the file is known.
fn in_fence(view: &FileView, line: u32) -> bool {
    let new = view.new_side();
    let fences = (1..line).filter_map(|number| new.line(number));
    fences.filter(|text| text.trim_start().starts_with("```") || text.starts_with("~~~")).count()
        % 2
        == 1
        || !view.file_name().ends_with(".md")
}

/// Whether the line lies inside a string or comment that began before it.
fn in_literal(view: &FileView, line: u32) -> bool {
    view.trees(Side::New).any(|(first, tree)| {
        let Some(line) = line.checked_sub(first) else { return false };
        let mut node = tree.root();
        loop {
            let kind = node.kind();
            let literal = ["string", "template", "comment", "heredoc", "text_block"];
            if node.lines().0 < line && literal.iter().any(|part| kind.contains(part)) {
                return true;
            }
            let spans = |node: &Node<'_>| (node.lines().0..=node.lines().1).contains(&line);
            let Some(next) = node.children().find(|child| spans(child) && child.lines().0 < line)
            else {
                return false;
            };
            node = next;
        }
    })
}
