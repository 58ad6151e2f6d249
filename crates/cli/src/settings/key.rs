//! One key of the settings: its path, what a variable of the environment may hold for it, and whether it
//! is secret.

use toml::Value;

/// What kind of value a key takes from the environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Decimal,
    Flag,
    List,
}

/// A key. A `*` in its path stands for a name that the user chooses.
#[derive(Debug)]
pub(crate) struct Key {
    path: &'static str,
    kind: Kind,
    secret: bool,
}

impl Key {
    /// A key for one string.
    pub(crate) const fn text(path: &'static str) -> Self {
        Self { path, kind: Kind::Text, secret: false }
    }

    /// A key for a whole number.
    pub(crate) const fn number(path: &'static str) -> Self {
        Self { path, kind: Kind::Number, secret: false }
    }

    /// A key for a number with or without a fraction.
    pub(crate) const fn decimal(path: &'static str) -> Self {
        Self { path, kind: Kind::Decimal, secret: false }
    }

    /// A key for `true` or `false`.
    pub(crate) const fn flag(path: &'static str) -> Self {
        Self { path, kind: Kind::Flag, secret: false }
    }

    /// A key for several strings; in a variable they are set apart by commas.
    pub(crate) const fn list(path: &'static str) -> Self {
        Self { path, kind: Kind::List, secret: false }
    }

    /// The same key with a value that is never shown.
    pub(crate) const fn secret(self) -> Self {
        Self { secret: true, ..self }
    }

    pub(crate) const fn is_secret(&self) -> bool {
        self.secret
    }

    /// The names of the path.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('.')
    }

    /// Whether the path is this key's.
    pub(crate) fn matches(&self, names: &[String]) -> bool {
        self.names().count() == names.len() && self.begins_like(names)
    }

    /// Whether this key stands somewhere below the path.
    pub(crate) fn is_below(&self, names: &[String]) -> bool {
        self.names().count() > names.len() && self.begins_like(names)
    }

    fn begins_like(&self, names: &[String]) -> bool {
        self.names().zip(names).all(|(own, name)| own == "*" || own == name)
    }

    /// The path with the names that the user chose elsewhere in the place of `*`, for a suggestion.
    pub(crate) fn filled(&self, names: &[String]) -> String {
        let filled: Vec<&str> = self
            .names()
            .enumerate()
            .map(|(at, own)| match names.get(at) {
                Some(name) if own == "*" => name.as_str(),
                _ => own,
            })
            .collect();
        filled.join(".")
    }

    /// The variable of the environment that sets this key; `None` where the user chooses a name in it.
    pub(crate) fn variable(&self) -> Option<String> {
        let fixed = !self.path.contains('*');
        fixed.then(|| format!("FOREREAD_{}", self.path.replace('.', "_").to_ascii_uppercase()))
    }

    /// Reads a value from the text of a variable or an argument.
    ///
    /// # Errors
    /// What was expected, in a few words.
    pub(crate) fn value_of(&self, text: &str) -> Result<Value, &'static str> {
        match self.kind {
            Kind::Text => Ok(Value::String(text.to_owned())),
            Kind::Number => text.parse().map(Value::Integer).map_err(|_| "a whole number"),
            Kind::Decimal => text.parse().map(Value::Float).map_err(|_| "a number"),
            Kind::Flag => text.parse().map(Value::Boolean).map_err(|_| "`true` or `false`"),
            Kind::List => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                Ok(Value::Array(items.map(|item| Value::String(item.to_owned())).collect()))
            }
        }
    }
}
