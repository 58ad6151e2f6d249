//! Which parts of a change go into which request.

use std::ops::Range;

use super::{Shape, render};
use crate::diff::Problem;
use crate::finding::Side;
use crate::numbered::{Change, File, Line};

/// What one request shows.
#[derive(Debug, Default)]
pub(super) struct Bin {
    pub(super) pieces: Vec<Piece>,
    used: u64,
}

/// A stretch of one hunk. A file without hunks has one piece without lines.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) file: usize,
    pub(super) hunk: usize,
    pub(super) lines: Range<usize>,
    /// Whether the functions before and after it are shown.
    pub(super) before: bool,
    pub(super) after: bool,
}

#[derive(Debug, Default)]
pub(super) struct Packed {
    pub(super) bins: Vec<Bin>,
    pub(super) left_out: Vec<Problem>,
    pub(super) context_left_out: Vec<String>,
}

/// Packs the change into requests of `room` tokens each.
pub(super) fn pack(change: &Change, shape: &Shape<'_>, room: u64) -> Packed {
    let mut packer = Packer { shape, room, bins: Vec::new(), left_out: Vec::new() };
    for (at, file) in change.files.iter().enumerate() {
        packer.file(at, file);
    }
    let Packer { mut bins, mut left_out, .. } = packer;
    for bin in bins.split_off(bins.len().min(shape.max_requests)) {
        for piece in bin.pieces {
            let file = &change.files[piece.file];
            let why = format!("the change needs more than {} requests", shape.max_requests);
            left_out.push(not_shown(file, &piece, &why));
        }
    }
    for bin in &bins {
        left_out.extend(bin.pieces.iter().flat_map(|piece| cut_lines(change, piece)));
    }
    let context_left_out = surround(change, shape, room, &mut bins);
    Packed { bins, left_out, context_left_out }
}

struct Packer<'a> {
    shape: &'a Shape<'a>,
    room: u64,
    bins: Vec<Bin>,
    left_out: Vec<Problem>,
}

impl Packer<'_> {
    fn file(&mut self, at: usize, file: &File) {
        let tokens = self.shape.tokens;
        let opening = tokens.count(&render::header(file))
            + tokens.count(&render::known(file, self.shape.found));
        let hunks: Vec<(Piece, u64)> = (0..file.hunks.len().max(1))
            .map(|hunk| {
                let lines = 0..file.hunks.get(hunk).map_or(0, |hunk| hunk.lines.len());
                let cost = self.cost(file, hunk, lines.clone());
                (Piece { file: at, hunk, lines, before: false, after: false }, cost)
            })
            .collect();
        let whole = opening + hunks.iter().map(|(_, cost)| cost).sum::<u64>();
        if whole <= self.room {
            let bin = self.bin_for(whole);
            bin.used += whole;
            bin.pieces.extend(hunks.into_iter().map(|(piece, _)| piece));
            return;
        }
        for (piece, cost) in hunks {
            if opening + cost <= self.room {
                self.place(piece, cost, opening);
            } else {
                self.cut(file, &piece, opening);
            }
        }
    }

    /// Places a hunk that is too large for any request line by line.
    fn cut(&mut self, file: &File, whole: &Piece, opening: u64) {
        let Some(hunk) = file.hunks.get(whole.hunk) else { return };
        let mut start = 0;
        while start < hunk.lines.len() {
            let mut end = start;
            let mut cost = 0;
            while end < hunk.lines.len() {
                let next = cost + self.cost(file, whole.hunk, end..end + 1);
                if opening + next > self.room {
                    break;
                }
                (cost, end) = (next, end + 1);
            }
            let piece = Piece { lines: start..end.max(start + 1), ..whole.clone() };
            start = piece.lines.end;
            if end < piece.lines.end {
                let budget = self.shape.budget;
                let why = format!("it does not fit into a request of {budget} tokens");
                self.left_out.push(not_shown(file, &piece, &why));
            } else {
                self.place(piece, cost, opening);
            }
        }
    }

    /// Puts a piece into the request that is being filled, or into a new one.
    fn place(&mut self, piece: Piece, cost: u64, opening: u64) {
        let room = self.room;
        let goes_on = |bin: &Bin| bin.pieces.last().is_some_and(|last| last.file == piece.file);
        if let Some(bin) = self.bins.last_mut() {
            let cost = if goes_on(bin) { cost } else { cost + opening };
            if bin.used + cost <= room {
                bin.used += cost;
                bin.pieces.push(piece);
                return;
            }
        }
        self.bins.push(Bin { pieces: vec![piece], used: cost + opening });
    }

    fn bin_for(&mut self, cost: u64) -> &mut Bin {
        let fits = self.bins.last().is_some_and(|bin| bin.used + cost <= self.room);
        if !fits {
            self.bins.push(Bin::default());
        }
        let last = self.bins.len() - 1;
        &mut self.bins[last]
    }

    fn cost(&self, file: &File, hunk: usize, lines: Range<usize>) -> u64 {
        let text = file.hunks.get(hunk).map(|hunk| render::lines(&hunk.lines, lines));
        text.map_or(0, |text| self.shape.tokens.count(&text))
    }
}

/// Adds the functions around each piece where there is room, in order; says which did not fit.
fn surround(change: &Change, shape: &Shape<'_>, room: u64, bins: &mut [Bin]) -> Vec<String> {
    let mut left_out = Vec::new();
    for bin in bins {
        for piece in &mut bin.pieces {
            let file = &change.files[piece.file];
            let Some(hunk) = file.hunks.get(piece.hunk) else { continue };
            let mut fits = |wanted: bool, lines: &[Line]| {
                if !wanted || lines.is_empty() {
                    return false;
                }
                let cost = shape.tokens.count(&render::lines(lines, 0..lines.len())) + 2;
                let fits = bin.used + cost <= room;
                if fits {
                    bin.used += cost;
                } else if let Some(line) = lines[0].new {
                    left_out.push(format!("{}:{line}", file.path));
                }
                fits
            };
            piece.before = fits(piece.lines.start == 0, &hunk.before);
            piece.after = fits(piece.lines.end == hunk.lines.len(), &hunk.after);
        }
    }
    left_out
}

fn not_shown(file: &File, piece: &Piece, why: &str) -> Problem {
    let lines = file.hunks.get(piece.hunk).map(|hunk| &hunk.lines[piece.lines.clone()]);
    let at = lines.map(range).unwrap_or_default();
    Problem::of_file(&*file.path, format!("the model was not shown {at}: {why}"))
}

fn range(lines: &[Line]) -> String {
    let span = |side| {
        let mut numbers = lines.iter().filter_map(|line| line.number(side));
        let first = numbers.next()?;
        Some((first, numbers.next_back().unwrap_or(first)))
    };
    match (span(Side::New), span(Side::Old)) {
        (Some((first, last)), _) => format!("lines {first} to {last}"),
        (None, Some((first, last))) => format!("removed lines {first} to {last}"),
        (None, None) => "some of its lines".to_owned(),
    }
}

/// Changed lines that are shown only in part.
fn cut_lines<'c>(change: &'c Change, piece: &Piece) -> impl Iterator<Item = Problem> + use<'c> {
    let file = &change.files[piece.file];
    let lines = file.hunks.get(piece.hunk).map_or(&[][..], |hunk| &hunk.lines[piece.lines.clone()]);
    lines.iter().filter(|line| line.is_changed() && line.is_cut()).map(|line| {
        let (side, number) = line.new.map_or((Side::Old, line.old), |new| (Side::New, Some(new)));
        let number = number.unwrap_or_default();
        let what = if side == Side::Old { "removed line" } else { "line" };
        Problem::of_file(
            &*file.path,
            format!(
                "the model was shown only the beginning of {what} {number}, which is very long"
            ),
        )
    })
}
