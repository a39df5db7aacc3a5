//! Subcommands and arguments of `hast decision`, with their help.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use hast_flow::words::Lang;

use crate::decision_messages::help;

#[derive(Debug, Subcommand)]
pub(crate) enum DecisionCommands {
    New(NewArgs),
    Evaluate(EvaluateArgs),
    Spike(SpikeArgs),
}

#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    #[arg(id = "decision_id", value_name = "ID")]
    pub(crate) id: String,
    #[arg(long, id = "decision_question", value_name = "TEXT")]
    pub(crate) question: String,
    #[arg(long = "alternative", id = "decision_alternative", value_name = "ID=TITLE")]
    pub(crate) alternatives: Vec<String>,
    #[arg(long = "goal", id = "decision_goal", value_name = "GOAL")]
    pub(crate) goal: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct EvaluateArgs {
    #[arg(id = "decision_file", value_name = "FILE")]
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct SpikeArgs {
    #[arg(id = "decision_file", value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[arg(long = "parallel", id = "spike_parallel", value_name = "N", value_parser = clap::value_parser!(u8).range(1..=16))]
    pub(crate) parallel: Option<u8>,
    #[arg(long, id = "spike_backend", value_name = "BACKEND", value_enum, default_value_t = Backend::Auto, hide_default_value = true, hide_possible_values = true)]
    pub(crate) backend: Backend,
    #[arg(long = "command", id = "spike_command", value_name = "COMMAND")]
    pub(crate) command: Option<String>,
    #[arg(long, id = "auto_tool", value_name = "NAME")]
    pub(crate) tool: Option<String>,
    #[arg(long = "timeout-minutes", id = "spike_timeout", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1440))]
    pub(crate) timeout: Option<u16>,
    #[arg(long, id = "spike_accept")]
    pub(crate) accept: bool,
    #[arg(
        long = "accept-if-reason",
        id = "spike_if_reason",
        value_name = "CODE",
        requires = "spike_accept"
    )]
    pub(crate) if_reason: Option<String>,
    #[arg(
        long = "accept-max-diff-lines",
        id = "spike_max_lines",
        value_name = "N",
        requires = "spike_accept"
    )]
    pub(crate) max_diff_lines: Option<u64>,
    #[arg(
        long = "accept-max-changed-files",
        id = "spike_max_files",
        value_name = "N",
        requires = "spike_accept"
    )]
    pub(crate) max_changed_files: Option<u64>,
    #[arg(long = "accept-require-eligible", id = "spike_eligible", requires = "spike_accept")]
    pub(crate) require_eligible: bool,
    #[arg(long = "explain", id = "spike_explain")]
    pub(crate) explain: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    Auto,
    Thread,
    Ray,
}

pub(crate) fn about(path: &str, lang: Lang) -> Option<String> {
    Some(match path {
        "hast decision" => help::decision(lang),
        "hast decision new" => help::new(lang),
        "hast decision evaluate" => help::evaluate(lang),
        "hast decision spike" => help::spike(lang),
        _ => return None,
    })
}

pub(crate) fn arg_help(id: &str, lang: Lang) -> Option<String> {
    Some(match id {
        "decision_id" => help::id(lang),
        "decision_question" => help::question(lang),
        "decision_alternative" => help::alternative(lang),
        "decision_goal" => help::goal(lang),
        "decision_file" => help::file(lang),
        "spike_parallel" => help::parallel(lang),
        "spike_backend" => help::backend(lang),
        "spike_command" => help::command(lang),
        "spike_timeout" => help::timeout(lang),
        "spike_accept" => help::accept(lang),
        "spike_if_reason" => help::if_reason(lang),
        "spike_max_lines" => help::max_lines(lang),
        "spike_max_files" => help::max_files(lang),
        "spike_eligible" => help::eligible(lang),
        "spike_explain" => help::explain(lang),
        _ => return None,
    })
}
