//! Subcommands and arguments of `hast session`, with their help.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use hast_flow::words::Lang;

use crate::auto_messages::help as auto_help;
use crate::session_messages::help;

#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommands {
    Start(StartArgs),
    Resume(ResumeArgs),
    List,
    Show(ShowArgs),
    Verify(OneArgs),
    Answer(AnswerArgs),
    Replan(ReplanArgs),
}

#[derive(Debug, Args)]
pub(crate) struct StartArgs {
    #[arg(id = "session_query", value_name = "QUERY")]
    pub(crate) query: String,
    #[arg(long = "system-prompt", id = "session_system_prompt", value_name = "FILE")]
    pub(crate) system_prompt: Option<PathBuf>,
    #[arg(long = "rules", id = "session_rules", value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

/// How the work is done.
#[derive(Clone, Debug, Args)]
pub(crate) struct WorkArgs {
    #[arg(
        long = "parallel",
        id = "session_parallel",
        value_name = "N",
        default_value_t = 1,
        hide_default_value = true
    )]
    pub(crate) parallel: usize,
    #[arg(long = "tool", id = "session_tool", value_name = "NAME")]
    pub(crate) tool: Option<String>,
    #[arg(skip)]
    pub(crate) now: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    #[arg(id = "session_resume_id", value_name = "ID")]
    pub(crate) id: Option<String>,
    #[arg(long = "now", id = "session_now")]
    pub(crate) now: bool,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    #[arg(id = "session_id", value_name = "ID")]
    pub(crate) id: Option<String>,
    #[arg(long = "html", id = "session_html", value_name = "FILE", num_args = 0..=1)]
    #[expect(clippy::option_option, reason = "absent, without a file, with a file")]
    pub(crate) html: Option<Option<PathBuf>>,
}

#[derive(Debug, Args)]
pub(crate) struct OneArgs {
    #[arg(id = "session_verify_id", value_name = "ID")]
    pub(crate) id: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    #[arg(id = "session_question", value_name = "QUESTION")]
    pub(crate) question: String,
    #[arg(id = "session_answer", value_name = "TEXT")]
    pub(crate) text: String,
    #[arg(long = "session", id = "session_of", value_name = "ID")]
    pub(crate) session: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ReplanArgs {
    #[arg(id = "session_resume_id", value_name = "ID")]
    pub(crate) id: Option<String>,
    #[arg(long = "reason", id = "session_reason", value_name = "TEXT")]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

/// By the whole path of a command: other commands have a `list` of their own.
pub(crate) fn about(path: &str, lang: Lang) -> Option<String> {
    Some(match path {
        "hast session" => help::session(lang),
        "hast session start" => help::start(lang),
        "hast session resume" => help::resume(lang),
        "hast session list" => help::list(lang),
        "hast session show" => help::show(lang),
        "hast session verify" => help::verify(lang),
        "hast session answer" => help::answer(lang),
        "hast session replan" => help::replan(lang),
        _ => return None,
    })
}

pub(crate) fn arg_help(id: &str, lang: Lang) -> Option<String> {
    Some(match id {
        "session_query" => help::query(lang),
        "session_system_prompt" => help::system_prompt(lang),
        "session_rules" => help::rules(lang),
        "session_now" => help::now(lang),
        "session_parallel" => help::parallel(lang),
        "session_tool" => auto_help::tool(lang),
        "session_resume_id" => help::resume_id(lang),
        "session_id" => help::show_id(lang),
        "session_html" => help::html(lang),
        "session_verify_id" => help::verify_id(lang),
        "session_question" => help::question(lang),
        "session_answer" => help::answer_text(lang),
        "session_of" => help::answer_session(lang),
        "session_reason" => help::reason(lang),
        _ => return None,
    })
}
