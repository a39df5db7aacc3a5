//! Subcommands and arguments of `hast protocol`, with their help.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use hast_flow::docs::goals::Adapter;
use hast_flow::words::Lang;

use crate::protocol_messages::help;
use crate::queue_cli::RoleArg;

#[derive(Debug, Subcommand)]
pub(crate) enum ProtocolCommands {
    Export(ExportArgs),
    Ingest(IngestArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[arg(
        long,
        id = "protocol_adapter",
        value_name = "ADAPTER",
        value_enum,
        hide_possible_values = true
    )]
    pub(crate) adapter: AdapterArg,
    #[arg(long = "goal", id = "protocol_goal", value_name = "GOAL")]
    pub(crate) goal: Option<String>,
    #[arg(
        long = "role",
        id = "protocol_role",
        value_name = "ROLE",
        value_enum,
        hide_possible_values = true
    )]
    pub(crate) role: Option<RoleArg>,
    #[arg(long = "worker", id = "protocol_worker", value_name = "W")]
    pub(crate) worker: Option<String>,
    #[arg(long = "ttl", id = "protocol_ttl", value_name = "MINUTES", default_value_t = 60, hide_default_value = true, value_parser = clap::value_parser!(u16).range(1..=240))]
    pub(crate) ttl: u16,
}

#[derive(Debug, Args)]
pub(crate) struct IngestArgs {
    #[arg(id = "protocol_result", value_name = "RESULT")]
    pub(crate) file: PathBuf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum AdapterArg {
    Generic,
    Langgraph,
    Openhands,
    A2a,
}

impl AdapterArg {
    pub(crate) fn adapter(self) -> Adapter {
        match self {
            Self::Generic => Adapter::Generic,
            Self::Langgraph => Adapter::Langgraph,
            Self::Openhands => Adapter::Openhands,
            Self::A2a => Adapter::A2a,
        }
    }
}

pub(crate) fn about(path: &str, lang: Lang) -> Option<String> {
    Some(match path {
        "hast protocol" => help::protocol(lang),
        "hast protocol export" => help::export(lang),
        "hast protocol ingest" => help::ingest(lang),
        _ => return None,
    })
}

pub(crate) fn arg_help(id: &str, lang: Lang) -> Option<String> {
    Some(match id {
        "protocol_adapter" => help::adapter(lang),
        "protocol_goal" => help::goal(lang),
        "protocol_role" => help::role(lang),
        "protocol_worker" => help::worker(lang),
        "protocol_ttl" => help::ttl(lang),
        "protocol_result" => help::result(lang),
        _ => return None,
    })
}
