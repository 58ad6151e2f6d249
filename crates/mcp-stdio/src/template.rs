//! URI templates, read backwards: from a URI to the values of the variables.
//!
//! Of RFC 6570 this knows literals, `{name}` and `{+name}`: the operators whose expansion can be
//! undone without doubt. A value that could leave its place in a path never matches, so a handler
//! may use values as names of files below a directory of its own.

use crate::error::BuildError;
use crate::percent::percent_decoded;

/// A template cut into its parts.
#[derive(Debug)]
pub(crate) struct Template {
    parts: Vec<Part>,
}

#[derive(Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    Variable { name: String, reserved: bool },
}

/// A URI that matches a template, with the values of its variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateMatch {
    uri: String,
    values: Vec<(String, String)>,
}

impl TemplateMatch {
    /// Returns the URI as the client wrote it.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Returns the value of a variable, percent-decoded; empty for a name the template lacks.
    ///
    /// A value of `{name}` holds no slash, and no value holds a `..` segment, a backslash or a
    /// control character.
    #[must_use]
    pub fn value(&self, name: &str) -> &str {
        let found = self.values.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }
}

impl Template {
    /// Cuts a template into parts.
    pub(crate) fn parse(template: &str) -> Result<Self, BuildError> {
        let refused = || BuildError::Template(template.to_owned());
        let mut parts = Vec::new();
        let mut rest = template;
        while let Some(open) = rest.find('{') {
            let (literal, behind) = rest.split_at(open);
            let (inner, behind) = behind[1..].split_once('}').ok_or_else(refused)?;
            let (name, reserved) = match inner.strip_prefix('+') {
                Some(name) => (name, true),
                None => (inner, false),
            };
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
            if name.is_empty() || !name.bytes().all(is_name) {
                return Err(refused());
            }
            match (literal, parts.last()) {
                // Two variables side by side cannot be told apart.
                ("", Some(Part::Variable { .. })) => return Err(refused()),
                ("", _) => {}
                _ => parts.push(Part::Literal(literal.to_owned())),
            }
            parts.push(Part::Variable { name: name.to_owned(), reserved });
            rest = behind;
        }
        if rest.contains('}') {
            return Err(refused());
        }
        if !rest.is_empty() {
            parts.push(Part::Literal(rest.to_owned()));
        }
        Ok(Self { parts })
    }

    /// Matches a URI and returns the values.
    pub(crate) fn matches(&self, uri: &str) -> Option<TemplateMatch> {
        let mut values = Vec::new();
        let mut rest = uri;
        let mut parts = self.parts.iter().peekable();
        while let Some(part) = parts.next() {
            match part {
                Part::Literal(literal) => rest = rest.strip_prefix(literal.as_str())?,
                Part::Variable { name, reserved } => {
                    let end = match parts.peek() {
                        None => rest.len(),
                        // The last place for a value that may hold anything, the first otherwise.
                        Some(Part::Literal(next)) if *reserved => rest.rfind(next.as_str())?,
                        Some(Part::Literal(next)) => rest.find(next.as_str())?,
                        Some(Part::Variable { .. }) => return None,
                    };
                    let (raw, behind) = rest.split_at(end);
                    values.push((name.clone(), decode(raw, *reserved)?));
                    rest = behind;
                }
            }
        }
        rest.is_empty().then(|| TemplateMatch { uri: uri.to_owned(), values })
    }
}

/// Decodes a value; `None` when it is malformed or could reach outside of its place.
fn decode(raw: &str, reserved: bool) -> Option<String> {
    let value = String::from_utf8(percent_decoded(raw)?).ok()?;
    let is_harmful = value.is_empty()
        || value.contains(|c: char| c.is_control() || c == '\\')
        || value.split('/').any(|segment| segment == ".." || segment == ".")
        || (!reserved && value.contains('/'));
    (!is_harmful).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(template: &str, uri: &str) -> Option<Vec<String>> {
        let matched = Template::parse(template).unwrap().matches(uri)?;
        assert_eq!(matched.uri(), uri);
        Some(matched.values.into_iter().map(|(_, value)| value).collect())
    }

    #[test]
    fn values_are_found_and_decoded() {
        let cases: [(&str, &str, &[&str]); 7] = [
            ("x://a", "x://a", &[]),
            ("x://{id}", "x://7", &["7"]),
            ("x://{id}/data", "x://7/data", &["7"]),
            ("x://{a}/{b}.md", "x://1/two.md", &["1", "two"]),
            ("x://{a}", "x://h%C3%A9%20y", &["h\u{e9} y"]),
            ("f:///{+path}", "f:///a/b/c.rs", &["a/b/c.rs"]),
            ("f:///{+path}/end", "f:///a/end/b/end", &["a/end/b"]),
        ];
        for (template, uri, expected) in cases {
            assert_eq!(values(template, uri).unwrap(), expected, "{template} {uri}");
        }
    }

    #[test]
    fn what_does_not_fit_or_could_escape_never_matches() {
        let cases = [
            ("x://{id}", "y://7"),
            ("x://{id}", "x://"),
            ("x://{id}", "x://a/b"),
            ("x://{id}", "x://a%2Fb"),
            ("x://{id}", "x://.."),
            ("x://{id}", "x://%2e%2E"),
            ("x://{id}", "x://a%00b"),
            ("x://{id}", "x://a%5Cb"),
            ("x://{id}", "x://%F"),
            ("x://{id}", "x://%FF"),
            ("x://{id}/data", "x://7/data/"),
            ("f:///{+path}", "f:///a/../b"),
            ("f:///{+path}", "f:///a/%2e%2e/b"),
        ];
        for (template, uri) in cases {
            assert_eq!(values(template, uri), None, "{template} {uri}");
        }
    }

    #[test]
    fn templates_that_cannot_be_read_backwards_are_refused() {
        for template in ["x://{", "x://}", "x://{}", "x://{a}{b}", "x://{?a}", "x://{a,b}", "{a*}"]
        {
            assert!(Template::parse(template).is_err(), "{template}");
        }
    }
}
