//! The text of one side of a changed file, as far as it is known, with its changed lines.
//!
//! Usually one fragment holds the whole file. Where only a diff is known, each hunk is a fragment of
//! its own, so that no rule sees two far-apart places as neighbours. Lines are 1-based throughout.

use std::ops::RangeInclusive;

/// A stretch of whole lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    first_line: u32,
    text: String,
    /// Byte offset at which each line starts; empty for an empty text.
    starts: Vec<u32>,
}

impl Fragment {
    /// Wraps `text`, whose first line is line `first_line` of the file.
    ///
    /// Text beyond 4 GiB is cut at a line end, since offsets are held in 32 bits.
    #[must_use]
    pub fn new(first_line: u32, mut text: String) -> Self {
        if u32::try_from(text.len()).is_err() {
            let cut = text.as_bytes()[..u32::MAX as usize].iter().rposition(|&byte| byte == b'\n');
            text.truncate(cut.map_or(0, |at| at + 1));
        }
        let mut starts = Vec::new();
        if !text.is_empty() {
            starts.push(0);
            starts.extend(
                memchr::memchr_iter(b'\n', text.as_bytes())
                    .map(|at| at + 1)
                    .filter(|&at| at < text.len())
                    .filter_map(|at| u32::try_from(at).ok()),
            );
        }
        Self { first_line, text, starts }
    }

    /// Decodes bytes that are meant to be UTF-8; what is not becomes U+FFFD.
    #[must_use]
    pub fn from_bytes(first_line: u32, bytes: &[u8]) -> Self {
        Self::new(first_line, String::from_utf8_lossy(bytes).into_owned())
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The number of the first line.
    #[must_use]
    pub fn first_line(&self) -> u32 {
        self.first_line
    }

    /// How many lines there are.
    #[must_use]
    pub fn line_count(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// The number of the last line, or the one before `first_line` for an empty text.
    #[must_use]
    pub fn last_line(&self) -> u32 {
        self.first_line.saturating_add(self.line_count()).saturating_sub(1)
    }

    /// One line without its line end; `None` outside the fragment.
    #[must_use]
    pub fn line(&self, number: u32) -> Option<&str> {
        let index = number.checked_sub(self.first_line)? as usize;
        let start = *self.starts.get(index)? as usize;
        let end = self.starts.get(index + 1).map_or(self.text.len(), |&next| next as usize);
        let line = self.text[start..end].strip_suffix('\n').unwrap_or(&self.text[start..end]);
        Some(line.strip_suffix('\r').unwrap_or(line))
    }
}

/// One side of a changed file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SideText {
    fragments: Vec<Fragment>,
    changed: Vec<u32>,
    gaps: Vec<u32>,
    complete: bool,
}

impl SideText {
    /// A side known in whole. `changed` are the lines that stand on this side alone; `gaps` the lines
    /// after which the other side has lines that this side lacks. Both ascend.
    #[must_use]
    pub fn whole(text: &[u8], changed: Vec<u32>, gaps: Vec<u32>) -> Self {
        Self { fragments: vec![Fragment::from_bytes(1, text)], changed, gaps, complete: true }
    }

    /// A side known only where the diff shows it. Fragments ascend and do not overlap.
    #[must_use]
    pub fn partial(fragments: Vec<Fragment>, changed: Vec<u32>, gaps: Vec<u32>) -> Self {
        Self { fragments, changed, gaps, complete: false }
    }

    /// The known text, in order.
    #[must_use]
    pub fn fragments(&self) -> &[Fragment] {
        &self.fragments
    }

    /// Whether the whole file is known.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The numbers of the lines that stand on this side alone, ascending.
    #[must_use]
    pub fn changed(&self) -> &[u32] {
        &self.changed
    }

    /// Whether one line stands on this side alone.
    #[must_use]
    pub fn is_changed(&self, line: u32) -> bool {
        self.changed.binary_search(&line).is_ok()
    }

    /// The changed lines with their text, ascending.
    pub fn changed_lines(&self) -> impl Iterator<Item = (u32, &str)> + '_ {
        self.changed.iter().filter_map(|&number| Some((number, self.line(number)?)))
    }

    /// The first changed line within `lines`.
    #[must_use]
    pub fn first_changed_in(&self, lines: &RangeInclusive<u32>) -> Option<u32> {
        let at = self.changed.partition_point(|line| line < lines.start());
        self.changed.get(at).copied().filter(|line| line <= lines.end())
    }

    /// The first gap strictly inside `lines`: both neighbours of the gap belong to the range.
    #[must_use]
    pub fn first_gap_in(&self, lines: &RangeInclusive<u32>) -> Option<u32> {
        let at = self.gaps.partition_point(|gap| gap < lines.start());
        self.gaps.get(at).copied().filter(|gap| gap < lines.end())
    }

    /// The changed lines within `lines`, ascending.
    pub fn changed_in(&self, lines: &RangeInclusive<u32>) -> impl Iterator<Item = u32> + '_ {
        let (from, end) = (self.changed.partition_point(|line| line < lines.start()), *lines.end());
        self.changed[from..].iter().copied().take_while(move |&line| line <= end)
    }

    /// The gaps strictly inside `lines`, ascending: both neighbours of each belong to the range.
    pub fn gaps_in(&self, lines: &RangeInclusive<u32>) -> impl Iterator<Item = u32> + '_ {
        let (from, end) = (self.gaps.partition_point(|gap| gap < lines.start()), *lines.end());
        self.gaps[from..].iter().copied().take_while(move |&gap| gap < end)
    }

    /// Whether the change shows within `lines`: a line of this side alone, or a gap.
    #[must_use]
    pub fn touches(&self, lines: &RangeInclusive<u32>) -> bool {
        self.first_changed_in(lines).is_some() || self.first_gap_in(lines).is_some()
    }

    /// One line without its line end; `None` where it is not known.
    #[must_use]
    pub fn line(&self, number: u32) -> Option<&str> {
        let at = self.fragments.partition_point(|fragment| fragment.first_line() <= number);
        self.fragments.get(at.checked_sub(1)?)?.line(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_by_their_number_in_every_fragment() {
        let side = SideText::partial(
            vec![Fragment::from_bytes(3, b"c\r\nd\n"), Fragment::from_bytes(9, b"i")],
            vec![4, 9],
            vec![3],
        );
        let lines: Vec<_> = (1..=10).map(|line| side.line(line)).collect();
        let want = [None, None, Some("c"), Some("d"), None, None, None, None, Some("i"), None];
        assert_eq!(lines, want);
        assert_eq!(side.changed_lines().collect::<Vec<_>>(), [(4, "d"), (9, "i")]);
    }

    #[test]
    fn a_gap_lies_inside_a_range_only_with_both_neighbours() {
        let side = SideText::whole(b"a\nb\nc\n", vec![], vec![2]);
        assert!(side.touches(&(1..=3)));
        assert!(side.touches(&(2..=3)));
        assert!(!side.touches(&(1..=2)));
        assert!(!side.touches(&(3..=3)));
    }

    #[test]
    fn an_empty_text_has_no_line() {
        let fragment = Fragment::from_bytes(1, b"");
        assert_eq!((fragment.line_count(), fragment.last_line(), fragment.line(1)), (0, 0, None));
    }
}
