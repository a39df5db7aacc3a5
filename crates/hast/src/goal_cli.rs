//! The arguments of `hast goal`, and their help.

use clap::builder::NonEmptyStringValueParser as NonEmpty;
use clap::{Args, Subcommand};
use hast_flow::words::Lang;

use crate::goal_messages::help;

#[derive(Debug, Subcommand)]
pub(crate) enum GoalCommands {
    Add(AddArgs),
    List,
    Import(ImportArgs),
}

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    #[arg(id = "goal_title", value_name = "TITLE", value_parser = NonEmpty::new())]
    pub(crate) title: String,
    #[arg(long, id = "goal_allow", value_name = "GLOB", value_parser = NonEmpty::new())]
    pub(crate) allow: Vec<String>,
    #[arg(long, id = "goal_under", value_name = "ID", value_parser = NonEmpty::new())]
    pub(crate) under: Option<String>,
    #[arg(long, id = "goal_accept", value_name = "TEXT", value_parser = NonEmpty::new())]
    pub(crate) accept: Vec<String>,
    #[arg(long, id = "goal_test", value_name = "COMMAND", value_parser = NonEmpty::new())]
    pub(crate) test: Option<String>,
    #[arg(long, id = "goal_id", value_name = "ID", value_parser = NonEmpty::new())]
    pub(crate) id: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    #[arg(long, id = "goal_under", value_name = "ID", value_parser = NonEmpty::new())]
    pub(crate) under: Option<String>,
}

pub(crate) fn about(path: &str, lang: Lang) -> Option<String> {
    Some(match path {
        "hast goal" => help::goal(lang),
        "hast goal add" => help::add(lang),
        "hast goal list" => help::list(lang),
        "hast goal import" => help::import(lang),
        _ => return None,
    })
}

pub(crate) fn arg_help(id: &str, lang: Lang) -> Option<String> {
    Some(match id {
        "goal_title" => help::title(lang),
        "goal_allow" => help::allow(lang),
        "goal_under" => help::under(lang),
        "goal_accept" => help::accept(lang),
        "goal_test" => help::test(lang),
        "goal_id" => help::id(lang),
        _ => return None,
    })
}
