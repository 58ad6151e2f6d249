//! `${NAME}` and `${NAME:-default}` in what a configuration names, as other hosts read them.

/// One piece of a text.
enum Piece<'t> {
    Text(&'t str),
    Variable { name: &'t str, default: Option<&'t str> },
}

/// Fills the variables in; an error is the name of one that has neither value nor default.
pub(crate) fn fill(text: &str, value: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut filled = String::with_capacity(text.len());
    for piece in pieces(text) {
        match piece {
            Piece::Text(text) => filled.push_str(text),
            Piece::Variable { name, default } => match (value(name), default) {
                (Some(value), _) => filled.push_str(&value),
                (None, Some(default)) => filled.push_str(default),
                (None, None) => return Err(name.to_owned()),
            },
        }
    }
    Ok(filled)
}

/// The names of the variables in a text.
pub(crate) fn names(text: &str) -> impl Iterator<Item = String> {
    pieces(text).into_iter().filter_map(|piece| match piece {
        Piece::Variable { name, .. } => Some(name.to_owned()),
        Piece::Text(_) => None,
    })
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let Some(length) = rest[start..].find('}') else { break };
        let inner = &rest[start + 2..start + length];
        let (name, default) = match inner.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inner, None),
        };
        if is_name(name) {
            pieces.push(Piece::Text(&rest[..start]));
            pieces.push(Piece::Variable { name, default });
            rest = &rest[start + length + 1..];
        } else {
            // Not a variable, so it is meant as it stands.
            pieces.push(Piece::Text(&rest[..start + 2]));
            rest = &rest[start + 2..];
        }
    }
    pieces.push(Piece::Text(rest));
    pieces
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !name.starts_with(|first: char| first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_filled_in_and_nothing_else() {
        let value = |name: &str| (name == "HOME").then(|| "/h${X}".to_owned());
        for (text, want) in [
            ("plain", Ok("plain")),
            ("${HOME}/x", Ok("/h${X}/x")),
            ("a${NO:-b c}d${NO:-}", Ok("ab cd")),
            ("$HOME ${} ${1} ${a-b} ${HOME", Ok("$HOME ${} ${1} ${a-b} ${HOME")),
            ("${${HOME}", Ok("${/h${X}")),
            ("é${NO}", Err("NO")),
        ] {
            let filled = fill(text, value);
            assert_eq!(filled.as_deref().map_err(String::as_str), want, "{text}");
        }
        assert_eq!(names("${A}${B:-x}$C").collect::<Vec<_>>(), ["A", "B"]);
    }

    proptest::proptest! {
        #[test]
        fn a_text_without_variables_stays_as_it_is(text in "[${}:a-c1é-]{0,20}") {
            let filled = fill(&text, |_| None);
            if names(&text).next().is_none() {
                proptest::prop_assert_eq!(filled, Ok(text));
            }
        }
    }
}
