//! Comments that silence a finding: `foreread-ignore[rule-or-severity]: reason`.
//!
//! Found by the syntax of comments, so that a string which holds the words silences nothing. One counts
//! for its own line and the line below it. Without a reason, or with a name that is neither a rule's nor
//! a severity, it silences nothing, and a rule reports it where the change adds it.

use crate::finding::{Finding, Severity, Side};
use crate::language::Language;
use crate::view::FileView;

/// The rule that reports those without effect.
pub(crate) const WITHOUT_EFFECT: &str = "suppression-without-effect";

/// What a directive begins with.
const MARK: &str = "foreread-ignore";
/// More directives of one file are not read; a file of them all silences nothing.
const MAX_DIRECTIVES: usize = 10_000;

/// One directive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Directive {
    /// The line that it stands on.
    pub(crate) line: u32,
    /// What stands between the brackets, set apart by commas.
    pub(crate) names: Vec<String>,
    /// What stands behind the colon.
    pub(crate) reason: String,
}

impl Directive {
    /// Whether it silences this finding, if it has no fault.
    pub(crate) fn silences(&self, finding: &Finding) -> bool {
        let is_near = finding.line == self.line || finding.line == self.line.saturating_add(1);
        let is_meant = |name: &String| {
            finding.rule.as_ref() == Some(name) || finding.severity.as_str() == name
        };
        finding.side == Side::New && is_near && self.names.iter().any(is_meant)
    }

    /// Why it silences nothing, if so.
    pub(crate) fn fault(&self, is_rule: &dyn Fn(&str) -> bool) -> Option<String> {
        if self.names.is_empty() {
            return Some("it names no rule or severity between brackets".to_owned());
        }
        let is_known = |name: &str| is_rule(name) || Severity::parse(name).is_some();
        if let Some(name) = self.names.iter().find(|name| !is_known(name)) {
            return Some(format!("{name:?} is neither a rule nor a severity"));
        }
        self.reason.is_empty().then(|| "it gives no reason behind a colon".to_owned())
    }
}

/// The directives of the new side of a file that silence something, by line.
pub(crate) fn directives(view: &FileView, is_rule: &dyn Fn(&str) -> bool) -> Vec<Directive> {
    let mut all = written(view);
    all.retain(|directive| directive.fault(is_rule).is_none());
    all
}

/// The directives of the new side of a file, faulty ones too, by line.
pub(crate) fn written(view: &FileView) -> Vec<Directive> {
    let side = view.new_side();
    let holds_mark = |text: &str| memchr::memmem::find(text.as_bytes(), MARK.as_bytes()).is_some();
    if !side.fragments().iter().any(|fragment| holds_mark(fragment.text())) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (number, text) in comments(view) {
        let marks = text.match_indices(MARK);
        found.extend(marks.filter_map(|(at, _)| directive(number, &text[at + MARK.len()..])));
        if found.len() > MAX_DIRECTIVES {
            return Vec::new();
        }
    }
    found.sort_by_key(|directive| directive.line);
    found.dedup();
    found
}

/// The lines of comments, with what of each line is comment.
fn comments(view: &FileView) -> Vec<(u32, &str)> {
    let by_lines = match view.language() {
        None => return Vec::new(),
        Some(Language::Dockerfile | Language::Toml) => Some("#"),
        Some(Language::Sql) => Some("--"),
        Some(_) => None,
    };
    let mut found = Vec::new();
    for fragment in view.new_side().fragments() {
        let Some(start) = by_lines else { break };
        let lines = fragment.first_line()..=fragment.last_line();
        let lines = lines.filter_map(|number| Some((number, fragment.line(number)?)));
        found.extend(lines.filter(|(_, line)| line.trim_start().starts_with(start)));
    }
    for (first_line, tree) in view.trees(Side::New) {
        for node in tree.root().descendants().filter(|node| node.kind().contains("comment")) {
            let (first, _) = node.lines();
            let numbers = first_line.saturating_add(first)..;
            found.extend(numbers.zip(node.text().lines()));
        }
    }
    found
}

/// Reads what stands behind the mark; `None` where the words are only spoken of.
fn directive(line: u32, rest: &str) -> Option<Directive> {
    let (names, rest) = match rest.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => ("", rest.starts_with(':').then_some(rest)?),
    };
    let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
    let reason = rest.trim_start().strip_prefix(':').unwrap_or_default();
    let reason = ["*/", "-->"]
        .iter()
        .fold(reason, |reason, end| reason.split(end).next().unwrap_or_default());
    Some(Directive {
        line,
        names: names.map(str::to_owned).collect(),
        reason: reason.trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SideText;

    fn found(path: &str, text: &str) -> Vec<(u32, Vec<String>, String)> {
        let side = SideText::whole(text.as_bytes(), vec![1], vec![]);
        let view = FileView::new(path.to_owned(), None, SideText::default(), side);
        let all = written(&view).into_iter();
        all.map(|one| (one.line, one.names, one.reason)).collect()
    }

    #[test]
    fn directives_are_read_from_comments_alone() {
        let one = |line, name: &str, reason: &str| (line, vec![name.to_owned()], reason.to_owned());
        for (path, text, want) in [
            ("a.py", "x = 1\n# foreread-ignore[high]: known\n", Some(one(2, "high", "known"))),
            ("a.py", "x = \"# foreread-ignore[high]: known\"\n", None),
            ("a.js", "f(); // foreread-ignore[a-b]: a: b\n", Some(one(1, "a-b", "a: b"))),
            ("a.c", "/* x\n * foreread-ignore[low]: y */\n", Some(one(2, "low", "y"))),
            ("a.rs", "let a = r#\"\n// foreread-ignore[low]: y\n\"#;\n", None),
            ("a.go", "// foreread-ignore[low]\n", Some(one(1, "low", ""))),
            ("a.go", "// say foreread-ignore to it\n", None),
            ("Dockerfile", "# foreread-ignore[low]: y\nRUN x\n", Some(one(1, "low", "y"))),
            ("Dockerfile", "RUN echo '# foreread-ignore[low]: y'\n", None),
            ("a.sql", "-- foreread-ignore[low]: y\n", Some(one(1, "low", "y"))),
            ("notes.txt", "# foreread-ignore[low]: y\n", None),
        ] {
            assert_eq!(found(path, text), Vec::from_iter(want), "{path}: {text}");
        }
        let both = found("a.py", "# foreread-ignore[low, a-b]: y\n");
        assert_eq!(both[0].1, ["low", "a-b"]);
        assert_eq!(found("a.py", "# foreread-ignore: y\n")[0].1, Vec::<String>::new());
    }

    #[test]
    fn faults_are_told() {
        let is_embedded = |id: &str| crate::rules::RuleSet::embedded().get(id).is_some();
        let fault = |names: &[&str], reason: &str| {
            let names = names.iter().map(|&name| name.to_owned()).collect();
            Directive { line: 1, names, reason: reason.to_owned() }.fault(&is_embedded)
        };
        assert_eq!(fault(&["high", "python-eval-of-value"], "r"), None);
        assert!(fault(&["high"], "").unwrap().contains("no reason"));
        assert!(fault(&["hihg"], "r").unwrap().contains("\"hihg\""));
        assert!(fault(&[], "r").unwrap().contains("names no rule"));
    }
}
