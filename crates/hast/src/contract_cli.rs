//! Subcommands and arguments of `hast contract`, with their help.

use clap::{ArgGroup, Args, Subcommand};
use hast_flow::words::Lang;

use crate::auto_messages::help as auto_help;
use crate::contract_messages::help;

#[derive(Debug, Subcommand)]
pub(crate) enum ContractCommands {
    Start(StartArgs),
    Resume(ResumeArgs),
    Stop,
    List,
    Show(ShowArgs),
    Verify(VerifyOneArgs),
    #[command(subcommand)]
    Knowledge(KnowledgeCommands),
}

#[derive(Debug, Args)]
pub(crate) struct StartArgs {
    #[arg(id = "contract_request", value_name = "REQUEST")]
    pub(crate) request: String,
    #[arg(long, id = "contract_tool", value_name = "NAME")]
    pub(crate) tool: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    #[arg(id = "contract_resume_id", value_name = "ID")]
    pub(crate) id: Option<String>,
    #[arg(long, id = "contract_tool", value_name = "NAME")]
    pub(crate) tool: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    #[arg(id = "contract_show_id", value_name = "ID")]
    pub(crate) id: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyOneArgs {
    #[arg(id = "contract_verify_id", value_name = "ID")]
    pub(crate) id: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KnowledgeCommands {
    List,
    Add(AddArgs),
}

#[derive(Debug, Args)]
#[group(skip)]
#[command(group = ArgGroup::new("piece").required(true).args(["decision", "pitfall", "pattern"]))]
pub(crate) struct AddArgs {
    #[arg(id = "piece_text", value_name = "TEXT")]
    pub(crate) text: String,
    #[arg(long, id = "decision", value_name = "TOPIC")]
    pub(crate) decision: Option<String>,
    #[arg(long, id = "pitfall", value_name = "TEXT")]
    pub(crate) pitfall: Option<String>,
    #[arg(long, id = "pattern", value_name = "NAME")]
    pub(crate) pattern: Option<String>,
    #[arg(
        long,
        id = "rationale",
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) rationale: String,
    #[arg(long = "ref", id = "piece_refs", value_name = "PATH")]
    pub(crate) refs: Vec<String>,
}

/// By the whole path of a command: other commands have a `list` of their own.
pub(crate) fn about(path: &str, lang: Lang) -> Option<String> {
    Some(match path {
        "hast contract" => help::contract(lang),
        "hast contract start" => help::start(lang),
        "hast contract resume" => help::resume(lang),
        "hast contract stop" => help::stop(lang),
        "hast contract list" => help::list(lang),
        "hast contract show" => help::show(lang),
        "hast contract verify" => help::verify(lang),
        "hast contract knowledge" => help::knowledge(lang),
        "hast contract knowledge list" => help::knowledge_list(lang),
        "hast contract knowledge add" => help::knowledge_add(lang),
        _ => return None,
    })
}

pub(crate) fn arg_help(id: &str, lang: Lang) -> Option<String> {
    Some(match id {
        "contract_request" => help::request(lang),
        "contract_tool" => auto_help::tool(lang),
        "contract_resume_id" => help::resume_id(lang),
        "contract_show_id" => help::show_id(lang),
        "contract_verify_id" => help::verify_id(lang),
        "decision" => help::decision(lang),
        "pitfall" => help::pitfall(lang),
        "pattern" => help::pattern(lang),
        "piece_text" => help::piece_text(lang),
        "rationale" => help::rationale(lang),
        "piece_refs" => help::piece_refs(lang),
        _ => return None,
    })
}
