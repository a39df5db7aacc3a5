//! The arguments of `show`, `log`, `diff`, `try` and `undo`, and their help.

use std::path::PathBuf;

use clap::Args;
use hast_flow::words::Lang;

use crate::look_messages::help;

#[derive(Debug, Args)]
pub(crate) struct GoalArgs {
    #[arg(id = "look_goal", value_name = "GOAL[@N]")]
    pub(crate) goal: String,
}

#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    #[arg(id = "look_goal", value_name = "GOAL[@N]")]
    pub(crate) goal: String,
    #[arg(short = 'f', long = "follow", id = "log_follow", conflicts_with = "json")]
    pub(crate) follow: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TryArgs {
    #[arg(id = "look_goal", value_name = "GOAL[@N]")]
    pub(crate) goal: String,
    #[arg(long = "dir", id = "try_dir", value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct UndoArgs {
    #[arg(id = "undo_goal", value_name = "GOAL")]
    pub(crate) goal: String,
}

pub(crate) fn about(path: &str, lang: Lang) -> Option<String> {
    Some(match path {
        "hast show" => help::show(lang),
        "hast log" => help::log(lang),
        "hast diff" => help::diff(lang),
        "hast try" => help::try_out(lang),
        "hast undo" => help::undo(lang),
        _ => return None,
    })
}

pub(crate) fn arg_help(id: &str, lang: Lang) -> Option<String> {
    Some(match id {
        "look_goal" => help::goal(lang),
        "undo_goal" => help::undo_goal(lang),
        "log_follow" => help::follow(lang),
        "try_dir" => help::dir(lang),
        _ => return None,
    })
}
