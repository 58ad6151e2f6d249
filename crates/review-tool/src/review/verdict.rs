//! The verdict: what fails the gate, and the document around it.

use crate::diff::Problem;
use crate::finding::Finding;
use crate::policy::Terms;
use crate::report::{
    Counts, Document, Files, Gate, Meta, SCHEMA_VERSION, Silenced, Status, Summary, Usage, plural,
    summary_text,
};
use crate::request::ReviewRequest;

/// What a document says beside the findings and files.
pub(super) struct About {
    pub(super) base: Option<String>,
    pub(super) head: Option<String>,
    pub(super) silenced: Vec<Silenced>,
    pub(super) tuned_rules: Vec<String>,
    pub(super) terms: Option<Terms>,
}

/// Judges findings, with the reasons where it fails.
fn gate(
    request: &ReviewRequest,
    findings: &[Finding],
    status: Status,
    terms: Option<&Terms>,
) -> Gate {
    let (counted, said) = match terms {
        Some(terms) => terms.counted(findings, &request.today),
        None => (findings.iter().collect(), Vec::new()),
    };
    let mut reasons = Vec::new();
    if status == Status::Partial {
        reasons.push("the review is incomplete".to_owned());
    }
    if let Some(least) = request.fail_on {
        let count = counted.iter().filter(|finding| finding.severity.reaches(least)).count();
        if count > 0 {
            let count = plural(count as u64, "finding");
            reasons.push(format!("{count} of severity {least} or worse"));
        }
    }
    reasons.extend(terms.map(|terms| terms.broken(&counted)).unwrap_or_default());
    let passed = reasons.is_empty();
    reasons.extend(said);
    Gate { fail_on: request.fail_on, passed, reasons }
}

/// Makes the verdict. Findings come sorted by severity, so those that are listed come first.
pub(super) fn conclude(
    request: &ReviewRequest,
    mut findings: Vec<Finding>,
    files: Files,
    problems: Vec<Problem>,
    about: About,
) -> Document {
    // A credential is found in files that are left out, too.
    let is_nothing = files.reviewed.is_empty() && findings.is_empty();
    let status = match (problems.is_empty(), is_nothing) {
        (false, _) => Status::Partial,
        (true, true) => Status::NothingToReview,
        (true, false) => Status::Complete,
    };
    let gate = gate(request, &findings, status, about.terms.as_ref());
    let listed = findings.partition_point(|finding| finding.severity.reaches(request.min_severity));
    let hidden = (findings.len() - listed) as u64;
    let silenced = about.silenced;
    let text =
        summary_text(status, &findings, hidden, &gate, &files, silenced.len(), problems.len());
    let suppressed = silenced.iter().filter(|one| one.reason.is_some()).count() as u64;
    let baselined = silenced.len() as u64 - suppressed;
    let unlisted = findings.drain(listed..).map(|finding| finding.fingerprint).collect();
    let problems = problems
        .into_iter()
        .map(|problem| crate::report::Problem { file: problem.file, message: problem.message })
        .collect();
    let counts = Counts::of(&findings);
    let summary = Summary { status, counts, gate, files, text, problems, hidden, unlisted };
    let meta = Meta {
        provider: "embedded".to_owned(),
        model: "rules".to_owned(),
        lang: "en".to_owned(),
        usage: Usage::default(),
        cost_usd: 0.0,
        latency_ms: 0,
        cached: false,
        timestamp: String::new(),
        version: String::new(),
        review_id: String::new(),
        scope: request.scope.as_str().to_owned(),
        base: about.base,
        head: about.head,
        baselined: Some(baselined).filter(|&count| count > 0),
        suppressed: Some(suppressed).filter(|&count| count > 0),
        tuned_rules: about.tuned_rules,
        claims: None,
        tool_calls: Vec::new(),
    };
    let content = String::new();
    Document { schema: SCHEMA_VERSION, content, findings, summary, meta, since: None, silenced }
}
