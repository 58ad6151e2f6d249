//! The prompt `self_review`: rubric and change, so that the host's own model can review without a key.
//!
//! With `tool.rs` and `resource.rs` the only modules that know protocol types.

use mcp_proto::{Content, GetPromptResult, Prompt, PromptArgument, PromptMessage, Strings};
use serde_json::{Value, json};

use crate::diff::Problem;
use crate::error::ReviewError;
use crate::printable;
use crate::prompt::{Estimate, FenceKey, Plan, Shape, Tokens, plan};
use crate::repo::for_scope;
use crate::request::{ReviewRequest, Scope};
use crate::review::present;
use crate::secret::redact;
use crate::tool::Call;

/// The name of the prompt.
pub const NAME: &str = "self_review";

/// How many tokens the prompt has at most unless the caller says otherwise.
const DEFAULT_BUDGET: u64 = 24_000;
/// The rubric alone has more than half of this.
const LEAST_BUDGET: u64 = 4_000;
/// More than any model reads.
const MOST_BUDGET: u64 = 2_000_000;
/// Set aside for the list of what did not fit.
const LIST_TOKENS: u64 = 600;
/// The most entries of that list.
const MAX_LISTED: usize = 20;
/// The most characters of the focus.
const MAX_FOCUS: usize = 500;

/// The scopes that have names of their own.
const SCOPES: [&str; 3] = ["staged", "unstaged", "all"];

/// Why there is no prompt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    /// An argument does not fit, or names what does not exist.
    #[error("{0}")]
    Argument(String),
    /// The change could not be read.
    #[error("the change cannot be shown: {0}")]
    Failed(String),
}

impl From<ReviewError> for PromptError {
    fn from(error: ReviewError) -> Self {
        match error.is_usage() {
            true => Self::Argument(error.to_string()),
            false => Self::Failed(error.to_string()),
        }
    }
}

/// Describes the prompt.
#[must_use]
pub fn definition() -> Prompt {
    Prompt::new(NAME)
        .title("Review a change yourself")
        .description(
            "Gives your own model a change to review: what to look for, and the change with its line \
             numbers. What it finds goes to the tool `check_findings`.",
        )
        .argument(PromptArgument::new("scope").title("Scope").description(
            "`staged` (the default), `unstaged`, `all`, `commit REV`, or revisions as `git diff` takes \
             them, such as `main...HEAD`",
        ))
        .argument(
            PromptArgument::new("focus")
                .title("Focus")
                .description("What to look at above all, such as `concurrency` or `the new parser`"),
        )
        .argument(PromptArgument::new("budget").title("Budget").description(
            "How many tokens the prompt may have, from 4000; 24000 by default. What does not fit is \
             listed",
        ))
        .argument(
            PromptArgument::new("repo")
                .title("Repository")
                .description("Another repository, or a folder in it"),
        )
}

/// Whether a call leaves it to [`Host::open`](crate::tool::Host::open) which repository is meant.
#[must_use]
pub fn leaves_repo(arguments: &Strings) -> bool {
    arguments.get("repo").is_none()
}

/// Fills the prompt in.
///
/// # Errors
/// [`PromptError`].
pub fn get(arguments: &Strings, call: Call<'_>) -> Result<GetPromptResult, PromptError> {
    let text = |name: &str| arguments.get(name).map(str::trim).filter(|text| !text.is_empty());
    let known = ["scope", "focus", "budget", "repo"];
    if let Some((other, _)) = arguments.iter().find(|(name, _)| !known.contains(name)) {
        let problem = format!("there is no argument {other:?}; there are {}", known.join(", "));
        return Err(PromptError::Argument(problem));
    }
    let budget = text("budget").map_or(Ok(DEFAULT_BUDGET), budget)?;
    let (scope, said) = scope(text("scope").unwrap_or("staged"))?;
    let mut request = ReviewRequest::new(scope);
    call.host.prepare(&mut request).map_err(PromptError::Failed)?;
    let repo = arguments.get("repo");
    let opened = for_scope(call.host.open(repo), &request.scope, repo.is_some());
    let opened = opened.map_err(ReviewError::from)?;
    let key = call.host.fence_key().map_err(PromptError::Failed)?;
    let presented = present(&request, opened.as_ref(), call.rules, call.control)?;
    let hand_in = hand_in(said, repo, text("focus"));
    let spent = Estimate.count(&hand_in) + LIST_TOKENS;
    let shape = Shape {
        key: &key,
        tokens: &Estimate,
        budget: budget.saturating_sub(spent),
        max_requests: 1,
        guidance: presented.guidance.as_deref(),
        purpose: None,
        found: &presented.found,
    };
    let Plan { system, chunks, left_out, context_left_out, .. } = plan(&presented.change, &shape);
    let mut lost = presented.problems;
    lost.extend(left_out);
    let rubric = format!("{system}\n{hand_in}");
    let change = match chunks.first() {
        None if lost.is_empty() => "There is nothing to review in this scope.".to_owned(),
        None => String::new(),
        Some(chunk) => chunk.text.clone(),
    };
    let change = change + &not_shown(&lost, context_left_out.len(), &key);
    let messages = [rubric, change].map(|text| PromptMessage::user(Content::text(text)));
    Ok(GetPromptResult::new(messages.into()).description("A change to review, and how."))
}

fn budget(text: &str) -> Result<u64, PromptError> {
    let number: Option<u64> = text.parse().ok();
    number.filter(|number| (LEAST_BUDGET..=MOST_BUDGET).contains(number)).ok_or_else(|| {
        let wanted = format!("give {LEAST_BUDGET} to {MOST_BUDGET} tokens, not {text:?}");
        PromptError::Argument(format!("`budget`: {wanted}"))
    })
}

/// The scope that a text names, and the arguments that name it to `check_findings`.
fn scope(text: &str) -> Result<(Scope, Value), PromptError> {
    let refused = |problem: String| Err(PromptError::Argument(format!("`scope`: {problem}")));
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    Ok(match &words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["staged"] => (Scope::Staged, json!({"staged": true})),
        ["unstaged"] => (Scope::Unstaged, json!({"unstaged": true})),
        ["all"] => (Scope::All, json!({"all": true})),
        ["commit"] => return refused("name the commit, as in `commit HEAD`".to_owned()),
        ["commit", revision] => {
            (Scope::Commit((*revision).to_owned()), json!({"commit": revision}))
        }
        revisions if revisions.iter().any(|one| SCOPES.contains(one) || *one == "commit") => {
            return refused(format!("give one scope, not {text:?}"));
        }
        revisions => (Scope::Revisions(words.clone()), json!({"diff": revisions})),
    })
}

/// What to do with the findings, and what to look at.
fn hand_in(mut scope: serde_json::Value, repo: Option<&str>, focus: Option<&str>) -> String {
    if let (Some(repo), Some(members)) = (repo, scope.as_object_mut()) {
        members.insert("repo".to_owned(), repo.into());
    }
    let mut text = format!(
        "# Handing in\nDo not print the answer. Call the tool `check_findings` with your `findings` and \
         `summary` in the form above, and with the arguments {scope}. It refuses a finding whose file or \
         line is not in the change and names the nearest one that is: correct it and call again. Then \
         mend what the result names, and review once more until `summary.gate.passed` is true.\n"
    );
    if let Some(focus) = focus {
        let focus: String = redact(focus).chars().take(MAX_FOCUS).collect();
        text.push_str(&format!("# Focus\nLook above all at this: {}\n", printable(&focus)));
    }
    text
}

/// What the prompt does not show. Names of files are data like the change itself.
fn not_shown(lost: &[Problem], functions: usize, key: &FenceKey) -> String {
    let mut text = String::new();
    if !lost.is_empty() {
        text.push_str("# Not shown\nYour review does not cover what is listed here; say so.\n");
        let lines = lost.iter().take(MAX_LISTED).map(|problem| {
            let file = problem.file.as_deref().map(|file| format!("{file}: ")).unwrap_or_default();
            let line = format!("{file}{}", problem.message);
            format!("- {}\n", printable(&redact(&line)))
        });
        let mut list: String = lines.collect();
        if lost.len() > MAX_LISTED {
            list.push_str(&format!("- and {} more\n", lost.len() - MAX_LISTED));
        }
        text.push_str(&key.fence("what is not shown", &list));
    }
    if functions > 0 {
        text.push_str(&format!("The functions around {functions} hunks had no room.\n"));
    }
    text
}

/// The values that an argument may have, for completion; none for an argument that takes any text.
#[must_use]
pub fn values(argument: &str) -> Vec<&'static str> {
    match argument {
        "scope" => SCOPES.to_vec(),
        "focus" => crate::finding::Category::ALL.iter().map(|one| one.as_str()).collect(),
        _ => Vec::new(),
    }
}
