//! What can be typed. Types only; what an option means is said in its help.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use mcp_stdio::Framing;
use review_tool::finding::Severity;

mod call;
mod config;
mod reviews;
mod servers;

pub(crate) use call::{CallArgs, ToolsArgs};
pub(crate) use config::{ConfigArgs, ConfigCommand};
pub(crate) use reviews::{ReviewsArgs, ReviewsCommand};
pub(crate) use servers::{ServersArgs, ServersCommand};

/// Reviews a git change before the first human reviewer sees it.
#[derive(Debug, Parser)]
#[command(name = "foreread", version, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Review(ReviewArgs),
    Mcp(McpArgs),
    Rules(RulesArgs),
    Config(ConfigArgs),
    Servers(ServersArgs),
    Reviews(ReviewsArgs),
    Tools(ToolsArgs),
    Call(CallArgs),
}

/// Review a change
///
/// Without a scope, what is staged is reviewed.
///
/// Exit codes: 0 done and the gate passed; 1 findings at or above --fail-on; 2 wrong usage or
/// settings; 3 the review could not be completed.
#[derive(Debug, clap::Args)]
pub(crate) struct ReviewArgs {
    /// Revisions or ranges as `git diff` takes them: A..B, A...B, A B, or A against the work tree
    #[arg(value_name = "REV", conflicts_with_all = ["staged", "unstaged", "all", "commit", "diff_file"])]
    pub(crate) revisions: Vec<String>,

    /// Only these paths (git pathspecs)
    #[arg(last = true, value_name = "PATH")]
    pub(crate) paths: Vec<OsString>,

    /// Review what is staged (the default)
    #[arg(long, group = "scope")]
    pub(crate) staged: bool,

    /// Review what is not staged
    #[arg(long, group = "scope")]
    pub(crate) unstaged: bool,

    /// Review everything since HEAD, untracked files too
    #[arg(long, group = "scope")]
    pub(crate) all: bool,

    /// Review what one commit changed, against its first parent
    #[arg(long, group = "scope", value_name = "REV")]
    pub(crate) commit: Option<String>,

    /// Review a unified diff from a file, or from stdin with `-`; files of the repository serve as
    /// context where they match
    #[arg(long, group = "scope", value_name = "FILE")]
    pub(crate) diff_file: Option<PathBuf>,

    /// The repository, or a folder in it [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) repo: Option<PathBuf>,

    /// How to show the review
    #[arg(long, value_enum, default_value_t = Format::Text, conflicts_with = "json")]
    pub(crate) format: Format,

    /// The same as --format json
    #[arg(long)]
    pub(crate) json: bool,

    /// Write the review to a file instead of stdout; `-` is stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Fail on findings of this severity or worse: critical, high, medium, low, info, or none
    /// [default: high]
    #[arg(long, value_name = "SEVERITY", value_parser = Threshold::parse)]
    pub(crate) fail_on: Option<Threshold>,

    /// List findings of this severity or worse; the gate counts all [default: info]
    #[arg(long, value_name = "SEVERITY", value_parser = parse_severity)]
    pub(crate) min_severity: Option<Severity>,

    /// Do not report the findings that this file knows; of a range or a commit, a file of the repository
    /// is read as it was before the change
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,

    /// Write what is found to the baseline, in place of what it holds
    #[arg(long, requires = "baseline", conflicts_with = "dry_run")]
    pub(crate) update_baseline: bool,

    /// Judge by this policy beside --fail-on: how many findings the gate bears, and who answers for
    /// which until when
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,

    /// Correct in the work tree what has one correction; a file that has moved on is left as it is
    #[arg(long, conflicts_with_all = ["commit", "diff_file", "dry_run"])]
    pub(crate) apply: bool,

    /// Ask this provider's model too: one of the settings, or a kind such as ollama
    #[arg(long, value_name = "NAME")]
    pub(crate) provider: Option<String>,

    /// The model to ask, if not the provider's own choice
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,

    /// Leave out the embedded rules: the model reviews alone
    #[arg(long)]
    pub(crate) no_rules: bool,

    /// Ask the model even where it has answered the same before
    #[arg(long)]
    pub(crate) no_cache: bool,

    /// Ask the model to refute what it has found, and drop what it refutes
    #[arg(long)]
    pub(crate) verify: bool,

    /// Show what would be sent to the model, where to, and at what price; send nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// When to colour the text
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    pub(crate) color: ColorChoice,

    /// Only the findings: no summary, no progress
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Also name the files that were skipped, and why
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

/// Serve MCP on stdin and stdout, until the host closes stdin
///
/// Offers the tool `review`. The log goes to stderr; FOREREAD_LOG sets its level.
#[derive(Debug, clap::Args)]
pub(crate) struct McpArgs {
    /// How messages are framed: auto, line or content-length; auto goes by the first byte
    #[arg(long, value_name = "FRAMING", default_value = "auto")]
    pub(crate) framing: Framing,

    /// The repository to review where a call names none [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) repo: Option<PathBuf>,
}

/// The embedded rules
#[derive(Debug, clap::Args)]
pub(crate) struct RulesArgs {
    #[command(subcommand)]
    pub(crate) command: RulesCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RulesCommand {
    /// List every rule, the repository's own among them
    List {
        /// The repository whose own rules are meant
        #[arg(long, value_name = "DIR")]
        repo: Option<PathBuf>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Print one rule's page
    Explain {
        /// The rule's id
        #[arg(value_name = "ID")]
        id: String,
        /// The repository whose own rules are meant
        #[arg(long, value_name = "DIR")]
        repo: Option<PathBuf>,
    },
    /// Run the tests of the repository's own rules
    ///
    /// Rules stand in .foreread/rules/*.yml, in ast-grep's format; their tests, with `id`, `valid` and
    /// `invalid`, in .foreread/rules/tests/*.yml.
    ///
    /// Exit codes: 0 all tests pass; 1 a test fails; 2 a rule or a test cannot be used, or there is none.
    Test {
        /// The repository whose own rules are meant
        #[arg(long, value_name = "DIR")]
        repo: Option<PathBuf>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
    Sarif,
    Markdown,
    Github,
    Rdjson,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    Auto,
    Always,
    Never,
}

/// The severity that fails a gate; `None` for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Threshold(pub(crate) Option<Severity>);

impl Threshold {
    /// Reads a severity, or `none`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Self(None));
        }
        parse_severity(text)
            .map(|severity| Self(Some(severity)))
            .map_err(|error| format!("{error}, or none"))
    }
}

fn parse_severity(text: &str) -> Result<Severity, String> {
    Severity::parse(text).ok_or_else(|| {
        let names: Vec<_> = Severity::ALL.iter().map(|severity| severity.as_str()).collect();
        format!("not a severity; one of {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        super::Args::command().debug_assert();
    }
}
