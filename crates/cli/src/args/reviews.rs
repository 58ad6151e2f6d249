//! What can be typed after `foreread reviews`.

use std::path::PathBuf;

use clap::Subcommand;

use super::Format;

/// Past reviews
#[derive(Debug, clap::Args)]
pub(crate) struct ReviewsArgs {
    #[command(subcommand)]
    pub(crate) command: ReviewsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ReviewsCommand {
    /// List past reviews, the newest first
    List {
        /// Only those of this repository, or of the one that holds this folder
        #[arg(long, value_name = "DIR")]
        repo: Option<PathBuf>,
        /// At most this many
        #[arg(long, value_name = "COUNT", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
        limit: u32,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Print a past review
    Show {
        /// The review's id, or the beginning of it
        #[arg(value_name = "ID")]
        id: String,
        /// How to show it
        #[arg(long, value_enum, default_value_t = Format::Text, conflicts_with = "json")]
        format: Format,
        /// The same as --format json
        #[arg(long)]
        json: bool,
    },
    /// Drop the reviews that are beyond what the settings keep
    Prune {
        /// Keep only this many, the newest
        #[arg(long, value_name = "COUNT")]
        count: Option<u64>,
        /// Keep only those that began within this time, such as 30d or 12h
        #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
        age: Option<std::time::Duration>,
    },
}
