//! Subcommands and arguments of `hast queue`, with their help.

use clap::{Args, Subcommand, ValueEnum};
use hast_flow::docs::goals::{GoalStatus, QueueLane};
use hast_flow::words::Lang;

use crate::queue_messages::help;

#[derive(Debug, Subcommand)]
pub(crate) enum QueueCommands {
    Claim(ClaimArgs),
    Renew(RenewArgs),
    Release(ReleaseArgs),
    List(ListArgs),
    Sweep,
}

#[derive(Debug, Args)]
pub(crate) struct ClaimArgs {
    #[arg(long, id = "queue_worker", value_name = "W")]
    pub(crate) worker: String,
    #[arg(
        long = "role",
        id = "queue_role",
        value_name = "ROLE",
        value_enum,
        hide_possible_values = true
    )]
    pub(crate) role: Option<RoleArg>,
    #[arg(long = "goal", id = "queue_goal", value_name = "GOAL")]
    pub(crate) goal: Option<String>,
    #[arg(long = "ttl", id = "queue_ttl", value_name = "MINUTES", default_value_t = 30, hide_default_value = true, value_parser = clap::value_parser!(u16).range(1..=1440))]
    pub(crate) ttl: u16,
    #[arg(long = "idempotency-key", id = "queue_key", value_name = "KEY")]
    pub(crate) key: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RenewArgs {
    #[arg(id = "queue_claim", value_name = "CLAIM")]
    pub(crate) claim: String,
    #[arg(long, id = "queue_worker", value_name = "W")]
    pub(crate) worker: String,
    #[arg(long = "ttl", id = "queue_ttl", value_name = "MINUTES", default_value_t = 30, hide_default_value = true, value_parser = clap::value_parser!(u16).range(1..=1440))]
    pub(crate) ttl: u16,
}

#[derive(Debug, Args)]
pub(crate) struct ReleaseArgs {
    #[arg(id = "queue_claim", value_name = "CLAIM")]
    pub(crate) claim: String,
    #[arg(long, id = "queue_worker", value_name = "W")]
    pub(crate) worker: String,
    #[arg(
        long = "goal-status",
        id = "queue_goal_status",
        value_name = "STATUS",
        value_enum,
        hide_possible_values = true
    )]
    pub(crate) goal_status: Option<StatusArg>,
}

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ListArgs {
    #[arg(long = "active-only", id = "queue_active_only")]
    pub(crate) active_only: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum RoleArg {
    Implement,
    Test,
    Verify,
}

impl RoleArg {
    pub(crate) fn lane(self) -> QueueLane {
        match self {
            Self::Implement => QueueLane::Implement,
            Self::Test => QueueLane::Test,
            Self::Verify => QueueLane::Verify,
        }
    }
}

/// `done` is not here: only a gate says that.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum StatusArg {
    Pending,
    Active,
    Blocked,
}

impl StatusArg {
    pub(crate) fn status(self) -> GoalStatus {
        match self {
            Self::Pending => GoalStatus::Pending,
            Self::Active => GoalStatus::Active,
            Self::Blocked => GoalStatus::Blocked,
        }
    }
}

pub(crate) fn about(path: &str, lang: Lang) -> Option<String> {
    Some(match path {
        "hast queue" => help::queue(lang),
        "hast queue claim" => help::claim(lang),
        "hast queue renew" => help::renew(lang),
        "hast queue release" => help::release(lang),
        "hast queue list" => help::list(lang),
        "hast queue sweep" => help::sweep(lang),
        _ => return None,
    })
}

pub(crate) fn arg_help(id: &str, lang: Lang) -> Option<String> {
    Some(match id {
        "queue_worker" => help::worker(lang),
        "queue_role" => help::role(lang),
        "queue_goal" => help::goal(lang),
        "queue_ttl" => help::ttl(lang),
        "queue_key" => help::key(lang),
        "queue_claim" => help::claim_id(lang),
        "queue_goal_status" => help::goal_status(lang),
        "queue_active_only" => help::active_only(lang),
        _ => return None,
    })
}
