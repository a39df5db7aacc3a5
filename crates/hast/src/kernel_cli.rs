//! Subcommands and arguments of `hast kernel`, with their help.

use clap::{Args, Subcommand};
use hast_flow::words::Lang;

use crate::auto_messages::help as auto_help;
use crate::kernel_messages::help;

#[derive(Debug, Subcommand)]
pub(crate) enum KernelCommands {
    Boot,
    Start(StartArgs),
    Resume(ResumeArgs),
    List,
    Show(ShowArgs),
    Verify,
    #[command(subcommand)]
    Experts(ExpertsCommands),
}

#[derive(Debug, Args)]
pub(crate) struct StartArgs {
    #[arg(id = "kernel_request", value_name = "REQUEST")]
    pub(crate) request: String,
    #[arg(long, id = "kernel_tool", value_name = "NAME")]
    pub(crate) tool: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    #[arg(id = "kernel_resume_id", value_name = "ID")]
    pub(crate) id: Option<String>,
    #[arg(long, id = "kernel_tool", value_name = "NAME")]
    pub(crate) tool: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    #[arg(id = "kernel_show_id", value_name = "ID")]
    pub(crate) id: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ExpertsCommands {
    List,
    Check,
    Add(AddArgs),
}

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    #[arg(id = "expert_name", value_name = "NAME")]
    pub(crate) name: String,
    #[arg(long = "role", id = "expert_role", value_name = "TEXT")]
    pub(crate) role: Option<String>,
    #[arg(long = "agent", id = "expert_agent", value_name = "NAME")]
    pub(crate) agent: Option<String>,
    #[arg(long = "writes", id = "expert_writes", value_name = "GLOB")]
    pub(crate) writes: Vec<String>,
    #[arg(long = "timeout", id = "expert_timeout", value_name = "MINUTES", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) timeout: Option<u32>,
}

/// By the whole path of a command: other commands have a `list` of their own.
pub(crate) fn about(path: &str, lang: Lang) -> Option<String> {
    Some(match path {
        "hast kernel" => help::kernel(lang),
        "hast kernel boot" => help::boot(lang),
        "hast kernel start" => help::start(lang),
        "hast kernel resume" => help::resume(lang),
        "hast kernel list" => help::list(lang),
        "hast kernel show" => help::show(lang),
        "hast kernel verify" => help::verify(lang),
        "hast kernel experts" => help::experts(lang),
        "hast kernel experts list" => help::experts_list(lang),
        "hast kernel experts check" => help::experts_check(lang),
        "hast kernel experts add" => help::experts_add(lang),
        _ => return None,
    })
}

pub(crate) fn arg_help(id: &str, lang: Lang) -> Option<String> {
    Some(match id {
        "kernel_request" => help::request(lang),
        "kernel_tool" => auto_help::tool(lang),
        "kernel_resume_id" => help::resume_id(lang),
        "kernel_show_id" => help::show_id(lang),
        "expert_name" => help::expert_name(lang),
        "expert_role" => help::expert_role(lang),
        "expert_agent" => help::expert_agent(lang),
        "expert_writes" => help::expert_writes(lang),
        "expert_timeout" => help::expert_timeout(lang),
        "demo_flow" => help::demo_flow(lang),
        _ => return None,
    })
}
