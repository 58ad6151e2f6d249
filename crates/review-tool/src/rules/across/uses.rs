//! Uses of a name in the texts of the repository, by their form.

use super::{Text, family};
use crate::language::Language;
use crate::rules::edit::tokens;
use crate::rules::lost::mentions;

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Function,
    Method,
    Type,
    Field,
    Variant,
}

/// A name that the change takes away.
#[derive(Debug, Clone)]
pub(super) struct Gone {
    pub(super) name: String,
    pub(super) owner: Option<String>,
    pub(super) kind: Kind,
    pub(super) language: Language,
}

/// A function that takes another number of arguments than before.
#[derive(Debug, Clone)]
pub(super) struct Called {
    pub(super) name: String,
    pub(super) owner: Option<String>,
    pub(super) language: Language,
    pub(super) now: (usize, usize),
    pub(super) then: (usize, usize),
    /// The file that defines it.
    pub(super) own: String,
}

/// Whether a line defines `name` rather than using it.
pub(super) fn defines(line: &str, name: &str) -> bool {
    const HEADS: &[&str] = &[
        "def",
        "fn",
        "func",
        "function",
        "class",
        "interface",
        "struct",
        "enum",
        "trait",
        "type",
        "const",
        "let",
        "var",
        "val",
        "record",
        "module",
        "typedef",
        "macro_rules",
        "define",
        "union",
        "namespace",
        "object",
        "static",
    ];
    let words = tokens(None, line);
    let Some(at) = words.iter().position(|word| *word == name) else { return false };
    let before = at.checked_sub(1).map(|before| words[before]);
    if before.is_some_and(|word| HEADS.contains(&word)) {
        return true;
    }
    // `old = new` and `new as old` give the name on.
    if at == 0 && words.get(1) == Some(&"=") || before == Some("as") {
        return true;
    }
    // `func (s *S) Find(`: the receiver stands before the name.
    if words.first() == Some(&"func") && before == Some(")") && at < 8 {
        return true;
    }
    is_headed(&words, at)
}

/// `int count(`, `Map<A, B> count(` and `count(a) {`: a type before the name, or a block behind it.
fn is_headed(words: &[&str], at: usize) -> bool {
    const NO_TYPES: &[&str] = &[
        "return",
        "await",
        "new",
        "else",
        "in",
        "not",
        "and",
        "or",
        "yield",
        "throw",
        "case",
        "do",
        "go",
        "defer",
        "raise",
        "assert",
        "if",
        "elif",
        "when",
        "typeof",
        "void",
        "print",
        "echo",
        "puts",
        "unless",
        "while",
        "until",
        "import",
        "from",
        "use",
        "using",
        "export",
        "delete",
        "co_await",
        "co_return",
        "of",
        "is",
        "as",
        "then",
    ];
    if words.get(at + 1) != Some(&"(") {
        return false;
    }
    let before = at.checked_sub(1).map(|before| words[before]);
    let typed = before.is_some_and(|word| {
        let is_name = word.starts_with(|c: char| c.is_alphabetic() || c == '_');
        is_name && !NO_TYPES.contains(&word)
            || matches!(word, "*" | "&" | ">" | "]") && at > 1 && !words.contains(&"=")
    });
    let opens = matches!(words.last(), Some(&("{" | ";" | ")" | "," | "(" | "}")));
    let is_block = words.last() == Some(&"{")
        && before.is_none_or(|word| matches!(word, "async" | "static" | "*" | "get" | "set"));
    typed && opens && !words.contains(&".") || is_block
}

impl Gone {
    /// The message, where a file of the family uses the name and none defines it.
    pub(super) fn answer(&self, files: &[Text]) -> Option<String> {
        let files: Vec<&Text> =
            files.iter().filter(|file| is_of(&file.path, self.language)).collect();
        let mut uses = Vec::new();
        for file in files {
            if !mentions(&file.content, &self.name) || !self.is_about(file) {
                continue;
            }
            for (line, text) in (1_u32..).zip(file.content.lines()) {
                let code = tokens(Some(self.language), text);
                if !code.contains(&self.name.as_str()) {
                    continue;
                }
                // A namesake makes it impossible to say which one is meant.
                if self.kind != Kind::Variant && defines(text, &self.name) {
                    return None;
                }
                if self.is_use(&code) {
                    uses.push((file.path.as_str(), line));
                }
            }
        }
        let (path, line) = uses.first()?;
        let name = match (&self.owner, self.kind) {
            (Some(owner), Kind::Variant | Kind::Field | Kind::Method) => {
                format!("{owner}.{}", self.name)
            }
            _ => self.name.clone(),
        };
        let more = uses.len() - 1;
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        Some(format!("{name} is gone, but {path}:{line}{more} still uses it."))
    }

    /// Whether a file can mean this name: it names the owner, or takes the name in.
    fn is_about(&self, file: &Text) -> bool {
        match (self.kind, &self.owner) {
            (Kind::Variant | Kind::Field | Kind::Method, Some(owner)) => {
                mentions(&file.content, owner)
            }
            (Kind::Variant | Kind::Field | Kind::Method, None) => false,
            (Kind::Function | Kind::Type, _) => match self.language {
                Language::Python | Language::JavaScript | Language::TypeScript | Language::Tsx => {
                    takes_in(&file.content, &self.name)
                }
                _ => true,
            },
        }
    }

    fn is_use(&self, code: &[&str]) -> bool {
        let places = code.iter().enumerate().filter(|(_, token)| **token == self.name);
        let before = |at: usize, back: usize| at.checked_sub(back).map(|at| code[at]);
        let mut places = places.map(|(at, _)| at);
        let accesses = |token: Option<&str>| matches!(token, Some("." | "::" | "->" | "?."));
        match self.kind {
            Kind::Variant => {
                places.any(|at| accesses(before(at, 1)) && before(at, 2) == self.owner.as_deref())
            }
            Kind::Field => places.any(|at| accesses(before(at, 1))),
            Kind::Method => places.any(|at| {
                accesses(before(at, 1)) && matches!(code.get(at + 1), Some(&("(" | "::" | "<")))
            }),
            // In a list of imports, at the head of a call, as a value or a type: all of it breaks. A member
            // of something else is another thing, but for a module's.
            Kind::Function | Kind::Type => places.any(|at| {
                let own = !accesses(before(at, 1))
                    || matches!(self.language, Language::Go | Language::Python | Language::Rust);
                own && code.get(at + 1) != Some(&":") && code.get(at + 1) != Some(&"=")
            }),
        }
    }
}

/// Whether a file of Python or JavaScript takes `name` in from another.
fn takes_in(text: &str, name: &str) -> bool {
    let mut open = false;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("import ")
            || line.starts_with("from ")
            || line.starts_with("export ") && line.contains(" from ")
        {
            open = line.contains('{') && !line.contains('}') || line.ends_with('(');
            if mentions(line, name) {
                return true;
            }
        } else if open {
            if mentions(line, name) {
                return true;
            }
            open = !line.contains(['}', ')']);
        } else if line.contains("require(") && mentions(line, name) {
            return true;
        }
    }
    false
}

fn is_of(path: &str, language: Language) -> bool {
    Language::of_path(path).is_some_and(|of| family(language).contains(&of))
}

impl Called {
    /// The message, where a call passes what only the old form takes.
    pub(super) fn answer(&self, files: &[Text]) -> Option<String> {
        let mut broken: Option<(String, usize)> = None;
        let mut more = 0_usize;
        for file in files.iter().filter(|file| is_of(&file.path, self.language)) {
            let is_own = file.path == self.own;
            if !mentions(&file.content, &self.name) || !(is_own || self.is_about(file)) {
                continue;
            }
            let lines: Vec<&str> = file.content.lines().collect();
            for (at, line) in lines.iter().enumerate() {
                if !mentions(line, &self.name) {
                    continue;
                }
                if defines(line, &self.name) {
                    // The own one is known; another of the same name makes every call doubtful.
                    if is_own || is_prototype(line, self.language) {
                        continue;
                    }
                    return None;
                }
                for passed in self.calls(&lines[at..]) {
                    let fits = |(least, most): (usize, usize)| least <= passed && passed <= most;
                    if fits(self.then) && !fits(self.now) {
                        match broken {
                            None => broken = Some((format!("{}:{}", file.path, at + 1), passed)),
                            Some(_) => more += 1,
                        }
                    }
                }
            }
        }
        let (place, passed) = broken?;
        let (least, most) = self.now;
        let takes = match most {
            _ if least == most => least.to_string(),
            usize::MAX => format!("at least {least}"),
            most => format!("{least} to {most}"),
        };
        let more = if more > 0 { format!(" ({more} more calls do too)") } else { String::new() };
        let plural = if takes == "1" { "" } else { "s" };
        Some(format!(
            "{} takes {takes} argument{plural} now, but {place} still passes {passed}{more}.",
            self.name
        ))
    }

    fn is_about(&self, file: &Text) -> bool {
        match &self.owner {
            Some(owner) => mentions(&file.content, owner) || self.language == Language::Go,
            None => match self.language {
                Language::Python | Language::JavaScript | Language::TypeScript | Language::Tsx => {
                    takes_in(&file.content, &self.name)
                        || file.content.contains(&format!(".{}(", self.name))
                }
                _ => true,
            },
        }
    }

    /// How many arguments each call on the first of `lines` passes, where that can be told.
    fn calls(&self, lines: &[&str]) -> Vec<usize> {
        const LONGEST: usize = 30;
        let mut joined = String::new();
        for line in lines.iter().take(LONGEST) {
            joined.push_str(&tokens(Some(self.language), line).join(" "));
            joined.push('\n');
        }
        let first = joined.find('\n').unwrap_or(joined.len());
        let code: Vec<&str> = joined.split_whitespace().collect();
        let on_first = joined[..first].split_whitespace().count();
        let mut out = Vec::new();
        for at in 0..on_first {
            let is_call = code[at] == self.name && code.get(at + 1) == Some(&"(");
            let before = at.checked_sub(1).map(|before| code[before]);
            let member = matches!(before, Some("." | "->" | "::" | "?."));
            // A function of a module may be a member; a method must be one.
            if is_call && (member || self.owner.is_none()) {
                out.extend(passed(&code[at + 2..]));
            }
        }
        out
    }
}

/// A declaration without a body, as headers hold.
fn is_prototype(line: &str, language: Language) -> bool {
    matches!(language, Language::C | Language::Cpp) && line.trim_end().ends_with(';')
}

/// How many arguments stand before the closing bracket; `None` where their number is not plain.
fn passed(code: &[&str]) -> Option<usize> {
    let mut depth = 0_u32;
    let mut count = 0;
    let mut any = false;
    for token in code {
        match *token {
            "(" | "[" | "{" => depth += 1,
            ")" if depth == 0 => return Some(if any { count + 1 } else { count }),
            ")" | "]" | "}" => depth = depth.checked_sub(1)?,
            "," if depth == 0 => {
                count += 1;
                any = false;
                continue;
            }
            // Spread arguments, generics and closures hide their number.
            "..." | "*" | "**" | "<" | ">" | "|" | "lambda" | "&" if depth == 0 => return None,
            _ => {}
        }
        any = true;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_counted_outside_brackets() {
        let count = |text: &str| passed(&tokens(Some(Language::JavaScript), text));
        assert_eq!(count("a, f(b, c), [d, e])"), Some(3));
        assert_eq!(count(")"), Some(0));
        assert_eq!(count("a,)"), Some(1));
        assert_eq!(count("...a)"), None);
        assert_eq!(count("a, b"), None);
    }

    #[test]
    fn definitions_are_told_from_uses() {
        for line in [
            "def find(a):",
            "func (s *S) find(a int) error {",
            "public static int find(int a) {",
            "find(a) {",
            "unsigned find(const char *s);",
            "find = search",
            "from a import search as find",
            "export const find = (a) => a;",
            "fn find(a: u8) {",
        ] {
            assert!(defines(line, "find"), "{line}");
        }
        for line in [
            "return find(a)",
            "x = user.find(a);",
            "if (find(a)) {",
            "find(a);",
            "await find(a)",
            "u, err := user.find(id)",
            "    return find(key) % set->cap;",
        ] {
            assert!(!defines(line, "find"), "{line}");
        }
    }
}
