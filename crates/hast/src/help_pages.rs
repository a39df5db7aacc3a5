//! Pages of help, in both languages: the first in groups, each other with examples.

use clap::{Arg, ArgAction, Command, CommandFactory};
use hast_flow::words::Lang;

use crate::agent_messages::help as agent_help;
use crate::auto_messages::help as auto_help;
use crate::cli::Cli;
use crate::explore_messages::help as explore_help;
use crate::messages::help;
use crate::{
    contract_cli, decision_cli, examples, exit_help, goal_cli, kernel_cli, look_cli, ops_cli,
    protocol_cli, queue_cli, run_cli, session_cli,
};

/// The command line with its help in a language.
pub(crate) fn command(lang: Lang) -> Command {
    let command = manual(lang);
    let (first, usage) = (first_page(&command, lang), help::usage(lang));
    let command = without_global_options(command);
    command.help_template(format!(
        "{{about-with-newline}}\n{usage}: {{usage}}\n\n{first}{{after-help}}"
    ))
}

/// The same with every option on every page, as a manual has them.
pub(crate) fn manual(lang: Lang) -> Command {
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

/// The first page: the commands in groups, and the options of all of them.
fn first_page(command: &Command, lang: Lang) -> String {
    let about = |name: &str| {
        let found = command.get_subcommands().find(|one| one.get_name() == name);
        found.and_then(Command::get_about).map(ToString::to_string).unwrap_or_default()
    };
    let mut text = String::new();
    for (heading_of, names) in GROUPS {
        text += &format!("{}:\n", heading(*heading_of, lang));
        text.extend(names.iter().map(|name| format!("  {name:<11} {}\n", about(name))));
        text.push('\n');
    }
    text += &format!("{}:\n", heading(help::EVERYWHERE, lang));
    for arg in command.get_arguments() {
        let short = arg.get_short().map(|short| format!("-{short}, ")).unwrap_or_default();
        let value = arg.get_value_names().filter(|_| arg.get_action().takes_values());
        let value = value.and_then(<[_]>::first).map(|value| format!(" <{value}>"));
        let long = arg.get_long().unwrap_or_default();
        let name = format!("{short}--{long}{}", value.unwrap_or_default());
        text += &format!("  {name:<17} {}\n", arg.get_help().cloned().unwrap_or_default());
    }
    text.trim_end().to_owned()
}

/// On the pages below the first these are one line; the first has words for each.
fn without_global_options(command: Command) -> Command {
    let everywhere = |arg: &Arg| arg.is_global_set() || arg.get_id().as_str() == "help";
    command
        .mut_args(|arg| if everywhere(&arg) { arg.hide(true) } else { arg })
        .mut_subcommands(without_global_options)
}

/// Words for a group of commands, and the commands.
type Group = ((&'static str, &'static str), &'static [&'static str]);

/// Every command that is not hidden, once.
const GROUPS: &[Group] = &[
    (("Start", "시작"), &["init", "goal", "demo", "agent", "trust"]),
    (("Work", "작업"), &["auto", "retry", "take", "undo", "context", "explore"]),
    (("Look", "보기"), &["status", "show", "log", "diff", "try", "inbox", "search", "verify"]),
    (("Other flows", "다른 흐름"), &["session", "run", "kernel", "contract"]),
    (
        ("Fleet", "여럿이 함께"),
        &["queue", "protocol", "decision", "events", "observe", "completions"],
    ),
];

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
        false => command.after_help(below(&path, lang)),
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

/// The lines below the options of a command: examples, the options of all commands, and exit codes.
fn below(path: &str, lang: Lang) -> String {
    let mut text = String::new();
    let examples = examples::of(path);
    if !examples.is_empty() {
        text += &format!("{}:\n", heading(help::EXAMPLES, lang));
        text.extend(examples.iter().map(|line| format!("  {line}\n")));
        text.push('\n');
    }
    text + &format!("{}\n{}", help::everywhere(lang), exit_help::line(path, lang))
}

/// Help of commands that have files of their own, by the whole path of a command.
fn of_flows(path: &str, lang: Lang) -> Option<String> {
    kernel_cli::about(path, lang)
        .or_else(|| goal_cli::about(path, lang))
        .or_else(|| look_cli::about(path, lang))
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
        .or_else(|| goal_cli::arg_help(id, lang))
        .or_else(|| look_cli::arg_help(id, lang))
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
        "prompt" => agent_help::prompt(lang),
        "run" => agent_help::run(lang),
        "trust" => agent_help::trust(lang),
        "tool" => help::agent_tool(lang),
        "completions" => help::completions(lang),
        "man" => help::man(lang),
        "help" => help::help(lang),
        "version" => help::version(lang),
        _ => return None,
    })
}

fn arg_help(id: &str, lang: Lang) -> Option<String> {
    Some(match id {
        "auto_goal" => auto_help::auto_goal(lang),
        "recursive" => auto_help::recursive(lang),
        "one" => auto_help::one(lang),
        "until" => auto_help::until(lang),
        "max_goals" => auto_help::max_goals(lang),
        "budget" => auto_help::budget(lang),
        "now" => auto_help::now(lang),
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
        "retry_text" => auto_help::retry_text(lang),
        "retry_goal" => auto_help::retry_goal(lang),
        "take_goal" => auto_help::take_goal(lang),
        "no_run" => auto_help::no_run(lang),
        "explore_question" => explore_help::question(lang),
        "no_agent" => explore_help::no_agent(lang),
        "keep_attempts" => auto_help::keep_attempts(lang),
        "dir" => auto_help::demo_dir(lang),
        "demo_agent" => auto_help::demo_agent(lang),
        "builtin_model" => agent_help::builtin_model(lang),
        "root" => help::root(lang),
        "lang" => help::lang(lang),
        "json" => help::json(lang),
        "color" => help::color(lang),
        "quiet" => help::quiet(lang),
        "verbose" => help::verbose(lang),
        "help" => help::help(lang),
        "version" => help::version(lang),
        "conventions" => help::conventions(lang),
        "init_agent" => help::init_agent(lang),
        "init_goal" => help::init_goal(lang),
        "goal" => help::goal(lang),
        "format" => help::context_format(lang),
        "paths" => help::verify_paths(lang),
        "document" => help::verify_as(lang),
        "schema" => help::verify_schema(lang),
        "folder" => help::record_folder(lang),
        "base" => help::record_base(lang),
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
        "help_words" => help::help_words(lang),
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
        assert!(at("--recursive") < at("--parallel") && at("--parallel") < at("Examples:"));
        assert!(at("Examples:") < at("Everywhere: ") && at("Everywhere: ") < at("--root"));
        assert!(at("--help") < at("Exit codes: 0 done"));
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
    fn every_command_stands_in_one_group_of_the_first_page() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        grouped.sort_unstable();
        let command = command(Lang::En);
        let shown = command.get_subcommands().filter(|one| !one.is_hide_set());
        let mut shown: Vec<&str> = shown.map(Command::get_name).collect();
        shown.sort_unstable();
        assert_eq!(grouped, shown);
    }

    #[test]
    fn every_command_has_two_examples_and_each_can_be_typed() {
        fn leaves(command: &Command, path: &str, found: &mut Vec<String>) {
            for below in command.get_subcommands().filter(|one| !one.is_hide_set()) {
                let path = format!("{path} {}", below.get_name());
                match below.has_subcommands() {
                    true => leaves(below, &path, found),
                    false => found.push(path),
                }
            }
        }
        let mut paths = Vec::new();
        leaves(&command(Lang::En), "hast", &mut paths);
        for path in paths {
            let lines = examples::of(&path);
            assert!(lines.len() == 2, "{path}: {lines:?}");
            for line in lines {
                let words = examples::words(line);
                assert!(line.contains(&path), "{path}: {line}");
                let typed = command(Lang::En).try_get_matches_from(&words);
                assert!(
                    typed.is_ok(),
                    "{line}: {words:?} {:?}",
                    typed.err().map(|one| one.to_string())
                );
            }
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        command(Lang::En).debug_assert();
        command(Lang::Ko).debug_assert();
    }
}
