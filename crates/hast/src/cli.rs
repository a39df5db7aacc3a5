//! The command line of hast: commands, flags and their help, in Korean and English.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::auto_cli::{AutoArgs, RetryArgs, TakeArgs};
use crate::contract_cli::ContractCommands;
use crate::decision_cli::DecisionCommands;
use crate::goal_cli::GoalCommands;
use crate::kernel_cli::KernelCommands;
use crate::look_cli::{GoalArgs, LogArgs, TryArgs, UndoArgs};
use crate::ops_cli::{DoctorArgs, EventsCommands, InboxCommands, LimitsArgs, ObserveCommands};
use crate::protocol_cli::ProtocolCommands;
use crate::queue_cli::QueueCommands;
use crate::run_cli::{RunCommands, SearchArgs};
use crate::session_cli::SessionCommands;

#[derive(Debug, Parser)]
#[command(name = "hast", version, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    #[arg(long, global = true, value_name = "ko|en", value_parser = ["ko", "en"], hide_possible_values = true)]
    pub(crate) lang: Option<String>,
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = ColorWhen::Auto, hide_default_value = true, hide_possible_values = true)]
    pub(crate) color: ColorWhen,
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    #[command(subcommand)]
    pub(crate) command: Commands,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ColorWhen {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Commands {
    Init(InitArgs),
    Context(ContextArgs),
    Status,
    Verify(VerifyArgs),
    #[command(subcommand)]
    Agent(AgentCommands),
    Trust(TrustArgs),
    #[command(subcommand)]
    Goal(GoalCommands),
    Auto(AutoArgs),
    Retry(RetryArgs),
    Show(GoalArgs),
    Log(LogArgs),
    Diff(GoalArgs),
    Take(TakeArgs),
    Try(TryArgs),
    Undo(UndoArgs),
    Explore(ExploreArgs),
    Demo(DemoArgs),
    #[command(subcommand)]
    Kernel(KernelCommands),
    #[command(subcommand)]
    Contract(ContractCommands),
    #[command(subcommand)]
    Queue(QueueCommands),
    #[command(subcommand)]
    Session(SessionCommands),
    #[command(subcommand)]
    Run(RunCommands),
    Search(SearchArgs),
    #[command(subcommand)]
    Events(EventsCommands),
    #[command(subcommand)]
    Observe(ObserveCommands),
    #[command(subcommand)]
    Inbox(InboxCommands),
    #[command(subcommand)]
    Protocol(ProtocolCommands),
    #[command(subcommand)]
    Decision(DecisionCommands),
    Completions {
        #[arg(value_name = "SHELL", value_enum, hide_possible_values = true)]
        shell: clap_complete::Shell,
    },
    #[command(hide = true)]
    Man {
        #[arg(id = "help_words", value_name = "COMMAND")]
        words: Vec<String>,
    },
    #[command(hide = true)]
    Help {
        #[arg(id = "help_words", value_name = "COMMAND")]
        words: Vec<String>,
    },
    #[command(hide = true)]
    Version,
}

#[derive(Debug, clap::Args)]
pub(crate) struct InitArgs {
    #[arg(long)]
    pub(crate) conventions: bool,
    #[arg(long, id = "init_agent", value_name = "NAME")]
    pub(crate) agent: Option<String>,
    #[arg(long = "goal", id = "init_goal", value_name = "TITLE")]
    pub(crate) title: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommands {
    List,
    Doctor(DoctorArgs),
    Limits(LimitsArgs),
    Run(RunArgs),
    Record(RecordArgs),
    Rehearse(RehearseArgs),
    #[command(hide = true)]
    Builtin(BuiltinArgs),
    Prompt(PromptArgs),
    Tool(ToolArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct PromptArgs {
    #[arg(long, id = "prompt_flow", value_name = "FLOW", value_enum, hide_possible_values = true)]
    pub(crate) flow: Option<DemoFlow>,
    #[arg(long, id = "prompt_role", value_name = "ROLE")]
    pub(crate) role: Option<String>,
    #[arg(long, id = "prompt_step", value_name = "STEP")]
    pub(crate) step: Option<String>,
}

/// Only for the help page: it is started before anything is parsed.
#[derive(Debug, clap::Args)]
pub(crate) struct BuiltinArgs {
    #[arg(id = "builtin_model", value_name = "FORMAT/MODEL")]
    pub(crate) model: String,
}

/// Only for the help page: it is played before anything is parsed.
#[derive(Debug, clap::Args)]
pub(crate) struct RehearseArgs {
    #[arg(id = "rehearse_file", value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[arg(long, id = "rehearse_raw")]
    pub(crate) raw: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RecordArgs {
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    #[arg(long, value_name = "COMMIT")]
    pub(crate) base: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: String,
    #[arg(long, value_name = "FILE")]
    pub(crate) prompt_file: PathBuf,
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    #[arg(long, value_name = "NAME[=SCHEMA]")]
    pub(crate) expect: Vec<String>,
    #[arg(long, value_name = "TIME")]
    pub(crate) timeout: Option<String>,
    #[arg(long)]
    pub(crate) in_place: bool,
}

#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct TrustArgs {
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ExploreArgs {
    #[arg(id = "explore_question", value_name = "QUESTION")]
    pub(crate) question: String,
    #[arg(long)]
    pub(crate) no_agent: bool,
    #[arg(long, id = "auto_tool", value_name = "NAME")]
    pub(crate) tool: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct DemoArgs {
    #[arg(id = "demo_flow", value_name = "FLOW", value_enum, default_value_t = DemoFlow::Goals, hide_default_value = true, hide_possible_values = true)]
    pub(crate) flow: DemoFlow,
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    #[arg(long, id = "demo_agent", value_name = "AGENT", value_enum, hide_possible_values = true)]
    pub(crate) agent: Option<DemoAgent>,
}

/// Who plays the agent instead of a rehearsal.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum DemoAgent {
    Builtin,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum DemoFlow {
    Goals,
    Kernel,
    Session,
    Run,
    Contract,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ContextArgs {
    #[arg(long, value_name = "ID")]
    pub(crate) goal: Option<String>,
    #[arg(long, value_name = "FORMAT", value_enum, hide_possible_values = true)]
    pub(crate) format: Option<ContextFormat>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ContextFormat {
    Markdown,
    Plain,
    Json,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ToolArgs {
    #[arg(value_name = "TOOL", required_unless_present = "list_tools")]
    pub(crate) tool_name: Option<String>,
    #[arg(long = "args", value_name = "JSON")]
    pub(crate) tool_args: Option<String>,
    #[arg(long = "list", conflicts_with_all = ["tool_name", "tool_args", "args_schema"])]
    pub(crate) list_tools: bool,
    #[arg(long = "schema", conflicts_with = "tool_args")]
    pub(crate) args_schema: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct VerifyArgs {
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    #[arg(long = "as", value_name = "NAME", requires = "paths")]
    pub(crate) document: Option<String>,
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["paths", "document"])]
    pub(crate) schema: Option<String>,
}
