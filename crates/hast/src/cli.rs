//! The command line of hast: commands, flags and their help, in Korean and English.

use std::path::PathBuf;

use clap::{Arg, ArgAction, Command, CommandFactory, Parser, Subcommand, ValueEnum};
use hast_flow::words::Lang;

use crate::agent_messages::help as agent_help;
use crate::auto_cli::{AutoArgs, RetryArgs, TakeArgs};
use crate::auto_messages::help as auto_help;
use crate::contract_cli::{self, ContractCommands};
use crate::decision_cli::{self, DecisionCommands};
use crate::exit_help;
use crate::explore_messages::help as explore_help;
use crate::kernel_cli::{self, KernelCommands};
use crate::messages::help;
use crate::ops_cli::{
    self, DoctorArgs, EventsCommands, InboxCommands, LimitsArgs, ObserveCommands,
};
use crate::protocol_cli::{self, ProtocolCommands};
use crate::queue_cli::{self, QueueCommands};
use crate::run_cli::{self, RunCommands, SearchArgs};
use crate::session_cli::{self, SessionCommands};

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
    Init {
        #[arg(long)]
        conventions: bool,
    },
    Context(ContextArgs),
    Status,
    Verify(VerifyArgs),
    #[command(subcommand)]
    Agent(AgentCommands),
    Trust(TrustArgs),
    Auto(AutoArgs),
    Retry(RetryArgs),
    Take(TakeArgs),
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
    Man,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommands {
    List,
    Doctor(DoctorArgs),
    Limits(LimitsArgs),
    Run(RunArgs),
    Record(RecordArgs),
    Rehearse(RehearseArgs),
    Builtin(BuiltinArgs),
    Tool(ToolArgs),
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

/// The command line with its help in a language.
pub(crate) fn command(lang: Lang) -> Command {
    let command = Cli::command()
        .about(help::about(lang))
        .after_help(help::exit_codes(lang))
        .arg(help_flag(lang))
        .disable_version_flag(true)
        .arg(version_flag(lang));
    let template = format!(
        "{{about-with-newline}}\n{}: {{usage}}\n\n{{all-args}}{{after-help}}",
        help::usage(lang)
    );
    localize(command, lang, &template, "")
}

/// Gives every command and flag its help. A missing one is found by a test.
fn localize(command: Command, lang: Lang, template: &str, above: &str) -> Command {
    let name = command.get_name().to_owned();
    let path = if above.is_empty() { name.clone() } else { format!("{above} {name}") };
    let command = match of_flows(&path, lang).or_else(|| about(&name, lang)) {
        Some(about) => command.about(about),
        None => command,
    };
    let command = match command.has_subcommands() {
        true => command,
        false => command.after_help(exit_help::line(&path, lang)),
    };
    // Without a place they would be sorted by name.
    let mut place = 0;
    command
        .help_template(template.to_owned())
        .disable_help_flag(true)
        .subcommand_help_heading(heading(help::COMMANDS, lang))
        .mut_args(|arg| {
            let is_everywhere = |id: &str| matches!(id, "help" | "version");
            let words = match arg.is_positional() {
                true => help::ARGUMENTS,
                false if arg.is_global_set() || is_everywhere(arg.get_id().as_str()) => {
                    help::EVERYWHERE
                }
                false => help::OPTIONS,
            };
            let arg = arg.help_heading(heading(words, lang));
            place += usize::from(arg.is_positional());
            let arg = if arg.is_positional() { arg.display_order(place) } else { arg };
            let id = arg.get_id().as_str();
            match args_of_flows(id, lang).or_else(|| arg_help(id, lang)) {
                Some(text) => arg.help(text),
                None => arg,
            }
        })
        .mut_subcommands(|command| localize(command.arg(help_flag(lang)), lang, template, &path))
}

/// Help of commands that have files of their own, by the whole path of a command.
fn of_flows(path: &str, lang: Lang) -> Option<String> {
    kernel_cli::about(path, lang)
        .or_else(|| queue_cli::about(path, lang))
        .or_else(|| session_cli::about(path, lang))
        .or_else(|| run_cli::about(path, lang))
        .or_else(|| ops_cli::about(path, lang))
        .or_else(|| protocol_cli::about(path, lang))
        .or_else(|| decision_cli::about(path, lang))
        .or_else(|| contract_cli::about(path, lang))
}

fn args_of_flows(id: &str, lang: Lang) -> Option<String> {
    kernel_cli::arg_help(id, lang)
        .or_else(|| queue_cli::arg_help(id, lang))
        .or_else(|| session_cli::arg_help(id, lang))
        .or_else(|| run_cli::arg_help(id, lang))
        .or_else(|| ops_cli::arg_help(id, lang))
        .or_else(|| protocol_cli::arg_help(id, lang))
        .or_else(|| decision_cli::arg_help(id, lang))
        .or_else(|| contract_cli::arg_help(id, lang))
}

fn heading((en, ko): (&'static str, &'static str), lang: Lang) -> &'static str {
    match lang {
        Lang::En => en,
        Lang::Ko => ko,
    }
}

fn about(command: &str, lang: Lang) -> Option<String> {
    Some(match command {
        "auto" => auto_help::auto(lang),
        "retry" => auto_help::retry(lang),
        "take" => auto_help::take(lang),
        "explore" => explore_help::explore(lang),
        "demo" => auto_help::demo(lang),
        "init" => help::init(lang),
        "context" => help::context(lang),
        "status" => help::status(lang),
        "verify" => help::verify(lang),
        "record" => help::record(lang),
        "rehearse" => help::rehearse(lang),
        "builtin" => agent_help::builtin(lang),
        "agent" => agent_help::agent(lang),
        "list" => agent_help::list(lang),
        "doctor" => agent_help::doctor(lang),
        "limits" => agent_help::limits(lang),
        "run" => agent_help::run(lang),
        "trust" => agent_help::trust(lang),
        "tool" => help::agent_tool(lang),
        "completions" => help::completions(lang),
        "man" => help::man(lang),
        _ => return None,
    })
}

fn arg_help(id: &str, lang: Lang) -> Option<String> {
    Some(match id {
        "auto_goal" => auto_help::auto_goal(lang),
        "recursive" => auto_help::recursive(lang),
        "dry_run" => auto_help::dry_run(lang),
        "dry_run_full" => auto_help::dry_run_full(lang),
        "undo" => auto_help::undo(lang),
        "go_on" => auto_help::go_on(lang),
        "fewer_tests" => auto_help::fewer_tests(lang),
        "gc" => auto_help::gc(lang),
        "isolate" => auto_help::isolate(lang),
        "parallel" => auto_help::parallel(lang),
        "explain" => auto_help::explain(lang),
        "auto_tool" => auto_help::tool(lang),
        "retry_goal" | "take_goal" => auto_help::retry_goal(lang),
        "no_run" => auto_help::no_run(lang),
        "explore_question" => explore_help::question(lang),
        "no_agent" => explore_help::no_agent(lang),
        "keep_attempts" => auto_help::keep_attempts(lang),
        "dir" => auto_help::demo_dir(lang),
        "root" => help::root(lang),
        "lang" => help::lang(lang),
        "json" => help::json(lang),
        "color" => help::color(lang),
        "quiet" => help::quiet(lang),
        "verbose" => help::verbose(lang),
        "help" => help::help(lang),
        "version" => help::version(lang),
        "conventions" => help::conventions(lang),
        "goal" => help::goal(lang),
        "format" => help::context_format(lang),
        "paths" => help::verify_paths(lang),
        "document" => help::verify_as(lang),
        "schema" => help::verify_schema(lang),
        "folder" => help::record_folder(lang),
        "base" => help::record_base(lang),
        "demo_agent" => auto_help::demo_agent(lang),
        "builtin_model" => agent_help::builtin_model(lang),
        "rehearse_file" => help::rehearse_file(lang),
        "rehearse_raw" => help::rehearse_raw(lang),
        "role" => agent_help::role(lang),
        "prompt_file" => agent_help::prompt_file(lang),
        "tool" => agent_help::tool(lang),
        "expect" => agent_help::expect(lang),
        "timeout" => agent_help::timeout(lang),
        "in_place" => agent_help::in_place(lang),
        "yes" => agent_help::yes(lang),
        "shell" => help::shell(lang),
        "tool_name" => help::tool_name(lang),
        "tool_args" => help::tool_args(lang),
        "list_tools" => help::list_tools(lang),
        "args_schema" => help::args_schema(lang),
        _ => return None,
    })
}

fn help_flag(lang: Lang) -> Arg {
    Arg::new("help")
        .short('h')
        .long("help")
        .action(ArgAction::Help)
        .display_order(998)
        .help(help::help(lang))
}

fn version_flag(lang: Lang) -> Arg {
    Arg::new("version")
        .short('V')
        .long("version")
        .action(ArgAction::Version)
        .display_order(999)
        .help(help::version(lang))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit(command: &Command, check: &mut dyn FnMut(&Command)) {
        check(command);
        for below in command.get_subcommands() {
            visit(below, check);
        }
    }

    #[test]
    fn every_command_and_flag_has_help_in_both_languages() {
        for lang in [Lang::En, Lang::Ko] {
            visit(&command(lang), &mut |command| {
                let hangul = |text: String| text.chars().any(|c| ('가'..='힣').contains(&c));
                let about = command.get_about().map(ToString::to_string).unwrap_or_default();
                assert!(!about.is_empty(), "{}", command.get_name());
                assert_eq!(hangul(about), lang == Lang::Ko, "{}", command.get_name());
                for arg in command.get_arguments() {
                    let text = arg.get_help().map(ToString::to_string).unwrap_or_default();
                    assert!(!text.is_empty(), "{} {}", command.get_name(), arg.get_id());
                    assert_eq!(
                        hangul(text),
                        lang == Lang::Ko,
                        "{} {}",
                        command.get_name(),
                        arg.get_id()
                    );
                }
            });
        }
    }

    #[test]
    fn a_help_page_has_its_own_options_first_and_its_exit_codes_last() {
        let page = |words: &[&str]| {
            let args = ["hast"].iter().chain(words).chain(&["--help"]);
            command(Lang::En).try_get_matches_from(args).unwrap_err().render().to_string()
        };
        let auto = page(&["auto"]);
        let at = |text: &str| auto.find(text).unwrap_or_else(|| panic!("{text}: {auto}"));
        assert!(at("--recursive") < at("--parallel") && at("--parallel") < at("Options of every"));
        assert!(at("Options of every") < at("--root") && at("--help") < at("Exit codes: 0 done"));
        assert!(!auto.contains("3 waiting") && !auto.contains("4 locked"), "{auto}");
        assert!(page(&["session", "start"]).contains("3 waiting for a person, 4 locked"));
        for (words, first, second) in [
            (&["session", "answer"][..], "<QUESTION>  ", "<TEXT>  "),
            (&["run", "modify"], "<TEXT>  ", "[RUN]  "),
            (&["contract", "knowledge", "add"], "<TEXT>  ", "--decision <TOPIC>  "),
        ] {
            let page = page(words);
            assert!(page.find(first).unwrap() < page.find(second).unwrap(), "{page}");
        }
        visit(&command(Lang::Ko), &mut |command| {
            for arg in command.get_arguments() {
                let said = arg.get_help().map(ToString::to_string).unwrap_or_default();
                let shows =
                    !arg.get_default_values().is_empty() && !arg.is_hide_default_value_set();
                assert!(!shows, "{} {}: {said}", command.get_name(), arg.get_id());
            }
        });
    }

    #[test]
    fn the_command_line_is_consistent() {
        command(Lang::En).debug_assert();
        command(Lang::Ko).debug_assert();
    }
}
