//! Lists in pages.
//!
//! A cursor names the last entry of the page before it, so it needs no memory on the server and
//! stays right when entries come and go.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use mcp_proto::{Cursor, RpcError};

/// Returns the entries of the page at `cursor`, and where the next page begins.
///
/// `entries` are sorted by `key`. `list` tells the lists of a server apart, so that a cursor fits
/// only the list that it came from.
pub(crate) fn page<T>(
    list: &str,
    entries: &[T],
    key: impl Fn(&T) -> &str,
    cursor: Option<&Cursor>,
    size: usize,
) -> Result<(Range<usize>, Option<Cursor>), RpcError> {
    let start = match cursor {
        None => 0,
        Some(cursor) => {
            let last = read(list, cursor.as_str())
                .ok_or_else(|| RpcError::invalid_params("this list has no such cursor"))?;
            entries.partition_point(|entry| key(entry) <= last)
        }
    };
    let end = entries.len().min(start.saturating_add(size.max(1)));
    let next = match entries.get(start..end).and_then(<[T]>::last) {
        Some(last) if end < entries.len() => Some(Cursor::new(write(list, key(last)))),
        _ => None,
    };
    Ok((start..end, next))
}

fn write(list: &str, key: &str) -> String {
    format!("{:016x}{key}", checksum(list, key))
}

fn read<'a>(list: &str, cursor: &'a str) -> Option<&'a str> {
    let (sum, key) = cursor.split_at_checked(16)?;
    (sum == format!("{:016x}", checksum(list, key))).then_some(key)
}

fn checksum(list: &str, key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (list, key).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(entries: &[&str], size: usize) -> Vec<Vec<String>> {
        let mut pages = Vec::new();
        let mut cursor = None;
        loop {
            let (range, next) =
                page("list", entries, |entry| entry, cursor.as_ref(), size).unwrap();
            pages.push(entries[range].iter().map(|entry| (*entry).to_owned()).collect());
            match next {
                Some(next) => cursor = Some(next),
                None => return pages,
            }
        }
    }

    #[test]
    fn pages_hold_every_entry_once_in_order() {
        assert_eq!(pages(&[], 2), [Vec::<String>::new()]);
        assert_eq!(pages(&["a", "b"], 2), [["a", "b"]]);
        assert_eq!(pages(&["a", "b", "c"], 2), [vec!["a", "b"], vec!["c"]]);
        assert_eq!(pages(&["a", "b"], 0), [["a"], ["b"]]);
    }

    #[test]
    fn a_cursor_survives_changes_of_the_list() {
        let key = |entry: &&'static str| -> &'static str { entry };
        let (_, next) = page("list", &["a", "c", "d"], |entry| key(entry), None, 2).unwrap();
        let (range, _) =
            page("list", &["b", "d", "e"], |entry| key(entry), next.as_ref(), 2).unwrap();
        assert_eq!(range, 1..3);
    }

    #[test]
    fn a_foreign_cursor_is_refused() {
        let (_, next) = page("list", &["a", "b"], |entry| entry, None, 1).unwrap();
        for cursor in [Cursor::new(""), Cursor::new("a"), Cursor::new("\u{e9}".repeat(20))] {
            assert!(page("list", &["a"], |entry| entry, Some(&cursor), 1).is_err());
        }
        assert!(page("other", &["a", "b"], |entry| entry, next.as_ref(), 1).is_err());
    }
}
