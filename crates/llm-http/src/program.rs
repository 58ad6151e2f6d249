//! Command-line agents as models: their own programs, asked once and without tools.
//!
//! The program, its arguments and its environment are the user's; the prompt goes to its standard
//! input. It runs in an empty folder, in a process group of its own, and is killed with that group when
//! the review is cancelled, when it takes too long or writes too much.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use review_tool::control::Control;
use review_tool::model::{
    Answer, Identity, Model, ModelError, Preview, Price, Redacted, Request, Stop, Turn, Window,
};
use review_tool::prompt::Tokens;

use crate::tokens;

mod claude;
mod codex;
mod gemini;
mod run;

use run::{Ran, run};

/// Which agent a program is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentKind {
    /// Claude Code.
    Claude,
    /// Gemini CLI.
    Gemini,
    /// Codex CLI.
    Codex,
}

/// What the user says of an agent.
#[derive(Debug, Clone)]
pub struct Program {
    /// Its name in the user's settings.
    pub name: String,
    /// Which agent it is.
    pub kind: AgentKind,
    /// The program, as an absolute path.
    pub path: PathBuf,
    /// The model; `None` for the agent's own choice.
    pub model: Option<String>,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// The most tokens of a request.
    pub input_tokens: u64,
    /// The longest that one answer may take.
    pub total: Duration,
    /// The longest that the program may be silent; those that answer in one piece are silent till the end.
    pub idle: Duration,
}

/// An agent.
pub struct Agent {
    identity: Identity,
    program: Program,
    counter: Box<dyn Tokens + Send>,
}

/// What an agent is started with.
struct Start {
    arguments: Vec<OsString>,
    input: String,
}

impl Agent {
    /// Takes a program; starts nothing.
    #[must_use]
    pub fn new(program: Program) -> Self {
        let model = program.model.clone().unwrap_or_else(|| "default".to_owned());
        let identity = Identity {
            provider: program.name.clone(),
            endpoint: program.path.display().to_string(),
            model: model.clone(),
        };
        Self { identity, program, counter: tokens::counter(&model) }
    }

    fn start(&self, request: &Request, schema: &str) -> Start {
        let model = self.program.model.as_deref();
        match self.program.kind {
            AgentKind::Claude => claude::start(model, request),
            AgentKind::Gemini => gemini::start(model, request),
            AgentKind::Codex => codex::start(model, request, schema),
        }
    }
}

/// The whole prompt as one text.
fn prompt(request: &Request, with_system: bool) -> String {
    let mut out = String::new();
    if with_system {
        out.push_str(request.system.as_str());
        out.push('\n');
    }
    for turn in &request.turns {
        match turn {
            Turn::Ask(parts) => {
                for part in parts {
                    out.push_str(part.as_str());
                    out.push('\n');
                }
            }
            Turn::Answer(answer) => {
                out.push_str("Your answer so far:\n");
                out.push_str(Redacted::new(&answer.text).as_str());
                out.push('\n');
            }
            Turn::Results(results) => {
                results.iter().for_each(|result| out.push_str(result.text.as_str()));
            }
        }
    }
    out
}

impl Model for Agent {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn window(&self) -> Window {
        Window { input_tokens: self.program.input_tokens, output_tokens: 16_000 }
    }

    fn tokens(&self) -> &dyn Tokens {
        &*self.counter
    }

    fn price(&self) -> Option<Price> {
        None
    }

    /// An agent has a tool loop of its own, in which foreread's tools have no place.
    fn takes_tools(&self) -> bool {
        false
    }

    fn preview(&self, request: &Request) -> Preview {
        let Start { arguments, input } = self.start(request, "schema.json");
        let mut destination = format!("run {}", self.identity.endpoint);
        for argument in &arguments {
            let shown = argument.to_string_lossy();
            let short =
                shown.len() <= 60 && !shown.contains(char::is_whitespace) && !shown.is_empty();
            destination.push_str(&if short { format!(" {shown}") } else { " '…'".to_owned() });
        }
        // What goes in as an argument leaves this process as what goes in as input does.
        let mut body = Vec::new();
        for argument in arguments.iter().filter(|argument| argument.len() > 60) {
            body.extend_from_slice(argument.as_encoded_bytes());
            body.push(b'\n');
        }
        body.extend_from_slice(input.as_bytes());
        Preview { destination, body }
    }

    fn ask(&self, request: &Request, control: &dyn Control) -> Result<Answer, ModelError> {
        let name = &self.identity.provider;
        let failed = |why: String| ModelError::Failed(format!("{name}: {}", words(&why)));
        let folder = tempfile::Builder::new().prefix("foreread-").tempdir();
        let folder =
            folder.map_err(|error| failed(format!("no empty folder to run in: {error}")))?;
        let schema = folder.path().join("schema.json");
        std::fs::write(&schema, request.form.schema.to_string())
            .map_err(|error| failed(format!("cannot write {}: {error}", schema.display())))?;
        let Start { arguments, input } = self.start(request, &schema.to_string_lossy());
        let ran = run(&self.program, &arguments, input, folder.path(), control);
        let ran = ran.map_err(|stopped| match stopped {
            run::Stopped::Cancelled => ModelError::Cancelled,
            run::Stopped::Failed(why) => failed(why),
        })?;
        let read = match self.program.kind {
            AgentKind::Claude => claude::read(&ran.stdout),
            AgentKind::Gemini => gemini::read(&ran.stdout),
            AgentKind::Codex => codex::read(&ran.stdout),
        };
        match read {
            Ok(mut answer) => {
                if !ran.success && answer.stop == Stop::Done {
                    answer.stop = Stop::Broken(format!("the program ended with {}", ran.status));
                }
                Ok(answer)
            }
            Err(why) => {
                let Ran { status, stderr, .. } = ran;
                let said =
                    if stderr.trim().is_empty() { String::new() } else { format!(": {stderr}") };
                Err(failed(format!("{why}; the program ended with {status}{said}")))
            }
        }
    }
}

/// Words of a program, fit for a message.
fn words(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(400).collect();
    review_tool::printable(&review_tool::secret::redact(&short)).into_owned()
}
