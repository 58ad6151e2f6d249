//! What a model is asked: the rubric, and the change cut into requests that fit its window.
//!
//! Pure: the same input gives the same bytes. Everything that others wrote stands inside fences whose
//! names they cannot foresee, and every text has its credentials masked before it gets here or on its
//! way in. What did not fit is listed, never silently left out.

use crate::diff::Problem;
use crate::finding::Finding;
use crate::numbered::Change;

mod fence;
mod pack;
mod render;
mod rubric;
mod tokens;

pub use fence::FenceKey;
pub use rubric::rubric;
pub use tokens::{Estimate, Tokens};

/// What shapes the requests of one review, beside the change.
pub struct Shape<'a> {
    /// The user's key for the names of fences.
    pub key: &'a FenceKey,
    /// Counts tokens as the model does.
    pub tokens: &'a dyn Tokens,
    /// The most tokens that one request may have, rubric included.
    pub budget: u64,
    /// The most requests; what is beyond them is left out.
    pub max_requests: usize,
    /// What the project tells its reviewers; data like the change itself.
    pub guidance: Option<&'a str>,
    /// What the change is said to be for: commit messages. Data like the change itself.
    pub purpose: Option<&'a str>,
    /// What the rules have found, so that it is not reported twice.
    pub found: &'a [Finding],
}

/// The requests of one review.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The rubric; the same for every request.
    pub system: String,
    /// What stands before the change in every request: guidance and purpose. May be empty.
    pub shared: String,
    /// One for each request, in the order of the diff.
    pub chunks: Vec<Chunk>,
    /// What is in no request; each leaves changed lines without a reader.
    pub left_out: Vec<Problem>,
    /// Functions around hunks that did not fit, as `file:line`; the changed lines themselves are in.
    pub context_left_out: Vec<String>,
}

/// The part of the change that one request shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// The text, fenced.
    pub text: String,
    /// The tokens of the whole request: rubric, shared part and text.
    pub tokens: u64,
    /// The files it shows, in order.
    pub files: Vec<String>,
}

/// Cuts a change into requests.
///
/// Files stay whole where they fit, else hunks do, else hunks are cut between lines. Functions around
/// hunks are added where there is room left.
#[must_use]
pub fn plan(change: &Change, shape: &Shape<'_>) -> Plan {
    let system = rubric().to_owned();
    let shared = render::shared(shape);
    let fixed = shape.tokens.count(&system) + shape.tokens.count(&shared) + render::FRAME_TOKENS;
    let room = shape.budget.saturating_sub(fixed);
    let packed = pack::pack(change, shape, room);
    let chunks = packed.bins.iter().map(|bin| {
        let text = render::chunk(change, bin, shape);
        let tokens = fixed - render::FRAME_TOKENS + shape.tokens.count(&text);
        let mut files: Vec<String> =
            bin.pieces.iter().map(|piece| change.files[piece.file].path.clone()).collect();
        files.dedup();
        Chunk { text, tokens, files }
    });
    Plan {
        chunks: chunks.collect(),
        system,
        shared,
        left_out: packed.left_out,
        context_left_out: packed.context_left_out,
    }
}
