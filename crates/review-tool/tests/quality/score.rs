//! What the outcomes of cases add up to.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use crate::case::Kind;

/// One finding of a case.
pub(crate) struct Told {
    pub(crate) rule: String,
    pub(crate) place: String,
    /// Whether it stands at a marked line.
    pub(crate) right: bool,
}

/// What a review said of one case.
pub(crate) struct Outcome {
    /// The file of cases, which is named after a language.
    pub(crate) group: String,
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) told: Vec<Told>,
}

impl Outcome {
    fn is_found(&self) -> bool {
        self.told.iter().any(|told| told.right)
    }
}

/// Counts over a set of outcomes.
#[derive(Debug, Default)]
pub(crate) struct Score {
    planted: usize,
    found: usize,
    right: usize,
    wrong: usize,
    silent: usize,
    noisy: usize,
    pairs: usize,
    pairs_held: usize,
}

impl Score {
    /// Counts `outcomes`. A pair is held where the fault is found and its twin stays silent.
    pub(crate) fn of<'o>(outcomes: impl Iterator<Item = &'o Outcome>) -> Self {
        let mut score = Self::default();
        let mut pairs: HashMap<(&str, &str), [Option<bool>; 2]> = HashMap::new();
        for outcome in outcomes {
            let right = outcome.told.iter().filter(|told| told.right).count();
            score.right += right;
            score.wrong += outcome.told.len() - right;
            let pair = pairs.entry((&outcome.group, &outcome.name)).or_default();
            if let Kind::Planted(_) = outcome.kind {
                score.planted += 1;
                score.found += usize::from(outcome.is_found());
                pair[0] = Some(outcome.is_found());
            } else {
                score.silent += 1;
                score.noisy += usize::from(!outcome.told.is_empty());
                pair[1] = Some(outcome.told.is_empty());
            }
        }
        let both = pairs.values().filter_map(|[found, silent]| found.zip(*silent));
        for (found, silent) in both {
            score.pairs += 1;
            score.pairs_held += usize::from(found && silent);
        }
        score
    }

    fn recall(&self) -> f64 {
        share(self.found, self.planted)
    }

    fn precision(&self) -> f64 {
        share(self.right, self.right + self.wrong)
    }

    fn noise(&self) -> f64 {
        if self.silent == 0 { 0.0 } else { share(self.noisy, self.silent) }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:4} cases  recall {:5.1} % ({}/{})  precision {:5.1} % ({}/{})  pairs {:5.1} % ({}/{})  \
             noisy {:4.1} % ({}/{})",
            self.planted + self.silent,
            100.0 * self.recall(),
            self.found,
            self.planted,
            100.0 * self.precision(),
            self.right,
            self.right + self.wrong,
            100.0 * share(self.pairs_held, self.pairs),
            self.pairs_held,
            self.pairs,
            100.0 * self.noise(),
            self.noisy,
            self.silent,
        )
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of cases are small")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// The numbers below which the project does not fall.
pub(crate) struct Floor {
    cases: usize,
    silent: f64,
    recall: f64,
    precision: f64,
    noise: f64,
}

/// What the cases hold to.
pub(crate) const FLOOR: Floor =
    Floor { cases: 390, silent: 0.4, recall: 0.3, precision: 0.95, noise: 0.03 };

impl Floor {
    /// What `score` breaks, one line each.
    pub(crate) fn faults(&self, score: &Score) -> Vec<String> {
        let cases = score.planted + score.silent;
        let mut faults = Vec::new();
        if cases < self.cases {
            faults.push(format!("{cases} cases; at least {} are wanted", self.cases));
        }
        for (name, value, least) in [
            ("the share of silent cases", share(score.silent, cases), self.silent),
            ("recall", score.recall(), self.recall),
            ("precision", score.precision(), self.precision),
            ("the share of silent cases that stay silent", 1.0 - score.noise(), 1.0 - self.noise),
        ] {
            if value < least {
                faults.push(format!("{name} is {value:.3}; at least {least:.3} is wanted"));
            }
        }
        faults
    }
}

/// Prints the scores by category, language and rule.
pub(crate) fn print_tables(outcomes: &[&Outcome]) {
    let by_language = grouped(outcomes, |outcome| outcome.group.clone());
    println!("by language");
    for (name, of) in by_language {
        println!("  {name:16} {}", Score::of(of.into_iter()));
    }
    println!("by category");
    let planted = outcomes.iter().copied().filter(|of| matches!(of.kind, Kind::Planted(_)));
    let by_category = grouped(&planted.collect::<Vec<_>>(), |outcome| match outcome.kind {
        Kind::Planted(category) => category.to_string(),
        Kind::Twin | Kind::Control => String::new(),
    });
    for (name, of) in by_category {
        let score = Score::of(of.into_iter());
        println!(
            "  {name:16} recall {:5.1} % ({}/{})",
            100.0 * score.recall(),
            score.found,
            score.planted
        );
    }
    println!("by rule: right, wrong");
    let mut rules: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for told in outcomes.iter().flat_map(|outcome| &outcome.told) {
        rules.entry(&told.rule).or_default()[usize::from(!told.right)] += 1;
    }
    for (rule, [right, wrong]) in rules {
        println!("  {rule:48} {right:3} {wrong:3}");
    }
}

fn grouped<'o>(
    outcomes: &[&'o Outcome],
    key: impl Fn(&Outcome) -> String,
) -> BTreeMap<String, Vec<&'o Outcome>> {
    let mut groups: BTreeMap<String, Vec<&Outcome>> = BTreeMap::new();
    for outcome in outcomes {
        groups.entry(key(outcome)).or_default().push(outcome);
    }
    groups
}

/// Prints what went wrong, case by case.
pub(crate) fn print_misses(outcomes: &[Outcome]) {
    for Outcome { group, name, kind, told } in outcomes {
        let planted = matches!(kind, Kind::Planted(_));
        if planted && !told.iter().any(|told| told.right) {
            println!("missed  {group}/{name}");
        }
        for told in told.iter().filter(|told| !told.right) {
            println!("wrong   {group}/{name} ({kind:?}): {} at {}", told.rule, told.place);
        }
    }
}
