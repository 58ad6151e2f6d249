//! A change as edits of lines: which lines it really takes away and adds, and what becomes of the others.
//!
//! git's diff shows a line that only moves to another depth as removed and added. Here such lines pair
//! up, and what is left of a block is compared token by token.

use std::ops::Range;

use crate::finding::Side;
use crate::language::Language;
use crate::source::SideText;
use crate::view::FileView;

mod tokens;

pub(super) use tokens::tokens;

/// Blocks with more lines on a side than this are rebuilt rather than edited, and are not compared.
const MAX_BLOCK: usize = 120;

/// Removed lines and the added lines in their place; line numbers of each side, 1-based.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub old: Range<u32>,
    pub new: Range<u32>,
}

/// Lines of both sides between two lines that stay, and that are not the same but for layout.
#[derive(Debug, Clone)]
pub(super) struct Edit<'v> {
    /// The removed lines; empty where lines are added alone.
    pub old: Vec<(u32, &'v str)>,
    /// The added lines; empty where lines go alone.
    pub new: Vec<(u32, &'v str)>,
}

/// The difference of two token sequences: what goes and what comes between what stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Difference<'v> {
    pub before: Vec<&'v str>,
    pub gone: Vec<&'v str>,
    pub came: Vec<&'v str>,
    pub after: Vec<&'v str>,
}

/// The blocks of a change, in order.
pub(super) fn blocks(old: &SideText, new: &SideText) -> Vec<Block> {
    // Runs of changed lines stand in the same place where as many unchanged lines come before them.
    let mut out = Vec::new();
    let (olds, news) = (runs(old.changed()), runs(new.changed()));
    let (mut o, mut n) = (olds.into_iter().peekable(), news.into_iter().peekable());
    loop {
        let (left, right) = (o.peek().cloned(), n.peek().cloned());
        let block = match (left, right) {
            (None, None) => return out,
            (Some((rank, old)), Some((other, new))) if rank == other => {
                o.next();
                n.next();
                Block { old, new }
            }
            (Some((rank, old)), right) if right.as_ref().is_none_or(|(other, _)| rank < *other) => {
                o.next();
                let at = right
                    .map_or_else(|| shift(new, rank), |(other, run)| run.start - (other - rank));
                Block { old, new: at..at }
            }
            (left, Some((rank, new))) => {
                n.next();
                let at = left
                    .map_or_else(|| shift(old, rank), |(other, run)| run.start - (other - rank));
                Block { old: at..at, new }
            }
            (Some(_), None) => return out,
        };
        out.push(block);
    }
}

/// The number of the line after `rank` unchanged ones, past every changed line.
fn shift(side: &SideText, rank: u32) -> u32 {
    rank.saturating_add(u32::try_from(side.changed().len()).unwrap_or(u32::MAX)).saturating_add(1)
}

/// Runs of successive lines, each with how many lines outside of all runs come before it.
fn runs(changed: &[u32]) -> Vec<(u32, Range<u32>)> {
    let mut out: Vec<(u32, Range<u32>)> = Vec::new();
    for (index, &line) in changed.iter().enumerate() {
        match out.last_mut() {
            Some((_, run)) if run.end == line => run.end = line.saturating_add(1),
            _ => {
                let index = u32::try_from(index).unwrap_or(u32::MAX);
                out.push((
                    line.saturating_sub(1).saturating_sub(index),
                    line..line.saturating_add(1),
                ));
            }
        }
    }
    out
}

/// The edits of a change, in order, lines that only change their layout left out.
pub(super) fn edits(view: &FileView) -> Vec<Edit<'_>> {
    let (old, new) = (view.old_side(), view.new_side());
    let mut out = Vec::new();
    for block in blocks(old, new) {
        let (olds, news) = (block.old.len(), block.new.len());
        if olds > 0 && news > 0 && (olds > MAX_BLOCK || news > MAX_BLOCK) {
            continue;
        }
        let olds = code(view, Side::Old, block.old);
        let news = code(view, Side::New, block.new);
        between_common(&olds, &news, &mut out);
    }
    out
}

/// A line with its number and tokens.
type Line<'v> = (u32, &'v str, Vec<&'v str>);

/// The lines of a range that hold code.
fn code(view: &FileView, side: Side, range: Range<u32>) -> Vec<Line<'_>> {
    let text = view.side(side);
    range
        .filter_map(|number| {
            let line = text.line(number)?;
            let tokens = tokens(view.language(), line);
            (!tokens.is_empty()).then_some((number, line, tokens))
        })
        .collect()
}

/// Splits a block at the lines that both sides have, by their longest common subsequence.
fn between_common<'v>(olds: &[Line<'v>], news: &[Line<'v>], out: &mut Vec<Edit<'v>>) {
    if olds.is_empty() || news.is_empty() {
        let plain = |lines: &[Line<'v>]| lines.iter().map(|line| (line.0, line.1)).collect();
        let edit = Edit { old: plain(olds), new: plain(news) };
        out.extend((!olds.is_empty() || !news.is_empty()).then_some(edit));
        return;
    }
    let width = news.len() + 1;
    let mut longest = vec![0_u16; (olds.len() + 1) * width];
    for o in (0..olds.len()).rev() {
        for n in (0..news.len()).rev() {
            longest[o * width + n] = if olds[o].2 == news[n].2 {
                longest[(o + 1) * width + n + 1] + 1
            } else {
                longest[(o + 1) * width + n].max(longest[o * width + n + 1])
            };
        }
    }
    let (mut o, mut n) = (0, 0);
    let mut edit = Edit { old: Vec::new(), new: Vec::new() };
    while o < olds.len() || n < news.len() {
        if o < olds.len() && n < news.len() && olds[o].2 == news[n].2 {
            if !edit.old.is_empty() || !edit.new.is_empty() {
                out.push(std::mem::replace(&mut edit, Edit { old: Vec::new(), new: Vec::new() }));
            }
            o += 1;
            n += 1;
        } else if n == news.len()
            || o < olds.len() && longest[(o + 1) * width + n] >= longest[o * width + n + 1]
        {
            edit.old.push((olds[o].0, olds[o].1));
            o += 1;
        } else {
            edit.new.push((news[n].0, news[n].1));
            n += 1;
        }
    }
    if !edit.old.is_empty() || !edit.new.is_empty() {
        out.push(edit);
    }
}

impl<'v> Edit<'v> {
    /// The differences of lines that take each other's place: line by line where there are as many on
    /// both sides, else of the whole. Each comes with the first line of either side.
    pub(super) fn differences(
        &self,
        language: Option<Language>,
    ) -> Vec<(u32, u32, Difference<'v>)> {
        let joined = |lines: &[(u32, &'v str)]| -> Vec<&'v str> {
            lines.iter().flat_map(|(_, line)| tokens(language, line)).collect()
        };
        match (self.old.first(), self.new.first()) {
            (Some(_), Some(_)) if self.old.len() == self.new.len() => self
                .old
                .iter()
                .zip(&self.new)
                .map(|((o, old), (n, new))| {
                    (*o, *n, difference(&tokens(language, old), &tokens(language, new)))
                })
                .collect(),
            (Some((o, _)), Some((n, _))) => {
                vec![(*o, *n, difference(&joined(&self.old), &joined(&self.new)))]
            }
            _ => Vec::new(),
        }
    }
}

impl<'v> Difference<'v> {
    /// What goes, of a difference in which nothing comes, in every place that it may have had: of
    /// `a && a.b` that becomes `a.b`, `a &&` may go as well as `a && a . b` less its end.
    pub(super) fn deletions(&self) -> impl Iterator<Item = Vec<&'v str>> + '_ {
        let mut gone = self.gone.clone();
        let mut before = self.before.as_slice();
        std::iter::once(self.gone.clone()).chain(std::iter::from_fn(move || {
            let (&last, rest) = before.split_last()?;
            if gone.last() != Some(&last) {
                return None;
            }
            gone.rotate_right(1);
            before = rest;
            Some(gone.clone())
        }))
    }
}

/// What stays at both ends, and what goes and comes between.
pub(super) fn difference<'v>(old: &[&'v str], new: &[&'v str]) -> Difference<'v> {
    let before = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[before..], &new[before..]);
    let after =
        old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    Difference {
        before: old[..before].to_vec(),
        gone: old_rest[..old_rest.len() - after].to_vec(),
        came: new_rest[..new_rest.len() - after].to_vec(),
        after: old_rest[old_rest.len() - after..].to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(text: &str, changed: &[u32], gaps: &[u32]) -> SideText {
        SideText::whole(text.as_bytes(), changed.to_vec(), gaps.to_vec())
    }

    #[test]
    fn blocks_pair_what_stands_in_the_same_place() {
        let old = side("a\nb\nc\nd\ne\n", &[2, 5], &[3]);
        let new = side("a\nx\ny\nc\nz\nd\n", &[2, 3, 5], &[]);
        let want = [
            Block { old: 2..3, new: 2..4 },
            Block { old: 4..4, new: 5..6 },
            Block { old: 5..6, new: 7..7 },
        ];
        assert_eq!(blocks(&old, &new), want);
    }

    #[test]
    fn lines_that_move_to_another_depth_are_no_edits() {
        let old = side("with lock:\n    a()\n    b()\nc()\n", &[1, 2, 3], &[]);
        let new = side("a()\nb(1)\nc()\n", &[1, 2], &[]);
        let view = FileView::new("a.py".to_owned(), Some("a.py".to_owned()), old, new);
        let edits = edits(&view);
        assert_eq!(edits.len(), 2);
        assert_eq!((edits[0].old.as_slice(), edits[0].new.len()), (&[(1, "with lock:")][..], 0));
        let (old, new, difference) = edits[1].differences(view.language()).remove(0);
        assert_eq!((old, new, difference.gone.len(), difference.came), (3, 2, 0, vec!["1"]));
    }
}
