//! Claims held against the diff: each is put on a line that the change shows, or dropped.

use super::Claim;
use crate::finding::{Confidence, Side};
use crate::numbered::{Change, File, Hunk, Line};

/// A claim on a line of the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The claim as it was made.
    pub claim: Claim,
    /// The file, by its place in the change.
    pub file: usize,
    /// The hunk, by its place in the file.
    pub hunk: usize,
    /// The side of the line.
    pub side: Side,
    /// The line; the hunk shows it.
    pub line: u32,
    /// The last line, where there are several; the hunk shows it too.
    pub line_end: Option<u32>,
    /// How sure it is, lowered where the quoted code is not to be found.
    pub confidence: Confidence,
    /// Whether this is another line than the one claimed.
    pub moved: bool,
}

/// Why a claim was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The change has no such file.
    File,
    /// The line is in no hunk of the file.
    Line,
    /// The quoted code is nowhere in the file's hunks, and the line is not a changed one.
    Snippet,
}

/// A claim that does not fit the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// The claim.
    pub claim: Claim,
    /// What does not fit.
    pub reason: Reason,
    /// The nearest line of the file that a finding may point at.
    pub nearest: Option<(Side, u32)>,
}

impl std::fmt::Display for Dropped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Claim { file, line, .. } = &self.claim;
        match self.reason {
            Reason::File => write!(f, "{file}: the change has no such file")?,
            Reason::Line => write!(f, "{file}:{line}: the line is in no hunk of the change")?,
            Reason::Snippet => {
                write!(f, "{file}:{line}: the quoted code is not in the file's hunks")?;
            }
        }
        match self.nearest {
            Some((side, line)) => write!(f, "; the nearest line is {line} ({side})"),
            None => Ok(()),
        }
    }
}

/// What became of claims.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Held {
    /// Those that fit, in their order.
    pub placed: Vec<Placed>,
    /// Those that do not.
    pub dropped: Vec<Dropped>,
}

/// Holds claims against the change.
///
/// A claim stays where its line is in a hunk and its quoted code, if any, stands there. Where the code
/// stands elsewhere in the file's hunks, the claim is moved to the nearest such line.
#[must_use]
pub fn hold(claims: Vec<Claim>, change: &Change) -> Held {
    let mut held = Held::default();
    for claim in claims {
        match place(claim, change) {
            Ok(placed) => held.placed.push(placed),
            Err(dropped) => held.dropped.push(*dropped),
        }
    }
    held
}

/// A line that can be pointed at.
#[derive(Clone, Copy)]
struct Spot<'c> {
    hunk: usize,
    side: Side,
    number: u32,
    line: &'c Line,
}

fn place(claim: Claim, change: &Change) -> Result<Placed, Box<Dropped>> {
    let Some((at, file)) = find_file(&claim.file, change) else {
        return Err(Box::new(Dropped { claim, reason: Reason::File, nearest: None }));
    };
    let spots = spots(file);
    let side = claim.side;
    // Of the claim's line and side first, then the other side where no side was said.
    let claimed = spots
        .iter()
        .filter(|spot| spot.number == claim.line && side.is_none_or(|side| spot.side == side))
        .max_by_key(|spot| (spot.line.is_changed(), spot.side == Side::New));
    let quoted = claim.snippet.as_deref().map(Quote::of).filter(|quote| !quote.0.is_empty());
    let (spot, confidence) = match (&quoted, claimed) {
        (None, Some(spot)) => (spot, claim.confidence),
        (None, None) => return Err(dropped(claim, Reason::Line, &spots)),
        (Some(quote), claimed) => {
            let here = claimed.filter(|spot| quote.stands_on(spot.line));
            match here.or_else(|| quote.nearest(&spots, claim.line, side)) {
                Some(spot) => (spot, claim.confidence),
                None => match claimed {
                    Some(spot) if spot.line.is_changed() => (spot, Confidence::Low),
                    Some(_) => return Err(dropped(claim, Reason::Snippet, &spots)),
                    None => return Err(dropped(claim, Reason::Line, &spots)),
                },
            }
        }
    };
    let length = claim.line_end.map_or(0, |end| end.saturating_sub(claim.line));
    let line_end = last_line(&file.hunks[spot.hunk], spot.side, spot.number, length);
    let moved = spot.number != claim.line || side.is_some_and(|side| side != spot.side);
    Ok(Placed {
        file: at,
        hunk: spot.hunk,
        side: spot.side,
        line: spot.number,
        line_end,
        confidence,
        moved,
        claim,
    })
}

/// The file that a path names: as it is shown, as it was called before, or with a prefix of diffs.
fn find_file<'c>(path: &str, change: &'c Change) -> Option<(usize, &'c File)> {
    let bare = path.strip_prefix("./").unwrap_or(path);
    let unprefixed = bare.strip_prefix("a/").or_else(|| bare.strip_prefix("b/"));
    let found = |wanted: &str| {
        let all = || change.files.iter().enumerate();
        all()
            .find(|(_, file)| file.path == wanted || file.shown_path() == wanted)
            .or_else(|| all().find(|(_, file)| file.old_path.as_deref() == Some(wanted)))
    };
    found(path).or_else(|| found(bare)).or_else(|| found(unprefixed?))
}

/// Every line that can be pointed at. An unchanged line counts on the new side, and on the old one by
/// its number there.
fn spots(file: &File) -> Vec<Spot<'_>> {
    let mut spots = Vec::new();
    for (hunk, shown) in file.hunks.iter().enumerate() {
        for line in &shown.lines {
            for side in [Side::New, Side::Old] {
                if let Some(number) = line.number(side) {
                    spots.push(Spot { hunk, side, number, line });
                }
            }
        }
    }
    spots
}

fn dropped(claim: Claim, reason: Reason, spots: &[Spot<'_>]) -> Box<Dropped> {
    let nearest = spots
        .iter()
        .filter(|spot| claim.side.is_none_or(|side| spot.side == side))
        .min_by_key(|spot| (spot.number.abs_diff(claim.line), !spot.line.is_changed()))
        .map(|spot| (spot.side, spot.number));
    Box::new(Dropped { claim, reason, nearest })
}

/// The last of the lines that a finding spans, as far as the hunk shows them without a break.
fn last_line(hunk: &Hunk, side: Side, first: u32, length: u32) -> Option<u32> {
    let wanted = first.saturating_add(length);
    let shown = hunk.lines.iter().filter_map(|line| line.number(side));
    shown.filter(|number| (first..=wanted).contains(number)).max().filter(|last| *last > first)
}

/// The first line of quoted code, without white space.
struct Quote(String);

/// A quote that is shorter must be a whole line to be found.
const TELLING: usize = 8;

impl Quote {
    fn of(snippet: &str) -> Self {
        let lines = snippet.lines().map(unnumbered).map(squeeze);
        Self(lines.into_iter().find(|line| !line.is_empty()).unwrap_or_default())
    }

    fn stands_on(&self, line: &Line) -> bool {
        let text = squeeze(&line.shown());
        text == self.0
            || (self.0.len() >= TELLING && text.contains(&self.0))
            || (text.len() >= TELLING && self.0.contains(&text))
    }

    /// Of the lines that hold the quote the nearest, a changed one before an unchanged one.
    fn nearest<'s, 'c>(
        &self,
        spots: &'s [Spot<'c>],
        line: u32,
        side: Option<Side>,
    ) -> Option<&'s Spot<'c>> {
        spots
            .iter()
            // An unchanged line stands on both sides; findings name it by the new one.
            .filter(|spot| spot.side == Side::New || spot.line.is_changed())
            .filter(|spot| self.stands_on(spot.line))
            .min_by_key(|spot| {
                let other_side = side.is_some_and(|side| side != spot.side);
                (other_side, spot.number.abs_diff(line), !spot.line.is_changed())
            })
    }
}

/// A line without the number and sign that the prompt shows before it, should they have been copied.
fn unnumbered(line: &str) -> &str {
    let bare = line.trim_start().trim_start_matches(['+', '-']).trim_start();
    let digits = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    match digits.strip_prefix('|') {
        Some(code) if digits.len() < bare.len() => code,
        _ => line,
    }
}

fn squeeze(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}
