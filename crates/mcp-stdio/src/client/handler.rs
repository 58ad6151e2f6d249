//! What a server may ask of its client, and what it tells it.

use mcp_proto::{
    ClientCapabilities, CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult,
    ListRootsResult, LogMessage,
};

use super::cancel::CancelToken;

/// Answers a server's requests, in every revision: as requests of its own up to 2025-11-25, as inputs that
/// a request requires since 2026-07-28.
///
/// Everything that arrives here was written by the server and is untrusted. Methods are called from several
/// threads; `cancelled` says when the answer is not wanted any more.
pub trait Handler: Send + Sync {
    /// What the client declares. What is not declared is never asked for, and refused if it is.
    fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities::default()
    }

    /// The folders that the server may know of.
    ///
    /// # Errors
    /// [`Refusal`], which the server gets in its revision's form.
    fn list_roots(&self, cancelled: &CancelToken) -> Result<ListRootsResult, Refusal> {
        let _unasked = cancelled;
        Err(Refusal::Unsupported)
    }

    /// Lets a model answer.
    ///
    /// # Errors
    /// [`Refusal`], which the server gets in its revision's form.
    fn create_message(
        &self,
        params: &CreateMessageParams,
        cancelled: &CancelToken,
    ) -> Result<CreateMessageResult, Refusal> {
        let _unasked = (params, cancelled);
        Err(Refusal::Unsupported)
    }

    /// Lets the user answer. A user who declines is an answer, not an error.
    ///
    /// # Errors
    /// [`Refusal`], which the server gets in its revision's form.
    fn elicit(
        &self,
        params: &ElicitParams,
        cancelled: &CancelToken,
    ) -> Result<ElicitResult, Refusal> {
        let _unasked = (params, cancelled);
        Err(Refusal::Unsupported)
    }

    /// Takes note of something that the server tells. Called in order, from one thread, which is not the one
    /// that reads: it may ask the server something.
    fn notified(&self, event: &Event) {
        let _unheeded = event;
    }
}

/// A client that offers nothing and heeds nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHandler;

impl Handler for NoHandler {}

/// Why a server's request is not answered with what it wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The client does not do this.
    Unsupported,
    /// The user does not want it.
    Declined(String),
    /// The request makes no sense.
    Invalid(String),
    /// It was tried and failed.
    Failed(String),
}

/// What a server tells by itself.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// Its tools are others now.
    ToolsChanged,
    /// Its prompts are others now.
    PromptsChanged,
    /// Its resources are others now.
    ResourcesChanged,
    /// A resource that is watched has changed: its URI.
    ResourceUpdated(String),
    /// It logs.
    Log(LogMessage),
    /// What the user was sent to a page for is done: the elicitation's id.
    ElicitationComplete(String),
    /// A watch has ended that the server was to keep up; `true` if the server said so, `false` if it was
    /// lost.
    WatchEnded(bool),
}
