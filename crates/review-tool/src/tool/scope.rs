//! The arguments that say which change is meant, and what fails its gate.

use mcp_proto::CallToolResult;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Call;
use super::get_review::kept;
use super::review::shown;
use crate::error::ReviewError;
use crate::finding::Severity;
use crate::history::{Begun, Recording};
use crate::repo::{Repo, for_scope};
use crate::report::{Document, Since};
use crate::request::{ReviewRequest, Scope};

/// Which change to review, and what counts as a failure. Without a scope, what is staged is reviewed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScopeArguments {
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
    pub(super) repo: Option<String>,
    /// The mildest severity that fails the gate; `none` for a gate that no finding fails. Defaults to
    /// the user's settings, and there to `high`.
    #[serde(default)]
    fail_on: Option<Threshold>,
    /// The mildest severity that is listed; the gate counts all. Defaults to the user's settings, and
    /// there to `info`.
    #[serde(default)]
    min_severity: Option<Severity>,
    /// Leave out rules about tests that may fail without a fault.
    #[serde(default)]
    no_flaky: bool,
    /// The id of an earlier review of the same repository: `since` in the result then says which
    /// findings are new, gone, and still there.
    #[serde(default)]
    since: Option<String>,
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

/// A change that was asked for, with its repository open.
pub(super) struct Asked {
    pub(super) request: ReviewRequest,
    pub(super) repo: Box<dyn Repo + Sync>,
    identity: Option<String>,
    since: Option<Document>,
}

impl Asked {
    /// Enters the review of the change into the history.
    pub(super) fn begin<'c>(&self, call: Call<'c>) -> Recording<'c> {
        let scope = self.request.scope.as_str().to_owned();
        let begun = Begun { repo: self.identity.clone(), scope, ..call.host.begin() };
        Recording::begin(call.host.history(), &begun)
    }

    /// Ends the review: compares it, keeps it, and makes it the result of the call.
    pub(super) fn end(
        &self,
        mut document: Document,
        recording: Recording<'_>,
        call: Call<'_>,
    ) -> Result<CallToolResult, String> {
        document.since = self.since.as_ref().map(|before| Since::of(before, &document));
        document.stamp(call.host.stamp());
        let kept = recording.finish(&document).is_ok();
        shown(&document, kept)
    }
}

impl ScopeArguments {
    /// Opens the repository and makes the request.
    pub(super) fn ask(self, call: Call<'_>) -> Result<Asked, String> {
        let (repo, since) = (self.repo.clone(), self.since.clone());
        let request = self.request(call)?;
        let opened = call.host.open(repo.as_deref());
        let repo = for_scope(opened, &request.scope, repo.is_some())
            .map_err(|error| did_not_run(&error.into()))?;
        let identity = repo.identity();
        let since = since.map(|id| earlier(&id, identity.as_deref(), call)).transpose()?;
        Ok(Asked { request, repo, identity, since })
    }

    fn request(self, call: Call<'_>) -> Result<ReviewRequest, String> {
        let mut scopes = Vec::new();
        for (given, name, scope) in [
            (self.staged, "staged", Scope::Staged),
            (self.unstaged, "unstaged", Scope::Unstaged),
            (self.all, "all", Scope::All),
        ] {
            if given {
                scopes.push((name, scope));
            }
        }
        if let Some(revisions) = self.diff {
            if revisions.is_empty() {
                let problem = "`diff`: name at least one revision, or leave it out";
                return Err(format!("invalid arguments: {problem}"));
            }
            scopes.push(("diff", Scope::Revisions(revisions)));
        }
        scopes.extend(self.commit.map(|revision| ("commit", Scope::Commit(revision))));
        scopes.extend(self.patch.map(|text| ("patch", Scope::Patch(text.into_bytes()))));
        if scopes.len() > 1 {
            let names: Vec<_> = scopes.iter().map(|(name, _)| *name).collect();
            return Err(format!("invalid arguments: give one scope, not {}", names.join(" and ")));
        }
        let scope = scopes.pop().map_or(Scope::Staged, |(_, scope)| scope);
        let mut request = ReviewRequest::new(scope);
        call.host.prepare(&mut request)?;
        request.paths = self.paths.unwrap_or_default().into_iter().map(Into::into).collect();
        if let Some(threshold) = self.fail_on {
            request.fail_on = threshold.severity();
        }
        request.min_severity = self.min_severity.unwrap_or(request.min_severity);
        request.no_flaky = self.no_flaky;
        Ok(request)
    }
}

/// The earlier review to compare with.
fn earlier(id: &str, repo: Option<&str>, call: Call<'_>) -> Result<Document, String> {
    let (entry, document) = kept(call.host.history(), id)?;
    if entry.repo.as_deref() != repo {
        let other = entry.repo.as_deref().unwrap_or("a diff without a repository");
        return Err(format!("`since`: review {id} is of {other}, so there is nothing to compare"));
    }
    Ok(document)
}

/// What is said where a review could not run.
pub(super) fn did_not_run(error: &ReviewError) -> String {
    format!("the review did not run: {error}")
}
