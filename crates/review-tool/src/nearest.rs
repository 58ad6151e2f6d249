//! The name that was probably meant.

/// How alike two names must be, from 0 to 1, for one to be taken for the other.
const ALIKE: f64 = 0.8;

/// Returns the name that is most like `word`, the first of several; `None` where none is near.
pub fn nearest<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let mut best = None;
    let mut score = ALIKE;
    for name in names {
        let alike = strsim::jaro_winkler(word, name);
        if alike > score {
            (best, score) = (Some(name), alike);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        let names = ["fail_on", "min_severity", "ignore"];
        for (word, want) in [
            ("fail-on", Some("fail_on")),
            ("min_severty", Some("min_severity")),
            ("ignor", Some("ignore")),
            ("provider", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, names), want, "{word}");
        }
    }
}
