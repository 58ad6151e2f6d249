//! `foreread config`.

use clap::Subcommand;

/// The user's settings
#[derive(Debug, clap::Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print the merged settings and where each comes from; secrets as ***
    Show {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Set a key in the user's settings file
    Set {
        /// The key, for example review.fail_on
        #[arg(value_name = "KEY")]
        key: String,
        /// The value; several are set apart by commas
        #[arg(value_name = "VALUE")]
        value: String,
    },
    /// Take a key out of the user's settings file
    Unset {
        /// The key, for example review.fail_on
        #[arg(value_name = "KEY")]
        key: String,
    },
}
