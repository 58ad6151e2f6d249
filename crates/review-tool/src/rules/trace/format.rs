//! Format texts with percent verbs, as Go and Python write them.

use super::{Piece, put};
use crate::syntax::Node;

/// How a language writes its verbs.
pub(super) struct Verbs {
    /// The letters whose value can carry no text.
    pub numbers: &'static str,
    /// Whether `%(name)s` takes a value by its name.
    pub named: bool,
    /// Whether the last value serves every verb that has none left, as one mapping serves all names.
    pub repeats_last: bool,
}

/// Puts `values` in the place of the verbs of `template`, in order.
pub(super) fn fill<'t>(
    template: Vec<Piece<'t>>,
    values: &[Node<'t>],
    within: &Node<'t>,
    verbs: &Verbs,
    out: &mut Vec<Piece<'t>>,
) {
    let mut next = 0;
    for piece in template {
        let Piece::Literal(text) = piece else {
            out.push(piece);
            continue;
        };
        let mut rest = text.as_str();
        while let Some(at) = rest.find('%') {
            out.push(Piece::Literal(rest[..at].to_owned()));
            let verb = &rest[at + 1..];
            if let Some(after) = verb.strip_prefix('%') {
                out.push(Piece::Literal("%".to_owned()));
                rest = after;
                continue;
            }
            let name = verb.strip_prefix('(').filter(|_| verbs.named);
            let name = name.and_then(|name| name.find(')')).map_or(0, |end| end + 2);
            let flags = verb[name..].find(|c: char| c.is_ascii_alphabetic()).unwrap_or(0);
            let letter = verb[name + flags..].chars().next();
            let len = name + flags + letter.map_or(1, char::len_utf8);
            rest = &verb[len.min(verb.len())..];
            let index =
                if verbs.repeats_last { next.min(values.len().saturating_sub(1)) } else { next };
            if let Some(value) = values.get(index) {
                let is_number = letter.is_some_and(|letter| verbs.numbers.contains(letter));
                out.push(put(value, within, is_number));
            }
            next += 1;
        }
        out.push(Piece::Literal(rest.to_owned()));
    }
}
