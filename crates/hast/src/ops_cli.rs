//! Subcommands and arguments of `hast events`, `hast inbox`, `hast observe`, `hast agent doctor`
//! and `hast agent limits`, with their help.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use hast_flow::inbox::Action;
use hast_flow::words::Lang;

use crate::agent_messages::help as agent_help;
use crate::ops_messages::help;
use crate::queue_cli::StatusArg;

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct DoctorArgs {
    #[arg(long = "fix", id = "doctor_fix")]
    pub(crate) fix: bool,
    #[arg(long = "call", id = "doctor_call")]
    pub(crate) call: bool,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct LimitsArgs {
    #[arg(long = "clear", id = "limits_clear", value_name = "NAME")]
    pub(crate) clear: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EventsCommands {
    Replay(ReplayArgs),
    Tail(TailArgs),
}

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ReplayArgs {
    #[arg(long = "write", id = "replay_write", overrides_with = "replay_no_write")]
    pub(crate) write: bool,
    #[arg(long = "no-write", id = "replay_no_write", overrides_with = "replay_write")]
    pub(crate) no_write: bool,
}

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct TailArgs {
    #[arg(
        short = 'n',
        long = "lines",
        id = "tail_lines",
        value_name = "N",
        default_value_t = 20,
        hide_default_value = true
    )]
    pub(crate) lines: usize,
    #[arg(short = 'f', long = "follow", id = "tail_follow")]
    pub(crate) follow: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum InboxCommands {
    List(InboxListArgs),
    Summary(SummaryArgs),
    Show(ShowArgs),
    Act(ActArgs),
}

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct InboxListArgs {
    #[arg(long = "open-only", id = "inbox_open_only", conflicts_with = "inbox_all")]
    pub(crate) open_only: bool,
    #[arg(long = "include-resolved", id = "inbox_all")]
    pub(crate) include_resolved: bool,
}

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct SummaryArgs {
    #[arg(
        long = "top-k",
        id = "inbox_top",
        value_name = "N",
        default_value_t = 3,
        hide_default_value = true
    )]
    pub(crate) top: usize,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    #[arg(id = "inbox_id", value_name = "ID")]
    pub(crate) id: String,
}

#[derive(Debug, Args)]
pub(crate) struct ActArgs {
    #[arg(id = "inbox_id", value_name = "ID")]
    pub(crate) id: String,
    #[arg(
        long,
        id = "inbox_action",
        value_name = "ACTION",
        value_enum,
        hide_possible_values = true
    )]
    pub(crate) action: ActionArg,
    #[arg(long, id = "inbox_operator", value_name = "NAME")]
    pub(crate) operator: Option<String>,
    #[arg(
        long = "goal-status",
        id = "inbox_goal_status",
        value_name = "STATUS",
        value_enum,
        hide_possible_values = true
    )]
    pub(crate) goal_status: Option<StatusArg>,
    #[arg(long, id = "inbox_text", value_name = "TEXT")]
    pub(crate) text: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ActionArg {
    Approve,
    Reject,
    Defer,
}

impl ActionArg {
    pub(crate) fn action(self) -> Action {
        match self {
            Self::Approve => Action::Approve,
            Self::Reject => Action::Reject,
            Self::Defer => Action::Defer,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum ObserveCommands {
    Baseline(BaselineArgs),
}

#[derive(Debug, Args)]
pub(crate) struct BaselineArgs {
    #[arg(long, id = "observe_window", value_name = "DAYS", default_value_t = 14, hide_default_value = true, value_parser = clap::value_parser!(u32).range(1..=3650))]
    pub(crate) window: u32,
    /// Given without a file: a name of its own below `.ai/reports/`.
    #[arg(long, id = "observe_html", value_name = "FILE", num_args = 0..=1)]
    pub(crate) html: Option<Option<PathBuf>>,
}

pub(crate) fn about(path: &str, lang: Lang) -> Option<String> {
    Some(match path {
        "hast events" => help::events(lang),
        "hast events replay" => help::replay(lang),
        "hast events tail" => help::tail(lang),
        "hast observe" => help::observe(lang),
        "hast observe baseline" => help::baseline(lang),
        "hast inbox" => help::inbox(lang),
        "hast inbox list" => help::inbox_list(lang),
        "hast inbox summary" => help::inbox_summary(lang),
        "hast inbox show" => help::inbox_show(lang),
        "hast inbox act" => help::inbox_act(lang),
        _ => return None,
    })
}

pub(crate) fn arg_help(id: &str, lang: Lang) -> Option<String> {
    Some(match id {
        "doctor_fix" => agent_help::doctor_fix(lang),
        "doctor_call" => agent_help::doctor_call(lang),
        "prompt_flow" => agent_help::prompt_flow(lang),
        "prompt_role" => agent_help::prompt_role(lang),
        "prompt_step" => agent_help::prompt_step(lang),
        "limits_clear" => agent_help::limits_clear(lang),
        "replay_write" => help::replay_write(lang),
        "replay_no_write" => help::replay_no_write(lang),
        "tail_lines" => help::tail_lines(lang),
        "tail_follow" => help::tail_follow(lang),
        "observe_window" => help::observe_window(lang),
        "observe_html" => help::observe_html(lang),
        "inbox_open_only" => help::inbox_open_only(lang),
        "inbox_all" => help::inbox_all(lang),
        "inbox_top" => help::inbox_top(lang),
        "inbox_id" => help::inbox_id(lang),
        "inbox_action" => help::inbox_action(lang),
        "inbox_operator" => help::inbox_operator(lang),
        "inbox_goal_status" => help::inbox_goal_status(lang),
        "inbox_text" => help::inbox_text(lang),
        _ => return None,
    })
}
