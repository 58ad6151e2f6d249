//! From hits to findings: texts, excerpts, fingerprints, order.

use std::collections::HashMap;

use sha2::{Digest, Sha256};

use crate::finding::{Finding, Side, Source};
use crate::numbered;
use crate::reply::Placed;
use crate::rules::{Hit, Rule};
use crate::secret::redact;
use crate::view::FileView;

/// Lines shown before and after a finding.
const AROUND: u32 = 2;
/// At most this many lines of a finding are shown and fingerprinted.
const MAX_LINES: u32 = 12;
/// A shown line is cut after this many characters.
const MAX_LINE_CHARS: usize = 400;

/// The code around a finding, credentials masked, long lines cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The number of the first line.
    pub first_line: u32,
    /// The lines, without line ends.
    pub lines: Vec<String>,
}

/// A finding before it has its fingerprint.
pub(super) struct Candidate {
    finding: Finding,
    excerpt: Excerpt,
    /// What the fingerprint is made of.
    basis: [u8; 32],
}

impl Candidate {
    /// The finding, without fingerprint and id.
    pub(super) fn finding(&self) -> &Finding {
        &self.finding
    }

    /// Replaces what the finding says.
    pub(super) fn described(mut self, message: &str) -> Self {
        self.finding.description = redact(message).into_owned();
        self
    }
}

/// Words a hit of a rule.
pub(super) fn candidate(rule: &Rule, hit: Hit, view: &FileView) -> Candidate {
    let side = view.side(hit.side);
    let last = hit.line_end.unwrap_or(hit.line).min(hit.line.saturating_add(MAX_LINES - 1));
    let code: Vec<&str> = (hit.line..=last).map_while(|line| side.line(line)).collect();
    let mut hasher = Sha256::new();
    hasher.update(rule.id());
    for line in &code {
        line.split_whitespace().for_each(|word| hasher.update(word));
    }
    let first_shown = hit.line.saturating_sub(AROUND).max(1);
    let shown: Vec<(u32, &str)> = (first_shown..=last.saturating_add(AROUND))
        .filter_map(|line| Some((line, side.line(line)?)))
        .collect();
    // Masked as one text, since a credential may span lines.
    let text: Vec<&str> = shown.iter().map(|(_, line)| *line).collect();
    let masked = redact(&text.join("\n")).into_owned();
    let lines: Vec<String> = masked.split('\n').map(cut).collect();
    let first_line = shown.first().map_or(hit.line, |(line, _)| *line);
    let excerpt = Excerpt { first_line, lines };
    let snippet = excerpt.lines.get((hit.line - first_line) as usize).cloned();
    let file = &rule.file;
    let finding = Finding {
        id: String::new(),
        rule: Some(file.id.clone()),
        category: file.category,
        severity: hit.severity.unwrap_or(file.severity),
        confidence: file.confidence,
        source: Source::Rules,
        file: view.path().to_owned(),
        line: hit.line,
        line_end: hit.line_end.filter(|&end| end > hit.line && side.line(end).is_some()),
        side: hit.side,
        title: file.title.clone(),
        description: redact(hit.message.as_deref().unwrap_or(&file.message)).into_owned(),
        suggestion: file.suggestion.clone(),
        language: view.language().map(|language| language.as_str().to_owned()),
        snippet,
        // One that holds a credential would hand it on.
        fix: hit.fix.filter(|fix| {
            [&fix.original, &fix.replacement].into_iter().all(|text| redact(text) == *text)
        }),
        fingerprint: String::new(),
    };
    debug_assert!(hit.side == Side::New || view.old_path().is_some());
    Candidate { finding, excerpt, basis: hasher.finalize().into() }
}

/// Words a finding of a model, which stands on a line of a hunk.
pub(super) fn of_model(placed: &Placed, change: &numbered::Change) -> Option<Candidate> {
    let file = change.files.get(placed.file)?;
    let hunk = file.hunks.get(placed.hunk)?;
    let last = placed.line_end.unwrap_or(placed.line);
    let last = last.min(placed.line.saturating_add(MAX_LINES - 1));
    let lines = || {
        hunk.lines.iter().filter_map(|line| Some((line.number(placed.side)?, line.text.as_str())))
    };
    let claim = &placed.claim;
    let mut hasher = Sha256::new();
    hasher.update(claim.category.as_str());
    for (_, line) in lines().filter(|(number, _)| (placed.line..=last).contains(number)) {
        line.split_whitespace().for_each(|word| hasher.update(word));
    }
    let around = placed.line.saturating_sub(AROUND)..=last.saturating_add(AROUND);
    let shown: Vec<(u32, &str)> = lines().filter(|(number, _)| around.contains(number)).collect();
    let excerpt = Excerpt {
        first_line: shown.first().map_or(placed.line, |(number, _)| *number),
        lines: shown.iter().map(|(_, line)| cut(line)).collect(),
    };
    let snippet =
        shown.iter().find(|(number, _)| *number == placed.line).map(|(_, line)| cut(line));
    let finding = Finding {
        id: String::new(),
        rule: None,
        category: claim.category,
        severity: claim.severity,
        confidence: placed.confidence,
        source: Source::Model,
        file: file.path.clone(),
        line: placed.line,
        line_end: placed.line_end,
        side: placed.side,
        title: claim.title.clone(),
        description: claim.description.clone(),
        suggestion: claim.suggestion.clone(),
        language: file.language.map(|language| language.as_str().to_owned()),
        snippet,
        fix: None,
        fingerprint: String::new(),
    };
    Some(Candidate { finding, excerpt, basis: hasher.finalize().into() })
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Sorts, and gives each finding its fingerprint and id.
///
/// Findings whose rule and code are the same are told apart by counting them in the order of the
/// report, so the set of fingerprints stays the same when files are renamed or code moves.
pub(super) fn finish(mut candidates: Vec<Candidate>) -> (Vec<Finding>, Vec<Excerpt>) {
    candidates.sort_by(|a, b| a.finding.cmp(&b.finding));
    let mut seen: HashMap<[u8; 32], u64> = HashMap::new();
    candidates
        .into_iter()
        .map(|Candidate { mut finding, excerpt, basis }| {
            let count = seen.entry(basis).or_default();
            let mut hasher = Sha256::new();
            hasher.update(basis);
            hasher.update(count.to_be_bytes());
            *count += 1;
            let hex: String =
                hasher.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
            finding.id = format!("f-{}", &hex[..12]);
            finding.fingerprint = hex;
            (finding, excerpt)
        })
        .unzip()
}
