//! Subcommands and arguments of `hast run`, and arguments of `hast search`, with their help.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use hast_flow::words::Lang;

use crate::auto_messages::help as auto_help;
use crate::run_messages::help;

#[derive(Debug, Subcommand)]
pub(crate) enum RunCommands {
    Start(StartArgs),
    Resume(ResumeArgs),
    List,
    Show(ShowArgs),
    Verify(OneRun),
    Confirm(ResumeArgs),
    Modify(ModifyArgs),
    Cancel(CancelArgs),
}

#[derive(Debug, Args)]
pub(crate) struct StartArgs {
    #[arg(id = "run_request", value_name = "REQUEST")]
    pub(crate) request: String,
    #[arg(
        long = "mode",
        id = "run_mode",
        value_name = "MODE",
        value_enum,
        hide_possible_values = true
    )]
    pub(crate) mode: Option<Mode>,
    #[arg(long = "yes", id = "run_yes")]
    pub(crate) yes: bool,
    #[arg(long = "tool", id = "run_tool", value_name = "NAME")]
    pub(crate) tool: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    Simple,
    Initial,
    Continuous,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    #[arg(id = "run_id", value_name = "RUN")]
    pub(crate) id: Option<String>,
    #[arg(long = "tool", id = "run_tool", value_name = "NAME")]
    pub(crate) tool: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct OneRun {
    #[arg(id = "run_show_id", value_name = "RUN")]
    pub(crate) id: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    #[arg(id = "run_show_id", value_name = "RUN")]
    pub(crate) id: Option<String>,
    /// A file, or standard output without one.
    #[arg(long = "html", id = "run_html", value_name = "FILE", num_args = 0..=1)]
    #[expect(clippy::option_option, reason = "absent, without a file, with a file")]
    pub(crate) html: Option<Option<PathBuf>>,
}

#[derive(Debug, Args)]
pub(crate) struct ModifyArgs {
    #[arg(id = "run_text", value_name = "TEXT")]
    pub(crate) text: String,
    #[arg(id = "run_id", value_name = "RUN")]
    pub(crate) id: Option<String>,
    #[arg(long = "tool", id = "run_tool", value_name = "NAME")]
    pub(crate) tool: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CancelArgs {
    #[arg(id = "run_id", value_name = "RUN")]
    pub(crate) id: Option<String>,
    #[arg(long = "reason", id = "run_reason", value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    #[arg(id = "search_words", value_name = "WORDS", num_args = 1.., required = true)]
    pub(crate) words: Vec<String>,
    #[arg(
        long = "limit",
        id = "search_limit",
        value_name = "N",
        default_value_t = 20,
        hide_default_value = true,
        value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=10_000)
    )]
    pub(crate) limit: usize,
}

/// By the whole path of a command: other commands have a `list` of their own.
pub(crate) fn about(path: &str, lang: Lang) -> Option<String> {
    Some(match path {
        "hast run" => help::run(lang),
        "hast run start" => help::start(lang),
        "hast run resume" => help::resume(lang),
        "hast run list" => help::list(lang),
        "hast run show" => help::show(lang),
        "hast run verify" => help::verify(lang),
        "hast run confirm" => help::confirm(lang),
        "hast run modify" => help::modify(lang),
        "hast run cancel" => help::cancel(lang),
        "hast search" => help::search(lang),
        _ => return None,
    })
}

pub(crate) fn arg_help(id: &str, lang: Lang) -> Option<String> {
    Some(match id {
        "run_request" => help::request(lang),
        "run_mode" => help::mode(lang),
        "run_yes" => help::yes(lang),
        "run_tool" => auto_help::tool(lang),
        "run_id" => help::id(lang),
        "run_show_id" => help::show_id(lang),
        "run_html" => help::html(lang),
        "run_text" => help::text(lang),
        "run_reason" => help::reason(lang),
        "search_words" => help::words(lang),
        "search_limit" => help::limit(lang),
        _ => return None,
    })
}
