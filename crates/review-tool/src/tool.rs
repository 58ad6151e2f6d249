//! The tool `review` as MCP shows it: definition, arguments, result.
//!
//! With `resource.rs` the only module that knows protocol types; it knows no transport, no ids and no
//! revisions.

use mcp_proto::{CallToolResult, Content, RawJson, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::control::Control;
use crate::error::ReviewError;
use crate::finding::Severity;
use crate::repo::{Repo, RepoError, for_scope};
use crate::report::{Document, SCHEMA, Stamp, Status};
use crate::request::{ReviewRequest, Scope};
use crate::rules::RuleSet;

/// The name of the tool.
pub const NAME: &str = "review";

/// How many findings the short text names.
const NAMED: usize = 5;

/// What the tool needs from the program around it.
pub trait Host {
    /// Opens the repository that the caller named, or the one that is meant where none was.
    ///
    /// # Errors
    /// [`RepoError`] where there is none.
    fn open(&self, repo: Option<&str>) -> Result<Box<dyn Repo + Sync>, RepoError>;

    /// Names the review that ends now.
    fn stamp(&self) -> Stamp;
}

/// Which change to review, and what counts as a failure. Without a scope, what is staged is reviewed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Review what is staged: the index against HEAD. This is the default.
    #[serde(default)]
    staged: bool,
    /// Review what is not staged: the work tree against the index.
    #[serde(default)]
    unstaged: bool,
    /// Review everything since HEAD, untracked files too.
    #[serde(default)]
    all: bool,
    /// Review revisions or ranges as `git diff` takes them, for example `["main...HEAD"]`. Revisions
    /// only, never options.
    #[serde(default)]
    diff: Option<Vec<String>>,
    /// Review what one commit changed, against its first parent.
    #[serde(default)]
    commit: Option<String>,
    /// Review a unified diff given as text.
    #[serde(default)]
    patch: Option<String>,
    /// Only these paths (git pathspecs, relative to the repository).
    #[serde(default)]
    paths: Option<Vec<String>>,
    /// The repository, or a folder in it. Defaults to the one that the server was started for.
    #[serde(default)]
    repo: Option<String>,
    /// The mildest severity that fails the gate; `none` for a gate that no finding fails. Defaults to
    /// `high`.
    #[serde(default)]
    fail_on: Option<Threshold>,
    /// The mildest severity that is listed; the gate counts all. Defaults to `info`.
    #[serde(default)]
    min_severity: Option<Severity>,
    /// Leave out rules about tests that may fail without a fault.
    #[serde(default)]
    no_flaky: bool,
}

// No documentation on the members: it would turn the schema from a list of names into a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Threshold {
    Critical,
    High,
    Medium,
    Low,
    Info,
    None,
}

impl Threshold {
    const fn severity(self) -> Option<Severity> {
        match self {
            Self::Critical => Some(Severity::Critical),
            Self::High => Some(Severity::High),
            Self::Medium => Some(Severity::Medium),
            Self::Low => Some(Severity::Low),
            Self::Info => Some(Severity::Info),
            Self::None => None,
        }
    }
}

/// Describes the tool.
#[must_use]
pub fn definition() -> Tool {
    let mut schema = schemars::schema_for!(Arguments).to_value();
    if let Some(root) = schema.as_object_mut() {
        root.remove("title");
        root.remove("description");
    }
    let annotations =
        ToolAnnotations::read_only().destructive(false).idempotent(true).open_world(false);
    let tool = Tool::new(NAME, raw(&schema)).title("Review a change").description(
        "Reviews a git change before a human does and returns findings as data: file, line, severity, \
         what is wrong, what to do. Call it on the change you have just made, mend what it finds and \
         call it again until `summary.gate.passed` is true. Works offline; reads the repository and \
         changes nothing.",
    );
    tool.annotations(annotations).output_schema(published_schema())
}

/// The document's schema in compact form: a message is one line.
#[expect(clippy::expect_used, reason = "the published schema is part of the program")]
fn published_schema() -> RawJson {
    raw(&serde_json::from_str(SCHEMA).expect("the published schema as JSON"))
}

#[expect(clippy::expect_used, reason = "a JSON value always has a JSON form")]
fn raw(value: &serde_json::Value) -> RawJson {
    RawJson::new(value).expect("a JSON value as JSON")
}

/// Runs a call. `arguments` is the JSON object that the client sent.
///
/// A gate that fails is a result; whatever keeps the review from running is a result marked as an
/// error, which says what to do about it.
pub fn call(
    arguments: &str,
    host: &dyn Host,
    rules: &RuleSet,
    control: &dyn Control,
) -> CallToolResult {
    match run(arguments, host, rules, control) {
        Ok(document) => result(&document),
        Err(message) => CallToolResult::error(message),
    }
}

fn run(
    arguments: &str,
    host: &dyn Host,
    rules: &RuleSet,
    control: &dyn Control,
) -> Result<Document, String> {
    let arguments = decode(arguments)?;
    let repo = arguments.repo.clone();
    let request = request(arguments)?;
    let say = |error: ReviewError| format!("the review did not run: {error}");
    let opened = host.open(repo.as_deref());
    let repo =
        for_scope(opened, &request.scope, repo.is_some()).map_err(|error| say(error.into()))?;
    let mut review = crate::review(&request, repo.as_ref(), rules, control).map_err(say)?;
    review.document.stamp(host.stamp());
    Ok(review.document)
}

fn decode(text: &str) -> Result<Arguments, String> {
    let mut json = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        let problem = error.into_inner().to_string();
        let problem = problem.split(" at line ").next().unwrap_or_default().to_owned();
        if path == "." {
            format!("invalid arguments: {problem}")
        } else {
            format!("invalid arguments: `{path}`: {problem}")
        }
    })
}

fn request(arguments: Arguments) -> Result<ReviewRequest, String> {
    let mut scopes = Vec::new();
    for (given, name, scope) in [
        (arguments.staged, "staged", Scope::Staged),
        (arguments.unstaged, "unstaged", Scope::Unstaged),
        (arguments.all, "all", Scope::All),
    ] {
        if given {
            scopes.push((name, scope));
        }
    }
    if let Some(revisions) = arguments.diff {
        if revisions.is_empty() {
            return Err(
                "invalid arguments: `diff`: name at least one revision, or leave it out".to_owned()
            );
        }
        scopes.push(("diff", Scope::Revisions(revisions)));
    }
    scopes.extend(arguments.commit.map(|revision| ("commit", Scope::Commit(revision))));
    scopes.extend(arguments.patch.map(|text| ("patch", Scope::Patch(text.into_bytes()))));
    if scopes.len() > 1 {
        let names: Vec<_> = scopes.iter().map(|(name, _)| *name).collect();
        return Err(format!("invalid arguments: give one scope, not {}", names.join(" and ")));
    }
    let scope = scopes.pop().map_or(Scope::Staged, |(_, scope)| scope);
    let mut request = ReviewRequest::new(scope);
    request.paths = arguments.paths.unwrap_or_default().into_iter().map(Into::into).collect();
    if let Some(threshold) = arguments.fail_on {
        request.fail_on = threshold.severity();
    }
    request.min_severity = arguments.min_severity.unwrap_or(request.min_severity);
    request.no_flaky = arguments.no_flaky;
    Ok(request)
}

/// One short text, the document as text for clients that read no data, and the document as data.
fn result(document: &Document) -> CallToolResult {
    let result = CallToolResult::text(short(document));
    match RawJson::new(document) {
        Ok(data) => {
            let text = Content::text(data.get());
            result.with_content(text).with_structured(data)
        }
        Err(error) => CallToolResult::error(format!("the review has no JSON form: {error}")),
    }
}

/// The summary, what to mend first, and what kept the review from being complete.
fn short(document: &Document) -> String {
    let summary = &document.summary;
    let mut text = summary.text.clone();
    if !document.findings.is_empty() {
        text.push_str("\nMend first:");
    }
    for finding in document.findings.iter().take(NAMED) {
        let rule = finding.rule.as_deref().unwrap_or("model");
        let at = format!("{}:{}", finding.file, finding.line);
        text.push_str(&format!("\n- {at} {} [{rule}] {}", finding.severity, finding.title));
    }
    if document.findings.len() > NAMED {
        text.push_str(&format!("\n- and {} more in the document", document.findings.len() - NAMED));
    }
    for problem in summary.problems.iter().take(NAMED) {
        let file = problem.file.as_deref().map(|file| format!("{file}: ")).unwrap_or_default();
        text.push_str(&format!("\nProblem: {file}{}", problem.message));
    }
    if summary.status == Status::NothingToReview && document.meta.scope == "staged" {
        text.push_str(
            "\nNothing is staged: stage the change, or pass `unstaged`, `all`, `diff` or `commit`.",
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Uncontrolled;
    use crate::repo::NoRepo;

    struct Nowhere;

    impl Host for Nowhere {
        fn open(&self, repo: Option<&str>) -> Result<Box<dyn Repo + Sync>, RepoError> {
            match repo {
                Some(place) => Err(RepoError::NotARepository { place: place.to_owned() }),
                None => Ok(Box::new(NoRepo)),
            }
        }

        fn stamp(&self) -> Stamp {
            Stamp::default()
        }
    }

    fn text(arguments: &str) -> (bool, String) {
        let result = call(arguments, &Nowhere, RuleSet::embedded(), &Uncontrolled);
        let Some(Content::Text(text)) = result.content.first() else { panic!("{result:?}") };
        (result.is_error == Some(true), text.text.clone())
    }

    #[test]
    fn arguments_that_do_not_fit_name_their_field() {
        for (arguments, want) in [
            (r#"{"fail_on":"bad"}"#, "`fail_on`: unknown variant `bad`"),
            (r#"{"paths":["a",1]}"#, "`paths[1]`: invalid type"),
            (r#"{"colour":true}"#, "`colour`"),
            (r#"{"staged":true,"all":true}"#, "give one scope, not staged and all"),
            (r#"{"diff":[]}"#, "`diff`: name at least one revision"),
            (r#"{"patch":"","paths":["a"]}"#, "leave them out"),
            (r#"{"repo":"/nowhere","staged":true}"#, "/nowhere is not inside a git repository"),
            (r#"{"patch":"hello"}"#, "no file change found"),
        ] {
            let (failed, said) = text(arguments);
            assert!(failed && said.contains(want), "{arguments}: {said}");
        }
    }

    #[test]
    fn a_review_is_text_and_data_alike() {
        let patch = "--- a/a.py\n+++ b/a.py\n@@ -0,0 +1,2 @@\n+def f(a=[]):\n+    return a\n";
        let arguments = serde_json::json!({"patch": patch, "fail_on": "medium"}).to_string();
        let result = call(&arguments, &Nowhere, RuleSet::embedded(), &Uncontrolled);
        assert_eq!(result.is_error, None, "a gate that fails is a result");
        let [Content::Text(short), Content::Text(json)] = &result.content[..] else {
            panic!("{result:?}")
        };
        assert!(short.text.contains("gate failed"), "{}", short.text);
        assert!(short.text.contains("a.py:1 medium [python-mutable-default]"), "{}", short.text);
        assert_eq!(result.structured_content.as_ref().map(RawJson::get), Some(json.text.as_str()));
        let document: Document = serde_json::from_str(&json.text).unwrap();
        assert!(!document.summary.gate.passed);
    }

    #[test]
    fn the_input_schema_refuses_unknown_members_and_describes_the_known() {
        let definition = definition();
        let schema: serde_json::Value =
            serde_json::from_str(definition.input_schema.get()).unwrap();
        assert_eq!(schema["type"], "object");
        assert_eq!(schema["additionalProperties"], false);
        let properties = schema["properties"].as_object().unwrap();
        for name in [
            "staged",
            "unstaged",
            "all",
            "diff",
            "commit",
            "patch",
            "paths",
            "repo",
            "fail_on",
            "min_severity",
            "no_flaky",
        ] {
            assert!(properties[name]["description"].is_string(), "{name}");
        }
    }
}
