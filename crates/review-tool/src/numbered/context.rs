//! The functions around a hunk, found in the syntax tree.

use std::ops::RangeInclusive;

use super::{File, Line, Masked};
use crate::diff::LineKind;
use crate::finding::Side;
use crate::rules::is_function;
use crate::syntax::Tree;
use crate::view::FileView;

/// A function of more lines is not shown in whole.
const MAX_LINES: u32 = 160;
/// Of a longer function, this many of its first lines are shown: the signature.
const HEAD_LINES: u32 = 3;

/// Puts the rest of the changed functions around each hunk. Where the new side is not known in whole,
/// nothing is added.
pub(super) fn add(file: &mut File, view: &FileView) {
    let new = view.new_side();
    if !new.is_complete() {
        return;
    }
    let touched = |lines: &RangeInclusive<u32>| new.touches(lines);
    let functions: Vec<Function> =
        view.trees(Side::New).flat_map(|(from, tree)| functions(from, tree, touched)).collect();
    if functions.is_empty() {
        return;
    }
    let masked = Masked::of(new);
    let bounds: Vec<Option<(u32, u32)>> = file
        .hunks
        .iter()
        .map(|hunk| {
            let mut numbers = hunk.lines.iter().filter_map(|line| line.new);
            let first = numbers.next()?;
            Some((first, numbers.next_back().unwrap_or(first)))
        })
        .collect();
    let mut done = 0;
    for (at, hunk) in file.hunks.iter_mut().enumerate() {
        // A hunk without lines of the new side stands between two of them, and needs none around.
        let Some((first, last)) = bounds[at] else { continue };
        let next = bounds[at + 1..].iter().flatten().next().map_or(u32::MAX, |(first, _)| *first);
        let mut wanted: Vec<u32> = functions
            .iter()
            .filter(|function| function.first <= last && function.last >= first)
            .flat_map(Function::shown)
            .filter(|&number| number > done && number < next && (number < first || number > last))
            .collect();
        wanted.sort_unstable();
        wanted.dedup();
        done = wanted.last().copied().unwrap_or(last).max(last);
        for number in wanted {
            let Some(text) = masked.line(number) else { continue };
            let line = Line {
                kind: LineKind::Context,
                old: None,
                new: Some(number),
                text: text.to_owned(),
            };
            if number < first { hunk.before.push(line) } else { hunk.after.push(line) }
        }
    }
}

/// The lines of a function that the change touches.
struct Function {
    first: u32,
    last: u32,
}

impl Function {
    fn is_short(&self) -> bool {
        self.last - self.first < MAX_LINES
    }

    fn shown(&self) -> RangeInclusive<u32> {
        self.first..=if self.is_short() { self.last } else { self.first + HEAD_LINES - 1 }
    }
}

/// Of nested functions the outermost that is short enough, and the longer ones around it.
fn functions(
    from: u32,
    tree: &Tree,
    touched: impl Fn(&RangeInclusive<u32>) -> bool,
) -> Vec<Function> {
    let mut out = Vec::new();
    let mut stack = vec![tree.root()];
    while let Some(node) = stack.pop() {
        let (first, last) = node.lines();
        let function =
            Function { first: from.saturating_add(first), last: from.saturating_add(last) };
        if !touched(&(function.first..=function.last)) {
            continue;
        }
        let is_function = is_function(&node.kind());
        if !(is_function && function.is_short()) {
            stack.extend(node.children());
        }
        if is_function {
            out.push(function);
        }
    }
    out
}
